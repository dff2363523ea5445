//! The state of an object on a rank, and the messages that change it.

use super::area::Area;
use super::exchange::{Recipients, any, exchange, read, senders, words, written};
use super::knowledge::{Knowledge, Owner, Owners};
use super::map::Areas;
use super::memory::{Memory, Patch};
use super::slab::zeros;
use crate::comm::{Comm, OverlappedWork, Transit, collective};
use crate::data::together;
use crate::element::{Element, bytes_of, from_bytes};
use crate::runtime::{self, Context, Header, Rank, Value};
use crate::settings::Directory;
use bytemuck::Zeroable;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::ops::AddAssign;
use std::rc::Rc;

/// The messages that a rank has sent for an object.
///
/// Handshakes, in which all ranks check that they make the same call, are not counted: they do not depend on the object.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counters {
    /// Control messages: questions to the directory and its answers, requests to owners, claims, and invalidations.
    pub control: u64,
    /// Messages with elements.
    pub data: u64,
    /// The bytes of elements that were sent.
    pub bytes: u64,
}

/// The sum of two counters.
impl AddAssign for Counters {
    fn add_assign(&mut self, other: Counters) {
        self.control += other.control;
        self.data += other.data;
        self.bytes += other.bytes;
    }
}

/// A fetch that has been started.
pub(super) struct Pending<T> {
    area: Area,
    elements: RefCell<Option<Vec<T>>>,
}

impl<T> Pending<T> {
    /// The elements, once the fetch is complete.
    pub fn take(&self) -> Option<Vec<T>> {
        self.elements.take()
    }

    pub fn is_complete(&self) -> bool {
        self.elements.borrow().is_some()
    }
}

/// An object on this rank.
pub(super) struct State<T> {
    /// The number of the object, the same on all ranks.
    pub number: u64,
    /// The object in messages.
    pub title: String,
    pub knowledge: Knowledge,
    pub memory: Memory<T>,
    /// Elements that this rank has changed and not declared as modified.
    private: Patch<T>,
    pending: Vec<Rc<Pending<T>>>,
    pub counters: Counters,
}

/// The messages that a rank asks others with.
type Asked = BTreeMap<usize, Vec<Area>>;

/// The boxes whose elements this rank sends, by their receivers, and the ones that it receives, by their owners.
pub(super) struct Parcels {
    sent: Asked,
    received: Asked,
}

impl<T: Element + Zeroable> State<T> {
    /// An object whose parts have these owners.
    pub fn new(number: u64, title: String, whole: Area, parts: &[(Area, Owner)]) -> Self {
        let context = runtime::current();
        let this = context.as_ref().map_or(Rank::SOLO, |context| context.this_rank());
        let directory = context.map_or(Directory::default(), |context| context.settings().directory);
        let knowledge = Knowledge::new(number, whole, this.rank, this.ranks, directory, parts);
        let (mut memory, mut knowledge) = (Memory::of_object(), knowledge);
        if this.ranks == 1 {
            // One rank owns all elements, and has them in one allocation that stays as long as the object.
            memory.ensure(whole);
            knowledge.owned_in_common(whole, Some(0));
        }
        State {
            number,
            title,
            knowledge,
            memory,
            private: Patch::default(),
            pending: Vec::new(),
            counters: Counters::default(),
        }
    }

    fn alone(&self) -> bool {
        self.knowledge.ranks == 1
    }

    /// The context for messages.
    ///
    /// # Panics
    /// If the object belongs to another set of ranks than the calling thread.
    fn context(&self) -> Rc<Context> {
        let context = runtime::current().filter(|context| context.ranks() == self.knowledge.ranks);
        context.unwrap_or_else(|| {
            panic!(
                "{} is on {} ranks, and cannot be used where only one of them works, as in the body of a loop",
                self.title, self.knowledge.ranks
            )
        })
    }

    /// Starts a fetch. It is completed with the next exchange.
    pub fn fetch(&mut self, area: Area) -> Rc<Pending<T>> {
        let pending = Rc::new(Pending { area, elements: RefCell::new(None) });
        self.pending.push(pending.clone());
        pending
    }

