//! Conflicts between each write and every other access to the same array.

use super::context::Classifier;
use super::cycle::cycle;
use crate::analysis::walk::{Event, What};
use crate::index::poly::{Poly, position};
use crate::index::small_cases::{Cases, Counter};
use crate::index::triangles::is_in_a_triangle;
use crate::index::{Known, Points};
use crate::ir::For;
use crate::ir::report::{Code, Report};
use crate::plan::{Distance, Plan};
use std::rc::Rc;

/// A conflict that only a call can exclude.
struct Unproved<'e> {
    write: &'e Event,
    other: &'e Event,
    /// Whether the other access writes too.
    both_write: bool,
    places: [&'e Known; 2],
}

impl Classifier<'_> {
    /// Marks the accesses that fill a packed triangle, or a square matrix from one triangle: `a[i * n + j]` and
    /// `a[j * n + i]` with `j` from `i` on, up to `n`, and the diagonal. An iteration `i` that writes row `i` from
    /// column `i` on, and column `i` from row `i` on, conflicts with no other: the smaller of an element's row and
    /// column is its iteration.
    fn apart(&self, result: &mut Plan) {
        for access in result.accesses.iter_mut().filter(|a| a.single) {
            access.apart = access.first.poly.as_ref().is_some_and(is_in_a_triangle);
        }
        let variable = result.f.pattern.single().map_or("", |b| b.name.text());
        for slot in 0..result.slots.len() {
            // Accesses with the index of a pair are disjoint only from accesses with the same index.
            let pair = result.accesses.iter().filter(|a| a.slot == slot && a.single && a.writes);
            let pair = pair.filter_map(|a| a.first.poly.clone()).find(Poly::is_pair);
            if let Some(pair) = pair {
                for access in result.accesses.iter_mut().filter(|a| a.slot == slot) {
                    access.apart = access.single && access.first.poly.as_ref() == Some(&pair);
                }
                continue;
            }
            let polys: Vec<&Poly> = result
                .accesses
                .iter()
                .filter(|a| a.slot == slot && a.single)
                .filter_map(|a| a.first.poly.as_ref())
                .collect();
            let family = polys.iter().find_map(|row| {
                let side = row.coefficient_of_position()?;
                let counter = row.without(position());
                let (_, range) = counter.as_symbol()?.text().strip_prefix('#')?.split_once(':')?;
                let (from, to) = range.strip_suffix(':')?.split_once("..")?;
                let upwards = from == variable || from.starts_with(&format!("{variable} + "));
                if !upwards || side.as_symbol()? != to {
                    return None;
                }
                let position = Poly::symbol(position());
                let column = counter.times(&side)?.plus(&position)?;
                let diagonal = position.times(&side)?.plus(&position)?;
                polys.contains(&&column).then(|| [(*row).clone(), column, diagonal])
            });
            let Some(family) = family else { continue };
            for access in result.accesses.iter_mut().filter(|a| a.slot == slot && a.single) {
                access.apart = access.first.poly.as_ref().is_some_and(|poly| family.contains(poly));
            }
        }
    }

    /// Compares every write with every other access to the same array.
    pub(super) fn conflicts(&self, events: &[Event], cases: Option<&Cases>, result: &mut Plan, report: &mut Report) {
        self.apart(result);
        let accesses: Vec<(&Event, usize)> = events
            .iter()
            .filter_map(|e| {
                let slot = result.slots.iter().position(|s| s.name == e.name)?;
                matches!(e.what, What::Elements { .. }).then_some((e, slot))
            })
            .collect();
        let mut unproved = Vec::new();
        let mut compared = Vec::new();
        for (k, (one, slot)) in accesses.iter().enumerate() {
            for (two, other) in &accesses[k..] {
                if slot != other {
                    continue;
                }
                let (
                    What::Elements { first: f1, end: e1, writes: w1, single: s1, .. },
                    What::Elements { first: f2, end: e2, writes: w2, single: s2, .. },
                ) = (&one.what, &two.what)
                else {
                    continue;
                };
                if !w1 && !w2 {
                    continue;
                }
                let (write, other, w, o) = if *w1 { (one, two, f1, f2) } else { (two, one, f2, f1) };
                let ends = if *w1 { (e1, e2) } else { (e2, e1) };
                let verdict = self.compare((w, ends.0), (o, ends.1), *s1 && *s2);
                let points = one.points.as_ref().zip(two.points.as_ref());
                let independent = || cases.zip(points).and_then(|(cases, (one, two))| cases.always(true, one, two));
                let verdict = match verdict {
                    // The distance is larger than that between any two iterations, or a condition excludes the
                    // conflict.
                    Verdict::Meet(_) if independent() == Some(true) => Verdict::AtRunTime,
                    verdict => verdict,
                };
                match verdict {
                    Verdict::Apart => {}
                    Verdict::AtRunTime => {
                        result.ordered = false;
                        compared.extend(points.into_iter().flat_map(|(one, two)| [one.clone(), two.clone()]));
                        unproved.push(Unproved { write, other, both_write: *w1 && *w2, places: [w, o] });
                        if *s1 && *s2 && !(*w1 && *w2) && ![one, two].iter().any(|e| e.conditional || e.skippable) {
                            result.distances.extend(self.distance((write, w), (other, o), cases));
                        }
                    }
                    Verdict::Meet(distance) => {
                        self.blame(write.name);
                        if *w1 && *w2 {
                            report.error(
                                Code::FA011,
                                other.place,
                                format!(
                                    "`{}` and `{}` write the same element of `{}` from different iterations",
                                    write.text, other.text, write.name
                                ),
                                "",
                            );
                        } else {
                            Self::carried_dependence(&result.f, write, other, distance, report);
                        }
                    }
                }
            }
        }
        for access in &mut result.accesses {
            access.points =
                access.points.take().filter(|points| compared.iter().any(|other| Rc::ptr_eq(points, other)));
        }
        if let Some(cases) = cases {
            self.refuse_meetings(unproved, cases, result, report);
        }
    }

    /// Refuses conflicts that would need a proof at each call that can never succeed. If the array has another mistake,
    /// these follow from it.
    fn refuse_meetings(&self, unproved: Vec<Unproved<'_>>, cases: &Cases, result: &Plan, report: &mut Report) {
        for Unproved { write, other, both_write, places: [w, o] } in unproved {
            if self.blamed.borrow().contains(&write.name) {
                continue;
            }
            let points = write.points.as_ref().zip(other.points.as_ref());
            // Accesses that are disjoint for another reason have their own proof.
            let apart = |points: &Rc<Points>| {
                let of = |other: &Rc<Points>| Rc::ptr_eq(points, other);
                result.accesses.iter().any(|access| access.apart && access.points.as_ref().is_some_and(of))
            };
            let complete = points.is_some_and(|(one, two)| one.complete && two.complete && !(apart(one) && apart(two)));
            let meet = match points.and_then(|(one, two)| cases.always(false, one, two)) {
                Some(false) => false,
                Some(true) if complete => true,
                _ => {
                    let plain = |e: &Event| {
                        matches!(e.what, What::Elements { single: true, .. }) && !e.conditional && !e.skippable
                    };
                    let polys = w.poly.as_ref().zip(o.poly.as_ref()).filter(|_| plain(write) && plain(other));
                    polys.is_some_and(|(w, o)| cases.always_meet(w, o))
                }
            };
            if meet {
                self.blame(write.name);
                Self::always_meet(&result.f, write, other, both_write, report);
            }
        }
    }

    /// The distance for rustc to compare, if it is between a write and a read and depends on constants from outside of
    /// the function.
    fn distance(
        &self,
        (write, w): (&Event, &Known),
        (read, r): (&Event, &Known),
        cases: Option<&Cases>,
    ) -> Option<Distance> {
        let (w, r) = (w.poly.as_ref()?, r.poly.as_ref()?);
        let (step, difference) = (w.coefficient_of_position()?, r.minus(w)?);
        let constant = |poly: &Poly| poly.symbols().all(|symbol| self.function.is_constant_from_outside(symbol));
        // Distances between plain numbers have already been compared.
        let known = !difference.is_zero() && difference.as_constant().is_none() && !step.is_zero();
        if !known || !constant(&step) || !constant(&difference) {
            return None;
        }
        let iterations = cases.and_then(|cases| {
            let Counter { from, end, step } = &cases.iterations;
            end.minus(from).filter(|_| step.as_constant() == Some(1))
        });
        Some(Distance {
            step,
            difference,
            iterations: iterations.filter(constant),
            message: format!(
                "FA010: loop-carried dependence: `{}` reads the element of `{}` that another iteration writes as `{}`: the loop is sequential as \
                 written, without `#[{}]`",
                read.text,
                write.name,
                write.text,
                self.attribute.name()
            ),
            span: read.place.start,
        })
    }

    /// Reports that an iteration reads an element that another iteration writes.
    fn carried_dependence(f: &For, write: &Event, other: &Event, distance: i64, report: &mut Report) {
        let array = &write.name;
        let by = match distance {
            -1 => "the iteration before".to_owned(),
            1 => "the next iteration".to_owned(),
            d if d < 0 => format!("the iteration {} before", -d),
            d => format!("the iteration {d} later"),
        };
        let message = format!(
            "loop-carried dependence: `{}` reads the element of `{array}` that {by} writes as `{}` (line {})",
            other.text,
            write.text,
            write.place.line()
        );
        if distance > 0 {
            report.read_before_it_is_written(f.span, other.place, message);
        } else {
            report.error(Code::FA010, other.place, message + &cycle(f, other, write), "");
        }
    }

    /// Reports accesses that conflict for all sizes.
    fn always_meet(f: &For, write: &Event, other: &Event, both: bool, report: &mut Report) {
        let (array, text, wrote) = (&write.name, &other.text, &write.text);
        if both && text == wrote {
            report.error(
                Code::FA011,
                other.place,
                format!("`{text}` writes elements of `{array}` that other iterations write too"),
                "",
            );
        } else if both {
            report.error(
                Code::FA011,
                other.place,
                format!("`{wrote}` and `{text}` write the same elements of `{array}` from different iterations"),
                "",
            );
        } else {
            report.error(
                Code::FA010,
                other.place,
                format!(
                    "loop-carried dependence: `{text}` reads elements of `{array}` that other iterations write as `{wrote}` (line {}){}",
                    write.place.line(),
                    cycle(f, other, write)
                ),
                "",
            );
        }
    }

    /// Compares the first elements of two accesses. Each is given with its end.
    fn compare(&self, (write, w_end): (&Known, &Known), (other, o_end): (&Known, &Known), single: bool) -> Verdict {
        let (Some(w), Some(o)) = (&write.poly, &other.poly) else { return Verdict::AtRunTime };
        let Some(step) = w.coefficient_of_position() else { return Verdict::AtRunTime };
        let Some(difference) = o.minus(w) else { return Verdict::AtRunTime };
        let inner = |p: &Poly| p.any_symbol(|s| s.starts_with('#') && s != crate::index::poly::position());
        if difference.is_zero() {
            return if single && step.as_constant().is_some_and(|c| c != 0) && !inner(w) {
                Verdict::Apart
            } else {
                Verdict::AtRunTime
            };
        }
        // If a slice fills the whole step between iterations, it overlaps a slice that begins at the same element.
        let fills =
            |end: &Known, first: &Poly| end.poly.as_ref().and_then(|end| end.minus(first)).as_ref() == Some(&step);
        if (single || fills(w_end, w) && fills(o_end, o))
            && !step.is_zero()
            && let Some(k) = difference.multiple_of(&step)
            && k != 0
            && (!inner(w) || !inner(&difference))
        {
            return Verdict::Meet(k);
        }
        match (difference.as_constant(), step.as_constant()) {
            (Some(d), Some(c)) if single && !inner(w) && !inner(o) && c != 0 && d.abs() < c.abs() => Verdict::Apart,
            _ => Verdict::AtRunTime,
        }
    }
}

enum Verdict {
    Apart,
    AtRunTime,
    /// `other` accesses the element that `write` writes this many iterations later.
    Meet(i64),
}
