//! The calls of one level of a traversal, as a loop that devices can run.
//!
//! The loop is in a function of its own, which the compiler expands like the user's. The loop records the actions of
//! each call: its beginning, its recursive calls, and the values that it collects, with the place in the body.

use crate::front::array::Array;
use crate::front::function::{Function, sibling};
use crate::ir::place::Place;
use crate::ir::print::{Edit, expr, statements};
use crate::ir::{Block, Expr, Id, Kind, Local, Statement, StatementKind};
use crate::maps::{HashMap, New as _};
use crate::plan::{Accumulator, Class, Operand, Rewrite, Traversal};
use proc_macro2::{Ident, Literal, TokenStream};
use quote::{ToTokens, format_ident, quote};

/// The first number of a place in the body, as in `core`: the lower numbers mean the beginning of a call, and a
/// recursive call.
const FIRST_PLACE: u32 = 2;

/// The loop over the calls of a level, and its results.
pub struct Levels {
    /// The function with the loop.
    pub item: TokenStream,
    pub name: Ident,
    /// The parameters that are the same in all calls.
    pub shared: Vec<TokenStream>,
    /// The types of the arguments that calls pass down, in the order of [`Traversal::own`].
    pub own: Vec<syn::Type>,
    /// The type of the collected values of each accumulator, in the order of the plan.
    pub values: Vec<syn::Type>,
    pub places: Vec<Collects>,
}

/// A place in the body that collects a value.
pub struct Collects {
    pub number: u32,
    /// The number of the accumulator, in the order of the plan.
    pub accumulator: usize,
    pub update: Update,
}

