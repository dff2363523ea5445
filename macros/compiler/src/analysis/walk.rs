//! One walk over a loop's body. It collects the accesses to outer variables, with footprints.

mod bindings;
mod computed;
mod control;
mod event;
mod exits;

pub use event::{Boxed, Event, What};

use exits::Exits;

use crate::front::array::part;
use crate::front::declared::is_boxed;
use crate::front::header::Source;
use crate::front::items::Items;
use crate::index::poly::Symbol;
use crate::index::{Known, Meaning, Scope};
use crate::ir::report::{Code, Location, Report};
use crate::ir::{Block, Expr, For, Id, Kind, Local, Op, Opaque, Statement, StatementKind, Unknown};
use crate::language::methods;
use crate::maps::{HashSet, New as _};
use crate::plan::ComputedIndices;
use std::rc::Rc;

/// Knowledge about names that the walk needs.
pub trait Names {
    /// Whether a method may change this variable: it is declared `mut`, or is a `&mut`.
    fn mutable(&self, name: Local) -> bool;
    /// Whether the variable is a share.
    fn share(&self, name: Local) -> bool;
    /// Whether the variable is a slice, an array or a vector.
    fn buffer(&self, name: Local) -> bool;
    /// Whether the variable is a share with a shape.
    fn array(&self, name: Local) -> bool;
    /// The length of the arrays that are the elements of a share, if the type has it as a number: 3 of `[[f64; 3]]`.
    fn parts_of_elements(&self, name: Local) -> Option<i64>;
    /// Whether these variables are the first index and the end of a range of a tile.
    fn range_of_tile(&self, first: Local, end: Local) -> bool;
    /// Whether this use of an array is already rejected elsewhere.
    fn refused(&self, e: &Expr) -> bool;
}

#[derive(Debug, Clone, Copy, Default)]
struct Where {
    conditional: bool,
    depth: usize,
    closure: bool,
    in_unsafe: bool,
}

impl Where {
    fn may_not_happen(self) -> bool {
        self.conditional || self.closure || self.depth > 0
    }
}

/// Code that the compiler does not understand.
#[derive(Default)]
struct OpaqueCode {
    /// Whether it may write elements next to a borrowed one, as `unsafe` blocks may.
    raw: bool,
    received: Vec<Received>,
}

/// A variable from outside that opaque code receives, and may write.
struct Received {
    name: Local,
    /// Its mention.
    id: Id,
    place: Location,
    /// The code as the user wrote it.
    by: String,
}

pub struct Walk<'f, 'n> {
    pub scope: Scope<'f>,
    pub events: Vec<Event>,
    pub report: Report,
    names: &'n dyn Names,
    exits: Exits,
    counters: u16,
    /// Arrays that are only accessed at constant indices: their elements are treated as scalars.
    elementwise: HashSet<Local>,
    /// Bodies of closures that are only called: the walk analyses each call, with its arguments.
    called: HashSet<Id>,
    /// Assignments to variables of the body that a block makes one after the other.
    steps: HashSet<Id>,
    /// The number of enclosing calls of closures: expressions in such a body have a different value in each call.
    calls: usize,
    opaque_code: OpaqueCode,
    pub computed: ComputedIndices,
    /// The accesses to views of objects.
    pub boxes: Vec<Boxed>,
    /// The symbols of counters that go through a range of a tile.
    through_tiles: HashSet<Symbol>,
}

impl<'f, 'n> Walk<'f, 'n> {
    pub fn new(scope: Scope<'f>, names: &'n dyn Names, elementwise: HashSet<Local>) -> Self {
        Walk {
            scope,
            events: Vec::new(),
            report: Report::default(),
            names,
            exits: Exits::default(),
            counters: 0,
            elementwise,
            called: HashSet::new(),
            steps: HashSet::new(),
            calls: 0,
            opaque_code: OpaqueCode::default(),
            computed: ComputedIndices::default(),
            boxes: Vec::new(),
            through_tiles: HashSet::new(),
        }
    }

