//! The part of a body that computes the requested indices of `#[gather]` slices.
//!
//! It runs before the loop, on several ranks, so that each rank can request the elements from their owners. So it must
//! compute the same indices as the loop, without side effects. If an index depends on gathered elements or on values
//! that iterations change, there is no such part, and the whole slice is fetched.

use crate::flow::{Definitions, Needed};
use crate::front::array;
use crate::front::items::Items;
use crate::ir::{Block, Child, Expr, For, Kind, Local, Statement, StatementKind};
use crate::language::methods::{self, Given};
use crate::language::types;
use crate::maps::{HashSet, New as _};
use crate::plan::{Plan, SlotKind};
use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};
use std::collections::{BTreeMap, BTreeSet};

/// A part of a loop's body that requests elements.
pub struct AskingPart {
    pub tokens: TokenStream,
    /// The names that it mentions.
    pub needed: HashSet<Local>,
    /// Whether it only uses known operators and methods: with the same values of its variables, it requests the same
    /// elements.
    pub plain: bool,
}

/// The part of a loop's body that requests elements of the slices `gathered`, given with their slots. When it runs, no
/// elements of the slices `missing` are available yet.
pub fn asking_part(found: &Plan, gathered: &BTreeMap<Local, usize>, missing: &[Local]) -> Option<AskingPart> {
    let body = &found.f.body;
    let mut header = Vec::new();
    found.source.arrays(&mut header);
    if header.iter().any(|(array, _)| gathered.contains_key(array)) {
        return None;
    }
    let slot_of = |e: &Expr| gathered.get(&e.name()?).copied();
    let requests = |e: &Expr| match &e.kind {
        Kind::Index(of, _) => slot_of(of).is_some(),
        Kind::Method(of, name, ..) => slot_of(of).is_some() && !methods::measures(name),
        _ => false,
    };
    let mut part = Walk {
        gathered,
        arrays: &found.shapes,
        tainted: tainted(found, missing),
        needed: Definitions::of(body).needed_for(&requests),
        kept: HashSet::new(),
        plain: is_plain(&found.f.source),
    };
    let tokens = part.block(body)?;
    Some(AskingPart { tokens, needed: part.kept, plain: part.plain })
}

/// The names whose values are unknown before the loop runs: gathered slices, variables that iterations change, and
/// variables computed from these or under a condition on them.
fn tainted(found: &Plan, missing: &[Local]) -> HashSet<Local> {
    let mut tainted: HashSet<Local> = missing.iter().copied().collect();
    let written = |kind: SlotKind| matches!(kind, SlotKind::Write | SlotKind::Everywhere);
    tainted.extend(found.slots.iter().filter(|slot| written(slot.kind)).map(|slot| slot.name));
    tainted.extend(found.carried.iter().map(|carried| Local::from(&carried.variable)));
    for accumulator in &found.accumulators {
        tainted.insert(accumulator.place.root);
        tainted.extend(accumulator.variables().iter().map(|place| place.root));
    }
    let mut header = Vec::new();
    found.source.arrays(&mut header);
    if header.iter().any(|(_, mutable)| *mutable) {
        Items::of(&found.f.source).writable_names(&found.f.pattern, &mut tainted);
    }
    Definitions::of(&found.f.body).dependent_on(tainted, &reads)
}

/// The variables of unknown contents that an expression reads. Lengths are known.
fn reads(e: &Expr, to: &mut dyn FnMut(Local)) {
    e.walk(&mut |e| {
        if let Kind::Name(name) = &e.kind {
            to(*name);
        }
        !matches!(&e.kind, Kind::Method(array, name, ..) if array.name().is_some() && methods::measures(name))
    });
}

fn mentions(e: &Expr, names: &HashSet<Local>) -> bool {
    let mut found = false;
    reads(e, &mut |name| found |= names.contains(&name));
    found
}

