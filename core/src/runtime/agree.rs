//! The handshake, in which ranks check that they make the same call.
//!
//! Every rank sends its next action to all others. If ranks are at different calls, or at the end of the program, all of them report both
//! sides instead of waiting for messages that never come.
//!
//! # Repeated handshakes
//! Iterative methods make the same calls again and again. A handshake that all ranks have made before, with the same values, has a number, the
//! same on all ranks. A rank that repeats it marks its messages with this number and sends no values, only the [attached messages](Along). If
//! all marks are equal, the ranks agree. Otherwise they exchange the values, and the attached messages are void.
//!
//! # Communication pattern
//! Up to [`DIRECT`] ranks send to all others at once. Otherwise a rank sends to O(log ranks) others, and then to the ranks before and after it,
//! because most halos go there. Empty messages are necessary: all ranks must learn before the loop, at the same position of the program, that a
//! rank has panicked, has ended, is at another call, or lacks a cached value. If ranks communicated only with the partners of their halos,
//! distant ranks would notice this calls later.

use super::thread::forget_calls;
use crate::comm::{Came, Comm, Mark, OverlappedWork, Place, set_place};
use std::collections::HashMap;
use std::fmt;

/// The next action of a rank.
#[derive(Debug, Clone, Copy)]
pub struct Header<'a> {
    /// The annotated function, or the operation, with its path if useful. Messages show its last 64 bytes.
    pub function: &'a str,
    /// The number of the handshake in the function, from 0.
    pub number: u32,
    /// The values of the call.
    pub values: &'a [Value<'a>],
}

/// The number of the handshake before a merge of arrays; no loop has it.
pub(crate) const MERGING: u32 = u32::MAX;

/// A value of a call.
#[derive(Debug, Clone, Copy)]
pub struct Value<'a> {
    /// The description of the value.
    pub label: Label<'a>,
    /// The value.
    pub value: u64,
    /// Whether the value must be the same on all ranks.
    pub must_agree: bool,
}

/// The description of a value, for messages.
#[derive(Debug, Clone, Copy)]
pub enum Label<'a> {
    /// A text, such as "the length of the vector".
    Text(&'a str),
    /// The length of a parameter.
    Length(&'a str),
    /// The length of an axis of a parameter.
    Axis(usize, &'a str),
}

impl fmt::Display for Label<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Label::Text(text) => formatter.write_str(text),
            Label::Length(name) => write!(formatter, "the length of `{name}`"),
            Label::Axis(axis, name) => write!(formatter, "the length of axis {axis} of `{name}`"),
        }
    }
}

impl<'a> Value<'a> {
    /// A value that must be the same on all ranks.
    pub const fn same(label: &'a str, value: u64) -> Value<'a> {
        Value { label: Label::Text(label), value, must_agree: true }
    }

    /// A value that may differ between ranks.
    pub const fn own(label: &'a str, value: u64) -> Value<'a> {
        Value { label: Label::Text(label), value, must_agree: false }
    }
}

/// The values of all ranks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Agreed {
    values: Vec<Vec<u64>>,
}

impl Agreed {
    /// The values of a single rank.
    pub(super) fn alone(header: &Header<'_>) -> Agreed {
        Agreed { values: vec![values_of(header)] }
    }

    /// Removes the first values of the headers.
    pub(super) fn forget(&mut self, count: usize) {
        self.values.iter_mut().for_each(|values| drop(values.drain(..count)));
    }

    /// The value that `rank` passed at `index` of its header.
    pub fn value(&self, rank: usize, index: usize) -> u64 {
        self.values[rank][index]
    }

    /// The values of all ranks at `index` of their headers, in rank order.
    pub fn of(&self, index: usize) -> impl ExactSizeIterator<Item = u64> + '_ {
        self.values.iter().map(move |values| values[index])
    }
}

