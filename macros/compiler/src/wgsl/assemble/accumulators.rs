//! The initial values of accumulators, and the merges of their chunks, as text.

use crate::ir::Op;
use crate::ir::report::Location;
use crate::maps::HashMap;
use crate::plan::{Class, Plan};
use crate::wgsl::emit::text::{Emit, Value};
use crate::wgsl::tree::{Component, LoopBody, Merge, Node, NodeKind, Total, Ty};

/// How two states are put together.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Step {
    /// Two chunks.
    Merge,
    /// A value, and the chunk after it.
    Advance,
}

impl Step {
    /// The names of the states.
    fn first(self) -> &'static str {
        if self == Step::Merge { "earlier" } else { "value" }
    }

    fn second(self) -> &'static str {
        if self == Step::Merge { "later" } else { "chunk" }
    }
}

/// The value of an accumulator that has one variable.
const VALUE: Component = Component::Variable(0);

/// `fa_identity`.
pub fn identity(emit: &mut Emit<'_>, plan: &Plan, body: &LoopBody, initial: &HashMap<(usize, usize), usize>) -> String {
    emit.written("fn fa_identity() -> State", |emit| {
        emit.line("var fresh: State;");
        emit.function.state = "fresh";
        for (number, accumulator) in plan.accumulators.iter().enumerate() {
            let at = Location::from(accumulator.at);
            for (variable, ty) in body.held[number].iter().enumerate() {
                let kind = match &accumulator.class {
                    Class::Sum { .. } | Class::Linear { .. } => NodeKind::Zero,
                    Class::Difference { .. } => NodeKind::PlainZero,
                    Class::Product => NodeKind::One,
                    _ => match initial.get(&(number, variable)) {
                        Some(value) => NodeKind::Value(*value),
                        // The rest is not looked at, or all bits are zero.
                        None => continue,
                    },
                };
                set(emit, number, Component::Variable(variable), ty, kind, at);
            }
            if let (Class::Linear { .. }, Some(ty)) = (&accumulator.class, body.held[number].first()) {
                set(emit, number, Component::Factor, ty, NodeKind::One, at);
            }
        }
        emit.line("return fresh;");
    })
}

fn set(emit: &mut Emit<'_>, number: usize, part: Component, ty: &Ty, kind: NodeKind, at: Location) {
    let node = |kind| Node { kind, ty: ty.clone(), at };
    let assign = NodeKind::Assign(node(NodeKind::State(number, part)).boxed(), None, node(kind).boxed());
    emit.run(&Node { kind: assign, ty: Ty::unit(), at });
}

/// `fa_merge`, or `fa_advance`.
pub fn merges(emit: &mut Emit<'_>, plan: &Plan, body: &LoopBody, step: Step) -> String {
    let head = match step {
        Step::Merge => "fn fa_merge(earlier: State, later: State) -> State",
        Step::Advance => "fn fa_advance(value: State, chunk: State) -> State",
    };
    emit.written(head, |emit| {
        emit.line(format!("var both = {};", step.first()));
        for (number, accumulator) in plan.accumulators.iter().enumerate() {
            let (types, merge) = (body.held[number].as_slice(), body.merges[number].as_ref());
            if let (true, Some(ty)) = (accumulator.class.is_reduction(), types.first()) {
                let at = Location::from(accumulator.at);
                Merging { class: &accumulator.class, number, types, ty, step, at }.put(emit, merge);
            }
        }
        emit.line("return both;");
    })
}

/// An accumulator in `both`, which has the first of two states and takes the second.
struct Merging<'m> {
    class: &'m Class,
    number: usize,
    /// The types of its variables, and that of the first.
    types: &'m [Ty],
    ty: &'m Ty,
    step: Step,
    at: Location,
}