/// Code that requests elements of an array.
fn ask(slot: usize, places: &TokenStream) -> TokenStream {
    let asker = asker(slot);
    quote!(#asker.request(#places);)
}

/// The variable that requests elements of an array.
pub fn asker(slot: usize) -> Ident {
    format_ident!("__asker{slot}")
}

struct Walk<'a> {
    /// The slots of the gathered slices.
    gathered: &'a BTreeMap<Local, usize>,
    /// The gathered arrays with a shape.
    arrays: &'a BTreeSet<Local>,
    tainted: HashSet<Local>,
    /// The variables that the part computes, and the code that changes them.
    needed: Needed,
    /// The names in kept code.
    kept: HashSet<Local>,
    /// Whether kept code only uses known operators and methods.
    plain: bool,
}

/// Whether the value of an expression depends only on the values of its variables.
fn is_plain(e: &Expr) -> bool {
    let primitive = |path: &TokenStream| {
        let first = path.clone().into_iter().next().map(|token| token.to_string());
        first.is_some_and(|name| types::is_primitive(&name))
    };
    e.nodes().all(|e| match &e.kind {
        Kind::Call(function, _) => matches!(function.kind, Kind::Path) && primitive(&function.tokens),
        Kind::Method(_, name, ..) => methods::reads(name),
        Kind::Closure(..) | Kind::Macro(..) | Kind::Opaque(..) | Kind::Try(_) => false,
        _ => true,
    })
}

