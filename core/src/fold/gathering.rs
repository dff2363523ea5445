//! What a loop gathers: its iterations ask for elements.

use super::chunks::each_chunk;
use super::panics::Panics;
use super::plan::Plan;
use super::site::Instance;
use crate::call::Call;
use crate::gather::asked::Asks;
use crate::gather::schedule::{Key, Schedule};
use crate::slot::List;
use std::ops::Range;
use std::rc::Rc;

/// Lets this rank's iterations ask for what they gather from some arrays, and finds out who gives it.
#[cold]
pub(super) fn schedule(
    call: &Call,
    plan: &Plan,
    arrays: &[usize],
    slots: &List<'_>,
    ask: &(dyn Fn(&Asks, Range<usize>) + Sync),
) -> Vec<Schedule> {
    let lens =
        slots.iter().enumerate().map(|(number, slot)| if arrays.contains(&number) { slot.place().len } else { 0 });
    let asks = Asks::new(lens);
    let panics = Panics::new();
    each_chunk(call, plan, &panics, |number| ask(&asks, plan.positions(number)));
    panics.resume(call);
    let asked = slots.iter().zip(asks.into_asked()).enumerate().filter(|(number, _)| arrays.contains(number));
    asked.filter_map(|(_, (slot, asked))| slot.schedule(&call.context, asked)).collect()
}

/// What the schedules of a stage hang on; nothing where it cannot be told whether that changes.
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
