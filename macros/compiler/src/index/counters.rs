//! The counters of loops over ranges.

use crate::index::poly::{Poly, Symbol};
use crate::index::scope::{Known, Scope};
use crate::index::small_cases::Counter;
use crate::index::value::Value;
use crate::ir::{Counted, Expr, Id, Kind, Local};
use proc_macro2::{Ident, Span};
use quote::{format_ident, quote};
use std::rc::Rc;

/// An inner loop over a range. The expansion adds its own counter to the body.
#[derive(Debug, Clone)]
pub struct LoopCounter {
    pub ident: Ident,
    /// The range, and whether it includes its end.
    pub range: Id,
    pub inclusive: bool,
    /// The ends and the step of the range, as the expansion computes them.
    pub from: Rc<Value>,
    pub to: Rc<Value>,
    pub step: Option<(Id, Rc<Value>)>,
}

/// An addition to a loop or a closure of the body. The expansion computes indices from it.
#[derive(Debug, Clone)]
pub enum Bound {
    Loop(LoopCounter),
    /// A copy of a user's variable. Each access that uses the copy checks that its index lies in its footprint.
    Copy {
        ident: Ident,
        of: Ident,
    },
}

impl Bound {
    /// The variable that it binds.
    pub fn ident(&self) -> &Ident {
        let (Bound::Loop(LoopCounter { ident, .. }) | Bound::Copy { ident, .. }) = self;
        ident
    }
}

/// The expansion's own variable for a counter.
pub fn counter_variable(number: u16) -> Ident {
    format_ident!("__counter{number}", span = Span::mixed_site())
}