/// Messages that are attached to a handshake.
#[derive(Default)]
pub(crate) struct Along<'a> {
    /// The messages of this rank: at most one to each rank.
    pub sends: Vec<(usize, &'a [u8])>,
    /// The buffers for messages of others: at most one from each rank.
    pub rooms: Vec<(usize, &'a mut [u8])>,
    /// Work that overlaps with the last messages.
    pub overlapped: Option<&'a mut OverlappedWork<'a>>,
    /// The ranks to which messages were attached.
    pub went: Vec<usize>,
    /// The ranks from which attached messages arrived.
    pub came: Vec<usize>,
}

/// The repeated handshakes: a hash of each, with its number.
#[derive(Debug, Default)]
pub(crate) struct Repeated(HashMap<u64, Mark>);

impl Repeated {
    /// The largest number of entries.
    const MOST: usize = 4096;

    /// Adds a handshake. All ranks add the same ones in the same order, so the numbers are equal.
    fn note(&mut self, word: u64) {
        if self.0.len() >= Repeated::MOST {
            self.0.clear();
        }
        let number = self.0.len() as Mark + 1;
        self.0.entry(word).or_insert(number);
    }
}

/// The end of a rank's program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// It returned.
    Finished,
    /// It left by `std::process::exit`.
    Left,
    /// It panicked or returned an error, and reports it itself.
    Failed,
}

/// A failed handshake, the same on all ranks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Broken {
    /// The difference, with both sides.
    pub message: String,
    /// The first rank that ended with [`End::Failed`]. The others then need not report anything.
    pub failed: Option<usize>,
}

/// The handshake at the end of `program`. Returns how all ranks ended, in rank order.
///
/// # Errors
/// If another rank is at a call.
pub fn close(comm: &dyn Comm, program: &str, calls: u64, end: End) -> Result<Vec<End>, Broken> {
    let action = match end {
        End::Finished => Action::Finished,
        End::Left => Action::Left,
        End::Failed => Action::Failed,
    };
    set_place(program, Place::End);
    let item = item(action, &Header { function: program, number: 0, values: &[] }, calls);
    let items = exchange_all(comm, item.clone(), 0, &mut Along::default());
    let steps = steps(comm, &item, items);
    if let Some(call) = steps.iter().find(|step| step.action == Action::Call) {
        let other = steps.iter().find(|step| step.action != Action::Call).unwrap_or(call);
        return Err(broken(&steps, call, other));
    }
    forget_calls();
    let end = |step: &Step| match step.action {
        Action::Failed => End::Failed,
        Action::Left => End::Left,
        Action::Finished | Action::Call => End::Finished,
    };
    Ok(steps.iter().map(end).collect())
}

/// The handshake of the call number `call`. Returns the values of all ranks, and whether it was a repeated handshake, so that the attached
/// messages are valid.
pub(super) fn call(
    comm: &dyn Comm,
    header: &Header<'_>,
    call: u64,
    repeated: &mut Repeated,
    along: &mut Along<'_>,
) -> Result<(Agreed, bool), Broken> {
    let word = word_of(header);
    let item = item(Action::Call, header, call);
    let items = match repeated.0.get(&word) {
        Some(number) => exchange_all(comm, word.to_le_bytes().to_vec(), *number, along),
        None => exchange_all(comm, item.clone(), 0, &mut Along::default()),
    };
    if repeated.0.contains_key(&word) && items.iter().all(|other| *other == items[0]) {
        return Ok((Agreed { values: vec![values_of(header); comm.ranks()] }, true));
    }
    let steps = steps(comm, &item, items);
    let first = &steps[0];
    if let Some(other) = steps.iter().find(|step| !step.same_place(first)) {
        return Err(broken(&steps, first, other));
    }
    for (index, value) in header.values.iter().enumerate().filter(|(_, value)| value.must_agree) {
        let value_of = |step: &Step| step.values.get(index).copied();
        let mine = value_of(first);
        if let Some(other) = steps.iter().find(|step| value_of(step) != mine) {
            let (place, label, rank) = (first.call_name(), value.label, other.rank);
            let (mine, theirs) = (mine.unwrap_or_default(), value_of(other).unwrap_or_default());
            let message =
                format!("the ranks call {place} differently: {label} is {mine} on rank 0 and {theirs} on rank {rank}");
            return Err(Broken { message, failed: None });
        }
    }
    if let Some(other) = steps.iter().find(|step| step.values.len() != first.values.len()) {
        return Err(broken(&steps, first, other));
    }
    if steps.iter().all(|step| step.values == first.values) {
        repeated.note(word);
    }
    Ok((Agreed { values: steps.into_iter().map(|step| step.values).collect() }, false))
}

