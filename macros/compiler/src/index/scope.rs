//! The names in scope, and the values made so far.

use crate::index::points::Facts;
use crate::index::poly::{Poly, QUOTIENT};
use crate::index::small_cases::{Atom, Counter};
use crate::index::value::Value;
use crate::ir::names::length_variable;
use crate::ir::{Expr, Pattern};
use proc_macro2::{Span, TokenStream};
use quote::{format_ident, quote};
use std::collections::{BTreeSet, HashMap, HashSet};
use std::rc::Rc;

/// What is known of an integer expression.
#[derive(Debug, Clone, Default)]
pub struct Known {
    pub value: Option<Rc<Value>>,
    pub poly: Option<Poly>,
    /// The two values of which it is the lesser one: a range that ends there ends where each of them does, or before.
    pub least: Option<Rc<[Known; 2]>>,
}

/// What a name inside of the loop stands for.
#[derive(Debug, Clone)]
pub enum Local {
    /// An integer, as far as it is known.
    Integer(Known),
    /// Refers to elements of this array: to one, or to as many along each axis as the `extents` say.
    Element { array: String, extents: Vec<Known> },
    /// One of several values, which one is not followed: conditions on it hold only for a while.
    Joined(Known),
    /// A closure that can be seen through, with the names that were in scope where it was made.
    Closure(Vec<Pattern>, Box<Expr>, Rc<Names>),
}

/// Names in scope, innermost last.
pub type Names = Vec<HashMap<String, Local>>;

/// The names in scope, and the values made so far.
pub struct Scope<'f> {
    scopes: Names,
    /// Variables of the function that are `mut` or that several `let`s declare: a closure may mean another one by a name
    /// than the loop does.
    pub unsettled: &'f HashSet<String>,
    /// Arrays of the function whose length is written as a number.
    pub fixed: &'f HashMap<String, i64>,
    /// Names outside of the loop that stand for one integer, which is written in the function.
    pub constants: HashMap<String, i64>,
    /// Whether what is looked at may not happen at all, so that nothing with a precondition may be evaluated for it.
    pub conditional: bool,
    /// Closures whose calls are being looked into: inside of them, the same name is another function.
    pub(super) inside: Vec<String>,
    /// Closures of the function outside of the loop.
    pub outer_closures: &'f HashMap<String, (Vec<Pattern>, Expr)>,
    /// Outer variables that the loop changes: nothing is known of their values.
    pub changing: &'f HashSet<String>,
    /// Parameters that are shares: their elements are not known. With the number of dimensions of those that have a shape.
    pub shares: &'f HashMap<String, Option<usize>>,
    pub(super) next: usize,
    /// The counters of inner loops, by their symbols, as far as their bounds are known.
    pub counters: HashMap<String, Counter>,
    /// Quotients and the like, by their symbols: what they are of.
    pub atoms: HashMap<String, Atom>,
    /// Places of pairs, by their symbols.
    pub pairs: HashMap<String, Poly>,
    /// What the points of accesses are made of.
    pub(super) points: Facts,
    /// The iterations of the annotated loop, where it counts.
    pub iterations: Option<Counter>,
    /// Arrays outside of the loop whose length is asked for: it is held in a variable.
    pub lengths: BTreeSet<String>,
    /// The same for shapes.
    pub shapes: BTreeSet<String>,
}

impl<'f> Scope<'f> {
    pub fn new(
        outer_closures: &'f HashMap<String, (Vec<Pattern>, Expr)>,
        changing: &'f HashSet<String>,
        shares: &'f HashMap<String, Option<usize>>,
        unsettled: &'f HashSet<String>,
        fixed: &'f HashMap<String, i64>,
    ) -> Self {
        Scope {
            scopes: vec![HashMap::new()],
            unsettled,
            fixed,
            constants: HashMap::new(),
            conditional: false,
            inside: Vec::new(),
            outer_closures,
            changing,
            shares,
            next: 0,
            counters: HashMap::new(),
            atoms: HashMap::new(),
            pairs: HashMap::new(),
            points: Facts::default(),
            iterations: None,
            lengths: BTreeSet::new(),
            shapes: BTreeSet::new(),
        }
    }

    pub fn enter(&mut self) {
        self.scopes.push(HashMap::new());
    }

    pub fn leave(&mut self) {
        self.scopes.pop();
        self.points.leave(self.scopes.len());
    }

    /// How many scopes there are.
    pub(super) fn depth(&self) -> usize {
        self.scopes.len()
    }

    pub fn bind(&mut self, name: &str, local: Local) {
        if let Some(scope) = self.scopes.last_mut() {
            scope.insert(name.to_owned(), local);
        }
    }

    pub fn bind_unknown(&mut self, pattern: &Pattern) {
        for binding in &pattern.names {
            self.bind(&binding.name, Local::Integer(Known::default()));
        }
    }

    pub fn local(&self, name: &str) -> Option<&Local> {
        self.scopes.iter().rev().find_map(|scope| scope.get(name))
    }

    pub fn is_local(&self, name: &str) -> bool {
        self.local(name).is_some()
    }

