//! What a loop's iterations need of other ranks' shares is fetched before they run: all of it at once, and as the handshake where the
//! ranks agree without a word. What was fetched of a share that has not changed since is there still.
//!
//! What one rank gives another is a message for all short pieces together, and one for each long piece, which goes from where it lies
//! to where it belongs. The first of these is the handshake's message to that rank. Where they are long, there is time for other work
//! before they are there.

use super::moved::Moved;
use super::plan::Plan;
use super::site::Instance;
use crate::call::Call;
use crate::comm::{Comm, Meanwhile};
use crate::data::{Cuts, Elements};
use crate::gather::schedule::{Key, Schedule, Schedules};
use crate::runtime::{Along, LruCache};
use crate::slot::{List, Need, Way};
use std::borrow::Cow;
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
type Kept = LruCache<Wanted, Fetched>;

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

/// The messages between this rank and others, to and from each in order.
struct Messages<'m> {
    sends: Vec<(usize, Cow<'m, [u8]>)>,
    rooms: Vec<(usize, &'m mut [u8])>,
    /// What each room is of: a fetch, of which a piece goes as it lies; else all that is packed.
    of: Vec<Option<usize>>,
}

/// What was packed of each rank, and what each fetch got as it lies.
struct Received {
    packed: Vec<Vec<u8>>,
    lying: Vec<Fetched>,
}

/// The arrays of a loop while they are opened.
pub(super) struct Opening<'o> {
    call: &'o Call,
    site: &'static Instance,
    stages: Vec<Stage>,
    moved: Option<Moved>,
}

impl<'o> Opening<'o> {
    /// Lets the ranks agree on the loop, and fetches all of which it is known where it is. `keys` tell what the stages of gathering
    /// hang on.
    pub(super) fn begin(
        call: &'o Call,
        site: &'static Instance,
        iterations: usize,
        plan: &Plan,
        slots: &mut List<'_>,
        keys: Vec<Option<Key>>,
        meanwhile: &mut Meanwhile<'_>,
    ) -> Self {
        let stages: Vec<Stage> = keys
            .into_iter()
            .map(|key| Stage { known: key.as_ref().and_then(|key| schedules(call).get(key)), key })
            .collect();
        let mut opening = Opening { call, site, stages, moved: plan.moved };
        let mut fetches = opening.touched(plan, slots);
        (0..site.gathers.len()).for_each(|stage| fetches.extend(opening.asked(stage, slots)));
        let stages = opening.stages.iter().map(|stage| stage.known.as_ref().map(|(born, _)| *born));
        let fetched = fetches.iter().map(|fetch| fetch.known.as_ref().map(|(born, _)| *born));
        let kept: Vec<Option<u64>> = stages.chain(fetched).collect();
        for fetch in fetches.iter().filter(|fetch| fetch.asked.is_none()) {
            slots[fetch.array].open(&call.context, &plan.by_rank[fetch.array]);
        }
        let mut packed = opening.packed_rooms(Some(plan), slots, &fetches);
        let mut messages = opening.messages(Some(plan), slots, &fetches, &mut packed);
        let mut nothing = || false;
        let meanwhile: &mut Meanwhile<'_> =
            if messages.take_long(call.context.comm()) { meanwhile } else { &mut nothing };
        let mut along = messages.first();
        along.meanwhile = Some(&mut *meanwhile);
        let (still, valid) = call.begin_loop(site.number, iterations, &kept, &mut along);
        let (went, came) = if valid { (along.went, along.came) } else { Default::default() };
        // Where one rank does not have what the others have, all fetch it anew.
        let differs = still.iter().zip(&kept).any(|(still, kept)| !still && kept.is_some());
        let lying = if differs { Vec::new() } else { opening.exchange(messages, &fetches, &went, &came, meanwhile) };
        let mut received = Received { packed, lying };
        let (known, fetched) = still.split_at(opening.stages.len());
        if differs {
            for (stage, still) in opening.stages.iter_mut().zip(known) {
                stage.known.take_if(|_| !still);
            }
            for (fetch, still) in fetches.iter_mut().zip(fetched) {
                fetch.known.take_if(|_| !still);
            }
            received = opening.receive(Some(plan), slots, &fetches);
        }
        opening.take(Some(plan), slots, fetches, received);
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
            schedules(self.call).insert(key, born, Rc::clone(&schedules_made), bytes);
        }
        self.stages[stage].known = Some((born, schedules_made));
        let fetches = self.asked(stage, slots);
        let received = self.receive(None, slots, &fetches);
        self.take(None, slots, fetches, received);
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
                let known = wanted.as_ref().and_then(|wanted| kept(self.call).get(wanted));
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
            let known = wanted.as_ref().and_then(|wanted| kept(self.call).get(wanted));
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