    /// Walks the annotated loop: its header, then its body.
    pub fn annotated(&mut self, source: &Source, f: &For) {
        self.exits.own_label.clone_from(&f.label.name);
        let is_unsafe = |e: &Expr| matches!(&e.kind, Kind::Opaque(opaque) if opaque.what == Unknown::Unsafe);
        self.opaque_code.raw = f.body.nodes().any(is_unsafe);
        self.scope.enter_loop(f);
        self.scope.iterations = self.scope.iterations(&f.source);
        for access in source.bind(&f.pattern, &f.body.statements, &mut self.scope) {
            let end = (!access.element).then_some(&access.end);
            let points = self.scope.points(&access.first, end).map(Rc::new);
            self.events.push(Event {
                name: access.array,
                what: What::Elements {
                    first: access.first,
                    end: access.end,
                    single: access.element,
                    writes: access.mutable,
                    reads: true,
                    op: None,
                    index: "#header".to_owned(),
                },
                id: f.source.id,
                place: Location::from(&f.source),
                text: f.source.shown(),
                conditional: false,
                skippable: false,
                depth: 0,
                points,
            });
        }
        let place = Where::default();
        self.scope.enter();
        self.statements(&f.body.statements, place);
        self.scope.leave();
        self.refuse_writes_of_opaque_code();
    }

    /// Rejects opaque code that may write shared variables. If nothing else in the loop writes a variable, the
    /// expansion declares it without `mut` in the body: the code only reads it, or rustc rejects the code.
    fn refuse_writes_of_opaque_code(&mut self) {
        let writes = |event: &&Event| match event.what {
            What::Elements { writes, .. } => writes,
            What::Assign { .. } | What::Method { .. } | What::BorrowMut => true,
            What::Use | What::Len => false,
        };
        let written: HashSet<Local> = self.events.iter().filter(writes).map(|event| event.name).collect();
        let mut received = std::mem::take(&mut self.opaque_code.received);
        received.retain(|received| self.names.share(received.name) || written.contains(&received.name));
        // Other accesses to the variable in the code are part of the same mistake.
        self.events.retain(|event| !received.iter().any(|received| received.id == event.id));
        for Received { name, place, by, .. } in received {
            let (code, problem, help) = match self.names.share(name) || self.names.buffer(name) {
                true => (Code::FA012, format!("may write any element of `{name}`"), format!("let e = {name}[i];")),
                false => (
                    Code::FA017,
                    format!("may change `{name}`, which all iterations share"),
                    format!("let before = {name};"),
                ),
            };
            let problem = format!("`{by}` {problem}: the compiler does not see what this code does");
            let help = format!("write the code itself, or give it a copy: `{help}`");
            self.report.error(code, place, problem, help);
        }
    }

    fn event(&mut self, name: Local, mut what: What, e: &Expr, at: Where) {
        let mut points = None;
        if let What::Elements { first, end, single, .. } = &mut what {
            points = self.scope.points(first, (!*single).then_some(&*end)).map(Rc::new);
            *first = std::mem::take(first).without_quotients(&mut self.scope);
            *end = std::mem::take(end).without_quotients(&mut self.scope);
        }
        self.events.push(Event {
            name,
            what,
            id: e.id,
            place: Location::from(e),
            text: e.shown(),
            conditional: at.conditional || at.closure,
            skippable: self.exits.ended,
            depth: at.depth,
            points,
        });
    }

    fn block(&mut self, block: &Block, at: Where) {
        self.scope.enter();
        self.statements(&block.statements, at);
        self.scope.leave();
    }

    fn statements(&mut self, statements: &[Statement], at: Where) {
        // Items are in scope in the whole block. Functions can use the constants, but no variables.
        for function in [false, true] {
            let items = statements
                .iter()
                .filter(|s| matches!(&s.kind, StatementKind::Item(_) if s.nested().is_some() == function));
            items.for_each(|statement| self.item(statement));
        }
        for (number, statement) in statements.iter().enumerate() {
            self.statement(statement, &statements[number + 1..], at);
        }
    }