    /// Completes all fetches, and overlaps the transfer of elements with other work. All ranks have started the same number of fetches.
    pub fn complete(&mut self, name: &str, overlapped: &mut OverlappedWork<'_>) {
        let pending = std::mem::take(&mut self.pending);
        if pending.is_empty() {
            return;
        }
        if self.alone() {
            while overlapped() {}
        } else {
            self.bring(name, &Areas::of(pending.iter().map(|pending| pending.area)), pending.len(), overlapped);
        }
        for pending in pending {
            let elements = self.visible(pending.area);
            pending.elements.replace(Some(elements));
        }
    }

    /// The elements that this rank sees: its own changes, and valid elements.
    fn visible(&self, area: Area) -> Vec<T> {
        let mut elements = zeros(area.len());
        self.read_valid(area, &mut elements, area);
        self.private.cover(area, &mut elements);
        elements
    }

    /// Copies the valid elements of a box into an array with the indices `of`.
    pub fn read_valid(&self, area: Area, to: &mut [T], of: Area) {
        for (part, ()) in self.knowledge.held.within(area) {
            self.memory.read(part, to, of);
        }
    }

    /// Changes elements for this rank alone.
    pub fn change(&mut self, area: Area, elements: &[T]) {
        self.private.change(area, elements);
    }

    /// Asks for the boxes that the tasks of this rank need. Collective; a rank may need none. Returns the boxes that are sent, if there are
    /// any on any rank.
    pub fn ask_for_tasks(&mut self, areas: &Areas) -> Option<Parcels> {
        let parcels = if self.alone() { None } else { self.ask("Object::fetch in tasks", areas, 1) };
        if !self.alone() {
            self.context().done();
        }
        parcels
    }

    /// Stores elements that this rank owns, or copies.
    pub fn store(&mut self, area: Area, elements: &[T]) {
        self.memory.ensure(area);
        self.memory.write(area, elements, area);
    }

    /// Gives a part its first elements.
    pub fn fill(&mut self, area: Area, elements: &[T]) {
        self.store(area, elements);
    }

    /// Fetches the elements of these boxes. Each rank has its own boxes.
    fn bring(&mut self, name: &str, areas: &Areas, count: usize, overlapped: &mut OverlappedWork<'_>) {
        let context = self.context();
        match self.ask(name, areas, count) {
            Some(parcels) => {
                let mut transit = Transit::default();
                self.send(&parcels, &mut transit);
                transit.complete(context.comm(), overlapped);
                self.receive(&parcels, &mut transit.arrived());
            }
            None => while overlapped() {},
        }
        context.done();
    }

    /// Asks for the elements of these boxes. Returns the boxes that are sent, if there are any on any rank.
    fn ask(&mut self, name: &str, areas: &Areas, count: usize) -> Option<Parcels> {
        let (context, ranks, rank) = (self.context(), self.knowledge.ranks, self.knowledge.rank);
        let questions = self.questions(areas);
        let requests = self.requests(areas);
        let mut values = vec![
            Value::same("the number of the object", self.number),
            Value::same("the number of fetches", count as u64),
        ];
        values.extend(Recipients::new(ranks, questions.keys().copied()).values());
        values.extend(Recipients::new(ranks, requests.keys().copied()).values());
        let agreed = context.agree(&Header { function: name, number: 0, values: &values });
        let (first, second) = (2, 2 + words(ranks));
        let asks = any(&agreed, first, ranks);
        if !asks && !any(&agreed, second, ranks) {
            return None;
        }
        let (asking, requesting) = (senders(&agreed, first, rank), senders(&agreed, second, rank));
        Some(self.ask_owners(&context, [&questions, &requests], [asking, requesting], asks, areas))
    }

