//! The permitted uses of arrays of `ndarray` in a function, inside and outside of loops.

use crate::front::function::Function;
use crate::ir::report::{Code, Location, Report};
use crate::ir::{Id, Kind};

/// Rejects all uses of arrays except indexing, reading the shape, iterating and taking parts.
pub fn refuse_methods(function: &Function, report: &mut Report) {
    function.body.walk(&mut |e| {
        let Some(share) = function.misused(e) else { return true };
        let name = &share.name;
        let (code, what, replicated) = if share.mutable {
            (Code::FA012, "may write any element", String::new())
        } else {
            let replicated = format!("; or mark the parameter `#[replicated] {name}` if every rank has all of it");
            (Code::FA050, "may read any element", replicated)
        };
        report.error(
            code,
            Location::from(e),
            format!("`{}` {what} of the distributed array `{name}`: it is not seen which", e.shown()),
            format!(
                "write a loop over the elements, `{}`; of its methods, those that ask for the shape (`dim`, `shape`, `len_of`, ..), \
                 `iter`, `indexed_iter` and `outer_iter` in a header, and parts along the first axis (`index_axis(Axis(0), i)`, \
                 `slice(s![i, ..])`) are understood{replicated}",
                share.element_text()
            ),
        );
        true
    });
}

/// Rejects mutable parts of arrays outside of the expanded loops: their elements may be on any rank.
pub fn refuse_parts_outside(function: &Function, is_expanded: impl Fn(Id) -> bool, report: &mut Report) {
    function.body.walk(&mut |e| {
        let Kind::Method(receiver, method, ..) = &e.kind else { return !is_expanded(e.id) };
        let share = function.shares.iter().find(|s| s.array.is_some() && receiver.name() == Some(s.name));
        let Some(share) = share.filter(|_| method.ends_with("_mut") && method != "view_mut") else { return true };
        report.error(
            Code::FA012,
            Location::from(e),
            format!(
                "`{}` may write elements of the distributed array `{}` outside of the loops that run in parallel",
                e.shown(),
                share.name
            ),
            format!("write its elements in a loop, by their index (`{} = e`)", share.element_text()),
        );
        true
    });
}