    /// Those that are not here yet, of which it is known where they are.
    fn missing<'f>(&self, fetches: &'f [Fetch]) -> impl Iterator<Item = (usize, &'f Fetch)> {
        fetches.iter().enumerate().filter(|(_, fetch)| fetch.known.is_none() && self.is_placed(fetch))
    }

    /// Room for what comes packed from each rank.
    fn packed_rooms(&self, plan: Option<&Plan>, slots: &List<'_>, fetches: &[Fetch]) -> Vec<Vec<u8>> {
        let context = &self.call.context;
        let mut bytes = vec![0; context.ranks()];
        for (_, fetch) in self.missing(fetches) {
            let expected = slots[fetch.array].expects(context, self.need(plan, fetch), Way::Packed);
            expected.into_iter().for_each(|(rank, more)| bytes[rank] += more);
        }
        bytes.into_iter().map(|bytes| vec![0; bytes]).collect()
    }

    /// The messages with what is new, which comes there or into the windows.
    fn messages<'m>(
        &self,
        plan: Option<&Plan>,
        slots: &'m List<'_>,
        fetches: &[Fetch],
        packed: &'m mut [Vec<u8>],
    ) -> Messages<'m> {
        let context = &self.call.context;
        let (mut parcels, mut pieces) = (vec![Vec::new(); context.ranks()], Vec::new());
        let packed = packed.iter_mut().enumerate().filter(|(_, room)| !room.is_empty());
        let mut rooms: Vec<(usize, &mut [u8])> = packed.map(|(rank, room)| (rank, &mut room[..])).collect();
        let mut of = vec![None; rooms.len()];
        for (nth, fetch) in self.missing(fetches) {
            let (slot, need) = (&slots[fetch.array], self.need(plan, fetch));
            for (rank, elements) in slot.gives(context, need, Way::Packed) {
                elements.iter().for_each(|elements| parcels[rank].extend_from_slice(elements));
            }
            for (rank, elements) in slot.gives(context, need, Way::AsItLies) {
                pieces.extend(elements.into_iter().map(|piece| (rank, piece)));
            }
            // SAFETY: an array is fetched once, and the rooms are not used once they were looked at. Workers that run meanwhile have
            // the shares alone, as they were before the windows were open; the rooms lie outside of these.
            rooms.extend(unsafe { slot.rooms(context, need) });
            of.resize(rooms.len(), Some(nth));
        }
        let parcels = parcels.into_iter().enumerate().filter(|(_, parcel)| !parcel.is_empty());
        let sends = parcels.map(|(rank, parcel)| (rank, Cow::Owned(parcel))).chain(pieces).collect();
        Messages { sends, rooms, of }
    }

    /// Sends and receives the messages but the first one to and from these ranks. Returns what each fetch got as it lies, where that
    /// is kept.
    fn exchange(
        &self,
        messages: Messages<'_>,
        fetches: &[Fetch],
        went: &[usize],
        came: &[usize],
        meanwhile: &mut Meanwhile<'_>,
    ) -> Vec<Fetched> {
        let Messages { sends, mut rooms, of } = messages;
        let rest = sends.iter().enumerate().filter(|(nth, (rank, _))| !(went.contains(rank) && is_first(&sends, *nth)));
        let rest: Vec<(usize, &[u8])> = rest.map(|(_, (rank, message))| (*rank, &**message)).collect();
        let there: Vec<bool> =
            (0..rooms.len()).map(|nth| came.contains(&rooms[nth].0) && is_first(&rooms, nth)).collect();
        let missing = rooms.iter_mut().zip(&there).filter(|(_, there)| !**there);
        let mut missing: Vec<(usize, &mut [u8])> = missing.map(|((rank, room), _)| (*rank, &mut **room)).collect();
        if !rest.is_empty() || !missing.is_empty() {
            self.call.context.comm().exchange_beside(&rest, &mut missing, meanwhile);
        }
        let mut lying: Vec<Fetched> = fetches.iter().map(|_| Fetched::new()).collect();
        for ((rank, room), nth) in rooms.iter().zip(of) {
            let Some(nth) = nth.filter(|nth| fetches[*nth].wanted.is_some()) else { continue };
            match lying[nth].iter_mut().find(|(from, _)| from == rank) {
                Some((_, fetched)) => fetched.extend_from_slice(room),
                None => lying[nth].push((*rank, room.to_vec())),
            }
        }
        lying
    }

    /// Fetches what is new, without a handshake.
    fn receive(&self, plan: Option<&Plan>, slots: &List<'_>, fetches: &[Fetch]) -> Received {
        let mut packed = self.packed_rooms(plan, slots, fetches);
        let messages = self.messages(plan, slots, fetches, &mut packed);
        let lying = self.exchange(messages, fetches, &[], &[], &mut || false);
        Received { packed, lying }
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

    /// Gives the arrays what was received for them, and keeps it.
    fn take(&self, plan: Option<&Plan>, slots: &mut List<'_>, fetches: Vec<Fetch>, received: Received) {
        let context = &self.call.context;
        let all = fetches.into_iter().zip(received.lying);
        let (fetches, lying): (Vec<Fetch>, Vec<Fetched>) = all.filter(|(fetch, _)| self.is_placed(fetch)).unzip();
        if let Some(moved) = &self.moved {
            self.tell(moved, plan, slots, &fetches);
        }
        let mut rest: Vec<&[u8]> = received.packed.iter().map(|parcel| &parcel[..]).collect();
        for (fetch, mut keeps) in fetches.into_iter().zip(lying) {
            let need = self.need(plan, &fetch);
            if let Some((_, fetched)) = &fetch.known {
                let fetched: Vec<(usize, &[u8])> =
                    fetched.iter().map(|(rank, elements)| (*rank, &elements[..])).collect();
                slots[fetch.array].take(context, need, &fetched);
                continue;
            }
            let mut fetched = Vec::new();
            for (rank, bytes) in slots[fetch.array].expects(context, need, Way::Packed) {
                let (elements, others) = rest[rank].split_at(bytes);
                fetched.push((rank, elements));
                rest[rank] = others;
            }
            slots[fetch.array].take(context, need, &fetched);
            if let Some(wanted) = fetch.wanted {
                keeps.extend(fetched.into_iter().map(|(rank, elements)| (rank, elements.to_vec())));
                keeps.sort_unstable_by_key(|(from, _)| *from);
                let bytes = keeps.iter().map(|(_, elements)| elements.len()).sum();
                kept(self.call).insert(wanted, context.handshakes(), Rc::new(keeps), bytes);
            }
        }
        let Some(plan) = plan else { return };
        for (array, slot) in slots.iter_mut().enumerate() {
            if slot.writes() && plan.written[array].is_none() && slot.is_remote(&plan.by_rank[array]) {
                slot.note(context, &plan.by_rank[array]);
            }
        }
    }
}

