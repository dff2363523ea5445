//! Regions as loops of the program.

use crate::fold::{Grain, Interleaving, PerInstance, Site, Weight};
use crate::lock::lock;
use crate::meta::{Meta, Use};
use std::panic::Location;
use std::sync::Mutex;

/// The description of a region's loop, as a loop of the program.
pub(super) struct Named {
    pub meta: Meta,
    pub site: Site,
}

impl Named {
    /// The description of the regions of this name. It stays until the process ends.
    pub fn of(name: &str) -> &'static Named {
        static ALL: Mutex<Vec<&'static Named>> = Mutex::new(Vec::new());
        let mut all = lock(&ALL);
        if let Some(named) = all.iter().find(|named| named.meta.name == name) {
            return named;
        }
        let named = Box::leak(Box::new(Named::new(Box::leak(name.to_owned().into_boxed_str()))));
        all.push(named);
        named
    }

    fn new(name: &'static str) -> Named {
        let meta = Meta {
            name,
            attribute: "tasks",
            parameters: &["tasks"],
            uses: &[Use::Parts],
            explain: "a region of tasks\n",
        };
        let site = Site {
            name,
            number: 0,
            weight: Weight::Heavy,
            grain: Grain::Any,
            ordered: true,
            again: false,
            interleaving: Interleaving::Never,
            totals_suffice: false,
            panics_elsewhere: true,
            gathers: &[],
            looks: &[],
            arrays: &["tasks"],
            accesses: const { &[("tasks", Location::caller())] },
            points: &[],
            refuse: |message| crate::fold::refuse(message),
            arity: 2,
            program: Err("tasks on objects run on the processor"),
            instances: PerInstance::new(),
        };
        Named { meta, site }
    }
}