/// How the accumulator collects the value.
pub enum Update {
    /// `out.push(value)`.
    Push,
    /// `acc op= value`.
    Assign(&'static str),
    /// The replacement of an update in a chunk, with the value as operand.
    Rewritten(Box<Rewrite>),
    /// The accumulator merges the value with the earlier ones.
    Merge,
}

/// The name of the value in the code of a place that collects it.
pub const VALUE: &str = "__value";

/// The loop, or the reason that there is none.
pub fn levels(function: &Function, traversal: &Traversal) -> Result<Levels, String> {
    let parameters = parameters(function)?;
    let type_of = |name: Local| parameters.iter().find(|(found, _)| found == name).map(|(_, ty)| ty.clone());
    let plan = &traversal.body;
    if traversal.own.is_empty() {
        return Err("calls hand nothing down".to_owned());
    }
    let own = traversal.own.iter().map(|name| match type_of(*name).filter(is_plain) {
        Some(ty) => Ok(ty),
        None => Err(format!("calls hand down `{name}`, and devices take numbers and arrays of numbers alone")),
    });
    let own: Vec<syn::Type> = own.collect::<Result<_, _>>()?;
    let values = plan.accumulators.iter().map(|accumulator| collected(accumulator, &type_of));
    let values: Vec<syn::Type> = values.collect::<Result<_, _>>()?;
    let mut noted = Noted { traversal, values: &values, edits: HashMap::new(), places: Vec::new(), leaves: false };
    noted.block(&plan.f.body)?;
    let Noted { edits, places, leaves, .. } = noted;
    let label = leaves.then(|| quote!('__call:));
    let body = statements(&plan.f.body, &Edits(edits));

    let collects = |name: Local| plan.accumulators.iter().any(|accumulator| variable(accumulator) == name);
    let (mut taken, mut shared) = (Vec::new(), Vec::new());
    for (name, ty) in parameters.iter().filter(|(name, _)| !traversal.own.contains(name) && !collects(*name)) {
        if !matches!(ty, syn::Type::Reference(_)) && !is_plain(ty) {
            return Err(format!("`{name}` is neither a number nor lent"));
        }
        let (marker, name) = (is_slice(ty).then(|| quote!(#[replicated])), format_ident!("{name}"));
        taken.push(quote!(#marker #name: #ty));
        shared.push(name.to_token_stream());
    }
    let receiver = function.original.sig.receiver().map(|receiver| quote!(#receiver,));
    let name = sibling(&function.signature.ident, "level");
    let (vis, generics) = (&function.original.vis, &function.original.sig.generics);
    let clause = &generics.where_clause;
    let columns: Vec<[Ident; 3]> = traversal.own.iter().map(|name| columns(*name)).collect();
    let handed = columns.iter().zip(&own).map(|([all, below, _], ty)| quote!(#all: &[#ty], #below: &mut Vec<#ty>));
    let collecting = values.iter().enumerate().map(|(k, ty)| {
        let values = values_of(k);
        quote!(#values: &mut Vec<#ty>)
    });
    let first = &columns[0][0];
    let arguments = columns.iter().zip(&own).zip(&plan.f.pattern.names).map(|(([all, _, name], ty), binding)| {
        let mutable = binding.mutable.then(|| quote!(mut));
        quote!(let #mutable #name: #ty = #all[__number];)
    });
    let item = quote!(
        #[doc(hidden)]
        #vis fn #name #generics (
            #receiver #(#taken,)* #(#handed,)* __events: &mut Vec<u32>, #(#collecting),*
        ) #clause {
            #label for __number in 0..#first.len() {
                __events.push(0u32);
                #(#arguments)*
                #body
            }
        }
    );
    Ok(Levels { item, name, shared, own, values, places })
}

/// The names of the arguments of all calls, of the recursive calls, and of one call.
pub fn columns(name: Local) -> [Ident; 3] {
    [format_ident!("__all_{name}"), format_ident!("__below_{name}"), format_ident!("{name}")]
}

/// The name of the collected values of an accumulator.
pub fn values_of(accumulator: usize) -> Ident {
    format_ident!("__values_{accumulator}")
}

/// The parameters except `self`.
fn parameters(function: &Function) -> Result<Vec<(Local, syn::Type)>, String> {
    if function.hands_self_down {
        return Err("calls hand nodes down, and devices take numbers and arrays of numbers alone".to_owned());
    }
    let generics = &function.original.sig.generics;
    if generics.type_params().next().is_some() || generics.const_params().next().is_some() {
        return Err("the function is generic".to_owned());
    }
    let mut all = Vec::new();
    for input in &function.original.sig.inputs {
        let syn::FnArg::Typed(input) = input else { continue };
        let syn::Pat::Ident(name) = &*input.pat else { continue };
        if Array::parse(&input.ty).is_some() {
            return Err(format!("`{}` has a shape", name.ident));
        }
        all.push((Local::from(&name.ident), (*input.ty).clone()));
    }
    Ok(all)
}

/// Whether it is a number or an array of numbers.
fn is_plain(ty: &syn::Type) -> bool {
    const NUMBERS: [&str; 12] = ["u8", "u16", "u32", "u64", "usize", "i8", "i16", "i32", "i64", "isize", "f32", "f64"];
    match ty {
        syn::Type::Array(array) => is_plain(&array.elem),
        syn::Type::Path(path) => NUMBERS.iter().any(|number| path.path.is_ident(number)),
        _ => false,
    }
}

/// Whether it is a slice, or a vector behind a reference.
fn is_slice(ty: &syn::Type) -> bool {
    let syn::Type::Reference(reference) = ty else { return false };
    match &*reference.elem {
        syn::Type::Slice(_) => true,
        syn::Type::Path(path) => path.path.segments.last().is_some_and(|last| last.ident == "Vec"),
        _ => false,
    }
}

/// The user's variable of an accumulator.
fn variable(accumulator: &Accumulator) -> Local {
    accumulator.place.root
}

/// The type of the values that an accumulator collects.
fn collected(accumulator: &Accumulator, type_of: &dyn Fn(Local) -> Option<syn::Type>) -> Result<syn::Type, String> {
    let name = variable(accumulator);
    match &accumulator.class {
        Class::Pushes { element } => {
            syn::parse2(element.clone()).map_err(|_| format!("what is pushed to `{name}` has no type of its own"))
        }
        Class::Sum { .. }
        | Class::Difference { .. }
        | Class::Product
        | Class::Parity
        | Class::Idempotent { .. }
        | Class::Combine { .. } => match type_of(name) {
            Some(syn::Type::Reference(reference)) if is_plain(&reference.elem) => Ok(*reference.elem),
            _ => Err(format!("`{name}` is no number")),
        },
        Class::Best { .. } => Err(format!("`{name}` is the best value and its place")),
        Class::State(_) => Err(format!("`{name}` is a state of your own type")),
        _ => Err(format!("`{name}` is collected in a way that is not noted by levels")),
    }
}

/// The records in the body that replace the actions of a call.
struct Noted<'t> {
    traversal: &'t Traversal,
    values: &'t [syn::Type],
    edits: HashMap<Id, TokenStream>,
    places: Vec<Collects>,
    /// Whether a call may end before the end of the body.
    leaves: bool,
}

impl Noted<'_> {
    fn block(&mut self, block: &Block) -> Result<(), String> {
        let mut result = Ok(());
        block.walk(&mut |e| match self.expr(e) {
            Ok(below) => below && result.is_ok(),
            Err(reason) => {
                result = Err(reason);
                false
            }
        });
        result
    }

    /// Records the action of an expression. Returns whether subexpressions may have further actions.
    fn expr(&mut self, e: &Expr) -> Result<bool, String> {
        if let Some(arguments) = self.traversal.calls.get(&e.id) {
            let each = self.traversal.own.iter().zip(arguments).map(|(name, argument)| {
                let [_, below, _] = columns(*name);
                let argument = expr(argument, &Edits(HashMap::new()));
                quote!(#below.push(#argument);)
            });
            let edit = quote!({ #(#each)* __events.push(1u32); });
            self.edits.insert(e.id, edit);
            return Ok(false);
        }
        if matches!(&e.kind, Kind::Continue(Some(label)) if label == "__call") {
            self.edits.insert(e.id, quote!(continue '__call));
            self.leaves = true;
            return Ok(false);
        }
        for (number, accumulator) in self.traversal.body.accumulators.iter().enumerate() {
            if let Some(updates) = updates(accumulator, e)? {
                let noted: TokenStream =
                    updates.into_iter().map(|(value, update)| self.noted(number, &value, update)).collect();
                self.edits.insert(e.id, quote!({ #noted }));
                return Ok(false);
            }
            if e.name() == Some(variable(accumulator)) && matches!(e.kind, Kind::Name(_)) {
                return Err(format!("`{}` is looked at", variable(accumulator)));
            }
        }
        Ok(true)
    }

    /// Code that records a value, and the place that collects it.
    fn noted(&mut self, accumulator: usize, value: &Expr, update: Update) -> TokenStream {
        let number = FIRST_PLACE + self.places.len() as u32;
        let (values, ty) = (values_of(accumulator), &self.values[accumulator]);
        let text = value.tokens.clone();
        // An operand may be a reference, as operators also accept references.
        let adds = match &update {
            Update::Assign(_) => true,
            Update::Rewritten(rewrite) => matches!(**rewrite, Rewrite::Add(_) | Rewrite::Wrap { .. }),
            Update::Push | Update::Merge => false,
        };
        let noted = if adds {
            let is_float = matches!(ty.to_token_stream().to_string().as_str(), "f32" | "f64");
            // The identity of addition for this type.
            let zero = if is_float { quote!(-0.0) } else { quote!(0) };
            quote!(let mut __noted: #ty = #zero; __noted += #text; #values.push(__noted);)
        } else {
            quote!(#values.push(#text);)
        };
        self.places.push(Collects { number, accumulator, update });
        let number = Literal::u32_suffixed(number);
        quote!({ #noted __events.push(#number); })
    }
}

/// The values that an expression adds to an accumulator, each with its update; `None` if it does not update the
/// accumulator.
fn updates(accumulator: &Accumulator, e: &Expr) -> Result<Option<Vec<(Expr, Update)>>, String> {
    let name = variable(accumulator);
    let rewritten = |value: &Expr, rewrite: Rewrite| (value.clone(), Update::Rewritten(Box::new(rewrite)));
    if let Some(rewrite) = accumulator.rewrites.get(&e.id) {
        return match rewrite {
            Rewrite::Add(values) => {
                Ok(Some(values.iter().map(|v| rewritten(v, Rewrite::Add(vec![placeholder(v)]))).collect()))
            }
            Rewrite::Wrap { operator, operands, place: None } => {
                let one = |Operand { minus, value }: &Operand| {
                    let operands = vec![Operand { minus: *minus, value: placeholder(value) }];
                    rewritten(value, Rewrite::Wrap { operator: operator.clone(), operands, place: None })
                };
                Ok(Some(operands.iter().map(one).collect()))
            }
            Rewrite::Include(Some(value)) => {
                Ok(Some(vec![rewritten(value, Rewrite::Include(Some(placeholder(value))))]))
            }
            _ => Err(format!("`{name}` is collected in a way that is not noted by levels")),
        };
    }
    match (&accumulator.class, &e.kind) {
        (Class::Pushes { .. }, Kind::Method(receiver, method, arguments, _)) if receiver.root() == Some(name) => {
            match (method.as_str(), arguments.as_slice()) {
                ("push", [value]) => Ok(Some(vec![(value.clone(), Update::Push)])),
                _ => Err(format!("`{name}.{method}` pushes in a way that is not noted by levels")),
            }
        }
        (Class::Sum { .. } | Class::Difference { .. } | Class::Product, Kind::Assign(place, Some(op), value))
            if place.root() == Some(name) =>
        {
            match op.text() {
                op @ ("+" | "-" | "*") => Ok(Some(vec![(value.as_ref().clone(), Update::Assign(op))])),
                _ => Err(format!("`{name}` is collected in a way that is not noted by levels")),
            }
        }
        (Class::Parity, Kind::Assign(place, Some(op), value))
            if place.root() == Some(name) && *op == crate::ir::Op::Xor =>
        {
            Ok(Some(vec![(value.as_ref().clone(), Update::Assign("^"))]))
        }
        (Class::Idempotent { .. }, _) if accumulator.nodes.contains(&e.id) => match candidate(e, &accumulator.place) {
            Some(value) => Ok(Some(vec![(value.clone(), Update::Merge)])),
            None => Err(format!("`{name}` is collected in a way that is not noted by levels")),
        },
        _ => Ok(None),
    }
}

/// The value that may replace the collected value: `e` of `acc = acc.max(e)`, `acc |= e` and `if e > acc { acc = e }`.
fn candidate<'e>(update: &'e Expr, place: &Place) -> Option<&'e Expr> {
    let is_place = |e: &Expr| e.is(place);
    match &update.bare().kind {
        Kind::Assign(to, Some(_), value) if is_place(to) => Some(value),
        Kind::Assign(to, None, value) if is_place(to) => match &value.bare().kind {
            Kind::Method(one, _, arguments, _) | Kind::Call(one, arguments) => {
                let mut all = std::iter::once(&**one).chain(arguments).filter(|e| !matches!(e.bare().kind, Kind::Path));
                let (first, second) = (all.next()?, all.next()?);
                match (is_place(first), is_place(second), all.next()) {
                    (true, false, None) => Some(second),
                    (false, true, None) => Some(first),
                    _ => None,
                }
            }
            Kind::Binary(_, one, other) => match (is_place(one), is_place(other)) {
                (true, false) => Some(other),
                (false, true) => Some(one),
                _ => None,
            },
            _ => None,
        },
        Kind::If(condition, then, None) => {
            let [Statement { kind: StatementKind::Expr(assign, _), .. }] = then.statements.as_slice() else {
                return None;
            };
            let Kind::Assign(to, None, value) = &assign.bare().kind else { return None };
            let Kind::Binary(_, one, other) = &condition.bare().kind else { return None };
            let compared = [one, other].into_iter().any(|e| is_place(e));
            let with = [one, other].into_iter().any(|e| e.is_written_as(value));
            (is_place(to) && compared && with).then_some(value)
        }
        _ => None,
    }
}

/// A placeholder for a collected value.
fn placeholder(value: &Expr) -> Expr {
    let ident = format_ident!("{VALUE}");
    Expr { kind: Kind::Name(Local::named(VALUE)), tokens: ident.to_token_stream(), ..value.clone() }
}

/// Replacements of nodes, by their numbers.
struct Edits(HashMap<Id, TokenStream>);

impl Edit for Edits {
    fn expr(&self, e: &Expr) -> Option<TokenStream> {
        self.0.get(&e.id).cloned()
    }
}
