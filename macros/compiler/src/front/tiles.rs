//! Loops over objects: `for tile in next.tiles([h, w]) { for y in tile.rows() { next[[y, x]] = now[[y, x]]; .. } }`, or `for y in 0..h { .. }`.
//!
//! An iteration is a task, or a part of one, with a box of each object that it accesses. The body begins with a view of each object,
//! `let mut next_view = view();`, which stands for the object in it. A tile comes with its bounds and its number, `(tile, ((y0, y1, ny), (x0, x1, nx)), number)`,
//! and the ranges of the tile become ranges of these numbers.

use super::objects::{Object, objects};
use super::tokens::{Find, assigns, bare, declaration, is_stable, mentions, name_of, names_in};
use super::{barriers, declared, nests};
use crate::ir::{Expr, Kind, Local};
use crate::maps::{HashMap, HashSet, New as _};
use crate::resolve::arguments::MacroArguments;
use proc_macro2::{Group, Ident, Span, TokenStream, TokenTree};
use quote::{ToTokens, format_ident, quote_spanned};
use syn::spanned::Spanned;
use syn::visit::Visit;
use syn::visit_mut::{VisitMut, visit_expr_mut};

/// The part of an object that a task accesses.
#[derive(Debug, Clone)]
pub struct View {
    pub name: Local,
    pub object: Local,
}

/// The result of [`expose_tiles`].
#[derive(Debug, Default)]
pub struct Tiles {
    /// The objects among the parameters and the variables of the function.
    pub objects: Vec<Object>,
    pub views: Vec<View>,
    /// The first index and the end of each range of a tile.
    pub ranges: Vec<[Local; 2]>,
    /// The new names, each with that of messages.
    pub names: Vec<(String, String)>,
}

impl Tiles {
    /// Whether this is an object, or a view of one.
    pub fn mentions(&self, name: Local) -> bool {
        self.objects.iter().any(|object| object.name == name) || self.views.iter().any(|view| view.name == name)
    }
}

/// Gives the loops over objects views of the objects, and tiles their bounds.
pub fn expose_tiles(signature: &syn::Signature, block: &mut syn::Block) -> Tiles {
    let objects = objects(signature, block);
    let mut expose = Expose { tiles: Tiles { objects, ..Tiles::default() }, number: 0, barriers: 0 };
    if !expose.tiles.objects.is_empty() {
        expose.visit_block_mut(block);
    }
    expose.tiles
}

/// Whether an expression is the view of an object at the beginning of a task.
pub fn is_view(e: &Expr) -> bool {
    const VIEW: [&str; 4] = ["forall", "__private", "objects", "view"];
    let Kind::Call(function, arguments) = &e.bare().kind else { return false };
    arguments.is_empty() && function.text().split("::").map(str::trim).filter(|part| !part.is_empty()).eq(VIEW)
}

struct Expose {
    tiles: Tiles,
    /// The number of loops so far.
    number: usize,
    /// The number of barriers so far.
    barriers: usize,
}

/// The object whose tiles a header goes through, and the part of the pattern that is a tile.
fn tile_of<'e, 'p>(e: &'e syn::Expr, pattern: &'p mut syn::Pat) -> Option<(&'e Ident, &'p mut syn::Pat)> {
    let syn::Expr::MethodCall(call) = bare(e) else { return None };
    match (call.method.to_string().as_str(), call.args.len()) {
        ("tiles", 1) => Some((name_of(&call.receiver)?, pattern)),
        ("enumerate", 0) => match pattern {
            syn::Pat::Tuple(parts) if parts.elems.len() == 2 => tile_of(&call.receiver, &mut parts.elems[1]),
            _ => None,
        },
        ("rev" | "into_iter", 0) | ("skip" | "take" | "step_by", 1) => tile_of(&call.receiver, pattern),
        _ => None,
    }
}

