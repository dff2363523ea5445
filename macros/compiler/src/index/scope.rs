//! The names in scope, and the values computed so far.

use crate::index::points::Facts;
use crate::index::poly::{Poly, QUOTIENT};
use crate::index::small_cases::{Counter, Symbols};
use crate::index::value::{Computed, Held, Invariant, Value, Variable, compute_one};
use crate::ir::names::{bindings, length_variable, position_variable};
use crate::ir::obligation::Obligation;
use crate::ir::{Expr, For, Id, Kind, Local, Pattern};
use crate::maps::{HashMap, HashSet, New as _};
use proc_macro2::{Ident, Literal, Span, TokenStream};
use quote::{ToTokens, format_ident, quote};
use std::collections::BTreeSet;
use std::rc::Rc;

/// The knowledge about an integer expression.
#[derive(Debug, Clone, Default)]
pub struct Known {
    pub value: Option<Rc<Value>>,
    pub poly: Option<Poly>,
    /// The two operands, if it is a minimum: a range with this end stops at the smaller one.
    pub least: Option<Rc<[Known; 2]>>,
}

/// The meaning of a name inside of the loop.
#[derive(Debug, Clone)]
pub enum Meaning {
    /// An integer, with the knowledge about it.
    Integer(Known),
    /// A reference to elements of this array: to one element, or to `extents` elements along each axis.
    Element { array: Local, extents: Vec<Known> },
    /// The part of an object that a task accesses.
    View,
    /// One of several values. The analysis does not track which one, so conditions on it hold only temporarily.
    Joined(Known),
    /// A closure that the analysis can inline, with the names in scope at its definition.
    Closure(Vec<Pattern>, Box<Expr>, Rc<Names>),
}

/// Names in scope, innermost last.
pub type Names = Vec<HashMap<Local, Meaning>>;

/// The knowledge about the function's variables outside of the loop.
#[derive(Debug, Default)]
pub struct Outside<'f> {
    /// The closures of the function.
    pub closures: Option<&'f HashMap<Local, (Vec<Pattern>, Expr)>>,
    /// The variables that are `mut`: a closure may have captured an earlier value of one.
    pub mutable: HashSet<Local>,
    /// The arrays whose length is written as a number.
    pub fixed: HashMap<Local, i64>,
    /// The variables and constants whose value is an integer literal in the function.
    pub constants: HashMap<Local, i64>,
    /// The variables that the loop changes: their values are unknown.
    pub changing: HashSet<Local>,
    /// The parameters that are shares, with the number of dimensions if they have a shape. Their elements are unknown.
    pub shares: HashMap<Local, Option<usize>>,
}

/// Values outside of the loop that the expansion holds in variables.
#[derive(Debug, Default)]
pub struct HeldValues {
    /// The arrays whose length is held.
    pub lengths: BTreeSet<Local>,
    /// The arrays whose shape is held.
    pub shapes: BTreeSet<Local>,
    /// The held numbers, by their code: equal code shares one variable.
    numbers: HashMap<Local, Held>,
    /// The nodes of the body that are held values but not plain names: the variables that hold them, and the code for
    /// the values.
    pub invariants: HashMap<Id, Invariant>,
}

/// The names in scope, and the values computed so far.
pub struct Scope<'f> {
    scopes: Names,
    /// The variables that the loop declares. Nothing is known of them out of scope, as after a block.
    own: HashSet<Local>,
    pub outside: Outside<'f>,
    /// Whether the analysed code may not run at all. Then the expansion must not evaluate anything with a precondition
    /// for it.
    pub conditional: bool,
    /// The closures whose calls are under analysis.
    pub(super) inside: Vec<Local>,
    pub(super) next: usize,
    pub symbols: Symbols,
    /// The facts for the points of accesses.
    pub(super) points: Facts,
    /// Numbers that are equal here: each pair with the number of scopes.
    pub(super) equal: Vec<(usize, [Known; 2])>,
    /// The iterations of the annotated loop, if it is a counted loop.
    pub iterations: Option<Counter>,
    pub held: HeldValues,
    /// The assumptions about names that the analysis has used.
    pub obligations: Vec<Obligation>,
}