    pub fn value(&mut self, code: TokenStream, needs: Vec<Rc<Value>>) -> Rc<Value> {
        self.next += 1;
        let ident = format_ident!("__v{}", self.next, span = Span::mixed_site());
        Rc::new(Value { ident, code, needs })
    }

    pub(super) fn constant(&mut self, value: i64) -> Known {
        Known {
            value: Some(self.value(quote!(__fp::Index::constant(#value)), Vec::new())),
            poly: Some(Poly::constant(value)),
            least: None,
        }
    }

    pub(super) fn outside(&mut self, tokens: &TokenStream) -> Known {
        let (value, text) = (Some(self.value(quote!(__fp::Index::of(&(#tokens))), Vec::new())), tokens.to_string());
        self.keep(&text, &value);
        let poly = match self.constants.get(&text) {
            Some(number) => Poly::constant(*number),
            None => Poly::symbol(text),
        };
        Known { value, poly: Some(poly), least: None }
    }

    pub(super) fn combine(&mut self, method: &str, a: &Known, b: &Known) -> Option<Rc<Value>> {
        let (a, b) = (a.value.clone()?, b.value.clone()?);
        let (x, y, method) = (&a.ident, &b.ident, format_ident!("{method}"));
        Some(self.value(quote!(#x.#method(#y)), vec![a.clone(), b.clone()]))
    }

    pub fn plus(&mut self, a: &Known, b: &Known) -> Known {
        let poly = a.poly.as_ref().zip(b.poly.as_ref()).and_then(|(a, b)| a.plus(b));
        // One more than the lesser of two numbers is the lesser of one more than each.
        let least = a
            .least
            .clone()
            .filter(|_| b.is_fixed())
            .map(|least| Rc::new([self.plus(&least[0], b), self.plus(&least[1], b)]));
        Known { value: self.combine("plus", a, b), poly, least }
    }

    pub fn minus(&mut self, a: &Known, b: &Known) -> Known {
        let poly = a.poly.as_ref().zip(b.poly.as_ref()).and_then(|(a, b)| a.minus(b));
        Known { value: self.combine("minus", a, b), poly, least: None }
    }

    pub fn times(&mut self, a: &Known, b: &Known) -> Known {
        let poly = a.poly.as_ref().zip(b.poly.as_ref()).and_then(|(a, b)| a.times(b));
        Known { value: self.combine("times", a, b), poly, least: None }
    }

    pub fn zero(&mut self) -> Known {
        self.constant(0)
    }

    /// One of two values.
    pub fn either(&mut self, a: &Known, b: &Known) -> Known {
        Known { value: self.combine("or", a, b), ..Known::default() }
    }

    /// What is believed and not proved: accesses that depend on it are checked.
    pub fn assumed(&mut self, known: &Known) -> Known {
        let value = known.value.clone().map(|v| {
            let ident = &v.ident;
            self.value(quote!(#ident.assumed()), vec![v.clone()])
        });
        Known { value, ..Known::default() }
    }

    /// The iteration's position.
    pub fn position(&mut self) -> Rc<Value> {
        self.value(quote!(__fp::Index::outer(0, 1, i64::MAX, &__positions)), Vec::new())
    }

    /// The length of an array outside of the loop.
    pub fn length(&mut self, array: &str) -> Known {
        if self.changing.contains(array) && !self.shares.contains_key(array) {
            return Known::default();
        }
        let ident = format_ident!("{array}");
        let text = quote!(#ident.len()).to_string();
        self.lengths.insert(array.to_owned());
        let held = length_variable(array);
        let value = Some(self.value(quote!(__fp::Index::of(&#held)), Vec::new()));
        self.keep(&text, &value);
        Known { value, poly: Some(Poly::symbol(text)), least: None }
    }

    /// The names in scope, for a closure that is made here.
    pub fn names(&self) -> Rc<Names> {
        Rc::new(self.scopes.clone())
    }

    /// Goes to where a closure was made, with what a call gives it. Returns the names in scope here.
    pub fn enter_closure(&mut self, patterns: &[Pattern], args: &[Expr], names: &Names) -> Names {
        let values: Vec<Known> = args.iter().map(|arg| self.known(arg)).collect();
        let here = std::mem::replace(&mut self.scopes, names.clone());
        self.points.enter_closure();
        self.enter();
        for (pattern, known) in patterns.iter().zip(values) {
            match pattern.single().filter(|binding| !binding.mutable) {
                Some(binding) => self.bind(&binding.name, Local::Integer(known)),
                None => self.bind_unknown(pattern),
            }
        }
        here
    }

    pub fn leave_closure(&mut self, here: Names) {
        self.scopes = here;
        self.points.leave_closure();
    }
}

impl Known {
    /// Whether it moves by a fixed step from one iteration to the next.
    pub fn is_affine(&self) -> bool {
        let quotient = |poly: &Poly| poly.any_symbol(|symbol| symbol.starts_with(QUOTIENT));
        self.poly.as_ref().is_some_and(|poly| poly.coefficient_of_position().is_some() && !quotient(poly))
    }

    /// Whether it is known to be the same in all iterations.
    pub(super) fn is_fixed(&self) -> bool {
        self.poly.as_ref().is_some_and(Poly::is_fixed)
    }
}
