//! Slices that are split before the loops: `let (left, right) = x.split_at_mut(k);`. Both parts are distributed slices, as the parameters are:
//! each rank has the elements of its share of the whole.

use crate::front::function::Function;
use crate::front::parameters::Share;
use crate::front::variables::{Declared, each_statement};
use crate::ir::{Expr, Kind, Local, Pattern, StatementKind};

impl Function {
    /// Adds the parts of slices to the distributed slices.
    pub(super) fn split_slices(&mut self) {
        let mut splits = Vec::new();
        each_statement(&self.body, &mut |statement| {
            if let StatementKind::Let(pattern, Some(value), None) = statement
                && matches!(&value.bare().kind, Kind::Method(_, method, ..) if method.starts_with("split_at"))
            {
                splits.push((pattern.clone(), value.clone()));
            }
        });
        // A part may be split again.
        for (pattern, value) in splits {
            for part in self.parts(&pattern, &value).into_iter().flatten() {
                let declared = Declared { mutable: part.mutable, buffer: true, ..Declared::default() };
                self.declared.insert(part.name, declared);
                self.shares.push(part);
            }
        }
    }

    /// The parts that a `let` names, if loops use them.
    fn parts(&self, pattern: &Pattern, value: &Expr) -> Option<[Share; 2]> {
        let Kind::Method(whole, method, args, _) = &value.bare().kind else { return None };
        let share = self.shares.iter().find(|share| whole.name() == Some(share.name))?;
        let mutable = match (method.as_str(), args.len()) {
            ("split_at", 1) => false,
            ("split_at_mut", 1) if share.mutable => true,
            _ => return None,
        };
        let [left, right] = pattern.parts() else { return None };
        let (left, right) = (left.single()?, right.single()?);
        let plain = share.array.is_none() && share.marker.is_none() && !left.mutable && !right.mutable;
        let part = |name: Local| Share { name, mutable, split_by: Some(value.bare().id), ..share.clone() };
        let used = self.used_in_loops(pattern) || self.split_again(pattern);
        (plain && used).then(|| [part(left.name), part(right.name)])
    }

    /// Whether a part that a pattern binds is split again.
    fn split_again(&self, pattern: &Pattern) -> bool {
        self.body.nodes().any(|e| match &e.kind {
            Kind::Method(whole, method, ..) => {
                method.starts_with("split_at") && whole.name().is_some_and(|name| pattern.binds(name))
            }
            _ => false,
        })
    }

    /// Whether a loop mentions a variable that a pattern binds.
    pub(super) fn used_in_loops(&self, pattern: &Pattern) -> bool {
        let mut used = false;
        self.body.walk(&mut |e| {
            used |= matches!(e.kind, Kind::For(_)) && pattern.names.iter().any(|binding| e.mentions(binding.name));
            !used
        });
        used
    }

    /// Whether an expression splits a slice into two.
    pub fn splits(&self, e: &Expr) -> bool {
        self.shares.iter().any(|share| share.split_by == Some(e.bare().id))
    }

    /// The slices that callers pass.
    pub fn parameters(&self) -> impl Iterator<Item = &Share> {
        self.shares.iter().filter(|share| share.split_by.is_none())
    }
}