fn broken(steps: &[Step], one: &Step, other: &Step) -> Broken {
    let (one, other) = if one.rank <= other.rank { (one, other) } else { (other, one) };
    // Numbers distinguish two loops of one function.
    let loops = one.action == other.action && one.name == other.name;
    let message = format!("the ranks do not make the same calls: {}, {}", one.describe(loops), other.describe(loops));
    Broken { message, failed: steps.iter().find(|step| step.action == Action::Failed).map(|step| step.rank) }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Action {
    Call,
    Finished,
    Left,
    Failed,
}

const ACTIONS: [Action; 4] = [Action::Call, Action::Finished, Action::Left, Action::Failed];

/// The number of words of a header for the end of the name.
const NAME: usize = 8;

/// Action, hash of the whole name, number, call; the end of the name. The values follow.
const WORDS: usize = 4 + NAME;

/// The decoded header of a rank.
struct Step {
    rank: usize,
    action: Action,
    hash: u64,
    number: u64,
    call: u64,
    name: String,
    values: Vec<u64>,
}

impl Step {
    fn same_place(&self, other: &Step) -> bool {
        (self.action, self.hash, self.number) == (other.action, other.hash, other.number)
    }

    fn call_name(&self) -> String {
        format!("`{}` (call {})", self.name, self.call)
    }

    fn describe(&self, loops: bool) -> String {
        let Step { rank, number, name, call, .. } = self;
        match self.action {
            Action::Call if loops => format!("rank {rank} is at loop {number} of {}", self.call_name()),
            Action::Call => format!("rank {rank} calls {}", self.call_name()),
            Action::Finished => format!("rank {rank} reached the end of {name} (after {call} calls)"),
            Action::Left => format!("rank {rank} left the program by std::process::exit"),
            Action::Failed => format!("rank {rank} failed"),
        }
    }
}

fn values_of(header: &Header<'_>) -> Vec<u64> {
    header.values.iter().map(|value| value.value).collect()
}

/// The encoded header of a rank.
fn item(action: Action, header: &Header<'_>, call: u64) -> Vec<u8> {
    let mut words = vec![0; WORDS];
    words[0] = action as u64;
    words[1] = hash(header.function.bytes());
    words[2] = u64::from(header.number);
    words[3] = call;
    let name = header.function;
    let from = (name.len().saturating_sub(8 * NAME)..).find(|&from| name.is_char_boundary(from)).unwrap_or(0);
    for (word, bytes) in words[4..].iter_mut().zip(name.as_bytes()[from..].chunks(8)) {
        let mut eight = [0; 8];
        eight[..bytes.len()].copy_from_slice(bytes);
        *word = u64::from_le_bytes(eight);
    }
    words.extend(header.values.iter().map(|value| value.value));
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

/// The hash of a header.
fn word_of(header: &Header<'_>) -> u64 {
    let number = u64::from(header.number);
    let values = header.values.iter().flat_map(|value| value.value.to_le_bytes());
    hash(header.function.bytes().chain(number.to_le_bytes()).chain(values))
}

/// The headers of all ranks, from a full exchange.
fn steps(comm: &dyn Comm, item: &[u8], items: Vec<Vec<u8>>) -> Vec<Step> {
    let words_of = |bytes: &Vec<u8>| -> Vec<u64> {
        let word = |eight: &[u8]| u64::from_le_bytes(eight.try_into().unwrap_or_default());
        bytes.chunks_exact(8).map(word).collect()
    };
    let mut headers: Vec<Vec<u64>> = items.iter().map(words_of).collect();
    if headers.iter().any(|words| words.len() < WORDS) {
        headers = exchange_all(comm, item.to_vec(), 0, &mut Along::default()).iter().map(words_of).collect();
    }
    let step = |(rank, words): (usize, Vec<u64>)| {
        let bytes: Vec<u8> = words[4..WORDS].iter().flat_map(|word| word.to_le_bytes()).collect();
        let name = String::from_utf8_lossy(&bytes).trim_end_matches('\0').to_owned();
        let action = ACTIONS.into_iter().find(|action| *action as u64 == words[0]).unwrap_or(Action::Failed);
        let values = words[WORDS..].to_vec();
        Step { rank, action, hash: words[1], number: words[2], call: words[3], name, values }
    };
    headers.into_iter().enumerate().map(step).collect()
}

/// Up to this number of ranks, one round with all others takes no more messages than several rounds.
const DIRECT: usize = 4;

/// Allgather of items, in rank order. An item with another mark than this rank's is empty.
///
/// Few ranks send to all others at once. For more of them, as in Bruck's algorithm, each round doubles the number of known items, among ranks at distances that are multiples of three. The last
/// messages go to the ranks before and after this one, which then have all items. No rank waits for another one after that, so long messages
/// may be attached to these. The receiver does not know the length of an item, because ranks may be at different calls. A mark replaces
/// copies of this rank's item.
fn exchange_all(comm: &dyn Comm, item: Vec<u8>, mark: Mark, along: &mut Along<'_>) -> Vec<Vec<u8>> {
    let (rank, ranks) = (comm.rank(), comm.ranks());
    let mut items = vec![Vec::new(); ranks];
    items[rank] = item;
    let other = |by: usize| (rank + by % ranks) % ranks;
    if ranks <= DIRECT {
        let all: Vec<(usize, usize)> = (1..ranks).map(|by| (other(by), other(ranks - by))).collect();
        exchange_round(comm, &mut items, 1, mark, &all, along);
        return items;
    }
    // At distances of three, these ranks and their neighbours are all ranks.
    let reach = ranks.div_ceil(3);
    let mut have = 1;
    while have < reach {
        let count = have.min(reach - have);
        exchange_round(
            comm,
            &mut items,
            count,
            mark,
            &[(other(ranks - 3 * have), other(3 * have))],
            &mut Along::default(),
        );
        have += count;
    }
    let neighbours = [(other(ranks - 1), other(1)), (other(1), other(ranks - 1))];
    exchange_round(comm, &mut items, reach, mark, &neighbours, along);
    items
}

/// One round: exchanges the items of this number of ranks, at distances of three, with these partners.
fn exchange_round(
    comm: &dyn Comm,
    items: &mut [Vec<u8>],
    count: usize,
    mark: Mark,
    partners: &[(usize, usize)],
    along: &mut Along<'_>,
) {
    let (rank, ranks) = (comm.rank(), comm.ranks());
    let of = |first: usize| (0..count).map(move |k| (first + 3 * k) % ranks);
    let mark = if of(rank).all(|other| items[other] == items[rank]) { mark } else { 0 };
    let mut packed = Vec::new();
    for item in of(rank).map(|other| &items[other]).filter(|_| mark == 0) {
        packed.extend_from_slice(&(item.len() as u16).to_le_bytes());
        packed.extend_from_slice(item);
    }
    let gift = |to: usize| along.sends.iter().find(|(other, _)| *other == to && mark != 0);
    let sends: Vec<(usize, &[u8])> =
        partners.iter().map(|(to, _)| (*to, gift(*to).map_or(&packed[..], |(_, gift)| gift))).collect();
    let mut rooms: Vec<(usize, &mut [u8])> = partners.iter().map(|(_, from)| (*from, &mut [][..])).collect();
    for (from, room) in &mut along.rooms {
        if let Some((_, place)) = rooms.iter_mut().find(|(other, _)| other == from) {
            *place = room;
        }
    }
    let mut nothing = || false;
    let overlapped: &mut OverlappedWork<'_> = match &mut along.overlapped {
        Some(overlapped) => overlapped,
        None => &mut nothing,
    };
    let came = comm.exchange_marked(mark, &sends, &mut rooms, overlapped);
    let needs: Vec<usize> = rooms.iter().map(|(_, room)| room.len()).collect();
    for (((to, from), came), needs) in partners.iter().zip(came).zip(needs) {
        along.went.push(*to);
        along.came.push(*from);
        match came {
            Came::InBuffer if mark != 0 => of(*from).for_each(|other| items[other] = items[rank].clone()),
            Came::Other(theirs, message) if theirs == mark && mark != 0 => {
                let (sent, place) = (message.len(), crate::comm::place());
                comm.abort(&format!(
                    "the ranks pass different values {place}: rank {from} gives {sent} bytes where rank {rank} needs {needs}"
                ));
            }
            Came::Other(0, message) => {
                let mut rest = &message[..];
                for other in of(*from) {
                    let Some((length, after)) = rest.split_first_chunk() else { break };
                    let (item, after) = after.split_at(usize::from(u16::from_le_bytes(*length)));
                    if other != rank {
                        items[other] = item.to_vec();
                    }
                    rest = after;
                }
            }
            _ => {}
        }
    }
}

/// The FNV-1a hash: the same on every rank, unlike the hash of std, which is seeded.
fn hash(bytes: impl Iterator<Item = u8>) -> u64 {
    bytes.fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}