    /// Asks the directory and the owners.
    fn ask_owners(
        &mut self,
        context: &Context,
        [questions, requests]: [&Asked; 2],
        [asking, requesting]: [Vec<usize>; 2],
        asks: bool,
        areas: &Areas,
    ) -> Parcels {
        let (comm, ranks, rank) = (context.comm(), self.knowledge.ranks, self.knowledge.rank);
        let mut messages = BTreeMap::new();
        let nothing = Vec::new();
        for to in questions.keys().chain(requests.keys()) {
            let of = |asked: &Asked| asked.get(to).unwrap_or(&nothing).clone();
            messages.insert(*to, written(&(of(questions), of(requests))));
        }
        let mut from: Vec<usize> = [asking.clone(), requesting].concat();
        from.sort_unstable();
        from.dedup();
        let asked = self.exchange(comm, &messages, &from);
        let (mut answers, mut wanted) = (BTreeMap::new(), Asked::new());
        for (from, message) in from.iter().zip(&asked) {
            let (questions, requests): (Vec<Area>, Vec<Area>) = read(&mut &message[..]);
            if !questions.is_empty() {
                let owners: Owners =
                    questions.into_iter().flat_map(|area| self.knowledge.answer(area, *from)).collect();
                answers.insert(*from, written(&owners));
            }
            wanted.insert(*from, requests);
        }
        let mut given = requests.clone();
        if asks {
            let keepers: Vec<usize> = questions.keys().copied().collect();
            for message in self.exchange(comm, &answers, &keepers) {
                let owners = read(&mut &message[..]);
                self.knowledge.learn(owners);
            }
            let mut later = self.requests(areas);
            for (owner, areas) in &mut later {
                let before: Areas = Areas::of(given.get(owner).into_iter().flatten().copied());
                *areas = areas.iter().flat_map(|area| before.missing(*area)).collect();
            }
            later.retain(|_, areas| !areas.is_empty());
            let values: Vec<Value<'_>> = Recipients::new(ranks, later.keys().copied()).values().collect();
            let agreed = context.agree(&Header { function: "Object::fetch", number: 1, values: &values });
            let from = senders(&agreed, 0, rank);
            let messages = later.iter().map(|(to, areas)| (*to, written(areas))).collect();
            for (from, message) in from.iter().zip(self.exchange(comm, &messages, &from)) {
                wanted.entry(*from).or_default().extend(read::<Vec<Area>>(&mut &message[..]));
            }
            for (owner, areas) in later {
                given.entry(owner).or_default().extend(areas);
            }
        }
        wanted.retain(|_, areas| !areas.is_empty());
        Parcels { sent: wanted, received: given }
    }

    /// Adds the messages with elements.
    pub fn send(&mut self, parcels: &Parcels, transit: &mut Transit) {
        let pack = |areas: &Vec<Area>| {
            let elements: Vec<T> = areas.iter().flat_map(|area| self.memory.elements(*area)).collect();
            bytes_of(&elements).to_vec()
        };
        let sends: Vec<(usize, Vec<u8>)> = parcels.sent.iter().map(|(to, areas)| (*to, pack(areas))).collect();
        self.counters += Counters {
            control: 0,
            data: sends.len() as u64,
            bytes: sends.iter().map(|(_, message)| message.len() as u64).sum(),
        };
        let length = |areas: &Vec<Area>| areas.iter().map(Area::len).sum::<usize>() * size_of::<T>();
        transit.add(sends, parcels.received.iter().map(|(from, areas)| (*from, length(areas))));
    }

    /// Stores the received elements as copies.
    pub fn receive(&mut self, parcels: &Parcels, messages: &mut dyn Iterator<Item = Vec<u8>>) {
        for (areas, message) in parcels.received.values().zip(messages) {
            let mut rest = &message[..];
            for area in areas {
                let (own, others) = rest.split_at(area.len() * size_of::<T>());
                self.store(*area, &from_bytes(own));
                self.knowledge.held.add(*area);
                rest = others;
            }
        }
    }

    /// Sends control messages, and counts them.
    fn exchange(&mut self, comm: &dyn Comm, messages: &BTreeMap<usize, Vec<u8>>, from: &[usize]) -> Vec<Vec<u8>> {
        self.counters.control += messages.len() as u64;
        exchange(comm, messages, from)
    }

