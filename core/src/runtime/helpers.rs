//! Workers for the annotated calls in a loop's body, if the loop has fewer iterations than there are workers.

use super::context::Context;
use super::thread::{keep_in_loop, kept_in_loop};
use crate::comm::Solo;
use crate::node::{Node, WithoutDevice};
use crate::settings::Settings;
use std::cell::OnceCell;
use std::fmt;
use std::rc::Rc;
use std::sync::Arc;

/// The workers of a rank, for calls in the body of one of its loops.
#[derive(Clone)]
pub(crate) struct Helpers {
    node: Arc<dyn Node>,
    settings: Arc<Settings>,
}

/// The helpers of the loop body that a thread is in, and the context that its first annotated call makes.
struct Kept {
    helpers: Helpers,
    context: OnceCell<Rc<Context>>,
}

impl Helpers {
    /// The workers of a rank.
    pub fn of(context: &Context) -> Self {
        let Settings { grain, schedule, cache, strategies, explain, .. } = *context.settings();
        let explain = explain && context.rank() == 0;
        let settings = Settings { grain, schedule, cache, strategies, explain, ..Settings::default() };
        Helpers { node: Arc::new(WithoutDevice(context.shared_node())), settings: Arc::new(settings) }
    }

    /// Lets all of them run the annotated calls of this thread, until it leaves the loop body that it is in.
    #[inline]
    pub fn help(&self) {
        keep_in_loop(|| Rc::new(Kept { helpers: self.clone(), context: OnceCell::new() }));
    }
}

impl fmt::Debug for Helpers {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Helpers").field("workers", &self.node.workers()).finish_non_exhaustive()
    }
}

/// The context of calls in the loop body that this thread is in, if they have helpers.
pub(super) fn helped() -> Option<Rc<Context>> {
    let kept = kept_in_loop()?.downcast::<Kept>().ok()?;
    let make = || {
        let Helpers { node, settings } = &kept.helpers;
        Rc::new(Context::new(Box::new(Solo), node.clone(), Settings::clone(settings)))
    };
    Some(kept.context.get_or_init(make).clone())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::node::Serial;
    use crate::runtime::thread::enter_loop;

    #[test]
    fn calls_run_as_the_settings_of_the_rank_say() {
        let given =
            Settings { grain: std::num::NonZeroUsize::new(5), cache: Some(0), verify: true, ..Settings::default() };
        let context = Context::new(Box::new(Solo), Arc::new(Serial), given.clone());
        let _body = enter_loop(context.this_rank());
        Helpers::of(&context).help();
        let found = helped().unwrap().settings().clone();
        assert_eq!(found, Settings { verify: false, ..given });
    }
}