impl Scope<'_> {
    /// The expansion's own counter of an inner loop, if the expansion can compute the ends of the range.
    pub fn loop_counter(&mut self, number: u16, source: &Expr) -> Option<LoopCounter> {
        let Counted { from, to, inclusive, step } = source.counted()?;
        let computable = |known: Known| known.value.filter(|value| value.is_computable());
        let (from, to) = (computable(self.known(from))?, computable(self.known(to))?);
        let step = match step {
            Some(step) => Some((step.id, computable(self.known(step))?)),
            None => None,
        };
        let range = source.range()?.id;
        Some(LoopCounter { ident: counter_variable(number), range, inclusive, from, to, step })
    }

    /// A counter for which the expansion has a variable.
    pub fn counted_by(&mut self, known: Known, variable: &Ident) -> Known {
        let value = known.value.map(|value| self.counter_by(&value, variable, quote!(#variable), None));
        Known { value, ..known }
    }

    /// A counter that the expansion copies. Each access checks that the copy lies between these ends.
    pub fn copied_by(&mut self, known: Known, variable: &Ident, from: &Known, to: &Known, inclusive: bool) -> Known {
        let computable = |known: &Known| known.value.clone().filter(|value| value.is_computable());
        let (Some(from), Some(to)) = (computable(from), computable(to)) else { return known };
        let (first, end) = (&from.ident, &to.ident);
        let below = if inclusive { quote!(<=) } else { quote!(<) };
        let code = quote!({ __holds &= #first <= #variable && #variable #below #end; #variable });
        let value = known.value.map(|value| self.counter_by(&value, variable, code, Some([from.clone(), to.clone()])));
        Known { value, ..known }
    }

    /// A counter of an inner loop from 0 to a known value.
    pub fn counter_to(&mut self, number: u16, name: Local, to: &Known) -> Known {
        let (zero, one) = (self.constant(0), self.constant(1));
        let symbol = self.symbol_of_counter(Symbol::named(&format!("#{name}:{:?}", to.poly)));
        self.count(Local::named(&symbol), &zero, to, &one);
        self.count_from_to(Local::named(&symbol), Poly::default(), &zero, to, &one);
        let poly = Some(Poly::symbol(Local::named(&symbol)));
        let value = (|| {
            let (f, t, s) = (zero.value?, to.value.clone()?, one.value?);
            let (fi, ti, si) = (&f.ident, &t.ident, &s.ident);
            Some(self.value(quote!(__fp::Index::inner(#number, #fi, #ti, #si)), vec![f.clone(), t.clone(), s.clone()]))
        })();
        Known { value, poly, least: None }
    }

    /// Records the range of a counter. If different counters have the same symbol, nothing is known of the symbol.
    pub(super) fn count(&mut self, symbol: Symbol, from: &Known, end: &Known, step: &Known) {
        let bounds = (from.poly.clone(), end.poly.clone(), step.poly.clone());
        let counter = match bounds {
            (Some(from), Some(end), Some(step)) => Some(Counter { from, end, step }),
            _ => None,
        };
        let before = self.symbols.counters.remove(&symbol);
        if let Some(counter) = counter.filter(|counter| before.is_none_or(|before| before == *counter)) {
            self.symbols.counters.insert(symbol, counter);
        }
    }

    /// The known values of the counter of a loop over a range.
    pub fn iterations(&mut self, source: &Expr) -> Option<Counter> {
        let range = match &source.bare().kind {
            Kind::Method(range, method, args, _) if method == "enumerate" && args.is_empty() => range,
            _ => source,
        };
        let Counted { from, to, inclusive, step } = range.counted()?;
        let (from, to) = (self.known(from), self.known(to));
        let one = self.constant(1);
        let end = if inclusive { self.plus(&to, &one) } else { to };
        let step = step.map_or(one, |step| self.known(step));
        Some(Counter { from: from.poly?, end: end.poly?, step: step.poly? })
    }

    /// A counter of an inner loop over `from..to`.
    pub fn counter(&mut self, number: u16, name: Local, range: Counted<'_>) -> Known {
        let Counted { from, to, inclusive, step } = range;
        let (first, last) = (self.known(from), self.known(to));
        let one = self.constant(1);
        let end = if inclusive { self.plus(&last, &one) } else { last.clone() };
        let whole_end = end.clone();
        let (end, earlier) = self.end_of(&first, end);
        let step_known = match step {
            Some(step) => self.known(step),
            None => one,
        };
        // Counters of loops with the same bounds have the same symbol: accesses in sibling loops can then be compared.
        let text = format!("{}..{}{}", from.text(), if inclusive { "=" } else { "" }, to.text());
        let step_text = step.map(Expr::text).unwrap_or_default();
        let poly = match self.stretch(&first, &end) {
            // The counter of `k * n..(k + 1) * n` is counted from the start of the range.
            Some((start, length)) => {
                // A loop that may end earlier gets a symbol different from that of a loop with the full length.
                let text = if earlier { text } else { String::new() };
                let symbol = self.symbol_of_counter(Symbol::named(&format!("#{name}:0..{length:?}:{step_text}{text}")));
                let (zero, length) = (self.constant(0), Known { poly: Some(length), ..Known::default() });
                // The small cases are tried with all values of a counter or none.
                if !earlier {
                    self.count(Local::named(&symbol), &zero, &length, &step_known);
                }
                self.count_from_to(Local::named(&symbol), start.clone(), &first, &whole_end, &step_known);
                start.plus(&Poly::symbol(Local::named(&symbol)))
            }
            None => {
                let symbol = self.symbol_of_counter(Symbol::named(&format!("#{name}:{text}:{step_text}")));
                self.count(Local::named(&symbol), &first, &end, &step_known);
                self.count_from_to(Local::named(&symbol), Poly::default(), &first, &whole_end, &step_known);
                Some(Poly::symbol(Local::named(&symbol)))
            }
        };
        // If one more than a number wraps, the result may look like any other end.
        let end = match inclusive {
            true => Known { value: self.combine_by("behind", None, &end, &last), ..end },
            false => end,
        };
        let value = (|| {
            let (f, t, s) = (first.value?, end.value?, step_known.value?);
            let (fi, ti, si) = (&f.ident, &t.ident, &s.ident);
            Some(self.value(quote!(__fp::Index::inner(#number, #fi, #ti, #si)), vec![f.clone(), t.clone(), s.clone()]))
        })();
        Known { value, poly, least: None }
    }

    /// The end of a range with this start, and whether the range may end earlier. If the end is a minimum, as in
    /// `k * n..((k + 1) * n).min(len)`, the operand that moves with the start is the end.
    pub fn end_of(&mut self, from: &Known, end: Known) -> (Known, bool) {
        let Some(least) = end.least.clone() else { return (end, false) };
        for (moving, other) in [(&least[0], &least[1]), (&least[1], &least[0])] {
            if self.stretch(from, moving).is_some() {
                let value = self.combine_by("at_latest", Some("least"), moving, other);
                return (Known { value, poly: moving.poly.clone(), least: None }, true);
            }
        }
        (end, false)
    }

    /// The start and the length of a range, if the start changes in the loop and the length does not.
    fn stretch(&self, from: &Known, end: &Known) -> Option<(Poly, Poly)> {
        let from = from.poly.clone().filter(|from| !from.is_fixed())?;
        let length = end.poly.as_ref()?.minus(&from)?;
        length.is_fixed().then_some((from, length))
    }
}