impl Merging<'_> {
    fn put(&self, emit: &mut Emit<'_>, merge: Option<&Merge>) {
        match (self.class, merge) {
            // Of all bits, and with how often they wrap around.
            (Class::Sum { .. } | Class::Difference { .. } | Class::Product, _)
                if emit.sums_apart(self.number, self.ty) =>
            {
                self.sum(emit);
            }
            (Class::Difference { wraps }, Some(merge)) if self.step == Step::Advance => {
                self.subtract(emit, merge, *wraps);
            }
            (
                Class::Sum { .. }
                | Class::Difference { .. }
                | Class::Product
                | Class::Parity
                | Class::Idempotent { .. },
                Some(merge),
            ) => {
                let values = self.values(emit);
                self.both(emit, merge, values);
            }
            (Class::Combine { .. } | Class::Segmented { .. }, Some(merge)) => self.combine(emit, merge),
            (Class::Best { .. }, Some(merge)) => self.best(emit, merge),
            (Class::Linear { .. }, _) => self.linear(emit),
            _ => {}
        }
    }

    fn node(&self, kind: NodeKind) -> Node {
        Node::new(kind, self.ty.clone(), self.at)
    }

    fn read(&self, emit: &mut Emit<'_>, state: &'static str, component: Component) -> Value {
        emit.function.state = state;
        emit.state_value(self.number, component, self.ty, self.at)
    }

    /// The values of both states.
    fn values(&self, emit: &mut Emit<'_>) -> [Value; 2] {
        [self.step.first(), self.step.second()].map(|state| self.read(emit, state, VALUE))
    }

    /// Whether a component of a state is true.
    fn is(&self, emit: &Emit<'_>, state: &str, component: Component) -> String {
        format!("{state}.f{} != 0u", emit.layout.field(self.number, component))
    }

    /// The lines that take components from the second state.
    fn copies(&self, emit: &Emit<'_>, components: impl IntoIterator<Item = Component>) -> Vec<String> {
        let second = self.step.second();
        let fields = components.into_iter().flat_map(|component| {
            let ty = match component {
                Component::Variable(variable) => &self.types[variable],
                Component::Factor => self.ty,
                _ => &Ty::BOOL,
            };
            let first = emit.layout.field(self.number, component);
            first..first + emit.types.parts(ty).map_or(0, |parts| parts.len())
        });
        fields.map(|field| format!("both.f{field} = {second}.f{field};")).collect()
    }

    /// Puts a node into the value of `both`.
    fn set(&self, emit: &mut Emit<'_>, value: Node) {
        emit.function.state = "both";
        let place = self.node(NodeKind::State(self.number, VALUE)).boxed();
        emit.run(&Node::new(NodeKind::Assign(place, None, value.boxed()), Ty::unit(), self.at));
    }

    /// The merged value of the two that the merge names.
    fn both(&self, emit: &mut Emit<'_>, merge: &Merge, [a, b]: [Value; 2]) {
        emit.name(merge.earlier, a);
        emit.name(merge.later, b);
        self.set(emit, merge.both.clone());
    }

    fn sum(&self, emit: &mut Emit<'_>) {
        let how = match self.class {
            Class::Product => Total::Times,
            Class::Difference { .. } if self.step == Step::Advance => Total::Minus,
            _ => Total::Plus,
        };
        let checks = matches!(self.class, Class::Sum { wraps: false, .. } | Class::Difference { wraps: false });
        let (field, second) = (emit.layout.field(self.number, VALUE), self.step.second());
        if let Some(count) = emit.layout.counts.get(&self.number).copied() {
            emit.line(format!("both.f{count} += {second}.f{count};"));
        }
        emit.function.state = "both";
        emit.put_sum(self.number, self.ty, how, &format!("{second}.f{field}"), checks, self.at);
    }

    /// A chunk holds what is taken away.
    fn subtract(&self, emit: &mut Emit<'_>, merge: &Merge, wraps: bool) {
        let [a, b] = self.values(emit);
        emit.name(merge.earlier, a);
        emit.name(merge.later, b);
        let [a, b] = [merge.earlier, merge.later].map(|variable| self.node(NodeKind::Variable(variable)).boxed());
        let kind = if wraps { NodeKind::Total(Total::Minus, a, b) } else { NodeKind::Binary(Op::Sub, a, b) };
        self.set(emit, self.node(kind));
    }

    fn combine(&self, emit: &mut Emit<'_>, merge: &Merge) {
        let (first, second) = (self.step.first(), self.step.second());
        let values = self.values(emit);
        let copies = self.copies(emit, [VALUE, Component::Some]);
        let (merged, ()) = emit.nested(|emit| self.both(emit, merge, values));
        let mut open = "if";
        if matches!(self.class, Class::Segmented { .. }) {
            let all = self.copies(emit, [VALUE, Component::Some, Component::Reset]);
            let reset = self.is(emit, second, Component::Reset);
            emit.line(format!("if ({reset}) {{"));
            put_indented(emit, all);
            open = "} else if";
        }
        let there = self.is(emit, second, Component::Some);
        let condition = match self.step {
            Step::Merge => format!("{} && {there}", self.is(emit, first, Component::Some)),
            // There is always a value.
            Step::Advance => there.clone(),
        };
        emit.line(format!("{open} ({condition}) {{"));
        put_indented(emit, merged);
        if self.step == Step::Merge {
            emit.line(format!("}} else if ({there}) {{"));
            put_indented(emit, copies);
        }
        emit.line("}");
    }

    fn best(&self, emit: &mut Emit<'_>, merge: &Merge) {
        let (first, second) = (self.step.first(), self.step.second());
        let [a, b] = [first, second].map(|state| {
            emit.function.state = state;
            let variables = self.types.iter().enumerate();
            let value = |(k, ty)| emit.state_value(self.number, Component::Variable(k), ty, self.at);
            Value::Tuple(variables.map(value).collect())
        });
        emit.name(merge.earlier, a);
        emit.name(merge.later, b);
        let Some(better) = emit.value(&merge.both) else { return };
        let better = better.text();
        let hit = self.is(emit, second, Component::Hit);
        let condition = match self.step {
            Step::Merge => format!("{hit} && (!({}) || {better})", self.is(emit, first, Component::Hit)),
            Step::Advance => format!("{hit} && {better}"),
        };
        emit.line(format!("if ({condition}) {{"));
        let variables = (0..self.types.len()).map(Component::Variable);
        let copies = self.copies(emit, variables.chain([Component::Hit]));
        put_indented(emit, copies);
        emit.line("}");
    }

    /// The second after the first: its factor times the one before.
    fn linear(&self, emit: &mut Emit<'_>) {
        let (first, second) = (self.step.first(), self.step.second());
        let parts = [(second, Component::Factor), (first, VALUE), (second, VALUE), (first, Component::Factor)];
        let [factor, value, term, before] = parts.map(|(state, component)| match self.read(emit, state, component) {
            Value::Once(text) | Value::Named(text) => Value::Named(text),
            _ => Value::Named(String::new()),
        });
        let product = emit.totals(self.ty, Total::Times, &factor, &value, self.at);
        let sum = emit.totals(self.ty, Total::Plus, &product, &term, self.at);
        let factors = emit.totals(self.ty, Total::Times, &factor, &before, self.at);
        let reset = self.is(emit, second, Component::Reset);
        emit.line(format!("if ({reset}) {{"));
        let copies = self.copies(emit, [VALUE, Component::Factor, Component::Reset]);
        put_indented(emit, copies);
        emit.line("} else {");
        let set = |emit: &Emit<'_>, component, value: &Value| {
            let field = emit.layout.field(self.number, component);
            format!("both.f{field} = {};", emit.as_field(field, value.text()))
        };
        let mut lines = vec![set(emit, VALUE, &sum)];
        if self.step == Step::Merge {
            lines.push(set(emit, Component::Factor, &factors));
        }
        put_indented(emit, lines);
        emit.line("}");
    }
}

fn put_indented(emit: &mut Emit<'_>, lines: Vec<String>) {
    lines.into_iter().for_each(|line| emit.line(format!("    {line}")));
}