    /// The boxes whose owners this rank asks other parts of the directory for. It looks its own part up.
    fn questions(&mut self, areas: &Areas) -> Asked {
        let mut asked = Asked::new();
        for area in areas.areas() {
            for part in self.knowledge.unknown(area) {
                for (part, keeper) in self.knowledge.keepers(part) {
                    if keeper == self.knowledge.rank {
                        let owners = self.knowledge.answer(part, keeper);
                        self.knowledge.learn(owners);
                    } else {
                        asked.entry(keeper).or_default().push(part);
                    }
                }
            }
        }
        asked
    }

    /// The boxes that this rank does not hold, by their owners, as far as it knows them.
    fn requests(&self, areas: &Areas) -> Asked {
        let mut asked = Asked::new();
        for area in areas.areas() {
            for part in self.knowledge.held.missing(area) {
                for (part, source) in self.knowledge.sources.within(part) {
                    if let Some(owner) = source.owner {
                        asked.entry(owner).or_default().push(part);
                    }
                }
            }
        }
        asked
    }

    /// Publishes this rank's changes in a box, and claims it.
    pub fn modified(&mut self, area: Area) {
        self.complete("Object::modified", &mut || false);
        self.publish(area);
        if self.alone() {
            return self.knowledge.owned_in_common(area, Some(0));
        }
        let (context, ranks, rank) = (self.context(), self.knowledge.ranks, self.knowledge.rank);
        let mut claims = Asked::new();
        for (part, keeper) in self.knowledge.keepers(area) {
            claims.entry(keeper).or_default().push(part);
        }
        let mut values = vec![Value::same("the number of the object", self.number)];
        values.extend(Recipients::new(ranks, claims.keys().copied()).values());
        let agreed = context.agree(&Header { function: "Object::modified", number: 0, values: &values });
        if any(&agreed, 1, ranks) {
            self.knowledge.claim(area);
            self.claim(&context, claims, &senders(&agreed, 1, rank));
        }
        context.done();
    }

    /// Sends claims to the directory, and invalidations from there.
    fn claim(&mut self, context: &Context, mut claims: Asked, from: &[usize]) {
        let (comm, ranks, rank) = (context.comm(), self.knowledge.ranks, self.knowledge.rank);
        let own = claims.remove(&rank);
        let from: Vec<usize> = from.iter().copied().filter(|from| *from != rank).collect();
        let messages = claims.iter().map(|(to, areas)| (*to, written(areas))).collect();
        let received = self.exchange(comm, &messages, &from);
        let mut all: Vec<(usize, Vec<Area>)> = own.map(|areas| (rank, areas)).into_iter().collect();
        all.extend(from.iter().zip(received).map(|(from, message)| (*from, read(&mut &message[..]))));
        // The order of the ranks decides: the last one owns what several claim.
        all.sort_by_key(|(claimant, _)| *claimant);
        let mut invalid = self.knowledge.enter_claims(&all);
        let own = std::mem::take(&mut invalid[rank]);
        let invalid: Vec<(usize, Vec<Area>)> = (invalid.iter().enumerate())
            .map(|(to, areas)| (to, areas.areas().collect::<Vec<_>>()))
            .filter(|(_, areas)| !areas.is_empty())
            .collect();
        let values: Vec<Value<'_>> = Recipients::new(ranks, invalid.iter().map(|(to, _)| *to)).values().collect();
        let agreed = context.agree(&Header { function: "Object::modified", number: 1, values: &values });
        let from = senders(&agreed, 0, rank);
        let messages = invalid.iter().map(|(to, areas)| (*to, written(areas))).collect();
        let received = self.exchange(comm, &messages, &from);
        let told = received.iter().flat_map(|message| read::<Vec<Area>>(&mut &message[..]));
        for area in own.areas().chain(told).collect::<Vec<_>>() {
            self.knowledge.forget(area);
            self.drop_private(area);
        }
        self.memory.keep(&self.knowledge.held);
    }

