//! What an annotated call tells the runtime: its parameters, its loops, and the iteration that it is at.

use super::{Context, Header, MAX_VALUES, Value};
use std::cell::Cell;

/// A distributed parameter of a call.
#[derive(Debug, Clone, Copy)]
pub struct Parameter<'a> {
    /// Its name.
    pub name: &'a str,
    /// The length of this rank's share, as far as it is known by this rank alone.
    pub share: usize,
    /// The length of all shares together, if every rank knows where they begin: the same on all ranks then.
    pub total: Option<usize>,
}

/// How many values of a header one parameter takes.
const PER_PARAMETER: usize = 3;

impl Context {
    /// Begins a call on several ranks; returns the shares that all ranks named, parameter by parameter. To be ended with
    /// [`Context::done`].
    ///
    /// Costs one handshake for four parameters.
    ///
    /// # Panics
    /// As [`Context::agree`].
    pub fn begin_call(&self, function: &str, parameters: &[Parameter<'_>]) -> Vec<Vec<usize>> {
        let mut shares = Vec::with_capacity(parameters.len());
        let mut groups = parameters.chunks(MAX_VALUES / PER_PARAMETER);
        // The numbers of the loops come from below.
        let numbers = std::iter::once(0).chain((0..u32::MAX).rev());
        for number in numbers {
            let group = match groups.next() {
                Some(group) => group,
                None if number == 0 => &[],
                None => break,
            };
            let values: Vec<Value<'_>> = group
                .iter()
                .flat_map(|parameter| {
                    let known = parameter.total.is_some().into();
                    let total = parameter.total.unwrap_or(0) as u64;
                    [
                        Value::own("the share of", parameter.share as u64).of(parameter.name),
                        Value::same("one DistVec (1) or a slice on each rank (0) for", known).of(parameter.name),
                        Value::same("the length of", total).of(parameter.name),
                    ]
                })
                .collect();
            let agreed = self.agree(&Header {
                function,
                number,
                values: &values,
            });
            shares.extend(
                (0..group.len()).map(|place| agreed.of(PER_PARAMETER * place).map(|share| share as usize).collect()),
            );
        }
        shares
    }

    /// Begins the loop `number` of a call, counted from 0, on several ranks.
    ///
    /// # Panics
    /// As [`Context::agree`]: also when the ranks would run different numbers of iterations.
    pub fn begin_loop(&self, function: &str, number: usize, iterations: usize) {
        let values = [Value::same("the number of iterations of the loop", iterations as u64)];
        self.agree(&Header {
            function,
            number: number as u32 + 1,
            values: &values,
        });
    }
}

thread_local! {
    static PANICKED_AT: Cell<Option<usize>> = const { Cell::new(None) };
}

/// Notes which iteration a loop is at, for the message if its body panics. Costs a register.
#[derive(Debug)]
pub struct At {
    iteration: Cell<usize>,
}

impl At {
    /// Not yet in a loop.
    #[expect(clippy::new_without_default, reason = "a guard is made on purpose")]
    #[inline(always)]
    pub fn new() -> At {
        At {
            iteration: Cell::new(0),
        }
    }

    /// The loop begins this iteration.
    #[inline(always)]
    pub fn set(&self, iteration: usize) {
        self.iteration.set(iteration);
    }

    /// The loop is over.
    #[inline(always)]
    pub fn done(self) {
        std::mem::forget(self);
    }
}

impl Drop for At {
    /// Runs only when the body unwinds.
    #[cold]
    fn drop(&mut self) {
        PANICKED_AT.set(Some(self.iteration.get()));
    }
}

/// The iteration in which the latest loop of this thread panicked, once.
pub fn panicked_at() -> Option<usize> {
    PANICKED_AT.take()
}

#[cfg(test)]
mod tests {
    use super::super::install;
    use super::*;
    use crate::comm::{Comm, Local};
    use crate::node::Serial;
    use crate::settings::Settings;
    use std::sync::Arc;

    fn on_ranks<R: Send>(ranks: usize, program: impl Fn(&Context, usize) -> R + Sync) -> Result<Vec<R>, String> {
        let run = |comm: Local| {
            let rank = comm.rank();
            program(
                &install(Context::new(Box::new(comm), Arc::new(Serial), Settings::default())),
                rank,
            )
        };
        Local::try_run(ranks, run).map_err(|failure| failure.message)
    }

    #[test]
    fn calls_learn_the_shares_of_many_parameters() {
        let names = ["a", "b", "c", "d", "e", "f", "g", "h", "i"];
        for count in 0..names.len() {
            let shares = on_ranks(3, |context, rank| {
                let parameter = |(place, name)| Parameter {
                    name,
                    share: 10 * place + rank,
                    total: None,
                };
                let parameters: Vec<Parameter<'_>> =
                    names.iter().copied().take(count).enumerate().map(parameter).collect();
                let shares = context.begin_call("f", &parameters);
                context.begin_loop("f", 0, 100);
                context.done();
                assert_eq!((context.calls(), super::super::in_call()), (1, false));
                shares
            });
            let expected: Vec<Vec<usize>> = (0..count)
                .map(|place| (0..3).map(|rank| 10 * place + rank).collect())
                .collect();
            assert_eq!(shares, Ok(vec![expected; 3]));
        }
    }

    #[test]
    fn totals_and_bounds_must_agree() {
        let totals = on_ranks(2, |context, rank| {
            context.begin_call(
                "f",
                &[Parameter {
                    name: "x",
                    share: 1,
                    total: Some(10 + rank),
                }],
            );
        });
        let message = "the ranks call `f` (call 1) differently: the length of `x` is 10 on rank 0 and 11 on rank 1";
        assert_eq!(totals.unwrap_err(), message);
        let bounds = on_ranks(2, |context, rank| {
            context.begin_call("f", &[]);
            context.begin_loop("f", 2, rank);
        });
        let message = "the number of iterations of the loop is 0 on rank 0 and 1 on rank 1";
        assert!(bounds.unwrap_err().ends_with(message));
    }

    #[test]
    fn a_panic_leaves_its_iteration() {
        let run = |fatal: usize| {
            std::panic::catch_unwind(|| {
                let at = At::new();
                for iteration in 0..10 {
                    at.set(iteration);
                    if iteration == fatal {
                        std::panic::resume_unwind(Box::new(()));
                    }
                }
                at.done();
            })
        };
        assert!(run(10).is_ok());
        assert_eq!(panicked_at(), None);
        assert!(run(7).is_err());
        assert_eq!((panicked_at(), panicked_at()), (Some(7), None));
    }
}
