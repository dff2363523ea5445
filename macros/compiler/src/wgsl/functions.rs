//! Functions that loops call: `#[forall::device]`.
//!
//! A call is translated without the function: the types of its arguments are known, that of its result follows from what is
//! done with it. Both are its signature, which is compared with the function's when the loop runs. Which function that is,
//! the compiler says: see [`Callees`].

use super::asks::{self, Ask, Source};
use super::elaborate::{Binding, Capture, Elaborate, Item, lookup};
use super::emit::{Emit, helper};
use super::tree::{Array, Kind, Node, Statement};
use super::types::{Ty, Type, Types};
use super::views::{Base, View};
use super::{Obstacle, Table, label, paths, used};
use crate::ir::report::{Place, shown};
use crate::ir::{self, Expr, Op};
use crate::rust::callees::Callees;
use proc_macro2::{Group, Ident, TokenStream, TokenTree};
use quote::{ToTokens, quote, quote_spanned};
use std::rc::Rc;
use syn::spanned::Spanned;

/// A call of a function that is not seen.
#[derive(Debug, Clone)]
pub struct Called {
    path: syn::Path,
    /// It is handed on, as in `map(helper)`.
    handed: bool,
    /// It is written as a method, of a value of this type.
    method: Option<Ty>,
    /// What it takes, and whether it may change that.
    arguments: Vec<(Ty, bool)>,
    result: Ty,
    at: Place,
}

impl Called {
    /// Whether it is handed a value of a type that is not known, or gives one.
    fn hands(&self, types: &Types, ty: &Ty) -> bool {
        let mut all = self.arguments.iter().map(|(ty, _)| ty).chain([&self.result]).chain(&self.method);
        all.any(|other| matches!((types.shallow(other), types.shallow(ty)), (Ty::Unknown(a), Ty::Unknown(b)) if a == b))
    }
}

/// A call as a `Program` lists it.
#[derive(Debug, Clone)]
pub struct Call {
    pub path: syn::Path,
    /// It is handed on, as in `map(helper)`.
    pub handed: bool,
    /// It is written as a method, of a value of this type.
    pub method: Option<Type>,
    pub line: usize,
    pub signature: String,
}

impl Call {
    /// As messages show it.
    pub fn name(&self) -> String {
        shown(&self.path.to_token_stream().to_string())
    }
}

/// A function in the language of devices: what a `Function` of `core` is made of.
#[derive(Debug)]
pub struct Marked {
    pub source: String,
    pub signature: String,
    pub helpers: Vec<String>,
    pub values: Vec<(TokenStream, Type)>,
    pub tables: Vec<Table>,
    pub calls: Vec<Call>,
    /// Its result, if that is one value, or what may be in an `Option` that is it.
    pub result: Option<Type>,
    /// The types that are asked for, and the number of each call among the calls.
    pub asks: Vec<Ask>,
    pub numbers: Vec<usize>,
}

