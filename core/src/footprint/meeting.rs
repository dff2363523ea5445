//! A dependence test: whether two accesses touch a common element.

use super::access::Access;
use super::form::{Form, gcd};

/// The relation of two accesses to one array in different iterations.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Meeting {
    /// They touch no common element, and the elements between the lowest and the highest of an iteration belong to this iteration alone.
    Ordered,
    /// They touch no common element, but the elements of different iterations interleave.
    Interleaved,
    /// They may touch a common element.
    Possible,
}

/// Whether `one` in an iteration and `two` in another can touch the same element of their array, over `count` iterations.
pub fn meeting(one: &Access, two: &Access, count: usize) -> Meeting {
    if count <= 1 || one.never() || two.never() {
        return Meeting::Ordered;
    }
    if one.apart && two.apart && one.interval().is_some() && two.interval().is_some() {
        return Meeting::Interleaved;
    }
    let (Some((a1, lo1, hi1)), Some((a2, lo2, hi2))) = (one.affine(), two.affine()) else { return Meeting::Possible };
    if a1 == a2 && a1.abs() > hi1.max(hi2) - lo1.min(lo2) {
        return Meeting::Ordered;
    }
    if !one.proved() || !two.proved() {
        return Meeting::Possible;
    }
    let (Some(i1), Some(i2)) = (one.interval(), two.interval()) else { return Meeting::Possible };
    if i1.1 < i2.0 || i2.1 < i1.0 || never_congruent(one, two, a1, a2) || mixed_radix(one, two, a1, a2, count) {
        return Meeting::Interleaved;
    }
    Meeting::Possible
}

/// Red and black points: all coefficients have a common divisor that does not divide the difference of the constants.
fn never_congruent(one: &Access, two: &Access, a1: i64, a2: i64) -> bool {
    let (Some(f1), Some(f2)) = (one.first.form(), two.first.form()) else { return false };
    let single = |access: &Access, form: &Form| access.first == *access.last() && form.lo == form.hi;
    if !single(one, f1) || !single(two, f2) {
        return false;
    }
    let coefficients = f1.terms().iter().chain(f2.terms()).map(|t| t.coefficient);
    let divisor = coefficients.fold(gcd(a1, a2), gcd);
    divisor > 1 && (f1.lo - f2.lo) % divisor != 0
}

