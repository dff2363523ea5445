//! What a loop's iterations need of other ranks' shares is fetched before they run: all of it at once, one message to each rank,
//! with the handshake where that is one word. What was fetched of a share that has not changed since is there still.

use super::moved::Moved;
use super::plan::Plan;
use super::site::Site;
use crate::call::Call;
use crate::data::{Cuts, Elements};
use crate::gather::schedule::{Key, Schedule, Schedules};
use crate::runtime::{Latest, Parcels};
use crate::slot::{List, Need, Way};
use std::rc::Rc;

/// What a fetch brings depends on this, and on nothing else.
#[derive(Debug, PartialEq)]
enum Wanted {
    /// Elements that iterations touch, of a share of this version that lies there.
    Touched { version: u64, place: (usize, usize, Option<Cuts>), touched: Vec<Elements> },
    /// What iterations ask for by a schedule that was made in this handshake, of an array, whose share has this version.
    Asked { schedule: u64, stage: usize, array: usize, version: u64 },
}

/// What was fetched, rank by rank.
type Fetched = Vec<(usize, Vec<u8>)>;

/// What was fetched in earlier calls.
type Kept = Latest<Wanted, Fetched>;

/// What is shorter goes along with the handshake, where that is one word.
const ALONG: usize = 1 << 17;

/// What is fetched of an array.
struct Fetch {
    array: usize,
    /// The stage in which it is asked for, and which schedule of that stage; of what is only touched, nothing.
    asked: Option<(usize, usize)>,
    wanted: Option<Wanted>,
    known: Option<(u64, Rc<Fetched>)>,
}

/// A stage of what a loop gathers.
struct Stage {
    key: Option<Key>,
    known: Option<(u64, Rc<Vec<Schedule>>)>,
}

/// The arrays of a loop while they are opened.
pub(super) struct Opening<'o> {
    call: &'o Call,
    site: &'static Site,
    stages: Vec<Stage>,
    moved: Option<Moved>,
}

impl<'o> Opening<'o> {
    /// Lets the ranks agree on the loop, and fetches all of which it is known where it is. `keys` tell what the stages of gathering
    /// hang on.
    pub(super) fn begin(
        call: &'o Call,
        site: &'static Site,
        iterations: usize,
        plan: &Plan,
        slots: &mut List<'_>,
        keys: Vec<Option<Key>>,
    ) -> Self {
        let stages: Vec<Stage> = keys
            .into_iter()
            .map(|key| Stage { known: key.as_ref().and_then(|key| schedules(call).of(key)), key })
            .collect();
        let mut opening = Opening { call, site, stages, moved: plan.moved };
        let mut fetches = opening.touched(plan, slots);
        (0..site.gathers.len()).for_each(|stage| fetches.extend(opening.asked(stage, slots)));
        let stages = opening.stages.iter().map(|stage| stage.known.as_ref().map(|(born, _)| *born));
        let fetched = fetches.iter().map(|fetch| fetch.known.as_ref().map(|(born, _)| *born));
        let kept: Vec<Option<u64>> = stages.chain(fetched).collect();
        let parcels = opening.parcels(Some(plan), slots, &fetches);
        // What is long goes by itself: the receiver knows how long it is, and nothing is put together for it.
        let (mut parcels, mut long): (Parcels, Parcels) = parcels.into_iter().partition(|(_, all)| all.len() < ALONG);
        let (still, along) = call.begin_loop(site.number, iterations, &kept, &parcels);
        // Where one rank does not have what the others have, all fetch it anew.
        let (known, fetched) = still.split_at(opening.stages.len());
        let mut differs = false;
        for (stage, still) in opening.stages.iter_mut().zip(known) {
            differs |= stage.known.take_if(|_| !still).is_some();
        }
        for (fetch, still) in fetches.iter_mut().zip(fetched) {
            differs |= fetch.known.take_if(|_| !still).is_some();
        }
        fetches.retain(|fetch| opening.is_placed(fetch));
        parcels.retain(|(rank, _)| !along.sent.contains(rank));
        parcels.append(&mut long);
        if differs {
            parcels = opening.parcels(Some(plan), slots, &fetches);
        }
        opening.fetch(Some(plan), slots, fetches, &parcels, along.received);
        opening
    }

    /// Whether a stage's schedules are those of an earlier call: then what it asks for is there.
    pub(super) fn knows(&self, stage: usize) -> bool {
        self.stages[stage].known.is_some()
    }

    /// Fetches what a stage asks for by new schedules, and keeps these.
    pub(super) fn gather(&mut self, stage: usize, made: Vec<Schedule>, slots: &mut List<'_>) {
        let (schedules_made, born) = (Rc::new(made), self.call.context.handshakes());
        if let Some(key) = self.stages[stage].key.take() {
            let bytes = schedules_made.iter().map(Schedule::bytes).sum();
            schedules(self.call).keep(key, born, Rc::clone(&schedules_made), bytes);
        }
        self.stages[stage].known = Some((born, schedules_made));
        let fetches = self.asked(stage, slots);
        let parcels = self.parcels(None, slots, &fetches);
        self.fetch(None, slots, fetches, &parcels, Parcels::new());
    }