    fn item(&mut self, statement: &Statement) {
        match statement.nested() {
            Some(nested) => {
                let body = Box::new(nested.body.clone());
                let local = Meaning::Closure(nested.parameters.clone(), body, self.scope.names());
                self.scope.bind(nested.name, local);
            }
            // The constants and imports of the body are unknown outside of it.
            None => {
                for name in crate::front::tokens::named_by(statement.tokens.clone()) {
                    self.scope.bind(Local::named(&name), Meaning::Integer(Known::default()));
                }
            }
        }
    }

    fn statement(&mut self, statement: &Statement, rest: &[Statement], at: Where) {
        self.scope.conditional = at.may_not_happen();
        match &statement.kind {
            StatementKind::Item(_) => {}
            StatementKind::Let(pattern, value, otherwise) => {
                match (value.as_ref().map(|value| &value.bare().kind), pattern.single()) {
                    (Some(Kind::Closure(_, _, body)), Some(binding)) if only_called(body, binding.name, rest) => {
                        self.called.insert(body.id);
                    }
                    (Some(Kind::Call(function, args)), _)
                        if self.elements_made(pattern.parts_of_type(), function, args, at) => {}
                    _ => self.exprs(value, at),
                }
                if let Some(otherwise) = otherwise {
                    self.expr(otherwise, Where { conditional: true, ..at });
                }
                self.bind_let(pattern, value.as_ref(), rest);
            }
            StatementKind::Expr(e, _) => {
                self.expr(e, at);
                if let Kind::Assign(place, op, value) = &e.kind
                    && self.steps.contains(&e.id)
                {
                    self.step(place, *op, value);
                }
                // After `if c { continue; }`, the condition is false.
                if let Kind::If(condition, then, None) = &e.kind
                    && then.diverges()
                {
                    self.scope.hold(condition, false);
                }
            }
        }
    }

    fn is_outer(&self, name: Local) -> bool {
        !self.scope.is_local(name)
    }

    fn is_view(&self, name: Local) -> bool {
        matches!(self.scope.local(name), Some(Meaning::View))
    }

    fn is_elementwise(&self, array: &Expr) -> bool {
        array.name().is_some_and(|name| self.elementwise.contains(&name) && self.is_outer(name))
    }