impl<'f> Scope<'f> {
    pub fn new(outside: Outside<'f>) -> Self {
        Scope {
            scopes: vec![HashMap::new()],
            own: HashSet::new(),
            outside,
            conditional: false,
            inside: Vec::new(),
            next: 0,
            symbols: Symbols::default(),
            points: Facts::default(),
            equal: Vec::new(),
            iterations: None,
            held: HeldValues::default(),
            obligations: Vec::new(),
        }
    }

    pub fn enter(&mut self) {
        self.scopes.push(HashMap::new());
    }

    pub fn leave(&mut self) {
        self.scopes.pop();
        self.points.leave(self.scopes.len());
        self.equal.retain(|(scope, _)| *scope <= self.scopes.len());
    }

    /// The number of scopes.
    pub(super) fn depth(&self) -> usize {
        self.scopes.len()
    }

    pub fn bind(&mut self, name: Local, local: Meaning) {
        if let Some(scope) = self.scopes.last_mut() {
            scope.insert(name, local);
        }
    }

    pub fn bind_unknown(&mut self, pattern: &Pattern) {
        for binding in &pattern.names {
            self.bind(binding.name, Meaning::Integer(Known::default()));
        }
    }

    pub fn local(&self, name: Local) -> Option<&Meaning> {
        self.scopes.iter().rev().find_map(|scope| scope.get(&name))
    }

    /// Declares the variables of the loop.
    pub fn enter_loop(&mut self, f: &For) {
        let own = &mut self.own;
        let mut declare = |pattern: &Pattern| own.extend(pattern.variables());
        declare(&f.pattern);
        bindings(&f.body, &mut declare);
    }

    /// Whether a name belongs to the loop, or to a closure under analysis.
    pub fn is_local(&self, name: Local) -> bool {
        self.own.contains(&name) || self.local(name).is_some()
    }

    /// A value that an iteration of the expansion cannot compute.
    pub fn value(&mut self, code: TokenStream, needs: Vec<Rc<Value>>) -> Rc<Value> {
        self.new_value(code, needs, None, None)
    }

    /// A value with different code for an iteration. This code needs the same values.
    pub fn computed(&mut self, code: TokenStream, needs: Vec<Rc<Value>>, computed: TokenStream) -> Rc<Value> {
        let computed = Computed::new(computed, needs.clone());
        self.new_value(code, needs, Some(computed), None)
    }