    /// The arrays of which iterations touch elements of other ranks.
    fn touched(&self, plan: &Plan, slots: &List<'_>) -> Vec<Fetch> {
        let mut fetches = Vec::new();
        for (array, (slot, touched)) in slots.iter().zip(&plan.by_rank).enumerate() {
            if slot.is_remote(touched) {
                let wanted = slot.version().map(|version| Wanted::Touched {
                    version,
                    place: Key::place(slot.place()),
                    touched: touched.clone(),
                });
                let known = wanted.as_ref().and_then(|wanted| kept(self.call).of(wanted));
                fetches.push(Fetch { array, asked: None, wanted, known });
            }
        }
        fetches
    }

    /// The arrays that a stage gathers. Where its schedules are not known yet, nothing else is.
    fn asked(&self, stage: usize, slots: &List<'_>) -> Vec<Fetch> {
        let schedule = self.stages[stage].known.as_ref().map(|(born, _)| *born);
        let arrays = slots.iter().enumerate().filter(|(array, _)| self.site.gathers[stage].contains(array));
        let mut fetches = Vec::new();
        for (nth, (array, slot)) in arrays.enumerate() {
            let wanted = schedule.zip(slot.version());
            let wanted = wanted.map(|(schedule, version)| Wanted::Asked { schedule, stage, array, version });
            let known = wanted.as_ref().and_then(|wanted| kept(self.call).of(wanted));
            fetches.push(Fetch { array, asked: Some((stage, nth)), wanted, known });
        }
        fetches
    }

    /// Whether it is known where the elements are.
    fn is_placed(&self, fetch: &Fetch) -> bool {
        fetch.asked.is_none_or(|(stage, _)| self.knows(stage))
    }

    fn need<'n>(&'n self, plan: Option<&'n Plan>, fetch: &Fetch) -> Need<'n> {
        match fetch.asked {
            None => Need::Touched(plan.map_or(&[], |plan| &plan.by_rank[fetch.array])),
            Some((stage, nth)) => match &self.stages[stage].known {
                Some((_, schedules)) => Need::Asked(&schedules[nth]),
                None => unreachable!("what a stage asks for is fetched by its schedules"),
            },
        }
    }

    /// What this rank gives each other one.
    fn parcels(&self, plan: Option<&Plan>, slots: &List<'_>, fetches: &[Fetch]) -> Parcels {
        let context = &self.call.context;
        let mut all = vec![Vec::new(); context.ranks()];
        for fetch in fetches.iter().filter(|fetch| fetch.known.is_none() && self.is_placed(fetch)) {
            for (rank, elements) in slots[fetch.array].gives(context, self.need(plan, fetch), Way::Packed) {
                elements.iter().for_each(|elements| all[rank].extend_from_slice(elements));
            }
        }
        all.into_iter().enumerate().filter(|(_, parcel)| !parcel.is_empty()).collect()
    }

    /// Tells what is fetched.
    fn tell(&self, moved: &Moved, plan: Option<&Plan>, slots: &List<'_>, fetches: &[Fetch]) {
        let context = &self.call.context;
        for fetch in fetches {
            let (slot, need) = (&slots[fetch.array], || self.need(plan, fetch));
            let (mut received, mut given) = (0, 0);
            for way in [Way::Packed, Way::AsItLies] {
                received += slot.expects(context, need(), way).iter().map(|(_, bytes)| bytes).sum::<usize>();
                let gives = slot.gives(context, need(), way);
                given += gives.iter().flat_map(|(_, elements)| elements).map(|elements| elements.len()).sum::<usize>();
            }
            moved.fetched(fetch.array, received, given, fetch.asked.is_some());
        }
        if fetches.is_empty() && plan.is_some() && self.stages.is_empty() {
            moved.fetched_nothing();
        }
    }