impl Walk<'_> {
    fn asks(&self, e: &Expr) -> bool {
        e.nodes().any(|e| matches!(e.kind, Kind::Name(_)) && self.slot_of(e).is_some())
    }

    /// The slot of the slice with this name, if it is gathered.
    fn slot_of(&self, e: &Expr) -> Option<usize> {
        let name = e.name()?;
        self.gathered.get(&name).copied()
    }

    /// Keeps an expression unchanged. Its value must be known before the loop runs.
    fn keep(&mut self, e: &Expr) -> Option<()> {
        if mentions(e, &self.tainted) || !e.variables().all(|name| self.needed.variables.contains(&name)) {
            return None;
        }
        self.plain &= is_plain(e);
        self.kept.extend(e.variables());
        Some(())
    }

    /// Whether the part needs an expression as a whole.
    fn needs(&self, e: &Expr) -> bool {
        self.needed.code.contains(&e.id)
    }

    fn block(&mut self, block: &Block) -> Option<TokenStream> {
        let mut tokens = TokenStream::new();
        for statement in &block.statements {
            tokens.extend(self.statement(statement)?);
        }
        Some(tokens)
    }

    fn statement(&mut self, s: &Statement) -> Option<TokenStream> {
        match &s.kind {
            StatementKind::Item(_) => {
                self.plain = false;
                Some(s.tokens.clone())
            }
            StatementKind::Let(pattern, Some(value), Some(otherwise)) => {
                self.keep(value)?;
                if !matches!(&otherwise.kind, Kind::Block(block) if block.diverges()) {
                    self.keep(otherwise)?;
                    return Some(s.tokens.clone());
                }
                let (pattern, value, otherwise) = (&pattern.tokens, &value.tokens, self.expr(otherwise)?);
                Some(quote!(let #pattern = #value else { #otherwise };))
            }
            StatementKind::Let(pattern, value, _) => {
                let needed = pattern.variables().any(|name| self.needed.variables.contains(&name));
                match value {
                    Some(value) if needed || self.needs(value) => self.keep(value)?,
                    Some(value) => return self.expr(value),
                    None if needed => {}
                    None => return Some(TokenStream::new()),
                }
                Some(s.tokens.clone())
            }
            StatementKind::Expr(e, _) => self.expr(e),
        }
    }

    /// Whether the part needs any code for an expression.
    fn matters(&self, e: &Expr) -> bool {
        self.asks(e) || e.nodes().any(|e| self.needs(e))
    }

    /// Statements that request the elements that an expression reads, and that compute needed names. A table, with an
    /// arm for each kind of expression.
    fn expr(&mut self, e: &Expr) -> Option<TokenStream> {
        if !self.matters(e) {
            return Some(TokenStream::new());
        }
        match &e.kind {
            Kind::Break(_, Some(_)) | Kind::Return(_) | Kind::Try(_) => None,
            _ if self.needs(e) => {
                self.keep(e)?;
                let tokens = &e.tokens;
                Some(quote!(#tokens;))
            }
            Kind::Paren(inside) => self.expr(inside),
            Kind::Index(base, index) => match self.slot_of(base) {
                Some(slot) => {
                    self.keep(index)?;
                    let index = &index.tokens;
                    let place = match base.name().filter(|name| self.arrays.contains(name)) {
                        Some(_) => {
                            let array = &base.tokens;
                            quote!(#array.place_of(#index))
                        }
                        None => quote!(#index),
                    };
                    Some(ask(slot, &place))
                }
                None => self.all([&**base, &**index]),
            },
            Kind::Method(receiver, name, args, _) => match self.slot_of(receiver) {
                Some(_) if methods::measures(name) => Some(TokenStream::new()),
                Some(slot) => {
                    let (array, shaped) = (&receiver.tokens, receiver.name().is_some_and(|n| self.arrays.contains(&n)));
                    let (index, place) = match (name.as_str(), args.as_slice()) {
                        ("get", [index]) if shaped => (index, quote!(place_of)),
                        ("get", [index]) => (index, TokenStream::new()),
                        _ => match array::part(name, args).filter(|_| shaped)? {
                            part if matches!(part.index.bare().kind, Kind::Range(..)) => return None,
                            part => (part.index, quote!(places_of_part)),
                        },
                    };
                    self.keep(index)?;
                    let index = &index.tokens;
                    let place = if place.is_empty() { quote!(#index) } else { quote!(#array.#place(#index)) };
                    Some(ask(slot, &place))
                }
                None => self.method(receiver, name, args),
            },
            Kind::Binary(op @ (crate::ir::Op::AndAnd | crate::ir::Op::OrOr), a, b) => {
                let mut tokens = self.expr(a)?;
                let right = self.expr(b)?;
                if !right.is_empty() {
                    self.keep(a)?;
                    let a = &a.tokens;
                    let condition = if matches!(op, crate::ir::Op::AndAnd) { quote!((#a)) } else { quote!(!(#a)) };
                    tokens.extend(quote!(if #condition { #right }));
                }
                Some(tokens)
            }
            Kind::If(condition, then, otherwise) => {
                let before = self.expr(condition)?;
                let then = self.block(then)?;
                let otherwise = match otherwise {
                    Some(otherwise) => self.expr(otherwise)?,
                    None => TokenStream::new(),
                };
                if then.is_empty() && otherwise.is_empty() {
                    return Some(before);
                }
                self.keep(condition)?;
                let condition = &condition.tokens;
                Some(quote!(#before if #condition { #then } else { #otherwise }))
            }
            Kind::Match(value, arms) => {
                let before = self.expr(value)?;
                let mut inside = TokenStream::new();
                let mut any = false;
                for arm in arms {
                    let body = self.expr(&arm.body)?;
                    any |= !body.is_empty();
                    let pattern = &arm.pattern.tokens;
                    match &arm.guard {
                        Some(guard) if self.asks(guard) => return None,
                        Some(guard) => {
                            let guard = &guard.tokens;
                            inside.extend(quote!(#pattern if #guard => { #body }));
                        }
                        None => inside.extend(quote!(#pattern => { #body })),
                    }
                }
                if !any {
                    return Some(before);
                }
                self.keep(value)?;
                for guard in arms.iter().flat_map(|arm| &arm.guard) {
                    self.keep(guard)?;
                }
                let value = &value.tokens;
                Some(quote!(#before match #value { #inside }))
            }
            Kind::Block(block) => {
                let inside = self.block(block)?;
                Some(if inside.is_empty() { inside } else { quote!({ #inside }) })
            }
            Kind::Labeled(_, label, block) => {
                let inside = self.block(block)?;
                Some(quote!(#label { #inside }))
            }
            Kind::For(f) => {
                let before = if self.asks(&f.source) { self.expr(&f.source)? } else { TokenStream::new() };
                let inside = self.block(&f.body)?;
                if inside.is_empty() {
                    return Some(before);
                }
                self.keep(&f.source)?;
                let (label, pattern, source) = (&f.label.tokens, &f.pattern.tokens, &f.source.tokens);
                if let Some(all) = self.at_counter(f, &inside) {
                    return Some(quote!(#before #all));
                }
                Some(quote!(#before #label for #pattern in #source { #inside }))
            }
            Kind::While(label, condition, body) => {
                self.keep(condition)?;
                let inside = self.block(body)?;
                let (label, condition) = (&label.tokens, &condition.tokens);
                Some(quote!(#label while #condition { #inside }))
            }
            Kind::Loop(label, body) => {
                let inside = self.block(body)?;
                let label = &label.tokens;
                Some(quote!(#label loop { #inside }))
            }
            Kind::Closure(..) => None,
            Kind::Macro(..) | Kind::Opaque(_) if !self.asks(e) => {
                self.keep(e)?;
                let tokens = &e.tokens;
                Some(quote!(#tokens;))
            }
            Kind::Macro(_, args, _) => self.all(args),
            // The code may read any element of the slices that it receives by name.
            Kind::Opaque(opaque) if opaque.names.iter().any(|name| self.asks(name)) => None,
            Kind::Opaque(opaque) => self.all(&opaque.parts),
            Kind::Assign(place, _, value) => self.all([&**value, &**place]),
            _ => {
                let mut tokens = TokenStream::new();
                for child in e.children() {
                    tokens.extend(match child {
                        Child::Expr(e) => self.expr(e)?,
                        Child::Block(b) => self.block(b)?,
                    });
                }
                Some(tokens)
            }
        }
    }

    /// A loop that only requests elements at its counter requests all of them at once.
    fn at_counter(&self, f: &For, inside: &TokenStream) -> Option<TokenStream> {
        let Kind::Range(Some(_), Some(_), _) = &f.source.bare().kind else { return None };
        let (counter, source) = (&f.pattern.single()?.name, &f.source.bare().tokens);
        let mut slots = Vec::new();
        for e in f.body.nodes() {
            if let Kind::Index(base, index) = &e.kind
                && index.name() == Some(*counter)
            {
                slots.extend(self.slot_of(base));
            }
        }
        let one_by_one: TokenStream = slots.iter().map(|&slot| ask(slot, &f.pattern.tokens)).collect();
        let all = || slots.iter().map(|&slot| ask(slot, source)).collect();
        (one_by_one.to_string() == inside.to_string()).then(all)
    }

    fn all<'e>(&mut self, es: impl IntoIterator<Item = &'e Expr>) -> Option<TokenStream> {
        let mut tokens = TokenStream::new();
        for e in es {
            tokens.extend(self.expr(e)?);
        }
        Some(tokens)
    }

    /// A method call. A closure with requests runs for each item of the receiver.
    fn method(&mut self, receiver: &Expr, name: &str, args: &[Expr]) -> Option<TokenStream> {
        let closure = args.iter().find(|arg| matches!(arg.kind, Kind::Closure(..)) && self.asks(arg));
        let Some(Kind::Closure(patterns, _, body)) = closure.map(|closure| &closure.kind) else {
            return self.all(std::iter::once(receiver).chain(args));
        };
        let others = args.iter().filter(|arg| !matches!(arg.kind, Kind::Closure(..)));
        let mut tokens = self.all(others)?;
        let inside = self.expr(body)?;
        self.keep(receiver)?;
        let source = &receiver.tokens;
        let (item, pattern) = match (methods::given(name), patterns.as_slice()) {
            (Given::Item, [pattern]) | (Given::Fold, [_, pattern]) => (TokenStream::new(), pattern),
            (Given::Reference, [pattern]) => (quote!(&), pattern),
            _ => return None,
        };
        let pattern = &pattern.tokens;
        tokens.extend(quote!(for __item in #source { let #pattern = #item __item; #inside }));
        Some(tokens)
    }
}
