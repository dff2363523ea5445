//! Slices that are split before the loops: `let (left, right) = x.split_at_mut(k);`. Both parts are slices as parameters are, of which
//! each rank has what it has of the whole.

use crate::front::function::Function;
use crate::front::parameters::Share;
use crate::front::variables::Declared;
use crate::ir::{Block, Expr, Kind, Local, Pattern, StatementKind};

impl Function {
    /// Takes the parts of slices for slices.
    pub(super) fn take_halves(&mut self) {
        let body = self.body.clone();
        let mut splits = Vec::new();
        find(&body, &mut |pattern, value| {
            if let Some(halves) = self.halves(pattern, value) {
                let names = halves.iter().map(|half| half.name);
                let slice = Declared { mutable: halves[0].mutable, buffer: true, ..Declared::default() };
                self.declared.extend(names.map(|name| (name, slice.clone())));
                self.shares.extend(halves);
                splits.push(value.bare().id);
            }
        });
        self.splits = splits;
    }

    /// The parts that a `let` gives names, where loops go over them by these.
    fn halves(&self, pattern: &Pattern, value: &Expr) -> Option<[Share; 2]> {
        let Kind::Method(whole, method, args, _) = &value.bare().kind else { return None };
        let (share, [_]) = (self.shares.iter().find(|share| whole.name() == Some(share.name))?, args.as_slice()) else {
            return None;
        };
        let mutable = match method.as_str() {
            "split_at" => false,
            "split_at_mut" if share.mutable => true,
            _ => return None,
        };
        let [Some(left), Some(right)] = [pattern.parts.first(), pattern.parts.get(1)].map(|part| part?.single()) else {
            return None;
        };
        let mut used = false;
        self.body.walk(&mut |e| {
            used |= matches!(e.kind, Kind::For(_)) && [left, right].iter().any(|half| e.mentions(half.name));
            !used
        });
        let plain = share.array.is_none() && share.marker.is_none() && pattern.parts.len() == 2;
        let plain = plain && [left, right].iter().all(|half| !half.mutable);
        let half = |name: Local| Share { name, mutable, half: true, ..share.clone() };
        (plain && used).then(|| [half(left.name), half(right.name)])
    }

    /// Whether an expression splits a slice into two.
    pub fn splits(&self, e: &Expr) -> bool {
        self.splits.contains(&e.bare().id)
    }

    /// The slices that callers pass.
    pub fn parameters(&self) -> impl Iterator<Item = &Share> {
        self.shares.iter().filter(|share| !share.half)
    }
}

/// Finds the `let`s outside of loops.
fn find(block: &Block, found: &mut dyn FnMut(&Pattern, &Expr)) {
    for statement in &block.statements {
        match &statement.kind {
            StatementKind::Let(pattern, Some(value), None) => found(pattern, value),
            StatementKind::Expr(e, _) => match &e.kind {
                Kind::Block(b) | Kind::Labeled(_, _, b) | Kind::Loop(_, b) | Kind::While(_, _, b) => find(b, found),
                Kind::If(_, then, _) => find(then, found),
                _ => {}
            },
            _ => {}
        }
    }
}