    fn exprs<'e>(&mut self, es: impl IntoIterator<Item = &'e Expr>, at: Where) {
        for e in es {
            self.expr(e, at);
        }
    }

    fn expr(&mut self, e: &Expr, at: Where) {
        let before = std::mem::replace(&mut self.scope.conditional, at.may_not_happen());
        self.look_at(e, at);
        self.scope.conditional = before;
    }

    /// Records the effects of an expression, and visits its subexpressions. A table, with an arm for each kind of
    /// expression.
    fn look_at(&mut self, e: &Expr, at: Where) {
        match &e.kind {
            Kind::Name(name) => {
                if self.is_outer(*name) {
                    self.event(*name, What::Use, e, at);
                }
            }
            Kind::Index(base, index) => self.elements(e, base, index, false, true, None, at),
            Kind::Assign(place, op, value) => {
                match &value.bare().kind {
                    Kind::Call(function, args) if self.elements_made(self.parts_of(place), function, args, at) => {}
                    _ => self.expr(value, at),
                }
                self.place(place, *op, at);
            }
            Kind::Ref(true, inner) => self.borrow_mut(inner, at),
            Kind::Method(receiver, name, args, _) => {
                if let Some(root) = receiver.root()
                    && self.is_outer(root)
                    && methods::changes_shared_state(name)
                {
                    self.report.error(
                        Code::FA017,
                        e,
                        format!(
                            "`{}` changes what all iterations share, in the order in which they happen to run",
                            e.shown()
                        ),
                        "",
                    );
                }
                if let (Some(view), [range]) = (receiver.name().filter(|name| self.is_view(*name)), &args[..])
                    && is_boxed(name)
                {
                    self.boxed_range(e, view, name, range);
                }
                self.receiver(e, receiver, name, args, at);
                for arg in args {
                    match (&arg.kind, Items::of(receiver).range()) {
                        (Kind::Closure(patterns, _, body), Some(range)) => {
                            self.closure_over(range, name, patterns, body, at);
                        }
                        _ => self.expr(arg, at),
                    }
                }
            }
            Kind::Opaque(opaque) => self.opaque(e, opaque, at),
            Kind::Block(block) => self.block(block, at),
            Kind::Labeled(..) | Kind::If(..) | Kind::Match(..) | Kind::For(_) | Kind::While(..) | Kind::Loop(..) => {
                self.control(e, at)
            }
            Kind::Break(..) | Kind::Continue(_) | Kind::Return(_) | Kind::Try(_) => self.control(e, at),
            Kind::Binary(op @ (Op::AndAnd | Op::OrOr), left, right) => {
                self.expr(left, at);
                // The right side runs only if the left side is true, or false; names bound by `if let` stay in scope.
                let binds = binds(left) || binds(right);
                if !binds {
                    self.scope.enter();
                }
                self.scope.hold(left, matches!(op, Op::AndAnd));
                self.expr(right, Where { conditional: true, ..at });
                if !binds {
                    self.scope.leave();
                }
            }
            Kind::Let(pattern, value) => {
                self.expr(value, at);
                self.scope.bind_unknown(pattern);
            }
            Kind::Closure(patterns, _, body) => {
                self.scope.enter();
                for pattern in patterns {
                    self.scope.bind_unknown(pattern);
                }
                self.closure_body(body, at);
                self.scope.leave();
            }
            Kind::Call(function, args) => {
                // The name of a function is no variable, but the name of a closure is.
                self.expr(function, at);
                self.exprs(args, at);
                if let Some(Meaning::Closure(patterns, body, names)) = function.name().and_then(|f| self.scope.local(f))
                    && self.called.contains(&body.id)
                {
                    let (patterns, body, names) = (patterns.clone(), body.clone(), names.clone());
                    let here = self.scope.enter_closure(&patterns, args, &names);
                    self.calls += 1;
                    self.closure_body(&body, at);
                    self.calls -= 1;
                    self.scope.leave_closure(here);
                }
            }
            _ => {
                for child in e.children() {
                    match child {
                        crate::ir::Child::Expr(e) => self.expr(e, at),
                        crate::ir::Child::Block(b) => self.block(b, at),
                    }
                }
            }
        }
    }

    /// Code that the compiler does not understand. It may evaluate its parts at any time or never, and may write each
    /// variable that it receives.
    fn opaque(&mut self, e: &Expr, opaque: &Opaque, at: Where) {
        if let Unknown::Await | Unknown::Yield = opaque.what {
            self.exprs(&opaque.parts, at);
            return self.leaves(e, &format!("{} suspends the loop inside an iteration", opaque.what.text()));
        }
        if opaque.leaves && !at.closure {
            self.leaves(e, &format!("{} may leave the loop from inside an iteration", opaque.what.text()));
        }
        self.exits.ended |= !at.closure && opaque.may_leave();
        match opaque.what {
            Unknown::Unsafe => return self.exprs(&opaque.parts, Where { in_unsafe: true, ..at }),
            Unknown::RawPointer => {
                let around = std::mem::replace(&mut self.opaque_code.raw, true);
                self.exprs(&opaque.parts, at);
                self.opaque_code.raw = around;
                return;
            }
            _ => {}
        }
        self.exprs(opaque.children(), Where { conditional: true, ..at });
        for variable in opaque.received() {
            let Some(name) = variable.name().filter(|name| self.is_outer(*name)) else { continue };
            if at.in_unsafe {
                // The code may also write a static.
                self.event(name, What::BorrowMut, variable, at);
            } else if self.names.mutable(name) {
                let (name, place) = (name, Location::from(variable));
                self.opaque_code.received.push(Received { name, id: variable.id, place, by: e.shown() });
            }
        }
    }

    /// `array[index]`, as an expression or as the beginning of a place.
    #[allow(clippy::too_many_arguments)]
    fn elements(&mut self, e: &Expr, base: &Expr, index: &Expr, writes: bool, reads: bool, op: Option<Op>, at: Where) {
        if self.is_elementwise(base) {
            return self.expr(base, at);
        }
        self.expr(index, at);
        let array = match &base.bare().kind {
            Kind::Name(name) => Some(*name),
            Kind::Unary('*', inner) => inner.name(),
            Kind::Field(..) if element_of(base).is_none() => base.root().filter(|root| writes && self.is_outer(*root)),
            _ => None,
        };
        match array {
            Some(name) if self.is_outer(name) => {
                let (first, end, single) = match &index.bare().kind {
                    Kind::Range(from, to, inclusive) => {
                        let first =
                            from.as_ref().map(|from| self.scope.known(from)).unwrap_or_else(|| self.scope.zero());
                        let end = match to {
                            Some(to) => {
                                let to = self.scope.known(to);
                                if *inclusive { self.one_more(&to) } else { to }
                            }
                            None => self.scope.length(name),
                        };
                        let (end, earlier) = self.scope.end_of(&first, end);
                        // The end is not compared.
                        let poly = end.poly.filter(|_| !earlier);
                        (first, Known { poly, ..end }, false)
                    }
                    _ => {
                        let first = self.scope.place(name, index);
                        let end = self.one_more(&first);
                        if base.name() == Some(name) {
                            self.index(name, index);
                        }
                        (first, end, true)
                    }
                };
                let index = index.text();
                self.event(name, What::Elements { first, end, single, writes, reads, op, index }, e, at);
            }
            Some(name) => {
                // A part of an element is already recorded.
                if let Some(Meaning::View) = self.scope.local(name) {
                    self.boxed(e, name, index, writes);
                }
            }
            None => match &base.bare().kind {
                Kind::Index(base, index) => self.elements(e, base, index, writes, reads, op, at),
                // `x[i].flow[k] = e` writes a part of an element.
                Kind::Field(..) => match element_of(base).filter(|_| writes) {
                    Some((base, index, element)) => self.elements(element, base, index, true, true, op, at),
                    None => self.expr(base, at),
                },
                _ => self.expr(base, at),
            },
        }
    }

    /// An element of an object in a loop over tiles.
    fn boxed(&mut self, e: &Expr, view: Local, index: &Expr, writes: bool) {
        let along: Vec<Known> = match &index.bare().kind {
            Kind::Array(along) => {
                self.index(view, index);
                self.scope.of_iteration(along)
            }
            _ => Vec::new(),
        };
        self.add_box(e, view, along, writes, None);
    }

    /// `text` is that of a declared access.
    fn add_box(&mut self, e: &Expr, view: Local, along: Vec<Known>, writes: bool, text: Option<String>) {
        let through = |known: &Known| {
            let poly = known.poly.as_ref();
            poly.is_some_and(|poly| poly.any_symbol(|symbol| self.through_tiles.contains(&symbol)))
        };
        let through_tile = along.iter().map(through).collect();
        let (place, declared) = (Location::from(e), text.is_some());
        let text = text.unwrap_or_else(|| e.shown());
        self.boxes.push(Boxed { view, along, through_tile, writes, declared, place, text });
    }

    /// A range of an object in a loop over tiles: its first index and its last one. A range that the compiler does not know may have any.
    fn boxed_range(&mut self, e: &Expr, view: Local, method: &str, range: &Expr) {
        let ends = |e: &'_ Expr| match &e.bare().kind {
            Kind::Range(Some(from), Some(to), false) => Some([(**from).clone(), (**to).clone()]),
            _ => None,
        };
        let ranges: Option<Vec<[Expr; 2]>> = match &range.bare().kind {
            Kind::Array(list) => list.iter().map(ends).collect(),
            _ => ends(range).map(|ends| vec![ends]),
        };
        let ranges = ranges.unwrap_or_default();
        let first = ranges.iter().map(|[from, _]| self.scope.known(from)).collect();
        let last = ranges.iter().map(|[_, to]| {
            let to = self.scope.known(to);
            self.one_less(&to)
        });
        let last = last.collect();
        let text = format!("{view}.{method}(..)");
        self.add_box(e, view, first, false, Some(text.clone()));
        self.add_box(e, view, last, false, Some(text));
    }

    /// An element whose index is an argument of a method.
    fn element(&mut self, array: Local, index: &Expr, writes: bool, at: Where) {
        let first = self.scope.place(array, index);
        let (end, text) = (self.one_more(&first), index.text());
        let what = What::Elements { first, end, single: true, writes, reads: true, op: None, index: text };
        self.event(array, what, index, at);
        if let Some(event) = self.events.last_mut() {
            event.text = format!("{array}[{}]", event.text);
        }
    }

    fn place(&mut self, place: &Expr, op: Option<Op>, at: Where) {
        match &place.kind {
            Kind::Paren(inner) => self.place(inner, op, at),
            // An element at a constant index is treated as a scalar: `s.sum[0]`.
            Kind::Index(base, index)
                if matches!(index.bare().kind, Kind::Int(_))
                    && (matches!(base.kind, Kind::Field(..)) && element_of(base).is_none()
                        || self.is_elementwise(base))
                    && place.root().is_some_and(|root| self.is_outer(root)) =>
            {
                self.assigned(place, op, at);
            }
            Kind::Index(base, index) => self.elements(place, base, index, true, op.is_some(), op, at),
            // In `(&mut s).part = e`, the place has another text than equal places.
            Kind::Field(..) | Kind::Unary('*', _) if borrows_in(place) => self.expr(place, at),
            Kind::Field(..) | Kind::Unary('*', _) | Kind::Name(_) => {
                // A field of an element, or an outer variable.
                if let Some((base, index, element)) = element_of(place) {
                    self.elements(element, base, index, true, true, op, at);
                    return;
                }
                match place.root() {
                    // `*boxes[i] = e`: the place has the same text in all iterations, but is a different one in each.
                    Some(root) if self.is_outer(root) && self.is_chosen(place) => {
                        self.event(root, What::BorrowMut, place, at);
                    }
                    Some(root) if self.is_outer(root) => self.assigned(place, op, at),
                    Some(_) => {}
                    // `*map.entry(k).or_insert(0) += 1`
                    None => match &place.kind {
                        Kind::Field(inner, _) | Kind::Unary(_, inner) => self.expr(inner, at),
                        _ => {}
                    },
                }
            }
            Kind::Tuple(_) | Kind::Array(_) | Kind::Call(..) | Kind::Struct(..) => {
                for part in place.places() {
                    self.place(part, op, at);
                }
            }
            _ => self.expr(place, at),
        }
    }

    fn assigned(&mut self, place: &Expr, op: Option<Op>, at: Where) {
        let Some(root) = place.root() else { return };
        let what = match place.place() {
            Some(place) => What::Assign { place, op },
            None => What::BorrowMut,
        };
        self.event(root, what, place, at);
    }

    /// Whether an index within a place may differ between iterations.
    fn is_chosen(&self, place: &Expr) -> bool {
        match &place.kind {
            Kind::Index(base, index) => {
                let fixed = match &index.bare().kind {
                    Kind::Int(_) => true,
                    Kind::Name(name) => self.is_outer(*name) && !self.names.mutable(*name),
                    _ => false,
                };
                !fixed || self.is_chosen(base)
            }
            Kind::Paren(e) | Kind::Unary('*', e) | Kind::Field(e, _) | Kind::Ref(_, e) => self.is_chosen(e),
            _ => false,
        }
    }

    fn borrow_mut(&mut self, inner: &Expr, at: Where) {
        if let Some((base, index, element)) = element_of(inner).filter(|_| !self.opaque_code.raw) {
            self.elements(element, base, index, true, true, None, at);
            return;
        }
        match inner.root() {
            Some(root) if self.is_outer(root) => self.event(root, What::BorrowMut, inner, at),
            Some(_) => {}
            None => self.expr(inner, at),
        }
    }

    fn receiver(&mut self, e: &Expr, receiver: &Expr, method: &str, args: &[Expr], at: Where) {
        if let Some((base, index, element)) = element_of(receiver) {
            let changes = |root| self.is_outer(root) && self.names.mutable(root) || self.is_view(root);
            let writes = !receiver.is_left_by(method) && base.root().is_some_and(changes);
            self.elements(element, base, index, writes, true, None, at);
            return;
        }
        let root = match receiver.root() {
            Some(root) if self.is_outer(root) => root,
            Some(_) => return,
            None => return self.expr(receiver, at),
        };
        let whole = receiver.name().is_some();
        let is_slice = whole && (self.names.share(root) || self.names.buffer(root));
        if let Some(part) = part(method, args).filter(|_| whole && self.names.array(root)) {
            let (first, mut end) = self.scope.places_of_parts(root, part.index);
            // Elements next to a narrower part may belong to other ranks, so its end is not compared.
            end.poly = end.poly.filter(|_| part.whole);
            let (writes, index) = (part.mutable, part.index.text());
            let what = What::Elements { first, end, single: false, writes, reads: true, op: None, index };
            return self.event(root, what, e, at);
        }
        match method {
            _ if whole
                && (matches!(method, "len" | "is_empty") || self.names.array(root) && methods::measures(method)) =>
            {
                self.event(root, What::Len, e, at);
            }
            // This use is rejected elsewhere, anywhere in the function.
            _ if whole && self.names.refused(e) => {}
            "get" if whole && args.len() == 1 && self.names.share(root) => self.element(root, &args[0], false, at),
            "swap" if whole && args.len() == 2 && self.names.share(root) && self.names.mutable(root) => {
                for index in args {
                    self.element(root, index, true, at);
                }
            }
            _ if self.names.mutable(root)
                && !(receiver.is_left_by(method) && (!is_slice || methods::only_reads(method))) =>
            {
                let what = What::Method { method: method.to_owned() };
                self.event(root, what, e, at);
            }
            _ => self.expr(receiver, at),
        }
    }
}