/// Columns and middle axes. The inner counters are either small, with a reach below one step of the iteration, or big: the big coefficients
/// have a common divisor larger than all iterations together. Only remainders by this divisor count, also for the step of the iteration:
/// the diagonal is in its column.
fn mixed_radix(one: &Access, two: &Access, a1: i64, a2: i64, count: usize) -> bool {
    let (Some(f1), Some(f2)) = (one.first.form(), two.first.form()) else { return false };
    let (Some(l1), Some(l2)) = (one.last().form(), two.last().form()) else { return false };
    let a = a1.abs().min(a2.abs());
    if a == 0 || f1.terms() != l1.terms() || f2.terms() != l2.terms() {
        return false;
    }
    let (mut big, mut small) = (0, [0, 0]);
    for (which, form) in [f1, f2].into_iter().enumerate() {
        for term in form.terms() {
            let reach = term.coefficient.abs() * (term.extent - 1);
            if reach < a && term.coefficient >= 0 {
                small[which] += reach;
            } else {
                big = gcd(big, term.coefficient);
            }
        }
    }
    if big == 0 || (a1 - a2) % big != 0 {
        return false;
    }
    // The constants may differ by a multiple of the divisor (a row above), so only the remainder counts.
    let shift = f2.lo - f1.lo;
    let shift = shift - (shift as f64 / big as f64).round() as i64 * big;
    let ends = [(0, l1.hi - f1.lo + small[0]), (shift, shift + l2.hi - f2.lo + small[1])];
    let width = ends[0].1.max(ends[1].1) - ends[0].0.min(ends[1].0);
    width < a && a * (count as i64 - 1) + width < big
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::footprint::access::Accesses;
    use crate::footprint::index::Index;

    const NX: Index = Index::constant(10);

    fn one(add: impl FnOnce(&mut Accesses)) -> Access {
        let mut accesses = Accesses::default();
        add(&mut accesses);
        accesses[0].clone()
    }

    fn counter(from: i64, to: i64) -> Index {
        Index::inner(1, Index::constant(from), Index::constant(to), Index::constant(1))
    }

    /// `a[[p, x]]` of rows of ten elements.
    fn element(x: Index) -> Access {
        let row = Index::outer(0, 1, i64::MAX, &(0..8));
        one(|accesses| accesses.element(0, true, &row.times(NX).plus(x.within(NX))))
    }

    #[test]
    fn an_index_that_stays_in_its_axis_needs_no_guard() {
        let inside = element(counter(0, 10));
        assert!(inside.unguarded() && inside.interval() == Some((0, 79)));
        assert_eq!(meeting(&inside, &inside, 8), Meeting::Ordered);
        assert!(element(Index::NEVER).unguarded());
    }

    #[test]
    fn an_index_that_may_leave_its_axis_stays_there_under_a_guard() {
        let one = Index::constant(1);
        let outside = [counter(0, 10).minus(one), counter(0, 10).plus(one), Index::UNKNOWN, counter(0, 10).assumed()];
        for x in outside {
            let access = element(x);
            assert!(access.proved() && !access.unguarded());
            let (lo, hi) = access.interval().expect("it is known");
            assert!(lo >= 0 && hi <= 79);
            assert_eq!(meeting(&access, &element(counter(0, 10)), 8), Meeting::Ordered, "rows do not meet");
        }
        // The remaining values of a counter are still one counter, so columns of a middle axis do not overlap.
        let within = counter(0, 10).minus(one).within(NX);
        assert_eq!((within.form.count, within.form.spread(), within.interval()), (1, (0, 8), Some((0, 8))));
        assert_eq!(counter(0, 10).plus(one).within(NX).form.spread(), (1, 9));
    }

    #[test]
    fn a_comparison_of_what_may_have_wrapped_tells_nothing() {
        let (x, one) = (counter(0, 10), Index::constant(1));
        // `x + 1 < 10`, and `x - 1 >= 3`, which also holds for the largest number of all.
        let right = x.below(NX.minus(one).unless_wrapped(x.plus(one)).unless_wrapped(NX));
        assert_eq!(right.interval(), Some((0, 8)));
        let bound = Index::constant(4);
        assert_eq!(x.at_least(bound.unless_wrapped(x.minus(one))).interval(), x.interval());
        assert_eq!(x.at_least(bound.unless_wrapped(x.minus(one).as_signed())).interval(), Some((4, 9)));
        assert_eq!(x.below(bound.unless_wrapped(bound.assumed())).interval(), x.interval());
        assert_eq!(x.below(bound.unless_wrapped(Index::NEVER.as_signed())).interval(), x.interval());
    }

    #[test]
    fn a_counter_whose_end_may_have_wrapped_is_guarded() {
        let (zero, one) = (Index::constant(0), Index::constant(1));
        let row = Index::outer(0, 1, i64::MAX, &(0..8));
        let access = |index: Index| one_element(&index);
        // `0..i - 1` at `i = 0`, `1..w - 1` with `w = 0`, and `0..=w - 1`.
        let before = row.minus(one);
        assert!(!access(Index::inner(1, zero, before, one)).unguarded());
        assert!(!access(Index::inner(1, one, zero.minus(one), one)).unguarded());
        let last = zero.minus(one);
        assert!(!access(Index::inner(1, zero, last.plus(one).behind(last), one)).unguarded());
        // Expressions that depend on it, and an index along an axis.
        let never = Index::inner(1, one, zero.minus(one), one);
        assert!(!access(never.plus(one)).unguarded() && !access(never.within(NX)).unguarded());
        // In a signed type there is no wrapping.
        assert!(access(Index::inner(1, zero.minus(one).as_signed(), one, one)).unguarded());
        assert!(access(Index::inner(1, one, row.plus(one), one)).unguarded());
    }

    fn one_element(index: &Index) -> Access {
        one(|accesses| accesses.element(0, false, index))
    }

    #[test]
    fn an_axis_without_elements_has_no_index() {
        let none = Index::constant(0);
        assert_eq!(counter(0, 0).within(none), Index::NEVER);
        assert!(Index::constant(0).within(none).guarded && Index::anywhere(none).guarded);
    }

    #[test]
    fn a_halo_of_an_array_is_in_planes() {
        assert_eq!(
            one(|accesses| accesses.near(0, Index::outer(0, 1, i64::MAX, &(4..6)), 2, 1)).interval(),
            Some((2, 7))
        );
        assert_eq!(
            one(|accesses| accesses.near(0, Index::outer(0, 1, i64::MAX, &(4..6)), 1, 10)).interval(),
            Some((30, 69))
        );
    }
}
