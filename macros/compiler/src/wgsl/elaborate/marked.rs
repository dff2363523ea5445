//! Calls of functions that are not seen: those with `#[forall::device]` above them.
//!
//! A call is translated without the function: the types of its arguments are known, that of its result follows from what is
//! done with it. Both are its signature, which is compared with the function's when the loop runs. Which function that is,
//! the compiler says.

use crate::ir::report::Location;
use crate::ir::text::shown;
use crate::ir::{self, Expr};
use crate::wgsl::contract::{Call, Given, Type};
use crate::wgsl::elaborate::captured::Called;
use crate::wgsl::elaborate::context::Elaborate;
use crate::wgsl::elaborate::environment::{Binding, Names};
use crate::wgsl::elaborate::std::Words;
use crate::wgsl::infer::types::Types;
use crate::wgsl::infer::unknowns::Origin;
use crate::wgsl::tree::{Item, Node, NodeKind, Obstacles, Statement, Ty};
use quote::ToTokens;

impl Called {
    /// Whether it is handed a value of a type that is not known, or gives one.
    fn hands(&self, types: &Types, ty: &Ty) -> bool {
        let mut all = self.arguments.iter().map(|(ty, _)| ty).chain([&self.result]).chain(&self.method);
        all.any(|other| matches!((types.shallow(other), types.shallow(ty)), (Ty::Unknown(a), Ty::Unknown(b)) if a == b))
    }
}

