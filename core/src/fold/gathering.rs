//! The elements that a loop gathers: its iterations ask for them, and their owners give them.

use super::chunks::each_chunk;
use super::panics::Panics;
use super::plan::Plan;
use super::site::Site;
use crate::call::Call;
use crate::comm::collective;
use crate::gather::asked::Asks;
use crate::gather::schedule::{Key, Schedule, Schedules};
use crate::slot::Slots;
use std::ops::Range;
use std::rc::Rc;

/// Lets this rank's iterations ask for what they gather from some arrays, and finds out who gives it.
#[cold]
pub(super) fn schedule<L: Slots>(
    call: &Call,
    plan: &Plan,
    arrays: &[usize],
    slots: &mut L,
    ask: &(impl Fn(&Asks, Range<usize>) + Sync),
) -> Vec<Schedule> {
    let mut lens = Vec::new();
    slots.each(&mut |slot| {
        lens.push(if arrays.contains(&lens.len()) { slot.place().len } else { 0 });
    });
    let asks = Asks::new(lens);
    let panics = Panics::new();
    each_chunk(call, plan, &panics, |number| ask(&asks, plan.positions(number)));
    let (mut asked, mut number, mut schedules) = (asks.into_asked().into_iter(), 0, Vec::new());
    slots.each(&mut |slot| {
        if let Some(asked) = asked.next().filter(|_| arrays.contains(&number)) {
            schedules.extend(slot.schedule(&call.context, asked));
        }
        number += 1;
    });
    schedules
}

/// Fetches what iterations gather from some arrays.
pub(super) fn receive<L: Slots>(call: &Call, arrays: &[usize], slots: &mut L, schedules: &[Schedule]) {
    let (mut schedules, mut number) = (schedules.iter(), 0);
    slots.each(&mut |slot| {
        if arrays.contains(&number)
            && let Some(schedule) = schedules.next()
        {
            slot.receive(&call.context, schedule);
        }
        number += 1;
    });
}

/// What the schedules of a stage hang on; nothing where it cannot be told whether that changes.
pub(super) fn schedule_key<L: Slots>(
    site: &'static Site,
    stage: usize,
    plan: &Plan,
    values: Option<&Rc<[u8]>>,
    slots: &mut L,
) -> Option<Key> {
    let captured = Rc::clone(values?);
    let (mut places, mut versions, mut known) = (Vec::new(), Vec::new(), true);
    slots.each(&mut |slot| {
        if site.looks[stage].contains(&places.len()) {
            match slot.version() {
                Some(version) => versions.push(version),
                None => known = false,
            }
        }
        places.push(Key::place(slot.place()));
    });
    let (loop_at, mine) = (std::ptr::from_ref(site).addr(), plan.mine.clone());
    known.then_some(Key { loop_at, stage, mine, places, versions, captured })
}

/// The schedules of an earlier call, where all ranks have them.
pub(super) fn known_schedules(call: &Call, key: Option<&Key>) -> Option<Rc<Vec<Schedule>>> {
    let found = key.and_then(|key| call.context.kept().get::<Schedules>().of(key));
    let all = collective::reduce_all(
        call.context.comm(),
        2,
        found.is_some(),
        |known| vec![u8::from(*known)],
        |bytes| bytes == [1],
        |one, two| one && two,
    );
    found.filter(|_| all)
}
