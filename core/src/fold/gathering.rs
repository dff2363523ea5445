//! Runs the inspectors of a loop.

use super::chunks::each_chunk;
use super::panics::Panics;
use super::plan::Plan;
use super::site::Instance;
use crate::call::Call;
use crate::gather::requested::Requests;
use crate::gather::schedule::{Key, Schedule};
use crate::slot::List;
use std::ops::Range;
use std::rc::Rc;

/// Runs an inspector over this rank's iterations, and computes the schedules of its arrays.
#[cold]
pub(super) fn schedule(
    call: &Call,
    plan: &Plan,
    arrays: &[usize],
    slots: &List<'_>,
    inspect: &(dyn Fn(&Requests, Range<usize>) + Sync),
) -> Vec<Schedule> {
    let lens =
        slots.iter().enumerate().map(|(number, slot)| if arrays.contains(&number) { slot.place().len } else { 0 });
    let requests = Requests::new(lens);
    let panics = Panics::new();
    each_chunk(call, plan, &panics, |number| inspect(&requests, plan.positions(number)));
    panics.resume(call);
    let requested =
        slots.iter().zip(requests.into_requested()).enumerate().filter(|(number, _)| arrays.contains(number));
    requested.filter_map(|(_, (slot, requested))| slot.schedule(&call.context, requested)).collect()
}

/// The cache key of a stage's schedules; `None` if changes of its inputs cannot be detected.
pub(super) fn schedule_key(
    site: &'static Instance,
    stage: usize,
    plan: &Plan,
    values: Option<&Rc<[u8]>>,
    slots: &List<'_>,
) -> Option<Key> {
    let captured = Rc::clone(values?);
    let (mut places, mut versions, mut known) = (Vec::new(), Vec::new(), true);
    for (number, slot) in slots.iter().enumerate() {
        if site.looks[stage].contains(&number) {
            match slot.version() {
                Some(version) => versions.push(version),
                None => known = false,
            }
        }
        places.push(Key::place(slot.place()));
    }
    let (loop_at, mine) = (std::ptr::from_ref(site).addr(), plan.mine.clone());
    known.then_some(Key { loop_at, stage, mine, places, versions, captured })
}
