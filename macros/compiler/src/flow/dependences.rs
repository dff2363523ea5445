//! The variables and the code on which variables depend.

use super::aliases::Aliases;
use super::definitions::{Definition, Definitions, Form};
use super::relation::Relation;
use crate::ir::{Expr, Id, Local};
use crate::maps::HashSet;

/// The variables that an expression reads.
pub type Reads<'r> = dyn Fn(&Expr, &mut dyn FnMut(Local)) + 'r;

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Node {
    Variable(Local),
    Region(usize),
}

fn variables(nodes: HashSet<Node>) -> impl Iterator<Item = Local> {
    nodes.into_iter().filter_map(|node| if let Node::Variable(name) = node { Some(name) } else { None })
}

/// The part of a body that some code needs.
pub struct Needed {
    pub variables: HashSet<Local>,
    /// The expressions that change these variables, and the jumps that decide whether code runs.
    pub code: HashSet<Id>,
}

/// All variables in an expression.
pub fn all_variables(e: &Expr, to: &mut dyn FnMut(Local)) {
    e.variables().for_each(to);
}

impl<'e> Definitions<'e> {
    /// The variables that are computed from these, and these: through the values of bindings and assignments. Only definitions of variables for
    /// which `through` holds are followed.
    pub fn computed_from(
        &self,
        from: impl IntoIterator<Item = Local>,
        reads: &Reads<'_>,
        through: &dyn Fn(&Definition<'e>, Local) -> bool,
    ) -> HashSet<Local> {
        let mut relation = Relation::new();
        for definition in self.all.iter().filter(|definition| definition.form != Form::Changed) {
            for to in definition.variables.iter().filter(|name| through(definition, **name)) {
                definition.values.iter().for_each(|value| reads(value, &mut |name| relation.follows(name, *to)));
            }
        }
        relation.from(from)
    }

    /// The variables that depend on these, and these.
    pub fn dependent_on(&self, on: impl IntoIterator<Item = Local>, reads: &Reads<'_>) -> HashSet<Local> {
        let changed = self.changed();
        let dependences = self.dependences(&changed, reads, |definition| definition.values.iter().copied());
        variables(dependences.from(on.into_iter().map(Node::Variable))).collect()
    }

    /// The code that computes parts of variables, and decides which of them the body accesses.
    pub fn needed_for(&self, is_accessed: &dyn Fn(&Expr) -> bool) -> Needed {
        let changed = self.changed();
        let reads = self.dependences(&changed, &all_variables, |definition| {
            definition.values.iter().copied().chain(definition.whole)
        });
        let accessed = self.parts.iter().filter(|(part, _)| is_accessed(part));
        let first = accessed.flat_map(|(part, region)| {
            std::iter::once(Node::Region(*region)).chain(part.variables().map(Node::Variable))
        });
        let found = reads.to(first.chain([Node::Region(0)]));
        let jumps = self.jumps.iter().filter(|(.., to)| found.contains(&Node::Region(*to))).map(|(id, ..)| *id);
        let changes = |changed: &HashSet<Local>| changed.iter().any(|name| found.contains(&Node::Variable(*name)));
        let changing = self.all.iter().zip(&changed).filter(|(_, changed)| changes(changed));
        let code = changing.filter_map(|(definition, _)| Some(definition.whole?.id)).chain(jumps).collect();
        Needed { code, variables: variables(found).collect() }
    }

    /// The variables that each definition gives a value. Code that may change a variable may change those that it borrows.
    fn changed(&self) -> Vec<HashSet<Local>> {
        let aliases = Aliases::of(self);
        let may_change = |name: &Local| self.mutable.contains(name) || aliases.may_borrow(*name);
        let of = |definition: &Definition<'e>| {
            let mut variables: HashSet<Local> = definition.variables.iter().copied().collect();
            if !matches!(definition.form, Form::Bound | Form::Assigned) {
                variables.extend(definition.handed.iter().filter(|name| aliases.may_borrow(**name)));
                let others: Vec<Local> = variables.iter().flat_map(|name| aliases.of_class(*name)).copied().collect();
                variables.extend(others.into_iter().filter(may_change));
            }
            variables
        };
        self.all.iter().map(of).collect()
    }

    /// The dependences of the body's variables and regions, through values and control flow.
    fn dependences<'d, V: Iterator<Item = &'e Expr>>(
        &'d self,
        changed: &[HashSet<Local>],
        reads: &Reads<'_>,
        values: impl Fn(&'d Definition<'e>) -> V,
    ) -> Relation<Node> {
        let mut relation = Relation::new();
        for (definition, changed) in self.all.iter().zip(changed) {
            for to in changed.iter().map(|name| Node::Variable(*name)) {
                relation.follows(Node::Region(definition.region), to);
                values(definition)
                    .for_each(|value| reads(value, &mut |name| relation.follows(Node::Variable(name), to)));
            }
        }
        for (number, region) in self.regions.iter().enumerate() {
            let to = Node::Region(number);
            region.around.iter().for_each(|around| relation.follows(Node::Region(*around), to));
            for decision in &region.decisions {
                reads(decision, &mut |name| relation.follows(Node::Variable(name), to));
            }
        }
        for (_, from, to) in &self.jumps {
            relation.follows(Node::Region(*from), Node::Region(*to));
        }
        relation
    }
}
