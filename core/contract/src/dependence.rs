//! The dependence test: whether two accesses can touch the same element from different iterations.
//!
//! An access is a set of integer points: the iteration, the counters of inner loops, quotients, and the linear conditions that hold for them.
//! Its element is a linear function of the point. Two accesses depend on each other if there is a point of each, of different iterations, with
//! the same element. That is a system of linear equations and inequalities. The test shows that the system has no integer solution,
//! in the way of Pugh's omega test: equations are solved in integers, inequalities by Fourier-Motzkin elimination. Before, an equation
//! between indices of linearised arrays (`i * n + j`) is split into one for each axis, if the parts of the inner axes are bounded by `n`.
//!
//! The test returns `true` only if independence is proved. If it runs out of effort, or a number overflows, it returns `false`.

mod access;
mod solve;

pub use access::{Instances, Relation, Sum};
use solve::System;

/// Whether it is proved that no two of these iterations touch the same element, one by the first access and the other by the second.
#[must_use]
pub fn independent(one: &Instances, two: &Instances, iterations: i128) -> bool {
    let symmetric = one == two;
    let order = |sooner: usize, later: usize| System::of(one, two, iterations, [sooner, later]).is_impossible();
    // The position of `one` is variable 0. The variables of `two` follow those of `one`.
    order(0, one.variables) && (symmetric || order(one.variables, 0))
}

