//! Ranges that have a name: `let r = row[i]..row[i + 1]`.

use crate::ir::report::Location;
use crate::ir::{self, Expr, Op};
use crate::wgsl::elaborate::context::Elaborate;
use crate::wgsl::elaborate::environment::{Binding, Names};
use crate::wgsl::elaborate::iterators::Iter;
use crate::wgsl::elaborate::std::MethodCall;
use crate::wgsl::tree::{Item, Node, Range, Statement};

impl MethodCall<'_> {
    /// A method of a range: `(a..b).contains(&v)`, `r.len()`.
    pub fn range_method(&self, walk: &mut Elaborate<'_>) -> Option<Node> {
        let MethodCall { receiver, name, args, at, .. } = *self;
        if !matches!(name, "contains" | "len" | "is_empty" | "start" | "end") || walk.quiet {
            return None;
        }
        let mut before = Vec::new();
        let node = match (name, args, &receiver.bare().kind) {
            // One end may be open.
            ("contains", [value], ir::Kind::Range(from, end, inclusive)) => {
                let mut ends = Vec::new();
                for (end, op) in [(from, Op::Ge), (end, if *inclusive { Op::Le } else { Op::Lt })] {
                    if let Some(end) = end {
                        let end = walk.expr(end);
                        ends.push((walk.locals.hold("end", end, &mut before), op));
                    }
                }
                self.between(walk, value, ends, &mut before)
            }
            ("contains", [value], _) => {
                let Range { from, to, inclusive } = walk.names.named_range(receiver)?;
                let ends = vec![(from, Op::Ge), (to, if inclusive { Op::Le } else { Op::Lt })];
                self.between(walk, value, ends, &mut before)
            }
            _ => {
                let Range { from, to, inclusive } = walk.range(receiver, &mut before)?;
                match name {
                    "start" => from,
                    "end" => to,
                    "len" => walk.count(&Iter::Range(Range { from, to, inclusive }), at),
                    _ => Node::not(walk.operation(if inclusive { Op::Le } else { Op::Lt }, from, to, at)),
                }
            }
        };
        Some(node.after(before))
    }

    fn between(
        &self,
        walk: &mut Elaborate<'_>,
        value: &Expr,
        ends: Vec<(Node, Op)>,
        before: &mut Vec<Statement>,
    ) -> Node {
        let at = self.at;
        let value = walk.expr(value);
        let value = walk.locals.hold("value", value, before);
        let tests: Vec<Node> = ends.into_iter().map(|(end, op)| walk.operation(op, value.clone(), end, at)).collect();
        let all = Node::bool(true, at);
        tests.into_iter().reduce(|a, b| walk.operation(Op::AndAnd, a, b, at)).unwrap_or(all)
    }
}

impl Elaborate<'_> {
    /// A range that has a name, or stands here.
    pub fn range(&mut self, e: &Expr, to: &mut Vec<Statement>) -> Option<Range> {
        if let Some(range) = self.names.named_range(e) {
            return Some(range);
        }
        match &e.bare().kind {
            ir::Kind::Range(Some(from), Some(end), inclusive) => {
                let (from, end) = (self.expr(from), self.expr(end));
                self.same(&from.ty, &end.ty, Location::from(e));
                let (from, end) = (self.locals.hold("from", from, to), self.locals.hold("end", end, to));
                Some(Range { from, to: end, inclusive: *inclusive })
            }
            _ => None,
        }
    }

    /// `let (left, right) = part.split_at(k)`.
    pub fn split(&mut self, e: &Expr, to: &mut Vec<Statement>) -> Option<Item> {
        let ir::Kind::Method(receiver, name, args, _) = &e.bare().kind else { return None };
        let ([at], "split_at" | "split_at_mut") = (args.as_slice(), name.as_str()) else { return None };
        let view = self.view(receiver, to).filter(|view| view.shape.is_none())?;
        let place = Location::from(e);
        let length = view.length(place);
        let length = self.locals.hold("length", length, to);
        let middle = self.index(at);
        let middle = self.locals.hold("middle", middle.within(length.clone() + 1), to);
        let rest = self.locals.hold("rest", length - middle.clone(), to);
        let left = self.locals.piece(&view, Node::usize(0, place), middle.clone(), to);
        let right = self.locals.piece(&view, middle, rest, to);
        Some(Item::Tuple(vec![Item::View(left), Item::View(right)]))
    }
}

impl Names {
    /// The range that an expression names: `r`, `r.clone()`, `&r`.
    pub fn named_range(&self, e: &Expr) -> Option<Range> {
        match &e.bare().kind {
            ir::Kind::Name(name) => match self.get(*name)? {
                Binding::Range(range) => Some(range.clone()),
                _ => None,
            },
            ir::Kind::Ref(_, inner) => self.named_range(inner),
            ir::Kind::Method(inner, name, args, _) if name == "clone" && args.is_empty() => self.named_range(inner),
            _ => None,
        }
    }

    /// `r.start`, `r.end`.
    pub fn end_of_range(&self, base: &Expr, field: &str) -> Option<Node> {
        let range = self.named_range(base)?;
        match field {
            "start" => Some(range.from),
            "end" => Some(range.to),
            _ => None,
        }
    }
}