impl Elaborate<'_> {
    /// The path of a function that may be marked: through modules, and without types of its own.
    fn path_of(&self, function: &Expr) -> Option<syn::Path> {
        let path: syn::Path = syn::parse2(function.bare().tokens.clone()).ok()?;
        let named = path.get_ident().and_then(|name| lookup(&self.scope, &name.to_string()));
        if named.is_some_and(|named| !matches!(named, Binding::Use(_))) {
            return None;
        }
        /// What the prelude has.
        const FOREIGN: [&str; 14] = [
            "Vec", "Box", "Rc", "Arc", "String", "Option", "Result", "Default", "From", "Into", "Iterator", "Clone",
            "HashMap", "Ord",
        ];
        let names: Vec<String> = path.segments.iter().map(|segment| segment.ident.to_string()).collect();
        let plain = path.segments.iter().all(|segment| segment.arguments.is_none());
        // What begins with a capital is a type, which may have functions; but for numbers.
        let modules = names.iter().all(|name| Type::named(name).is_none() && !FOREIGN.contains(&&**name))
            && names.last().is_some_and(|name| !name.starts_with(char::is_uppercase));
        // Intrinsics are no values: they can only be called.
        let foreign = names.len() > 1 && matches!(&*names[0], "std" | "core" | "alloc") || names[0].starts_with("_mm");
        (plain && modules && !foreign).then_some(path)
    }

    /// A call of a function that may be marked.
    pub fn call_marked(&mut self, function: &Expr, args: &[Expr], at: Place) -> Option<Node> {
        let path = self.path_of(function)?;
        let (mut statements, mut items) = (Vec::new(), Vec::new());
        for arg in args {
            let place = match &arg.bare().kind {
                ir::Kind::Ref(true, inner) => Some(self.expr(inner)),
                ir::Kind::Name(name) => match lookup(&self.scope, name) {
                    Some(Binding::Place(place)) if self.may_change(place) => Some(place.clone()),
                    _ => None,
                },
                _ => None,
            };
            items.push(match place {
                Some(place) => Item::Place(self.fixed(place, &mut statements)),
                None => Item::Value(self.expr(arg)),
            });
        }
        let node = self.call_with(path, false, None, items, at);
        Some(self.after(statements, node))
    }

    /// A method of a struct, which may be marked: `a.dot(b)`. What it changes is not seen: it changes nothing.
    pub fn method_marked(&mut self, name: &str, nodes: Vec<Node>, at: Place) -> Option<Node> {
        let name: syn::Ident = syn::parse_str(name).ok()?;
        let of = nodes.first()?.ty.clone();
        if !matches!(self.types.shallow(&of), Ty::Unknown(_)) {
            return None;
        }
        Some(self.call_with(name.into(), false, Some(of), nodes.into_iter().map(Item::Value).collect(), at))
    }

    /// Whether another name for a place is a `&mut`.
    fn may_change(&self, place: &Node) -> bool {
        match &place.kind {
            Kind::Variable(variable) => self.variables[*variable].mutable,
            Kind::Element(base, _) | Kind::Member(base, _) | Kind::Field(base, _) => self.may_change(base),
            Kind::State(..) | Kind::Load(Array::Slot(_) | Array::Given(_), _) => true,
            _ => false,
        }
    }

    /// A constant array, all of it.
    pub fn constant_view(&mut self, e: &Expr) -> Option<View> {
        let (_, array, element) = self.constant(e, 1)?;
        Some(View { base: Base::Array(array), element, part: None, shape: None })
    }

    /// A constant array by so many indices: its name, the table, and what there is at them.
    fn constant(&mut self, e: &Expr, axes: usize) -> Option<(String, Array, Ty)> {
        let (mut text, mut tokens) = (e.text(), e.tokens.clone());
        let mut ty = match &e.kind {
            _ if self.quiet => return None,
            ir::Kind::Path => self.types.unknown(),
            ir::Kind::Name(name) => match lookup(&self.scope, name) {
                None => self.types.unknown(),
                // What only the loop sees is handed over by nobody.
                Some(Binding::Constant(ty, _, None)) => ty.clone(),
                Some(Binding::Use(path)) => {
                    (text, tokens) = (path.to_string(), path.clone());
                    self.types.unknown()
                }
                _ => return None,
            },
            _ => return None,
        };
        for _ in 0..axes {
            ty = self.types.element(&ty);
        }
        let table = self.table_of(&text, &tokens, ty, Place::from(e), axes);
        let Array::Table(number) = table else { return None };
        let element = self.tables.get(number)?.ty.clone();
        Some((text, table, element))
    }

    /// `TABLE[i][j]`: an element of a constant, of whose axes only the first has a length that a table knows.
    pub fn constant_element(&mut self, e: &Expr, at: Place) -> Option<Node> {
        let (mut indices, mut base) = (Vec::new(), e);
        while let ir::Kind::Index(inner, index) = &base.bare().kind {
            if matches!(index.bare().kind, ir::Kind::Range(..)) {
                return None;
            }
            indices.push(index);
            base = inner;
        }
        let (name, array, element) = self.constant(base.bare(), indices.len())?;
        let mut place: Option<Node> = None;
        for (axis, index) in indices.into_iter().rev().enumerate() {
            let index = self.index(index);
            place = Some(match place {
                None => index,
                Some(place) => {
                    let tokens = &self.tables.get(table_number(array)?)?.tokens;
                    let device = quote!(::forall::__private::device);
                    let length = quote!(#device::length_within((&&&&&#device::Table(&#tokens)).elements(), #axis));
                    let length =
                        self.capture(&format!("the length of {name} along axis {axis}"), &length, Ty::USIZE, at);
                    let first = self.binary(Op::Mul, place, length.clone());
                    let index = self.within(index, length);
                    self.binary(Op::Add, first, index)
                }
            });
        }
        Some(self.node(Kind::Load(array, place?.boxed()), element, at))
    }

    /// The same where a function is handed on: `map(helper)`.
    pub fn apply_marked(&mut self, function: &Expr, items: Vec<Item>, at: Place) -> Option<Node> {
        let path = self.path_of(function)?;
        items
            .iter()
            .all(|item| matches!(item, Item::Value(_) | Item::Place(_)))
            .then(|| self.call_with(path, true, None, items, at))
    }

    fn call_with(&mut self, path: syn::Path, handed: bool, method: Option<Ty>, items: Vec<Item>, at: Place) -> Node {
        let (mut nodes, mut places, mut arguments) = (Vec::new(), Vec::new(), Vec::new());
        for item in items {
            match item {
                Item::Place(place) if self.may_change(&place) => {
                    arguments.push((place.ty.clone(), true));
                    places.push(place.clone());
                    nodes.push(place);
                }
                Item::Value(node) | Item::Place(node) => {
                    arguments.push((node.ty.clone(), false));
                    nodes.push(node);
                }
                _ => {}
            }
        }
        let result = self.types.unknown();
        self.called.push(Called { path, handed, method, arguments, result: result.clone(), at });
        let kind = Kind::Call(self.called.len() - 1, nodes);
        if places.is_empty() {
            return self.node(kind, result, at);
        }
        // The function gives back what it has changed.
        let types = std::iter::once(&result).chain(places.iter().map(|place| &place.ty)).cloned().collect();
        let all = self.node(kind, Ty::Tuple(types), at);
        let variable = self.variable("given", all.ty.clone(), false);
        let mut statements = vec![Statement::Let(variable, Some(all))];
        let part = |this: &Self, number, ty: &Ty| {
            let all = this.read(variable, at).boxed();
            this.node(Kind::Member(all, number), ty.clone(), at)
        };
        for (number, place) in places.into_iter().enumerate() {
            let value = part(self, number + 1, &place.ty);
            statements.push(self.set(place, value));
        }
        let value = part(self, 0, &result);
        self.after(statements, value)
    }

    /// Tables of tuples, of which the parts are told one by one. Elements whose fields have numbers, and of which nothing else
    /// is known, are taken for tuples: of structs, the fields are told in the same way.
    fn finish_tables(&mut self) {
        for table in &self.tables {
            let length = self.types.numbered_fields(&table.ty);
            if let Some(length) =
                length.filter(|_| !self.called.iter().any(|called| called.hands(&self.types, &table.ty)))
            {
                let parts = (0..length).map(|_| self.types.unknown()).collect();
                self.types.same(&table.ty, &Ty::Tuple(parts));
            }
            if let Ty::Tuple(_) = self.types.shallow(&table.ty) {
                for (part, ty) in self.types.pieces(&table.ty).iter().enumerate() {
                    let found = super::found_part(&table.tokens, part);
                    let found = quote!(#found.map(|(ty, _)| ty));
                    self.types.source_first(ty, &format!("{}[..].{part}", table.text), Source::Place(found));
                }
            }
        }
    }

    /// Once all is seen: decides what nothing tells.
    pub fn finish(&mut self) {
        self.types.settle();
        self.finish_tables();
        for (number, Called { path, method, arguments, result, .. }) in self.called.iter().enumerate() {
            // What changes its arguments need not give anything back.
            let unused = self.types.is_unknown(result) && !self.types.is_operand(result);
            if unused && arguments.iter().any(|(_, changes)| *changes) {
                self.types.same(result, &Ty::unit());
            }
            let name = path.to_token_stream().to_string();
            let whole = self.types.inside(result);
            if matches!(whole, Ty::Tuple(_) | Ty::Array(..)) {
                for (part, ty) in self.types.numbers(&whole).iter().enumerate() {
                    let source = Source::Number(number, method.clone(), arguments.len(), part);
                    self.types.source(ty, &format!("{name}(..).{part}"), source);
                }
            } else {
                self.types.source(&whole, &format!("{name}(..)"), Source::Result(number, method.clone()));
            }
        }
        // Where nothing but a literal tells the type of an argument, the function does.
        for (number, Called { path, method, arguments, .. }) in self.called.iter().enumerate() {
            for (argument, (ty, _)) in arguments.iter().enumerate().skip(usize::from(method.is_some())) {
                for (part, ty) in self.types.numbers(ty).into_iter().enumerate() {
                    if !self.types.has_answer(&ty) {
                        let name = format!("argument {} of {}", argument + 1, path.to_token_stream());
                        self.types.source(&ty, &name, Source::Number(number, method.clone(), argument, part));
                    }
                }
            }
        }
        self.types.finish();
        for (place, what) in std::mem::take(&mut self.types.apart) {
            self.obstacles.push(Obstacle { place, what });
        }
    }

    /// The calls with their signatures, each once, and the place of each in that list.
    pub fn calls(&self, types: &Types, refuse: &mut dyn FnMut(Place, String)) -> (Vec<Call>, Vec<usize>) {
        let (mut calls, mut numbers): (Vec<Call>, Vec<usize>) = (Vec::new(), Vec::new());
        for Called { path, handed, method, arguments, result, at } in &self.called {
            let name = shown(&path.to_token_stream().to_string());
            let of = method.as_ref().and_then(|ty| types.known(ty));
            let is_struct = method.is_none() || matches!(of, Some(Type::Asked(..)));
            if !is_struct {
                refuse(*at, format!("`.{name}()` is a method that a device does not have"));
            }
            if is_struct && types.parts(result).is_none() {
                refuse(
                    *at,
                    format!(
                        "the type of what `{name}` returns is not known here: write `let v: f32 = {name}(..)`, with its type, \
                         and `#[forall::device]` above `{name}`"
                    ),
                );
            }
            for (ty, _) in arguments.iter().filter(|(ty, _)| is_struct && types.parts(ty).is_none()) {
                let what = match types.text(ty) {
                    ty if ty.contains('_') => "the type of what it is given is not known here: write it".to_owned(),
                    ty => format!(
                        "a device hands no `{ty}` to a function: it has numbers, `bool`, arrays `[T; N]` and tuples"
                    ),
                };
                refuse(*at, format!("calls `{name}`: {what}"));
            }
            let signature = signature(types, arguments, result);
            let call = Call { path: path.clone(), handed: *handed, method: of, line: at.line(), signature };
            let same = |other: &Call| {
                (&other.path, other.handed, &other.method, &other.signature)
                    == (&call.path, call.handed, &call.method, &call.signature)
            };
            numbers.push(calls.iter().position(same).unwrap_or_else(|| {
                calls.push(call);
                calls.len() - 1
            }));
        }
        (calls, numbers)
    }
}

fn table_number(array: Array) -> Option<usize> {
    match array {
        Array::Table(number) => Some(number),
        _ => None,
    }
}

fn signature(types: &Types, arguments: &[(Ty, bool)], result: &Ty) -> String {
    let argument = |(ty, changes): &(Ty, bool)| format!("{}{}", if *changes { "&mut " } else { "" }, types.signed(ty));
    let arguments: Vec<String> = arguments.iter().map(argument).collect();
    format!("fn({}) -> {}", arguments.join(", "), types.signed(result))
}

/// Translates a function that is marked, or says what is in the way.
pub fn translate(item: &syn::ItemFn) -> Result<Marked, Vec<Obstacle>> {
    let obstacles = refused(&item.sig);
    if !obstacles.is_empty() {
        return Err(obstacles);
    }
    let mut elaborate = Elaborate::outside_of_loops();
    elaborate.quiet = false;
    let mut written = super::structs::Written::default();
    syn::visit::Visit::visit_item_fn(&mut written, item);
    elaborate.written_types = written.0;
    let at = Place::from(item.sig.ident.span());
    // Parameters.
    let (mut arguments, mut variables, mut changed, mut statements) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    let mut given = 0;
    for input in &item.sig.inputs {
        let syn::FnArg::Typed(input) = input else { continue };
        let place = Place::from(&input.to_token_stream());
        let ty = elaborate.written(&input.ty);
        if let Ty::Slice(element) = ty {
            // Where it starts and how long it is; which array it is a part of, a call says.
            arguments.push((Ty::Slice(element.clone()), false));
            let base = Rc::new(Base::Array(Array::Given(given)));
            given += 1;
            let ty = Ty::View(base, element);
            let variable = elaborate.variable("argument", ty.clone(), false);
            variables.push((variable, ty, place));
            let part = elaborate.read(variable, place);
            elaborate.bind(&input.pat, Item::Value(part), &mut statements);
            continue;
        }
        let variable = elaborate.variable("argument", ty.clone(), false);
        let mutable = matches!(&*input.ty, syn::Type::Reference(reference) if reference.mutability.is_some());
        arguments.push((ty.clone(), mutable));
        variables.push((variable, ty.clone(), place));
        let argument = elaborate.read(variable, place);
        let item = match mutable {
            true => {
                let held = elaborate.variable("changed", ty, true);
                statements.push(Statement::Let(held, Some(argument)));
                changed.push(elaborate.read(held, place));
                Item::Place(elaborate.read(held, place))
            }
            false => Item::Value(argument),
        };
        elaborate.bind(&input.pat, item, &mut statements);
    }
    let result = match &item.sig.output {
        syn::ReturnType::Default => Ty::unit(),
        syn::ReturnType::Type(_, ty) => elaborate.written(ty),
    };
    let block = syn::Expr::Block(syn::ExprBlock { attrs: Vec::new(), label: None, block: (*item.block).clone() });
    let body = elaborate.lower.expr(&block);
    let body = elaborate.function_body(&body, &result, at);
    elaborate.finish();
    write(elaborate, Body { arguments, variables, changed, statements, result, body, at })
}

/// A function's parts as nodes.
struct Body {
    /// As in its signature, and the variables that hold them.
    arguments: Vec<(Ty, bool)>,
    variables: Vec<(usize, Ty, Place)>,
    /// What has the changed arguments in the end.
    changed: Vec<Node>,
    statements: Vec<Statement>,
    result: Ty,
    body: Node,
    at: Place,
}

/// Functions that no device runs, whatever their bodies are.
fn refused(signature: &syn::Signature) -> Vec<Obstacle> {
    let mut obstacles = Vec::new();
    let mut refuse = |tokens: TokenStream, what: &str| {
        obstacles.push(Obstacle { place: Place::from(&tokens), what: what.to_owned() });
    };
    if let Some(token) = &signature.asyncness {
        refuse(token.to_token_stream(), "an async function may be suspended: make it a plain function");
    }
    if let Some(abi) = &signature.abi {
        refuse(
            abi.to_token_stream(),
            "a function with a foreign calling convention is not for devices: remove `extern`",
        );
    }
    for parameter in &signature.generics.params {
        if !matches!(parameter, syn::GenericParam::Lifetime(_)) {
            refuse(
                parameter.to_token_stream(),
                "a generic function has no types that a device could be told: write one function for each type",
            );
        }
    }
    for input in &signature.inputs {
        match input {
            syn::FnArg::Receiver(receiver) => refuse(
                receiver.to_token_stream(),
                "a method is found by the type that has it: put `#[forall::device]` above the `impl`",
            ),
            syn::FnArg::Typed(input) => {
                let mut ty = &*input.ty;
                let mut references = 0;
                while let syn::Type::Reference(reference) = ty {
                    (ty, references) = (&reference.elem, references + 1);
                }
                let changes = matches!(&*input.ty, syn::Type::Reference(reference) if reference.mutability.is_some());
                if references > 1 {
                    refuse(
                        input.ty.to_token_stream(),
                        "a reference to a reference is not handed to a device: take the value",
                    );
                }
                if changes && !matches!(&*input.pat, syn::Pat::Ident(name) if name.mutability.is_none()) {
                    refuse(input.pat.to_token_stream(), "what is changed needs one name, which is not `mut` itself");
                }
                if matches!(ty, syn::Type::ImplTrait(_)) {
                    refuse(
                        input.ty.to_token_stream(),
                        "a generic function has no types that a device could be told: write one function for each type",
                    );
                }
            }
        }
    }
    obstacles
}

fn write(mut elaborate: Elaborate<'_>, parts: Body) -> Result<Marked, Vec<Obstacle>> {
    let mut obstacles = std::mem::take(&mut elaborate.obstacles);
    let mut types = std::mem::take(&mut elaborate.types);
    let mut refuse = |place: Place, what: String| {
        if !obstacles.iter().any(|o: &Obstacle| o.what == what) {
            obstacles.push(Obstacle { place, what });
        }
    };
    let unknown = |ty: &Ty| {
        let ty = types.text(ty);
        let hint = if ty.contains('[') { " whose length is a number that is written here" } else { "" };
        format!(
            "`{ty}` is no type that a device has: it has numbers, `bool`, arrays `[T; N]`{hint}, and tuples of them"
        )
    };
    for (_, ty, place) in &parts.variables {
        if types.parts(ty).is_none() {
            refuse(*place, unknown(ty));
        }
    }
    if types.parts(&parts.result).is_none() {
        refuse(parts.at, unknown(&parts.result));
    }
    let (calls, numbers) = elaborate.calls(&types, &mut refuse);
    let signature = signature(&types, &parts.arguments, &parts.result);
    let (mut values, mut firsts, mut comments) = (Vec::new(), Vec::new(), Vec::new());
    for Capture { text, tokens, ty, at, .. } in &elaborate.values {
        firsts.push(values.len());
        match types.parts(ty).filter(|_| !types.has_options(ty)) {
            Some(parts) => {
                for (tokens, ty) in paths(&types, ty, tokens).into_iter().zip(parts) {
                    comments.push(label(text));
                    values.push((tokens, ty));
                }
            }
            None if types.text(ty).contains('_') => {
                let name = shown(text);
                refuse(
                    *at,
                    format!("the type of `{name}` is not known here: write `let v: f32 = {name};`, with its type"),
                );
            }
            None => refuse(*at, unknown(ty)),
        }
    }
    let mut tables = Vec::new();
    let mut first_tables = Vec::new();
    for table in &elaborate.tables {
        first_tables.push(tables.len());
        match Table::all(table, &types) {
            Some(parts) => tables.extend(parts),
            None => {
                let name = shown(&table.text);
                refuse(
                    table.at,
                    format!("the type of the elements of `{name}` is not known here: write `let v: f32 = {name}[..];`"),
                );
            }
        }
    }
    if !obstacles.is_empty() {
        return Err(obstacles);
    }

    let result_type = types.known(&types.inside(&parts.result));
    types.open();
    let mut emit = Emit::new(&types, &elaborate.variables, &firsts);
    (emit.calls, emit.tables) = (&numbers, &first_tables);
    let all =
        Ty::Tuple(std::iter::once(&parts.result).chain(parts.changed.iter().map(|node| &node.ty)).cloned().collect());
    let results = types.parts(&all).unwrap_or_default();
    let mut source = String::new();
    let result = match &results[..] {
        [] => None,
        [one] => Some(one.wgsl()),
        several => {
            let fields: Vec<String> =
                several.iter().enumerate().map(|(k, ty)| format!("    f{k}: {},\n", ty.wgsl())).collect();
            source.push_str(&format!("struct fa_result {{\n{}}}\n\n", fields.concat()));
            Some("fa_result".to_owned())
        }
    };
    // Where the function panics, any value will do.
    emit.end = result.as_ref().map_or("return;".to_owned(), |ty| format!("return {ty}();"));
    let (mut names, mut next) = (Vec::new(), 0);
    for (variable, ty, place) in &parts.variables {
        let value = emit.numbered(ty, &mut next, &|k, _| format!("a{k}"), *place);
        names.push((*variable, value.of_parameters(&types.parts(ty).unwrap_or_default())));
    }
    let held: Vec<Type> = parts.variables.iter().flat_map(|(_, ty, _)| types.parts(ty).unwrap_or_default()).collect();
    let parameters: Vec<String> = held.iter().enumerate().map(|(k, ty)| format!("a{k}: {}", ty.wgsl())).collect();
    let arrow = result.as_ref().map_or(String::new(), |ty| format!(" -> {ty}"));
    let head = format!("fn fa_function({}){arrow}", parameters.join(", "));
    source.push_str(&emit.function(&head, |emit| {
        for (variable, value) in names {
            emit.name(variable, value);
        }
        let unit = Node { kind: Kind::Unit, ty: Ty::unit(), at: parts.at };
        if !emit.run(&Node { kind: Kind::Block(parts.statements, unit.boxed()), ty: Ty::unit(), at: parts.at }) {
            return;
        }
        let value = emit.value(&parts.body);
        if let Some(result) = &result {
            emit.give_back(result, value, &parts.changed);
        }
    }));
    if !emit.obstacles.is_empty() {
        return Err(emit.obstacles);
    }
    let helpers = emit.helpers.iter().map(|name| helper(name)).collect();
    let (source, kept) = used(&source, &["fa_value_"]);
    let values: Vec<_> = kept.iter().map(|&k| values[k].clone()).collect();
    let (source, kept) = used(&source, &["fa_table_", "fa_table_len_"]);
    let tables: Vec<_> = kept.iter().map(|&k| tables[k].clone()).collect();
    let asks = types.asks();
    Ok(Marked { source, signature, helpers, values, tables, calls, result: result_type, asks, numbers })
}

/// The types that a type is made of, but for those of numbers.
fn structs_in<'t>(ty: &'t syn::Type, to: &mut Vec<&'t syn::Type>) {
    match ty {
        syn::Type::Reference(inner) => structs_in(&inner.elem, to),
        syn::Type::Paren(inner) => structs_in(&inner.elem, to),
        syn::Type::Group(inner) => structs_in(&inner.elem, to),
        syn::Type::Array(inner) => structs_in(&inner.elem, to),
        syn::Type::Tuple(tuple) => tuple.elems.iter().for_each(|part| structs_in(part, to)),
        syn::Type::Path(path) if super::types::of_option(&path.path).is_some() => {
            structs_in(super::types::of_option(&path.path).unwrap_or(ty), to);
        }
        syn::Type::Path(path) if path.path.segments.last().is_some_and(|last| last.ident == "Ordering") => {}
        syn::Type::Path(path) if path.path.get_ident().is_none_or(|name| Type::named(&name.to_string()).is_none()) => {
            to.push(ty);
        }
        _ => {}
    }
}