/// Whether an access may happen in some iteration: `false` only if it is proved that it does not.
#[must_use]
pub fn may_happen(access: &Instances, iterations: i128) -> bool {
    !System::of_one(access, iterations).is_impossible()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sum(constant: i128, factors: &[i128]) -> Sum {
        Sum { constant, factors: factors.to_vec() }
    }

    /// An access to one element, at the points at which all these sums are 0 or more.
    fn access(variables: usize, first: Sum, at_least_zero: Vec<Sum>) -> Instances {
        let conditions = at_least_zero.into_iter().map(|sum| (Relation::NotNegative, sum)).collect();
        Instances { variables, conditions, first, length: None }
    }

    #[test]
    fn a_constant_distance_counts_only_below_the_number_of_iterations() {
        let (here, there) = (access(1, sum(0, &[1]), vec![]), access(1, sum(64, &[1]), vec![]));
        assert!(independent(&here, &there, 64));
        assert!(!independent(&here, &there, 65));
        assert!(independent(&here, &here, 65));
    }

    #[test]
    fn the_lower_triangle_is_not_the_upper_one() {
        let n = 9;
        // `j` in `0..i`, and `0..=i`.
        let strict = vec![sum(0, &[0, 1]), sum(-1, &[1, -1])];
        let (lower, upper) = (access(2, sum(0, &[n, 1]), strict.clone()), access(2, sum(0, &[1, n]), strict));
        assert!(independent(&lower, &upper, n) && independent(&upper, &lower, n) && independent(&upper, &upper, n));
        let closed = vec![sum(0, &[0, 1]), sum(0, &[1, -1])];
        let (lower, upper) = (access(2, sum(0, &[n, 1]), closed.clone()), access(2, sum(0, &[1, n]), closed));
        assert!(independent(&lower, &upper, n), "the diagonal belongs to its iteration");
        let all = vec![sum(0, &[0, 1]), sum(n - 1, &[0, -1])];
        let (row, column) = (access(2, sum(0, &[n, 1]), all.clone()), access(2, sum(0, &[1, n]), all));
        assert!(!independent(&row, &column, n));
        // One row more than columns: the last one reaches over the end of a row.
        assert!(!independent(&lower, &upper, n + 2));
    }

    #[test]
    fn tiles_do_not_meet_whatever_the_last_one_is() {
        for n in [1, 7, 8, 9, 63, 64, 65] {
            // `i` in `8 * p..min(8 * p + 8, n)`, `j` in `0..n`, and `j * n + i`.
            let conditions = vec![
                sum(0, &[-8, 1]),
                sum(7, &[8, -1]),
                sum(n - 1, &[0, -1]),
                sum(0, &[0, 0, 1]),
                sum(n - 1, &[0, 0, -1]),
            ];
            let tile = access(3, sum(0, &[0, 1, n]), conditions);
            assert!(independent(&tile, &tile, (n + 7) / 8), "{n}");
        }
    }

    #[test]
    fn a_row_that_is_not_its_own_may_be_read() {
        let (n, k) = (10, 3);
        let (row, column) =
            (vec![sum(k - n, &[0, 0]), sum(n - 1, &[-1, 0])], vec![sum(0, &[0, 1]), sum(n - 1, &[0, -1])]);
        let mut conditions: Vec<_> =
            [row[1..].to_vec(), column].concat().into_iter().map(|s| (Relation::NotNegative, s)).collect();
        conditions.push((Relation::NotZero, sum(-k, &[1, 0])));
        let own = Instances { variables: 2, conditions: conditions.clone(), first: sum(0, &[n, 1]), length: None };
        let pivot = Instances { first: sum(k * n, &[0, 1]), ..own.clone() };
        assert!(independent(&own, &pivot, n) && independent(&own, &own, n));
        conditions.pop();
        let all = Instances { conditions, ..own };
        assert!(!independent(&all, &pivot, n));
    }

    #[test]
    fn neighbours_on_a_torus_have_the_other_colour_if_its_side_is_even() {
        // Variables: i, j, (i + 1) / n, (i + j) / 2.
        let side = |n: i128| {
            let conditions = [
                (Relation::NotNegative, sum(0, &[0, 1])),
                (Relation::NotNegative, sum(n - 1, &[0, -1])),
                (Relation::NotNegative, sum(1, &[1, 0, -n])),
                (Relation::NotNegative, sum(n - 2, &[-1, 0, n])),
                (Relation::Zero, sum(0, &[1, 1, 0, -2])),
            ];
            let own = Instances { variables: 4, conditions: conditions.to_vec(), first: sum(0, &[n, 1]), length: None };
            let next = Instances { first: sum(n, &[n, 1, -n * n]), ..own.clone() };
            independent(&own, &next, n)
        };
        assert!([2, 4, 8, 64].into_iter().all(side));
        assert!(![3, 5, 9].into_iter().any(side));
    }

    #[test]
    fn slices_are_as_long_as_they_are() {
        let row = |length| Instances {
            variables: 1,
            conditions: Vec::new(),
            first: sum(0, &[10]),
            length: Some(sum(length, &[])),
        };
        assert!(independent(&row(10), &row(10), 5));
        assert!(!independent(&row(11), &row(11), 5));
        let one = access(1, sum(9, &[10]), vec![]);
        assert!(independent(&row(9), &one, 5) && independent(&one, &row(9), 5) && independent(&one, &row(10), 5));
        assert!(!independent(&one, &row(20), 5));
    }

    /// Small systems, compared with all their points.
    #[test]
    fn what_is_said_to_be_impossible_is() {
        let mut seed = 1_u64;
        let mut next = |below: i128| {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            i128::from(seed >> 40) % below
        };
        let (mut proved, mut met) = (0, 0);
        for _ in 0..3_000 {
            let n = 2 + next(5);
            let mut any = |n: i128| {
                let choices = [0, 0, 1, -1, n, -n, 2, 1, n];
                let factors = [choices[next(9) as usize], choices[next(9) as usize], choices[next(9) as usize]];
                let small = [0, 0, 1, -1, 1, 0, -1, 2, 0];
                let mut conditions = vec![
                    (Relation::NotNegative, sum(0, &[0, 1])),
                    (Relation::NotNegative, sum(n - 1, &[0, -1])),
                    (Relation::NotNegative, sum(0, &[0, 0, 1])),
                    (Relation::NotNegative, sum(3, &[0, 0, -1])),
                ];
                for relation in [Relation::NotNegative, Relation::Zero, Relation::NotZero] {
                    if next(3) == 0 {
                        let factors = [small[next(9) as usize], small[next(9) as usize], small[next(9) as usize]];
                        conditions.push((relation, sum(next(5) - 2, &factors)));
                    }
                }
                let length = (next(4) == 0).then(|| sum(next(3), &[0, small[next(9) as usize]]));
                Instances { variables: 3, conditions, first: sum(next(4), &factors), length }
            };
            let (one, two) = (any(n), any(n));
            let iterations = n;
            let points = |access: &Instances| {
                let mut found = Vec::new();
                for p in 0..iterations {
                    for a in 0..n {
                        for b in 0..4 {
                            let at = |sum: &Sum| {
                                let values = [p, a, b];
                                sum.constant + sum.factors.iter().zip(values).map(|(f, v)| f * v).sum::<i128>()
                            };
                            let holds = access.conditions.iter().all(|(relation, sum)| match relation {
                                Relation::Zero => at(sum) == 0,
                                Relation::NotNegative => at(sum) >= 0,
                                Relation::NotZero => at(sum) != 0,
                            });
                            if holds {
                                let length = access.length.as_ref().map_or(1, &at);
                                found.extend((0..length).map(|k| (p, at(&access.first) + k)));
                            }
                        }
                    }
                }
                found
            };
            let (firsts, seconds) = (points(&one), points(&two));
            let meet = firsts.iter().any(|(p, at)| seconds.iter().any(|(q, other)| p != q && at == other));
            let said = independent(&one, &two, iterations);
            assert!(may_happen(&one, iterations) || firsts.is_empty(), "{one:?} {n}");
            assert!(!(said && meet), "{one:?} {two:?} {n}");
            (proved, met) = (proved + u32::from(said), met + u32::from(!meet));
        }
        // The test need not prove all independent pairs, but proves nearly all.
        assert!(proved * 100 >= met * 97, "{proved} of {met}");
    }
}
