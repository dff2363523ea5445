//! Tasks on objects: the loops over their elements as one loop over positions, and the elements of their boxes.

use crate::ir::names::{boxes_variable, elements_variable, place_variable, positions_variable};
use crate::ir::report::Location;
use crate::ir::{Expr, Op, StatementKind};
use crate::plan::{Elements, Launches, Plan, Region, TaskStep};
use crate::wgsl::contract::Given;
use crate::wgsl::elaborate::context::Elaborate;
use crate::wgsl::elaborate::environment::Binding;
use crate::wgsl::infer::unknowns::Origin;
use crate::wgsl::tree::{Array, Item, Node, NodeKind, Statement, Ty};
use proc_macro2::TokenStream;
use quote::quote;

impl Elaborate<'_> {
    /// The types of the elements of the boxes.
    pub fn boxes(&mut self, region: &Region) -> Vec<Ty> {
        let types = region.boxes.iter().enumerate().map(|(number, boxes)| {
            let ty = match &boxes.element {
                Some(element) => self.written(element),
                None => self.types.unknown(),
            };
            let variable = boxes_variable(number);
            let given = Given::Place(quote!(#variable.zero()));
            self.types.source(&ty, &format!("{}[..]", boxes.object), Origin::Captured(given));
            ty
        });
        types.collect()
    }

    /// The element of a task at a position. If there are several launches, the host gives the number of this one.
    pub fn element_of_task(&mut self, plan: &Plan, launches: &Launches, position: &Node) -> Vec<Statement> {
        let at = position.at;
        let region = plan.region.iter().flat_map(|region| &region.boxes);
        region.enumerate().for_each(|(number, boxes)| self.names.bind(boxes.view, Binding::Box(number)));
        let tile = plan.source.tile(&plan.f.pattern).and_then(|(pattern, _)| pattern.parts().first()?.single());
        // The host knows the bounds of a tile, and what a task computes from them.
        for name in plan.f.pattern.names.iter().filter(|_| plan.source.tiled().is_some() || launches.each) {
            let is_tile = tile.is_some_and(|tile| tile.name == name.name);
            self.names.declare(name.name, if is_tile { Ty::Other("Tile".to_owned()) } else { Ty::USIZE });
        }
        self.declare_steps(&launches.steps);
        let mut branches = Vec::new();
        for elements in &launches.elements {
            branches.push(self.element_of_launch(plan, launches, elements, position.clone()));
        }
        let mut statements = branches.pop().unwrap_or_default();
        let depth = launches.depth();
        for (number, branch) in branches.into_iter().enumerate().rev() {
            let this = self.of_task("the number of the launch", &quote!([#depth].0), at);
            let number = Node::new(NodeKind::Integer(number as u128), Ty::USIZE, at);
            let block = |statements| Node::new(NodeKind::Block(statements, Node::unit(at).boxed()), Ty::unit(), at);
            let (condition, then) = (self.operation(Op::Eq, this, number, at), block(branch));
            let choice = NodeKind::If(condition.boxed(), then.boxed(), block(statements).boxed());
            statements = vec![Statement::Do(Node::new(choice, Ty::unit(), at))];
        }
        statements
    }

    /// Declares the variables of the host.
    fn declare_steps(&mut self, steps: &[TaskStep]) {
        for step in steps {
            match step {
                TaskStep::Statement(statement) => {
                    if let StatementKind::Let(pattern, ..) = &statement.kind {
                        self.declare(pattern);
                    }
                }
                TaskStep::Launch(_) => {}
                TaskStep::For(f, steps) => {
                    self.declare(&f.pattern);
                    self.declare_steps(steps);
                }
                TaskStep::If(_, then, otherwise) => {
                    [then, otherwise].into_iter().for_each(|steps| self.declare_steps(steps))
                }
            }
        }
    }

    /// The element of a launch at a position.
    fn element_of_launch(
        &mut self,
        plan: &Plan,
        launches: &Launches,
        elements: &Elements,
        position: Node,
    ) -> Vec<Statement> {
        let (at, mut statements) = (position.at, Vec::new());
        let whole = plan.source.tiled().is_some() || launches.each;
        let mut rest = position;
        let mut indices = Vec::new();
        for (number, f) in elements.loops.iter().enumerate().rev() {
            let mut own = rest.clone();
            if number > 0 || !whole {
                let count = self.of_task(&format!("the length of loop {number}"), &quote!([#number].1), at);
                // The number of iterations is not zero.
                let divided = |by: &str, rest: Node| Node::method(by, vec![rest, count.clone()], Ty::USIZE, at);
                own = self.locals.hold("index", divided("remainder", rest.clone()), &mut statements);
                rest = self.locals.hold("rest", divided("quotient", rest), &mut statements);
            }
            let first = self.of_task(&format!("the start of loop {number}"), &quote!([#number].0), at);
            indices.push((f.pattern.clone(), wrapping("add", first, own)));
        }
        if !whole && let Some(iter) = self.header(&plan.source, at) {
            let positions = positions_variable();
            let first = self.capture("the first iteration", &quote!(#positions.start), Ty::USIZE, at);
            let item = self.at(&iter, wrapping("add", first, rest), &mut statements);
            self.bind(&plan.f.pattern, item, &mut statements);
        }
        for (pattern, index) in indices.into_iter().rev() {
            self.bind(&pattern, Item::Value(index), &mut statements);
        }
        statements.push(Statement::Do(self.block(&elements.body, at)));
        statements
    }

    /// A number that the host computes from the ranges of the loops.
    fn of_task(&mut self, text: &str, part: &TokenStream, at: Location) -> Node {
        let elements = elements_variable();
        self.capture(text, &quote!(#elements #part), Ty::USIZE, at)
    }

    /// An element of a box. An index that the expansion does not compute is checked.
    pub fn boxed(&mut self, number: usize, index: &Expr, at: Location) -> Node {
        let Some(plan) = self.input.plan else { return self.stuck(at, "there are no boxes") };
        let Some(boxes) = plan.region.as_ref().and_then(|region| region.boxes.get(number)) else {
            return self.stuck(at, "there are no boxes");
        };
        let proved = plan.computed.indices.get(&index.id).is_some_and(Option::is_some);
        let (mut before, place) = (Vec::new(), place_variable(number));
        let indices = self.index_list(index, boxes.dims, &mut before);
        let last = boxes.dims - 1;
        let mut known = |part: &str, tokens: TokenStream| {
            self.capture(&format!("{}: {part}", boxes.object), &quote!(#place.#tokens), Ty::USIZE, at)
        };
        let mut position = known("start", quote!(start));
        for (axis, index) in indices.into_iter().enumerate() {
            let first = known(&format!("first index along axis {axis}"), quote!(first[#axis]));
            let mut index = wrapping("sub", if proved { in_range(index) } else { index }, first);
            let length = known(&format!("length along axis {axis}"), quote!(lengths[#axis]));
            index = match proved {
                true => Node::new(NodeKind::Proved(index.boxed(), length.boxed()), Ty::USIZE, at),
                false => index.within(length),
            };
            let offset = match axis == last {
                true => index,
                false => wrapping("mul", index, known(&format!("step along axis {axis}"), quote!(steps[#axis]))),
            };
            position = wrapping("add", position, offset);
        }
        let element = self.outputs.arrays[number].clone();
        Node::new(NodeKind::Load(Array::Slot(number), position.boxed()), element, at).after(before)
    }
}

/// An operation on numbers that are known not to leave their range.
fn wrapping(operation: &str, a: Node, b: Node) -> Node {
    let at = a.at;
    Node::method(&format!("wrapping_{operation}"), vec![a, b], Ty::USIZE, at)
}

/// An index whose parts stay in their range if it is proved: only otherwise the device has to notice that one does not.
fn in_range(mut index: Node) -> Node {
    if let NodeKind::Binary(op, a, b) = &mut index.kind
        && let Some(operation) =
            [(Op::Add, "add"), (Op::Sub, "sub"), (Op::Mul, "mul")].iter().find(|(known, _)| known == op)
    {
        let [a, b] = [a, b].map(|part| in_range((**part).clone()));
        return Node::method(&format!("index_{}", operation.1), vec![a, b], Ty::USIZE, index.at);
    }
    index
}
