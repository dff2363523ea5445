//! The dependence test of a call: it proves that iterations write disjoint elements.

use super::site::{Instance, Site};
use crate::footprint::{Access, Index, Meeting, Values, meeting};
use crate::slot::List;
use forall_contract::dependence::{Instances, independent};
use smallvec::SmallVec;
use std::cell::LazyCell;
use std::sync::Arc;

/// Proves that iterations write disjoint elements. Returns whether the elements are also in the order of the iterations.
///
/// # Panics
/// With FA061 if there is no proof.
pub(super) fn prove_disjoint(
    site: &Instance,
    slots: &List<'_>,
    accesses: &[Access],
    iterations: usize,
    values: Option<&Values<'_>>,
) -> bool {
    let written: SmallVec<[bool; 8]> = slots.iter().map(|slot| slot.writes()).collect();
    let values: LazyCell<Arc<[Index]>, _> =
        LazyCell::new(|| values.map_or_else(Vec::new, |values| values(0..iterations)).into());
    let mut ordered = true;
    for (k, one) in accesses.iter().enumerate() {
        for (l, two) in accesses.iter().enumerate().skip(k) {
            if one.slot != two.slot || !(one.writes || two.writes) || !written[one.slot] {
                continue;
            }
            match meeting(one, two, iterations) {
                Meeting::Ordered => {}
                Meeting::Interleaved => ordered = false,
                Meeting::Possible if are_independent(site, [(k, one), (l, two)], iterations, || &values) => {
                    ordered = false;
                }
                Meeting::Possible => refuse(site, [(k, one), (l, two)]),
            }
        }
    }
    ordered
}

/// Whether the exact dependence test proves two accesses independent. Called if their footprints overlap.
#[cold]
fn are_independent<'v>(
    site: &Instance,
    pair: [(usize, &Access); 2],
    iterations: usize,
    values: impl FnOnce() -> &'v Arc<[Index]>,
) -> bool {
    // The points are computed without overflow, so no index may have wrapped around.
    if !pair.iter().all(|(_, access)| access.proved() && access.interval().is_some()) {
        return false;
    }
    let of = |(number, _): (usize, &Access)| site.points.iter().find(|points| points.access == number);
    let [Some(one), Some(two)] = pair.map(of) else { return false };
    let values = values();
    site.shown.or_show([one.access, two.access], iterations, values, || {
        let instances: [Option<Instances>; 2] = [one.instances(values), two.instances(values)];
        let [Some(one), Some(two)] = &instances else { return false };
        independent(one, two, iterations as i128)
    })
}

#[cold]
fn refuse(site: &Site, pair: [(usize, &Access); 2]) -> ! {
    let [(k, one), (l, two)] = pair;
    let array = site.arrays.get(one.slot).unwrap_or(&"?");
    let name = |number: usize| match site.accesses.get(number) {
        Some((text, at)) => format!("`{text}` ({}:{})", at.file(), at.line()),
        None => format!("`{array}`"),
    };
    let met = match k == l {
        true => format!("{}, which touches {}", name(k), touched(one)),
        false => {
            format!("{}, which touches {}, and {}, which touches {}", name(k), touched(one), name(l), touched(two))
        }
    };
    let (verb, help) = if one.writes && two.writes {
        let help = format!(
            "let each iteration write its own elements: a part of the iteration, such as `let row = &mut {array}[i * n..(i + 1) * n];`, does \
             not reach the elements of another"
        );
        ("write", help)
    } else {
        let read = if one.writes { l } else { k };
        let text = site.accesses.get(read).map_or(*array, |(text, _)| *text);
        let help = format!(
            "read from a slice that the loop does not write: add a parameter `old: &[T]`, pass what `{array}` held before, and write `{}` in \
             place of `{text}`",
            text.replacen(*array, "old", 1)
        );
        ("write and read", help)
    };
    (site.refuse)(format_args!(
        "FA061: `{}`: iterations of loop {} may {verb} the same element of `{array}` for these lengths and bounds: {met}; every element must \
         be written by one iteration, and read by no other\nhelp: {help}",
        site.name,
        site.number + 1,
    ))
}

/// The elements of an access, for messages.
fn touched(access: &Access) -> String {
    match (access.affine(), access.interval()) {
        (Some((0, lo, hi)), _) | (None, Some((lo, hi))) => format!("elements {lo}..={hi}"),
        (Some((a, lo, hi)), _) if lo == hi => format!("element {a} * iteration + {lo}"),
        (Some((a, lo, hi)), _) => format!("elements {a} * iteration + {lo}..={hi}"),
        (None, None) => "any element".to_owned(),
    }
}