/// Calls as code, for a `Program` or a `Function`.
pub fn calls(calls: &[Call]) -> TokenStream {
    let calls = calls.iter().map(|call| {
        let (name, line, signature) = (call.name(), call.line as u32, &call.signature);
        let method = match &call.method {
            Some(ty) => {
                let ty = super::tokens(ty);
                quote!(::core::option::Option::Some(#ty))
            }
            None => quote!(::core::option::Option::None),
        };
        quote!(::forall::__private::device::Call {
            name: #name,
            line: #line,
            method: #method,
            signature: #signature,
        },)
    });
    quote!(&[#(#calls)*])
}

/// Code that says which functions a function calls: a copy of it that never runs tells the compiler.
fn callees(item: &syn::ItemFn, calls: &[Call]) -> TokenStream {
    if calls.is_empty() {
        return quote!(::std::vec::Vec::new);
    }
    let callees = Callees::of(calls);
    let body = callees.note(item.block.to_token_stream());
    let (inputs, output) = (&item.sig.inputs, &item.sig.output);
    // A closure names no lifetimes.
    let (inputs, output) = (unnamed(quote!(#inputs)), unnamed(quote!(#output)));
    let (declared, list) = (callees.declared(), callees.list());
    quote!(|| {
        #declared
        #[allow(warnings, clippy::all, clippy::pedantic)]
        let _ = |#inputs| #output #body;
        #list
    })
}

/// The same types with lifetimes that are left to the compiler.
pub fn unnamed(types: TokenStream) -> TokenStream {
    let (mut left_out, mut is_lifetime) = (TokenStream::new(), false);
    for token in types {
        let named = std::mem::replace(&mut is_lifetime, matches!(&token, TokenTree::Punct(p) if p.as_char() == '\''));
        left_out.extend([match token {
            TokenTree::Group(group) => {
                let mut inner = Group::new(group.delimiter(), unnamed(group.stream()));
                inner.set_span(group.span());
                TokenTree::Group(inner)
            }
            TokenTree::Ident(name) if named && name != "static" => TokenTree::Ident(Ident::new("_", name.span())),
            token => token,
        }]);
    }
    left_out
}

/// Expands `#[forall::device]` above a function.
pub fn expand(item: &syn::ItemFn, marked: &Marked) -> TokenStream {
    let name = &item.sig.ident;
    let path = quote!(#name);
    let registered = registered(item, marked, &path, &shown(&name.to_string()), None);
    let conditions = item.attrs.iter().filter(|attribute| attribute.path().is_ident("cfg"));
    quote!(
        #item

        #(#conditions)*
        #[allow(clippy::all, clippy::pedantic)]
        const _: () = { #registered };
    )
}

/// What tells all crates of the program of a function: of a method, the type that has it too.
pub fn registered(
    item: &syn::ItemFn,
    marked: &Marked,
    path: &TokenStream,
    name: &str,
    owner: Option<(&syn::Type, Option<&syn::Path>)>,
) -> TokenStream {
    let Marked { source, signature, helpers, values, tables, calls: called, result, asks, numbers } = marked;
    let owned = |table: &Table| match table.part {
        Some(_) => {
            let found = table.found();
            quote!(::forall::__private::device::lasting(#found))
        }
        None => table.found(),
    };
    let constants = |all: Vec<(&TokenStream, &Type, TokenStream)>| {
        let all = all.into_iter().map(|(tokens, ty, found)| {
            let (text, ty) = (shown(&tokens.to_string()), super::tokens(ty));
            quote!(::forall::__private::device::Constant {
                name: #text,
                ty: #ty,
                found: || {
                    #[allow(unused_imports)]
                    use ::forall::__private::device::probes::*;
                    #found
                },
            },)
        });
        quote!(&[#(#all)*])
    };
    let kept = |value| quote!((&::forall::__private::device::Probe(::forall::__private::device::kept(#value))).found());
    let values = constants(values.iter().map(|(tokens, ty)| (tokens, ty, kept(tokens))).collect());
    let tables = constants(tables.iter().map(|table| (&table.tokens, &table.ty, owned(table))).collect());
    let (calls, callees) = (calls(called), callees(item, called));
    let none = quote!(::core::option::Option::None);
    let result = match result {
        Some(ty) => {
            let ty = super::tokens(ty);
            quote!(::core::option::Option::Some(#ty))
        }
        None => none.clone(),
    };
    let of_trait = match owner.and_then(|(_, of_trait)| of_trait?.segments.last()) {
        Some(last) => {
            let name = last.ident.to_string();
            quote!(::core::option::Option::Some(#name))
        }
        None => none.clone(),
    };
    // References are seen through.
    let owner = owner.map_or(none, |(mut owner, _)| {
        while let syn::Type::Reference(reference) = owner {
            owner = &reference.elem;
        }
        asks::of_type(&owner.to_token_stream())
    });
    let given = asks::given(asks);
    let given = quote!(::std::vec![#(#given),*]);
    let asks = asks::tokens(asks, numbers);
    let probes = quote!(
        #[allow(unused_imports)]
        use ::forall::__private::device::probes::*;
    );
    // What it takes and gives devices know.
    let mut named = Vec::new();
    for input in &item.sig.inputs {
        if let syn::FnArg::Typed(input) = input {
            structs_in(&input.ty, &mut named);
        }
    }
    if let syn::ReturnType::Type(_, ty) = &item.sig.output {
        structs_in(ty, &mut named);
    }
    let known = named.iter().map(|ty| quote_spanned!(ty.span()=> ::forall::__private::device::known::<#ty>();));
    quote!(
        const _: fn() = || { #(#known)* };
        ::forall::__private::device::inventory::submit! {
        ::forall::__private::device::Function {
            name: ::core::concat!(::core::module_path!(), "::", #name),
            id: || ::forall::__private::device::id_of(#path),
            signature: #signature,
            source: #source,
            helpers: &[#(#helpers),*],
            values: #values,
            tables: #tables,
            calls: #calls,
            callees: #callees,
            result: #result,
            owner: || { #probes #owner },
            of_trait: #of_trait,
            asks: #asks,
            given: || { #probes #given },
            overflow: ::core::cfg!(debug_assertions),
        }
    }
    )
}