/// Whether a closure has no side effects, and the later statements only call it by this name.
fn only_called(body: &Expr, name: Local, rest: &[Statement]) -> bool {
    let mut reads = body.nodes().all(|e| match &e.kind {
        Kind::Assign(..) | Kind::Ref(true, _) | Kind::Closure(..) | Kind::Return(_) => false,
        Kind::Macro(..) | Kind::Opaque(..) => false,
        Kind::Method(_, method, ..) => methods::reads(method),
        Kind::Name(own) => own != name,
        _ => true,
    });
    let mut calls = 0;
    let mut mentions = 0;
    for statement in rest {
        for e in statement.nodes() {
            match &e.kind {
                Kind::Call(function, _) if function.name() == Some(name) => calls += 1,
                Kind::Name(other) if other == name => mentions += 1,
                Kind::Opaque(opaque) if opaque.receives(name) => reads = false,
                _ => {}
            }
        }
    }
    reads && calls == mentions
}

/// The array, the index and the index expression that contain a place: `x`, `i`, `x[i]` of `x[i].y.z`.
fn element_of(e: &Expr) -> Option<(&Expr, &Expr, &Expr)> {
    match &e.kind {
        Kind::Index(base, index) => match element_of(base) {
            Some(deeper) => Some(deeper),
            None => Some((base, index, e)),
        },
        Kind::Paren(inner) | Kind::Field(inner, _) => element_of(inner),
        _ => None,
    }
}

/// Whether a place contains a mutable borrow.
fn borrows_in(place: &Expr) -> bool {
    match &place.kind {
        Kind::Ref(true, _) => true,
        Kind::Paren(inner) | Kind::Field(inner, _) | Kind::Unary('*', inner) => borrows_in(inner),
        _ => false,
    }
}

/// Whether a condition binds names.
fn binds(condition: &Expr) -> bool {
    let mut found = false;
    condition.walk(&mut |e| {
        found |= matches!(e.kind, Kind::Let(..));
        !found && !matches!(e.kind, Kind::Block(_) | Kind::Closure(..))
    });
    found
}