    /// Sends the parcels, receives those that are not there yet, and gives the arrays what is in them.
    fn fetch(&self, plan: Option<&Plan>, slots: &mut List<'_>, fetches: Vec<Fetch>, parcels: &Parcels, there: Parcels) {
        let context = &self.call.context;
        if let Some(moved) = &self.moved {
            self.tell(moved, plan, slots, &fetches);
        }
        let expected: Vec<Vec<(usize, usize)>> = fetches
            .iter()
            .map(|fetch| match fetch.known {
                Some(_) => Vec::new(),
                None => slots[fetch.array].expects(context, self.need(plan, fetch), Way::Packed),
            })
            .collect();
        let mut received: Vec<Vec<u8>> = vec![Vec::new(); context.ranks()];
        let mut waiting = vec![0; context.ranks()];
        expected.iter().flatten().for_each(|(rank, bytes)| waiting[*rank] += bytes);
        for (rank, parcel) in there {
            if waiting[rank] < ALONG {
                (received[rank], waiting[rank]) = (parcel, 0);
            }
        }
        for (rank, bytes) in waiting.iter().enumerate().filter(|(_, bytes)| **bytes > 0) {
            received[rank] = vec![0; *bytes];
        }
        let sends: Vec<(usize, &[u8])> = parcels.iter().map(|(rank, parcel)| (*rank, &parcel[..])).collect();
        let mut receives: Vec<(usize, &mut [u8])> = received
            .iter_mut()
            .enumerate()
            .filter(|(rank, _)| waiting[*rank] > 0)
            .map(|(rank, parcel)| (rank, &mut parcel[..]))
            .collect();
        if !sends.is_empty() || !receives.is_empty() {
            context.comm().exchange(&sends, &mut receives);
        }
        let mut rest: Vec<&[u8]> = received.iter().map(|parcel| &parcel[..]).collect();
        let mut packed: Vec<Fetched> = Vec::with_capacity(fetches.len());
        for (fetch, expected) in fetches.iter().zip(expected) {
            let need = self.need(plan, fetch);
            if let Some((_, fetched)) = &fetch.known {
                let fetched: Vec<(usize, &[u8])> =
                    fetched.iter().map(|(rank, elements)| (*rank, &elements[..])).collect();
                slots[fetch.array].take(context, need, &fetched);
                packed.push(Fetched::new());
                continue;
            }
            let mut fetched = Vec::with_capacity(expected.len());
            for (rank, bytes) in expected {
                let (elements, others) = rest[rank].split_at(bytes);
                fetched.push((rank, elements));
                rest[rank] = others;
            }
            slots[fetch.array].take(context, need, &fetched);
            let keeps = fetch.wanted.is_some();
            packed.push(match keeps {
                true => fetched.into_iter().map(|(rank, elements)| (rank, elements.to_vec())).collect(),
                false => Fetched::new(),
            });
        }
        self.fetch_as_it_lies(plan, slots, &fetches, &mut packed);
        for (fetch, fetched) in fetches.into_iter().zip(packed) {
            if let (Some(wanted), None) = (fetch.wanted, fetch.known) {
                let bytes = fetched.iter().map(|(_, elements)| elements.len()).sum();
                kept(self.call).keep(wanted, context.handshakes(), Rc::new(fetched), bytes);
            }
        }
        let Some(plan) = plan else { return };
        for (array, slot) in slots.iter_mut().enumerate() {
            if slot.writes() && plan.written[array].is_none() && slot.is_remote(&plan.by_rank[array]) {
                slot.note(context, &plan.by_rank[array]);
            }
        }
    }

    /// Fetches what goes right from the shares of other ranks into the windows, which are open. Of what is kept, `packed` gets it too.
    fn fetch_as_it_lies(&self, plan: Option<&Plan>, slots: &List<'_>, fetches: &[Fetch], packed: &mut [Fetched]) {
        let context = &self.call.context;
        let new = || fetches.iter().enumerate().filter(|(_, fetch)| fetch.known.is_none());
        let gives =
            |(_, fetch): (usize, &Fetch)| slots[fetch.array].gives(context, self.need(plan, fetch), Way::AsItLies);
        let gives: Vec<_> = new().flat_map(gives).collect();
        let pieces = gives.iter().flat_map(|(rank, pieces)| pieces.iter().map(move |piece| (*rank, &**piece)));
        let sends: Vec<(usize, &[u8])> = pieces.collect();
        let (mut receives, mut of_fetch): (Vec<(usize, &mut [u8])>, Vec<usize>) = (Vec::new(), Vec::new());
        for (nth, fetch) in new() {
            // SAFETY: an array is fetched once, no worker runs yet, and the rooms are not used below once they were looked at.
            let rooms = unsafe { slots[fetch.array].rooms(context, self.need(plan, fetch)) };
            of_fetch.resize(of_fetch.len() + rooms.len(), nth);
            receives.extend(rooms);
        }
        if !sends.is_empty() || !receives.is_empty() {
            context.comm().exchange(&sends, &mut receives);
        }
        for (nth, (rank, elements)) in of_fetch.iter().zip(&receives).filter(|(nth, _)| fetches[**nth].wanted.is_some())
        {
            let all = &mut packed[*nth];
            match all.iter_mut().find(|(from, _)| from == rank) {
                Some((_, fetched)) => fetched.extend_from_slice(elements),
                None => all.push((*rank, elements.to_vec())),
            }
            all.sort_unstable_by_key(|(from, _)| *from);
        }
    }
}

fn schedules(call: &Call) -> std::cell::RefMut<'_, Schedules> {
    call.context.kept().get::<Schedules>()
}

fn kept(call: &Call) -> std::cell::RefMut<'_, Kept> {
    call.context.kept().get::<Kept>()
}