    /// Moves this rank's own changes in a box to the memory that others see.
    ///
    /// # Panics
    /// If this rank does not have all elements of the box.
    fn publish(&mut self, area: Area) {
        let mut left = self.knowledge.held.missing(area);
        left = left.into_iter().flat_map(|part| self.private.missing(part)).collect();
        // Unwritten elements are zero on all ranks.
        let nobody = |part: &Area| {
            let unwritten = self.knowledge.sources.within(*part).filter(|(_, source)| source.owner.is_none());
            unwritten.map(|(part, _)| part.len()).sum::<usize>() == part.len()
        };
        if let Some(part) = left.iter().find(|part| !nobody(part)) {
            panic!(
                "this rank declares elements of {} as modified that it does not have, such as the one at {:?}: get them first by \
                 `get_mut`",
                self.title, part.start
            );
        }
        self.memory.ensure(area);
        for (part, elements) in self.private.within(area) {
            self.memory.write(part, &elements, part);
        }
        self.drop_private(area);
    }

    /// Drops this rank's own changes in a box.
    pub fn drop_private(&mut self, area: Area) {
        self.private.drop(area);
    }

    /// The number of fetches that have begun and not ended.
    pub fn pending(&self) -> usize {
        self.pending.len()
    }

    /// Whether all ranks know the owners of these boxes. All ranks give the same answer.
    pub fn knows_in_common(&self, areas: &Areas) -> bool {
        self.alone() || areas.areas().all(|area| self.knowledge.is_common(area))
    }

    /// Makes the owners of these boxes known to all ranks. All ranks call it with the same boxes.
    pub fn know_in_common(&mut self, areas: &Areas) {
        self.complete("Object::fetch", &mut || false);
        if self.knows_in_common(areas) {
            return;
        }
        let own: Owners = areas.areas().flat_map(|area| self.knowledge.entries(area)).collect();
        let before = self.context().traffic();
        let values = [Value::same("the number of the object", self.number)];
        let (all, lengths) =
            together("objects: owners", &values, |comm, _| collective::allgather_varied(comm, &written(&own)));
        self.counters.control += (self.context().traffic() - before).messages;
        let mut rest = &all[..];
        for length in lengths {
            let (own, others) = rest.split_at(length);
            self.knowledge.learn_in_common(&read(&mut &own[..]));
            rest = others;
        }
    }

    /// All elements, on all ranks.
    pub fn all(&mut self) -> Vec<T> {
        let whole = self.knowledge.whole;
        self.know_in_common(&Areas::of([whole]));
        let mut elements = zeros(whole.len());
        let owned: Vec<Area> = self.knowledge.owned().collect();
        if self.alone() {
            owned.iter().for_each(|area| self.memory.read(*area, &mut elements, whole));
            return elements;
        }
        let mut own = written(&owned);
        let packed: Vec<T> = owned.iter().flat_map(|area| self.memory.elements(*area)).collect();
        own.extend_from_slice(bytes_of(&packed));
        // The context of another set of ranks is an error.
        self.context();
        let values = [Value::same("the number of the object", self.number)];
        let (all, lengths) = together("Object::to_all", &values, |comm, _| collective::allgather_varied(comm, &own));
        let mut rest = &all[..];
        for length in lengths {
            let (mut own, others) = rest.split_at(length);
            for area in read::<Vec<Area>>(&mut own) {
                let (bytes, later) = own.split_at(area.len() * size_of::<T>());
                super::area::copy(&from_bytes(bytes), &area, &mut elements, &whole, &area);
                own = later;
            }
            rest = others;
        }
        elements
    }

    /// Completes all fetches, and waits until all ranks have come here.
    pub fn barrier(&mut self) {
        self.complete("Object::barrier", &mut || false);
        if !self.alone() {
            self.context();
            together("Object::barrier", &[Value::same("the number of the object", self.number)], |_, _| ());
        }
    }

    /// The number of elements that have memory on this rank.
    pub fn in_memory(&self) -> usize {
        self.memory.count() + self.private.count()
    }
}