impl Elaborate<'_> {
    /// A call of a function that may be marked.
    pub fn call_marked(&mut self, function: &Expr, args: &[Expr], at: Location) -> Option<Node> {
        let path = path_of(&self.names, function)?;
        let (mut statements, mut items) = (Vec::new(), Vec::new());
        for arg in args {
            let place = match &arg.bare().kind {
                ir::Kind::Ref(true, inner) => Some(self.expr(inner)),
                ir::Kind::Name(name) => match self.names.get(*name) {
                    Some(Binding::Place(place)) if self.locals.may_change(place) => Some(place.clone()),
                    _ => None,
                },
                _ => None,
            };
            items.push(match place {
                Some(place) => Item::Place(self.locals.fixed(place, &mut statements)),
                None => Item::Value(self.expr(arg)),
            });
        }
        let node = self.call_with(path, false, None, items, at);
        Some(node.after(statements))
    }

    /// A method of a struct, which may be marked: `a.dot(b)`. It must not change its receiver.
    pub fn method_marked(&mut self, name: &str, nodes: Vec<Node>, at: Location) -> Option<Node> {
        let name: syn::Ident = syn::parse_str(name).ok()?;
        let of = nodes.first()?.ty.clone();
        if !matches!(self.types.shallow(&of), Ty::Unknown(_)) {
            return None;
        }
        Some(self.call_with(name.into(), false, Some(of), nodes.into_iter().map(Item::Value).collect(), at))
    }

    /// The same where a function is handed on: `map(helper)`.
    pub fn apply_marked(&mut self, function: &Expr, items: Vec<Item>, at: Location) -> Option<Node> {
        let path = path_of(&self.names, function)?;
        let values = items.iter().all(|item| matches!(item, Item::Value(_) | Item::Place(_)));
        values.then(|| self.call_with(path, true, None, items, at))
    }

    fn call_with(&mut self, path: syn::Path, handed: bool, method: Option<Ty>, items: Vec<Item>, at: Location) -> Node {
        let (mut nodes, mut places, mut arguments) = (Vec::new(), Vec::new(), Vec::new());
        for item in items {
            match item {
                Item::Place(place) if self.locals.may_change(&place) => {
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
        self.captured.calls.push(Called { path, handed, method, arguments, result: result.clone(), at });
        let kind = NodeKind::Call(self.captured.calls.len() - 1, nodes);
        if places.is_empty() {
            return Node::new(kind, result, at);
        }
        // The function gives back what it has changed.
        let types = std::iter::once(&result).chain(places.iter().map(|place| &place.ty)).cloned().collect();
        let mut statements = Vec::new();
        let all = self.locals.set_up("given", Node::new(kind, Ty::Tuple(types), at), false, &mut statements);
        let all = self.locals.read(all, at);
        for (number, place) in places.into_iter().enumerate() {
            let value = all.member(number + 1, place.ty.clone(), at);
            statements.push(Statement::set(place, value));
        }
        all.member(0, result, at).after(statements)
    }

    /// Tables of tuples, whose parts are described one by one. Elements whose fields have numbers, and whose type is
    /// unknown, are taken for tuples: the fields of structs are described in the same way.
    fn finish_tables(&mut self) {
        for table in &self.captured.tables {
            let length = self.types.numbered_fields(&table.ty);
            if let Some(length) =
                length.filter(|_| !self.captured.calls.iter().any(|called| called.hands(&self.types, &table.ty)))
            {
                let parts = (0..length).map(|_| self.types.unknown()).collect();
                self.types.same(&table.ty, &Ty::Tuple(parts));
            }
            if let Ty::Tuple(_) = self.types.shallow(&table.ty) {
                for (part, ty) in self.types.pieces(&table.ty).iter().enumerate() {
                    let given = Given::Part(table.tokens.clone(), part);
                    self.types.source_first(ty, &format!("{}[..].{part}", table.text), Origin::Captured(given));
                }
            }
        }
    }

    /// Once all is seen: decides what nothing tells.
    pub fn finish(&mut self) {
        self.types.settle();
        self.finish_tables();
        for (number, Called { path, method, arguments, result, .. }) in self.captured.calls.iter().enumerate() {
            // A function that changes its arguments may return nothing.
            let unused = self.types.is_unknown(result) && !self.types.is_operand(result);
            if unused && arguments.iter().any(|(_, changes)| *changes) {
                self.types.same(result, &Ty::unit());
            }
            let name = path.to_token_stream().to_string();
            let whole = self.types.inside(result);
            if matches!(whole, Ty::Tuple(_) | Ty::Array(..)) {
                for (part, ty) in self.types.numbers(&whole).iter().enumerate() {
                    let source = Origin::Number(number, method.clone(), arguments.len(), part);
                    self.types.source(ty, &format!("{name}(..).{part}"), source);
                }
            } else {
                self.types.source(&whole, &format!("{name}(..)"), Origin::Result(number, method.clone()));
            }
        }
        // Where nothing but a literal tells the type of an argument, the function does.
        for (number, Called { path, method, arguments, .. }) in self.captured.calls.iter().enumerate() {
            for (argument, (ty, _)) in arguments.iter().enumerate().skip(usize::from(method.is_some())) {
                for (part, ty) in self.types.numbers(ty).into_iter().enumerate() {
                    if !self.types.has_answer(&ty) {
                        let name = format!("argument {} of {}", argument + 1, path.to_token_stream());
                        self.types.source(&ty, &name, Origin::Number(number, method.clone(), argument, part));
                    }
                }
            }
        }
        self.types.finish();
        for (place, what) in std::mem::take(&mut self.types.apart) {
            self.obstacles.add(place, what);
        }
    }

    /// The calls with their signatures, each once, and the place of each in that list.
    pub fn calls(&self, types: &Types, obstacles: &mut Obstacles) -> (Vec<Call>, Vec<usize>) {
        let (mut calls, mut numbers): (Vec<Call>, Vec<usize>) = (Vec::new(), Vec::new());
        for Called { path, handed, method, arguments, result, at } in &self.captured.calls {
            let name = shown(&path.to_token_stream().to_string());
            let of = method.as_ref().and_then(|ty| types.known(ty));
            let is_struct = method.is_none() || matches!(of, Some(Type::Queried(..)));
            if !is_struct {
                obstacles.add(*at, format!("`.{name}()` is a method that a device does not have"));
            }
            if is_struct && types.parts(result).is_none() {
                let what = format!(
                    "the type of what `{name}` returns is not known here: write `let v: f32 = {name}(..)`, with its type, \
                     and `#[forall::device]` above `{name}`"
                );
                obstacles.add(*at, what);
            }
            for (ty, _) in arguments.iter().filter(|(ty, _)| is_struct && types.parts(ty).is_none()) {
                let what = match types.text(ty) {
                    ty if ty.contains('_') => "the type of what it is given is not known here: write it".to_owned(),
                    ty => format!(
                        "a device hands no `{ty}` to a function: it has numbers, `bool`, arrays `[T; N]` and tuples"
                    ),
                };
                obstacles.add(*at, format!("calls `{name}`: {what}"));
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

pub fn signature(types: &Types, arguments: &[(Ty, bool)], result: &Ty) -> String {
    let argument = |(ty, changes): &(Ty, bool)| format!("{}{}", if *changes { "&mut " } else { "" }, types.signed(ty));
    let arguments: Vec<String> = arguments.iter().map(argument).collect();
    format!("fn({}) -> {}", arguments.join(", "), types.signed(result))
}

/// The path of a function that may be marked: through modules, and without types of its own.
fn path_of(names: &Names, function: &Expr) -> Option<syn::Path> {
    let path: syn::Path = syn::parse2(function.bare().tokens.clone()).ok()?;
    let named = path.get_ident().and_then(|name| names.get(name.into()));
    if named.is_some_and(|named| !matches!(named, Binding::Use(_))) {
        return None;
    }
    /// Types and traits of the prelude.
    const FOREIGN: Words = Words("Vec Box Rc Arc String Option Result Default From Into Iterator Clone HashMap Ord");
    let names: Vec<String> = path.segments.iter().map(|segment| segment.ident.to_string()).collect();
    let plain = path.segments.iter().all(|segment| segment.arguments.is_none());
    // A name with a capital is a type, which may have functions, except for numbers.
    let modules = names.iter().all(|name| Type::named(name).is_none() && !FOREIGN.contain(name))
        && names.last().is_some_and(|name| !name.starts_with(char::is_uppercase));
    // Intrinsics are no values: they can only be called.
    let foreign = names.len() > 1 && matches!(&*names[0], "std" | "core" | "alloc") || names[0].starts_with("_mm");
    (plain && modules && !foreign).then_some(path)
}