impl Messages<'_> {
    /// From so many bytes on, a loop that is cut takes less time than to wait: between two hosts linked by 10 Gbit/s, a step takes a ninth
    /// less with halos of 384 and 512 KiB, and a seventh less with 1 MiB; but with 256 KiB a quarter more.
    const LONG: usize = 500_000;

    /// Whether it is worth it to run iterations while they are under way. Between ranks of one machine there is no time to fill: the
    /// cores move the bytes themselves.
    fn take_long(&self, comm: &dyn Comm) -> bool {
        if comm.ranks_on_this_machine() == comm.ranks() {
            return false;
        }
        let come: usize = self.rooms.iter().map(|(_, room)| room.len()).sum();
        let go: usize = self.sends.iter().map(|(_, message)| message.len()).sum();
        come.max(go) >= Messages::LONG
    }

    /// The first one to and from each rank.
    fn first(&mut self) -> Along<'_> {
        let Messages { sends, rooms, .. } = self;
        let mut along = Along::default();
        for (rank, message) in sends {
            if along.sends.iter().all(|(other, _)| other != rank) {
                along.sends.push((*rank, &**message));
            }
        }
        for (rank, room) in rooms {
            if along.rooms.iter().all(|(other, _)| other != rank) {
                along.rooms.push((*rank, &mut **room));
            }
        }
        along
    }
}

/// Whether this message is the first one to or from its rank.
fn is_first<M>(messages: &[(usize, M)], nth: usize) -> bool {
    messages[..nth].iter().all(|(rank, _)| *rank != messages[nth].0)
}

fn schedules(call: &Call) -> std::cell::RefMut<'_, Schedules> {
    call.context.cache().get::<Schedules>()
}

fn kept(call: &Call) -> std::cell::RefMut<'_, Kept> {
    call.context.cache().get::<Kept>()
}