impl Expose {
    /// The statements that stand for a loop whose iterations are tasks: what is asked of objects before it, and a loop for each part of its
    /// body between barriers.
    fn task_loops(&mut self, f: &mut syn::ExprForLoop) -> Option<Vec<syn::Stmt>> {
        if !f.attrs.is_empty() {
            return None;
        }
        let mut counts = Vec::new();
        let nest = nests::as_one_loop(f, self.number, &mut counts).filter(|_| Choice::of(f, &self.tiles.objects));
        let is_nest = nest.is_some();
        nest.into_iter().for_each(|one| *f = one);
        let (tile, axes) = match self.tile(f) {
            Some((tile, axes)) => (tile, axes),
            None if is_nest || Choice::of(f, &self.tiles.objects) => (None, Vec::new()),
            None => return None,
        };
        let number_of_tile = number_of_tile(self.number, f.span());
        let mut inside = Inside {
            tile,
            axes,
            number_of_tile,
            objects: &self.tiles.objects,
            number: self.number,
            views: Vec::new(),
            before: if is_nest { counts } else { Vec::new() },
            ranges: HashMap::new(),
            lists: HashMap::new(),
            indices: HashMap::new(),
        };
        self.number += 1;
        inside.visit_block_mut(&mut f.body);
        let Inside { axes, views, mut before, ranges, lists, indices, .. } = inside;
        let of_tile = axes.iter().map(|[first, end, _]| [first, end]);
        let of_lists = ranges.values().chain(lists.values().flatten());
        let ranges = of_tile.chain(of_lists.map(|[first, end]| [first, end]));
        self.tiles.ranges.extend(ranges.map(|ends| ends.map(Local::from)));
        for (name, parts) in &indices {
            let shown = parts.iter().enumerate().map(|(axis, part)| (part.to_string(), format!("{name}[{axis}]")));
            self.tiles.names.extend(shown);
        }
        for (object, view) in &views {
            self.tiles.names.push((view.to_string(), object.to_string()));
            self.tiles.views.push(View { name: Local::from(view), object: Local::from(object) });
        }
        let is_view = |e: &syn::Expr| name_of(e).is_some_and(|name| views.iter().any(|(_, view)| view == name));
        // A range of iterations of a nest is no box.
        let has_cuts = declared::cut(f, &views, &is_view) | is_nest;
        let parts = barriers::parts(f, has_cuts, &is_view, &mut self.barriers, &mut before);
        for mut part in parts {
            let used = views.iter().filter(|(_, view)| mentions(&part.body, view));
            for (number, (object, view)) in used.collect::<Vec<_>>().into_iter().enumerate() {
                let statement = quote_spanned!(object.span()=> let mut #view = ::forall::__private::objects::view(););
                part.body.stmts.insert(number, syn::parse2(statement).ok()?);
            }
            before.push(syn::Stmt::Expr(syn::Expr::ForLoop(part), None));
        }
        Some(before)
    }

    /// Gives the pattern of a loop over tiles their bounds. Returns the variable that is a tile, and the bounds along each axis.
    fn tile(&mut self, f: &mut syn::ExprForLoop) -> Option<(Option<Ident>, Vec<[Ident; 3]>)> {
        let (object, tile) = tile_of(&f.expr, &mut f.pat)?;
        let dims = self.tiles.objects.iter().find(|known| known.name == Local::from(object))?.dims;
        let name = match tile {
            syn::Pat::Ident(syn::PatIdent { by_ref: None, subpat: None, ident, .. }) => Some(ident.clone()),
            syn::Pat::Wild(_) => None,
            _ => return None,
        };
        let (number, at) = (self.number, tile.span());
        let shown = name.as_ref().map_or("tile".to_owned(), Ident::to_string);
        let mut axes = Vec::new();
        for axis in 0..dims {
            let bounds = ["first", "end", "length"];
            let names = bounds.map(|what| format_ident!("__{what}{axis}_of_tile_{number}", span = at));
            let of_messages = bounds.map(|what| format!("{shown}'s {what} index along axis {axis}"));
            self.tiles.names.extend(names.iter().map(Ident::to_string).zip(of_messages));
            axes.push(names);
        }
        let bounds = axes.iter().map(|[first, end, length]| quote_spanned!(at=> (#first, #end, #length)));
        let number_of_tile = number_of_tile(number, at);
        self.tiles.names.push((number_of_tile.to_string(), format!("{shown}'s number")));
        let with_bounds = quote_spanned!(at=> (#tile, (#(#bounds,)*), #number_of_tile));
        *tile = syn::parse::Parser::parse2(syn::Pat::parse_single, with_bounds).ok()?;
        Some((name, axes))
    }
}

/// The variable that is the number of a tile.
fn number_of_tile(number: usize, at: Span) -> Ident {
    format_ident!("__number_of_tile_{number}", span = at)
}

/// Whether the variables of a loop choose the elements of objects that it accesses. A loop over time steps does not.
struct Choice<'o> {
    objects: &'o [Object],
    /// The variables that depend on those of the loop.
    chosen: HashSet<Local>,
    /// Whether elements of objects are written, and at indices that depend on these variables.
    writes: bool,
    writes_chosen: bool,
    reads_chosen: bool,
    /// Whether there are loops over tiles in it.
    has_tiles: bool,
}

impl Choice<'_> {
    fn of(f: &syn::ExprForLoop, objects: &[Object]) -> bool {
        let mut choice = Choice {
            objects,
            chosen: HashSet::new(),
            writes: false,
            writes_chosen: false,
            reads_chosen: false,
            has_tiles: false,
        };
        choice.chosen.extend(bound_by(&f.pat));
        choice.visit_block(&f.body);
        let chosen = if choice.writes { choice.writes_chosen } else { choice.reads_chosen };
        chosen && !choice.has_tiles
    }

    fn depends(&self, tokens: &impl ToTokens) -> bool {
        let mut names = Vec::new();
        names_in(tokens.to_token_stream(), &mut names);
        names.iter().any(|(name, _)| self.chosen.contains(&Local::named(name)))
    }

    fn bind(&mut self, pattern: &syn::Pat, value: &impl ToTokens) {
        if self.depends(value) {
            self.chosen.extend(bound_by(pattern));
        }
    }

    /// Notes the elements in a place that is written.
    fn written(&mut self, place: &syn::Expr) {
        match bare(place) {
            syn::Expr::Index(element) => match name_of(&element.expr) {
                Some(name) if self.objects.iter().any(|object| object.name == Local::from(name)) => {
                    self.writes = true;
                    self.writes_chosen |= self.depends(&element.index);
                }
                _ => self.written(&element.expr),
            },
            syn::Expr::Field(field) => self.written(&field.base),
            _ => {}
        }
    }
}

/// The ends of the range that a header goes through.
fn range_in(e: &syn::Expr) -> Option<(&syn::Expr, &syn::Expr)> {
    match bare(e) {
        syn::Expr::Range(range) => range.start.as_deref().zip(range.end.as_deref()),
        syn::Expr::MethodCall(call) => range_in(&call.receiver),
        _ => None,
    }
}

/// The variables that a pattern binds.
fn bound_by(pattern: &syn::Pat) -> Vec<Local> {
    struct Bound(Vec<Local>);
    impl<'ast> Visit<'ast> for Bound {
        fn visit_pat_ident(&mut self, pattern: &'ast syn::PatIdent) {
            self.0.push(Local::from(&pattern.ident));
        }
    }
    let mut bound = Bound(Vec::new());
    bound.visit_pat(pattern);
    bound.0
}

impl<'ast> Visit<'ast> for Choice<'_> {
    fn visit_local(&mut self, local: &'ast syn::Local) {
        if let Some(init) = &local.init {
            self.bind(&local.pat, &init.expr);
        }
        syn::visit::visit_local(self, local);
    }

    fn visit_expr(&mut self, e: &'ast syn::Expr) {
        match e {
            syn::Expr::ForLoop(f) => {
                self.has_tiles |= tile_of(&f.expr, &mut f.pat.clone()).is_some();
                // A loop of another start only, as in `for x in (y + colour) % 2..nx`, goes through elements of its own.
                match range_in(&f.expr) {
                    Some((start, end)) if !(self.depends(start) && self.depends(end)) => {}
                    _ => self.bind(&f.pat, &f.expr),
                }
            }
            syn::Expr::Assign(assign) => {
                self.written(&assign.left);
                if self.depends(&assign.right) {
                    self.chosen.extend(name_of(&assign.left).map(Local::from));
                }
            }
            syn::Expr::Binary(binary) if assigns(binary) => {
                self.written(&binary.left);
            }
            syn::Expr::Reference(reference) if reference.mutability.is_some() => self.written(&reference.expr),
            syn::Expr::Index(element) => {
                let object = name_of(&element.expr).map(Local::from);
                let is_object = object.is_some_and(|name| self.objects.iter().any(|object| object.name == name));
                self.reads_chosen |= is_object && self.depends(&element.index);
            }
            _ => {}
        }
        syn::visit::visit_expr(self, e);
    }

    fn visit_item(&mut self, _: &'ast syn::Item) {}
}

impl VisitMut for Expose {
    fn visit_block_mut(&mut self, block: &mut syn::Block) {
        for mut statement in std::mem::take(&mut block.stmts) {
            if let syn::Stmt::Expr(syn::Expr::ForLoop(f), _) = &mut statement
                && let Some(loops) = self.task_loops(f)
            {
                block.stmts.extend(loops);
                continue;
            }
            self.visit_stmt_mut(&mut statement);
            block.stmts.push(statement);
        }
    }

    fn visit_item_mut(&mut self, _: &mut syn::Item) {}

    fn visit_macro_mut(&mut self, _: &mut syn::Macro) {}
}

/// The body of a loop whose iterations are tasks.
struct Inside<'o> {
    tile: Option<Ident>,
    /// The first index of the tile along each axis, the end, and the length of the object.
    axes: Vec<[Ident; 3]>,
    number_of_tile: Ident,
    objects: &'o [Object],
    number: usize,
    /// The objects that the body accesses, each with its view.
    views: Vec<(Ident, Ident)>,
    /// The statements before the loop.
    before: Vec<syn::Stmt>,
    /// Variables that are ranges of the tile, each with its two ends.
    ranges: HashMap<Local, [Ident; 2]>,
    /// Variables that are lists of ranges of the tile.
    lists: HashMap<Local, Vec<[Ident; 2]>>,
    /// Variables that are indices of elements, each with the variables for its parts.
    indices: HashMap<Local, Vec<Ident>>,
}

/// `let (a, b) = (c, d);` and `let [a, b] = [c, d];` as a declaration for each variable. No two variables have one name.
fn separate(statement: syn::Stmt) -> Vec<syn::Stmt> {
    let parts = match &statement {
        syn::Stmt::Local(syn::Local { pat, init: Some(syn::LocalInit { expr, diverge: None, .. }), .. }) => {
            match (pat, &**expr) {
                (syn::Pat::Tuple(patterns), syn::Expr::Tuple(values)) => Some((&patterns.elems, &values.elems)),
                // All elements of an array have the type of each.
                (syn::Pat::Slice(patterns), syn::Expr::Array(values)) if values.elems.iter().all(has_own_type) => {
                    Some((&patterns.elems, &values.elems))
                }
                _ => None,
            }
        }
        _ => None,
    };
    let plain =
        |pattern: &syn::Pat| matches!(pattern, syn::Pat::Ident(name) if name.by_ref.is_none() && name.subpat.is_none());
    let Some((patterns, values)) = parts.filter(|(patterns, values)| {
        patterns.len() == values.len() && patterns.iter().all(plain) && values.iter().all(is_stable)
    }) else {
        return vec![statement];
    };
    let declared = patterns.iter().zip(values);
    let declared = declared.map(|(pattern, value)| quote_spanned!(pattern.span()=> let #pattern = #value;));
    declared.filter_map(|tokens| syn::parse2(tokens).ok()).collect()
}

/// Whether the type of a number does not come from its use.
fn has_own_type(e: &syn::Expr) -> bool {
    match bare(e) {
        syn::Expr::Path(_) | syn::Expr::Field(_) | syn::Expr::Cast(_) => true,
        syn::Expr::Binary(of) => match of.op {
            syn::BinOp::Shl(_) | syn::BinOp::Shr(_) => has_own_type(&of.left),
            _ => has_own_type(&of.left) || has_own_type(&of.right),
        },
        syn::Expr::MethodCall(call) => call.method == "len" || has_own_type(&call.receiver),
        _ => false,
    }
}

/// The first index and the end of a range.
type Ends = [syn::Expr; 2];

impl Inside<'_> {
    fn is_tile(&self, e: &syn::Expr) -> bool {
        name_of(e).is_some_and(|name| self.tile.as_ref() == Some(name))
    }

    fn is_object(&self, name: &Ident) -> bool {
        self.objects.iter().any(|object| object.name == Local::from(name))
    }

    /// The axis of `tile.rows()` and its kin.
    fn axis(&self, e: &syn::Expr) -> Option<&[Ident; 3]> {
        let syn::Expr::MethodCall(call) = bare(e) else { return None };
        let axis = match (call.method.to_string().as_str(), self.axes.len()) {
            ("indices", 1) | ("rows", 2) | ("planes", 3) => 0,
            ("columns", 2) | ("rows", 3) => 1,
            ("columns", 3) => 2,
            _ => return None,
        };
        (call.args.is_empty() && self.is_tile(&call.receiver)).then(|| &self.axes[axis])
    }

    /// The ranges along all axes of `tile.ranges()`, `tile.inside([1, 1])` and `tile.grown([1, 1])`, and of lists of ranges of one axis.
    fn ranges(&self, e: &syn::Expr) -> Option<Vec<Ends>> {
        let of_axis = |[first, end, _]: &[Ident; 3]| -> Ends { [syn::parse_quote!(#first), syn::parse_quote!(#end)] };
        if let Some(axis) = self.axis(e) {
            return Some(vec![of_axis(axis)]);
        }
        match bare(e) {
            syn::Expr::Array(syn::ExprArray { elems, .. }) | syn::Expr::Tuple(syn::ExprTuple { elems, .. }) => {
                elems.iter().map(|e| self.axis(e).map(of_axis)).collect()
            }
            syn::Expr::MethodCall(call) if self.is_tile(&call.receiver) => {
                let margins = match call.args.first().map(bare) {
                    None => None,
                    Some(syn::Expr::Array(margins)) if margins.elems.len() == self.axes.len() => Some(&margins.elems),
                    Some(_) => return None,
                };
                let plain = |margin: &syn::Expr| matches!(bare(margin), syn::Expr::Lit(_)) || name_of(margin).is_some();
                let at = call.span();
                match (call.method.to_string().as_str(), margins) {
                    ("ranges", None) => Some(self.axes.iter().map(of_axis).collect()),
                    ("inside", Some(margins)) if margins.iter().all(plain) => {
                        let inside = |([first, end, length], margin): (&[Ident; 3], &syn::Expr)| {
                            let first: syn::Expr = syn::parse2(
                                quote_spanned!(at=> ::core::cmp::min(::core::cmp::max(#first, #margin), #end)),
                            )
                            .ok()?;
                            let last = quote_spanned!(at=> ::core::cmp::max(::core::cmp::min(#end, #length.saturating_sub(#margin)), #first));
                            Some([first, syn::parse2(last).ok()?])
                        };
                        self.axes.iter().zip(margins).map(inside).collect()
                    }
                    ("grown", Some(margins)) if margins.iter().all(plain) => {
                        let grown = |([first, end, length], margin): (&[Ident; 3], &syn::Expr)| {
                            let first = quote_spanned!(at=> #first.saturating_sub(#margin));
                            // A sum that overflows would be no index.
                            let margin = match bare(margin) {
                                syn::Expr::Lit(_) => quote_spanned!(at=> #margin),
                                margin => quote_spanned!(at=> ::core::cmp::min(#margin, #length)),
                            };
                            let end = quote_spanned!(at=> ::core::cmp::min(#end + #margin, #length));
                            Some([syn::parse2(first).ok()?, syn::parse2(end).ok()?])
                        };
                        self.axes.iter().zip(margins).map(grown).collect()
                    }
                    _ => None,
                }
            }
            _ => None,
        }
    }

    /// `object.get(tile.grown([1, 1]))` with a list of ranges.
    fn list_ranges(&self, e: &mut syn::Expr) {
        let Some((object, range)) = declared::range_of(e) else { return };
        let object = object.clone();
        let of_tile = match bare(range) {
            syn::Expr::Reference(of) if self.is_tile(&of.expr) => Some(
                self.axes
                    .iter()
                    .map(|[first, end, _]| -> Ends { [syn::parse_quote!(#first), syn::parse_quote!(#end)] })
                    .collect(),
            ),
            syn::Expr::MethodCall(_) => self.ranges(range),
            _ => None,
        };
        if let Some(ranges) = of_tile.filter(|_| self.is_object(&object)) {
            let ranges: Vec<Ends> = ranges;
            let ranges = ranges.iter().map(|[first, end]| quote_spanned!(range.span()=> #first..#end));
            *range = syn::parse_quote!([#(#ranges),*]);
        }
    }

    /// `let [rows, columns] = tile.inside([1, 1]);` as variables for the ends of each range, followed by the ranges themselves.
    fn named_ranges(&mut self, statement: &syn::Stmt) -> Option<Vec<syn::Stmt>> {
        let syn::Stmt::Local(syn::Local { pat, init: Some(syn::LocalInit { expr, diverge: None, .. }), .. }) =
            statement
        else {
            return None;
        };
        let ranges = self.ranges(expr)?;
        let list = |e: &syn::Expr| !matches!(bare(e), syn::Expr::MethodCall(_)) || self.axis(e).is_none();
        if let Some((name, _)) =
            declaration(statement).filter(|_| list(expr) && !matches!(bare(expr), syn::Expr::Tuple(_)))
        {
            return self.named_list(name, pat, ranges);
        }
        let patterns: Vec<&syn::Pat> = match pat {
            syn::Pat::Slice(syn::PatSlice { elems, .. }) | syn::Pat::Tuple(syn::PatTuple { elems, .. })
                if list(expr) =>
            {
                elems.iter().collect()
            }
            syn::Pat::Ident(_) if !list(expr) => vec![pat],
            _ => return None,
        };
        let plain = |pattern: &&syn::Pat| match pattern {
            syn::Pat::Ident(name) => name.mutability.is_none() && name.by_ref.is_none() && name.subpat.is_none(),
            pattern => matches!(pattern, syn::Pat::Wild(_)),
        };
        if patterns.len() != ranges.len() || !patterns.iter().all(plain) {
            return None;
        }
        let mut statements = Vec::new();
        for (pattern, [first, end]) in patterns.into_iter().zip(ranges) {
            let syn::Pat::Ident(syn::PatIdent { ident: name, .. }) = pattern else { continue };
            let ends = ["first", "end"].map(|what| format_ident!("__{what}_of_{name}", span = name.span()));
            let [first_of, end_of] = &ends;
            let declared = quote_spanned!(name.span()=> let #first_of = #first; let #end_of = #end; let #name = #first_of..#end_of;);
            statements.extend(syn::parse::Parser::parse2(syn::Block::parse_within, declared).ok()?);
            self.ranges.insert(Local::from(name), ends);
        }
        Some(statements)
    }

    /// `let all = tile.ranges();` as variables for the ends of each range, followed by the list itself.
    fn named_list(&mut self, name: &Ident, pattern: &syn::Pat, ranges: Vec<Ends>) -> Option<Vec<syn::Stmt>> {
        let (mut declared, mut list) = (TokenStream::new(), Vec::new());
        for (axis, [first, end]) in ranges.into_iter().enumerate() {
            let ends = ["first", "end"].map(|what| format_ident!("__{what}{axis}_of_{name}", span = name.span()));
            let [first_of, end_of] = &ends;
            declared.extend(quote_spanned!(name.span()=> let #first_of = #first; let #end_of = #end;));
            list.push(ends);
        }
        let ranges = list.iter().map(|[first, end]| quote_spanned!(name.span()=> #first..#end));
        declared.extend(quote_spanned!(name.span()=> let #pattern = [#(#ranges),*];));
        self.lists.insert(Local::from(name), list);
        syn::parse::Parser::parse2(syn::Block::parse_within, declared).ok()
    }

    /// `let at = [y, x];` with a variable for each part, if objects are indexed by `at` later.
    fn named_index(&mut self, statement: &syn::Stmt, later: &[syn::Stmt]) -> Option<Vec<syn::Stmt>> {
        let (name, value) = declaration(statement)?;
        let (syn::Expr::Array(list), syn::Stmt::Local(local)) = (bare(value), statement) else { return None };
        let indexes = |e: &syn::Expr| match e {
            syn::Expr::Index(element) => name_of(&element.index) == Some(name) && name_of(&element.expr).is_some(),
            _ => false,
        };
        let block = syn::Block { brace_token: syn::token::Brace::default(), stmts: later.to_vec() };
        if !Find::in_block(&block, indexes) {
            return None;
        }
        let parts: Vec<Ident> =
            (0..list.elems.len()).map(|axis| format_ident!("__axis{axis}_of_{name}", span = name.span())).collect();
        let mut statements: Vec<syn::Stmt> = Vec::new();
        for (part, value) in parts.iter().zip(&list.elems) {
            statements.extend(syn::parse2::<syn::Stmt>(quote_spanned!(name.span()=> let #part = #value;)));
        }
        let pattern = &local.pat;
        statements.push(syn::parse2(quote_spanned!(name.span()=> let #pattern = [#(#parts),*];)).ok()?);
        self.indices.insert(Local::from(name), parts);
        Some(statements)
    }

    /// The view of an object.
    fn view(&mut self, object: &Ident) -> Ident {
        let known = self.views.iter().find(|(name, _)| name == object).map(|(_, view)| view.clone());
        let view = known.unwrap_or_else(|| {
            let view = format_ident!("__view{}_of_{object}", self.number);
            self.views.push((object.clone(), view.clone()));
            view
        });
        Ident::new(&view.to_string(), object.span())
    }

    /// A variable for what an object is asked before the loop.
    fn asked(&mut self, question: &TokenStream, object: &Ident, what: &str) -> syn::Expr {
        let name = format_ident!("__{what}{}_of_{object}", self.number, span = object.span());
        let known = self.before.iter().any(|statement| declaration(statement).is_some_and(|(known, _)| *known == name));
        if !known {
            self.before.extend(syn::parse2::<syn::Stmt>(quote_spanned!(object.span()=> let #name = #question;)));
        }
        syn::parse_quote!(#name)
    }

    /// The replacement of an expression whose parts have not been replaced.
    fn whole(&mut self, e: &syn::Expr) -> Option<syn::Expr> {
        let of_object = |call: &syn::ExprMethodCall| {
            let question = ["shape", "len", "is_empty"].into_iter().find(|question| call.method == question)?;
            let object = name_of(&call.receiver).filter(|name| self.is_object(name))?;
            call.args.is_empty().then(|| (object.clone(), question))
        };
        match e {
            syn::Expr::Index(syn::ExprIndex { expr, index, .. }) => {
                let syn::Expr::MethodCall(call) = &**expr else { return None };
                let (object, _) = of_object(call).filter(|(_, question)| *question == "shape")?;
                let syn::Expr::Lit(syn::ExprLit { lit: syn::Lit::Int(axis), .. }) = bare(index) else { return None };
                Some(self.asked(&e.to_token_stream(), &object, &format!("length{axis}_")))
            }
            syn::Expr::MethodCall(call) => {
                let (object, question) = of_object(call)?;
                Some(self.asked(&e.to_token_stream(), &object, question))
            }
            _ => None,
        }
    }

    /// The replacement of an expression whose parts have been replaced.
    fn part(&mut self, e: &syn::Expr) -> Option<syn::Expr> {
        let range = |[first, end]: [&Ident; 2]| syn::parse2(quote_spanned!(e.span()=> (#first..#end))).ok();
        match e {
            syn::Expr::Path(_) => {
                let name = name_of(e)?;
                if let Some([first, end]) = self.ranges.get(&Local::from(name)) {
                    return range([first, end]);
                }
                let view = self.is_object(name).then(|| self.view(name))?;
                Some(syn::parse_quote!(#view))
            }
            syn::Expr::Index(element) => {
                let list = self.lists.get(&Local::from(name_of(&element.expr)?))?;
                let syn::Expr::Lit(syn::ExprLit { lit: syn::Lit::Int(axis), .. }) = bare(&element.index) else {
                    return None;
                };
                let [first, end] = list.get(axis.base10_parse::<usize>().ok()?)?;
                range([first, end])
            }
            syn::Expr::Field(syn::ExprField { base, member: syn::Member::Named(member), .. }) => {
                let syn::Expr::Range(range) = bare(base) else { return None };
                let end = if member == "start" { &range.start } else { &range.end };
                (member == "start" || member == "end").then(|| end.as_deref().cloned())?
            }
            syn::Expr::MethodCall(call) => {
                if let Some([first, end, _]) = self.axis(e) {
                    return range([first, end]);
                }
                if self.is_tile(&call.receiver) && call.args.is_empty() {
                    let lengths = self
                        .axes
                        .iter()
                        .map(|[first, end, _]| quote_spanned!(call.span()=> #end.saturating_sub(#first)));
                    let number_of_tile = &self.number_of_tile;
                    return match call.method.to_string().as_str() {
                        "len" => syn::parse2(quote_spanned!(call.span()=> (#(#lengths)**))).ok(),
                        "number" => syn::parse2(quote_spanned!(call.span()=> #number_of_tile)).ok(),
                        _ => None,
                    };
                }
                let syn::Expr::Range(of) = bare(&call.receiver) else { return None };
                let (Some(first), Some(end), true) = (&of.start, &of.end, call.args.is_empty()) else { return None };
                match call.method.to_string().as_str() {
                    "clone" => Some((*call.receiver).clone()),
                    "len" => syn::parse2(quote_spanned!(call.span()=> #end.saturating_sub(#first))).ok(),
                    _ => None,
                }
            }
            _ => None,
        }
    }

    /// Tokens of a macro with the views of the objects.
    fn tokens(&mut self, tokens: TokenStream) -> TokenStream {
        let mut field = false;
        let mut replaced = TokenStream::new();
        for token in tokens {
            let is_field =
                std::mem::replace(&mut field, matches!(&token, TokenTree::Punct(dot) if dot.as_char() == '.'));
            match token {
                TokenTree::Group(group) => {
                    let mut inner = Group::new(group.delimiter(), self.tokens(group.stream()));
                    inner.set_span(group.span());
                    replaced.extend([TokenTree::Group(inner)]);
                }
                TokenTree::Ident(name) if !is_field && self.is_object(&name) => {
                    self.view(&name).to_tokens(&mut replaced)
                }
                token => replaced.extend([token]),
            }
        }
        replaced
    }
}

impl VisitMut for Inside<'_> {
    fn visit_block_mut(&mut self, block: &mut syn::Block) {
        let statements: Vec<syn::Stmt> = std::mem::take(&mut block.stmts).into_iter().flat_map(separate).collect();
        for (at, statement) in statements.iter().enumerate() {
            if let Some(ranges) = self.named_ranges(statement) {
                block.stmts.extend(ranges);
                continue;
            }
            let parts = self.named_index(statement, &statements[at + 1..]);
            for mut statement in parts.unwrap_or_else(|| vec![statement.clone()]) {
                self.visit_stmt_mut(&mut statement);
                block.stmts.push(statement);
            }
        }
    }

    fn visit_expr_mut(&mut self, e: &mut syn::Expr) {
        if let syn::Expr::Index(element) = &mut *e
            && name_of(&element.expr).is_some_and(|name| self.is_object(name))
            && let Some(parts) = name_of(&element.index).and_then(|name| self.indices.get(&Local::from(name)))
        {
            *element.index = syn::parse_quote_spanned!(element.index.span()=> [#(#parts),*]);
        }
        if let Some(whole) = self.whole(e) {
            *e = whole;
            return;
        }
        self.list_ranges(e);
        visit_expr_mut(self, e);
        if let Some(part) = self.part(e) {
            *e = part;
        }
    }

    fn visit_macro_mut(&mut self, mac: &mut syn::Macro) {
        if let Some(MacroArguments::Formatted(count, mut arguments)) = MacroArguments::of(mac) {
            arguments.iter_mut().for_each(|argument| self.visit_expr_mut(&mut argument.value));
            mac.tokens = MacroArguments::Formatted(count, arguments).to_token_stream();
            return;
        }
        mac.tokens = self.tokens(std::mem::take(&mut mac.tokens));
    }

    fn visit_item_mut(&mut self, _: &mut syn::Item) {}
}