    /// The counter of an inner loop, with its code for an iteration: conditional if there are ends to compare it with.
    pub(super) fn counter_by(
        &mut self,
        value: &Rc<Value>,
        variable: &Ident,
        code: TokenStream,
        ends: Option<[Rc<Value>; 2]>,
    ) -> Rc<Value> {
        let (ident, conditional) = (&value.ident, ends.is_some());
        let needs = ends.into_iter().flatten().collect();
        let computed = Computed { conditional, ..Computed::new(code, needs) };
        self.new_value(quote!(#ident), vec![value.clone()], Some(computed), Some(Variable::Counter(variable.clone())))
    }

    /// A value with different code for an iteration. This code needs other values.
    pub(super) fn computed_by(
        &mut self,
        code: TokenStream,
        needs: Vec<Rc<Value>>,
        computed: TokenStream,
        computed_needs: Vec<Rc<Value>>,
    ) -> Rc<Value> {
        let computed = Computed::new(computed, computed_needs);
        self.new_value(code, needs, Some(computed), None)
    }

    /// One of two values. An iteration chooses by a condition, and computes only the chosen value.
    pub(super) fn chosen_by(
        &mut self,
        value: &Rc<Value>,
        test: &TokenStream,
        needs: Vec<Rc<Value>>,
        [then, otherwise]: [&Rc<Value>; 2],
    ) -> Rc<Value> {
        let mut conditional = false;
        let [one, other] = [then, otherwise].map(|branch| {
            let (mut emitted, mut statements) = (HashSet::new(), TokenStream::new());
            let ident = compute_one(branch, &mut emitted, &mut statements, &mut conditional);
            quote!(#statements #ident)
        });
        let code = quote!(if #test { #one } else { #other });
        let inside = vec![then.clone(), otherwise.clone()];
        let (ident, computed) = (&value.ident, Computed { code, needs, inside, conditional });
        self.new_value(quote!(#ident), vec![value.clone()], Some(computed), None)
    }

    /// A value whose abstract form relies on a condition, and whose code for an iteration needs other values.
    pub(super) fn computed_if(
        &mut self,
        [code, computed]: [TokenStream; 2],
        needs: Vec<Rc<Value>>,
        computed_needs: Option<Vec<Rc<Value>>>,
    ) -> Rc<Value> {
        let computed = computed_needs.map(|needs| Computed { conditional: true, ..Computed::new(computed, needs) });
        self.new_value(code, needs, computed, None)
    }

    fn new_value(
        &mut self,
        code: TokenStream,
        needs: Vec<Rc<Value>>,
        computed: Option<Computed>,
        variable: Option<Variable>,
    ) -> Rc<Value> {
        self.next += 1;
        let ident = format_ident!("__v{}", self.next, span = Span::mixed_site());
        Rc::new(Value { ident, code, needs, computed, variable })
    }

    pub(super) fn constant(&mut self, value: i64) -> Known {
        let number = Literal::i64_unsuffixed(value);
        Known {
            value: Some(self.computed(quote!(__fp::Index::constant(#value)), Vec::new(), quote!(#number))),
            poly: Some(Poly::constant(value)),
            least: None,
        }
    }

    /// A number that is computed outside of the loop.
    pub(super) fn outside(&mut self, e: &Expr) -> Known {
        let (tokens, text) = (&e.tokens, e.tokens.to_string());
        let next = self.held.numbers.len();
        let held = self.held.numbers.entry(Local::named(&text)).or_insert_with(|| Held {
            ident: format_ident!("__held{}", next, span = Span::mixed_site()),
            tokens: tokens.clone(),
        });
        let (held, ident) = (held.clone(), held.ident.clone());
        if !matches!(e.kind, Kind::Name(_) | Kind::Path) {
            self.held.invariants.insert(e.id, Invariant { variable: ident.clone(), number: quote!(#ident) });
        }
        let (code, computed) = (quote!(__fp::Index::of(&#ident)), Computed::new(quote!(#ident), Vec::new()));
        let value = Some(self.new_value(code, Vec::new(), Some(computed), Some(Variable::Held(held))));
        self.keep(Local::named(&text), &value);
        let poly = match self.outside.constants.get(&Local::named(&text)) {
            Some(number) => Poly::constant(*number),
            None => Poly::symbol(Local::named(&text)),
        };
        Known { value, poly: Some(poly), least: None }
    }

    /// Records that a variable outside of the loop holds the value of a node.
    pub(super) fn is_held(&mut self, e: &Expr, variable: Ident, number: TokenStream) {
        self.held.invariants.insert(e.id, Invariant { variable, number });
    }

    /// The value of a variable that the expansion declares outside of the loop.
    pub fn variable(&mut self, ident: &impl ToTokens) -> Rc<Value> {
        self.computed(quote!(__fp::Index::of(&#ident)), Vec::new(), quote!(#ident))
    }

    /// A value that an iteration computes from another one.
    pub fn computed_from(
        &mut self,
        known: Known,
        from: &Known,
        code: impl FnOnce(&TokenStream) -> TokenStream,
    ) -> Known {
        let value = known.value.zip(from.value.clone()).map(|(value, from)| {
            let (ident, needed) = (&value.ident, from.ident.to_token_stream());
            self.computed_by(quote!(#ident), vec![value.clone()], code(&needed), vec![from])
        });
        Known { value, ..known }
    }

    pub(super) fn combine(&mut self, method: &str, a: &Known, b: &Known) -> Option<Rc<Value>> {
        self.combine_by(method, Some(method), a, b)
    }

    /// Combines abstract values by a method, and the numbers of an iteration by an operation.
    pub(super) fn combine_by(
        &mut self,
        method: &str,
        operation: Option<&str>,
        a: &Known,
        b: &Known,
    ) -> Option<Rc<Value>> {
        let (a, b) = (a.value.clone()?, b.value.clone()?);
        let (x, y, method) = (&a.ident, &b.ident, format_ident!("{method}"));
        let (code, needs) = (quote!(#x.#method(#y)), vec![a.clone(), b.clone()]);
        Some(match operation {
            Some(operation) => {
                let operation = format_ident!("{operation}");
                self.computed(code, needs, quote!(__computed::Number::#operation(#x, #y)))
            }
            None => self.value(code, needs),
        })
    }

    pub fn plus(&mut self, a: &Known, b: &Known) -> Known {
        let poly = a.poly.as_ref().zip(b.poly.as_ref()).and_then(|(a, b)| a.plus(b));
        // One more than a minimum is the minimum of one more than each operand.
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

    /// One of two values. If both are the same number, it is that number.
    pub fn either(&mut self, a: &Known, b: &Known) -> Known {
        let poly = a.poly.clone().filter(|poly| b.poly.as_ref() == Some(poly));
        let same = a.value.as_ref().zip(b.value.as_ref()).filter(|(a, b)| Rc::ptr_eq(a, b)).map(|(a, _)| a.clone());
        Known { value: same.or_else(|| self.combine_by("or", None, a, b)), poly, least: None }
    }

    /// An unproved assumption: the expansion checks the accesses that depend on it.
    pub fn assumed(&mut self, known: &Known) -> Known {
        let value = known.value.clone().map(|v| {
            let ident = &v.ident;
            self.value(quote!(#ident.assumed()), vec![v.clone()])
        });
        Known { value, ..Known::default() }
    }

    /// The position of the iteration.
    pub fn position(&mut self) -> Rc<Value> {
        let position = position_variable();
        self.computed(quote!(__fp::Index::outer(0, 1, i64::MAX, &__positions)), Vec::new(), quote!(#position))
    }

    /// The length of an array outside of the loop.
    pub fn length(&mut self, array: Local) -> Known {
        if self.outside.changing.contains(&array) && !self.outside.shares.contains_key(&array) {
            return Known::default();
        }
        let ident = format_ident!("{array}");
        let text = quote!(#ident.len()).to_string();
        self.held.lengths.insert(array);
        let value = Some(self.variable(&length_variable(&array)));
        self.keep(Local::named(&text), &value);
        Known { value, poly: Some(Poly::symbol(Local::named(&text))), least: None }
    }

    /// The names in scope, for a closure that is defined here.
    pub fn names(&self) -> Rc<Names> {
        Rc::new(self.scopes.clone())
    }

    /// Enters the scope of a closure's definition, with the arguments of a call. Returns the names in scope at the
    /// call.
    pub fn enter_closure(&mut self, patterns: &[Pattern], args: &[Expr], names: &Names) -> Names {
        let values: Vec<Known> = args.iter().map(|arg| self.known(arg)).collect();
        let here = std::mem::replace(&mut self.scopes, names.clone());
        self.points.enter_closure();
        self.enter();
        for (pattern, known) in patterns.iter().zip(values) {
            match pattern.single().filter(|binding| !binding.mutable) {
                Some(binding) => self.bind(binding.name, Meaning::Integer(known)),
                None => self.bind_unknown(pattern),
            }
        }
        here
    }

    pub fn leave_closure(&mut self, here: Names) {
        self.scopes = here;
        self.points.leave_closure();
        // Some are of the closure.
        self.equal.clear();
    }
}

impl Known {
    /// Whether it moves by a fixed step between iterations.
    pub fn is_affine(&self) -> bool {
        let quotient = |poly: &Poly| poly.any_symbol(|symbol| symbol.starts_with(QUOTIENT));
        self.poly.as_ref().is_some_and(|poly| poly.coefficient_of_position().is_some() && !quotient(poly))
    }

    /// Whether it is known to be the same in all iterations.
    pub(super) fn is_fixed(&self) -> bool {
        self.poly.as_ref().is_some_and(Poly::is_fixed)
    }
}
