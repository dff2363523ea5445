//! The handshake with which ranks make sure that they make the same call.
//!
//! Every rank sends all others a header of a fixed size, so that ranks which are at different calls, or at the end of the
//! program, still understand each other: they report both sides instead of waiting for messages that never come.

use super::thread::forget_calls;
use crate::comm::{Comm, collective};

/// The most values that a [`Header`] can carry.
pub const MAX_VALUES: usize = 14;

/// What a rank is about to do.
#[derive(Debug, Clone, Copy)]
pub struct Header<'a> {
    /// The annotated function, or the operation; with its path where that helps. Messages show its last 64 bytes.
    pub function: &'a str,
    /// Which of the function's handshakes this is, from 0.
    pub number: u32,
    /// What the call is made with, at most [`MAX_VALUES`].
    pub values: &'a [Value<'a>],
}

/// One value that a call is made with.
#[derive(Debug, Clone, Copy)]
pub struct Value<'a> {
    /// What it is, as in "the length of `x`".
    pub label: &'a str,
    /// The value.
    pub value: u64,
    /// Whether all ranks must have the same.
    pub must_agree: bool,
}

impl<'a> Value<'a> {
    /// A value that is the same on all ranks, or the program is wrong.
    pub const fn same(label: &'a str, value: u64) -> Value<'a> {
        Value { label, value, must_agree: true }
    }

    /// A value that is each rank's own.
    pub const fn own(label: &'a str, value: u64) -> Value<'a> {
        Value { label, value, must_agree: false }
    }
}

/// The values of all ranks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Agreed {
    values: Vec<[u64; MAX_VALUES]>,
}

impl Agreed {
    /// What a single rank agrees on with itself.
    pub(super) fn alone(header: &Header<'_>) -> Agreed {
        Agreed { values: vec![values_of(header)] }
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

/// How a rank's program ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// It returned.
    Finished,
    /// It left by `std::process::exit`.
    Left,
    /// It panicked or returned an error, and says so itself.
    Failed,
}

/// A handshake that failed. All ranks have the same.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Broken {
    /// What differs, with both sides named.
    pub message: String,
    /// The first rank that ended with [`End::Failed`]: the others then need not say anything.
    pub failed: Option<usize>,
}

/// Says that this rank reached the end of `program`; returns how all ranks ended, in rank order.
///
/// # Errors
/// When another rank calls something instead.
pub fn close(comm: &dyn Comm, program: &str, calls: u64, end: End) -> Result<Vec<End>, Broken> {
    let action = match end {
        End::Finished => Action::Finished,
        End::Left => Action::Left,
        End::Failed => Action::Failed,
    };
    let steps = exchange(comm, action, &Header { function: program, number: 0, values: &[] }, calls);
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

/// Says that this rank is about to do what the header says, as its call number `call`.
pub(super) fn call(comm: &dyn Comm, header: &Header<'_>, call: u64) -> Result<Agreed, Broken> {
    let steps = exchange(comm, Action::Call, header, call);
    let first = &steps[0];
    if let Some(other) = steps.iter().find(|step| !step.same_place(first)) {
        return Err(broken(&steps, first, other));
    }
    for (index, value) in header.values.iter().enumerate().filter(|(_, value)| value.must_agree) {
        if let Some(other) = steps.iter().find(|step| step.values[index] != first.values[index]) {
            let (place, label) = (first.call_name(), value.label);
            let (mine, theirs, rank) = (first.values[index], other.values[index], other.rank);
            let message =
                format!("the ranks call {place} differently: {label} is {mine} on rank 0 and {theirs} on rank {rank}");
            return Err(Broken { message, failed: None });
        }
    }
    Ok(Agreed { values: steps.into_iter().map(|step| step.values).collect() })
}

fn broken(steps: &[Step], one: &Step, other: &Step) -> Broken {
    let (one, other) = if one.rank <= other.rank { (one, other) } else { (other, one) };
    // Two loops of one function need their numbers to be told apart.
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

/// How many words of a header hold the end of the name.
const NAME: usize = 8;

/// Action, hash of the whole name, number, call; the end of the name; the values.
const WORDS: usize = 4 + NAME + MAX_VALUES;

/// What a rank said.
struct Step {
    rank: usize,
    action: Action,
    hash: u64,
    number: u64,
    call: u64,
    name: String,
    values: [u64; MAX_VALUES],
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

fn values_of(header: &Header<'_>) -> [u64; MAX_VALUES] {
    assert!(header.values.len() <= MAX_VALUES, "a header carries at most {MAX_VALUES} values");
    let mut values = [0; MAX_VALUES];
    values.iter_mut().zip(header.values).for_each(|(place, value)| *place = value.value);
    values
}

fn exchange(comm: &dyn Comm, action: Action, header: &Header<'_>, call: u64) -> Vec<Step> {
    let mut words = [0; WORDS];
    words[0] = action as u64;
    words[1] = hash(header.function);
    words[2] = u64::from(header.number);
    words[3] = call;
    let name = header.function;
    let from = (name.len().saturating_sub(8 * NAME)..).find(|&from| name.is_char_boundary(from)).unwrap_or(0);
    for (word, bytes) in words[4..].iter_mut().zip(name.as_bytes()[from..].chunks(8)) {
        let mut eight = [0; 8];
        eight[..bytes.len()].copy_from_slice(bytes);
        *word = u64::from_le_bytes(eight);
    }
    words[4 + NAME..].copy_from_slice(&values_of(header));

    let all = collective::allgather(comm, &words);
    let step = |(rank, words): (usize, &[u64])| {
        let mut values = [0; MAX_VALUES];
        values.copy_from_slice(&words[4 + NAME..]);
        let bytes: Vec<u8> = words[4..4 + NAME].iter().flat_map(|word| word.to_le_bytes()).collect();
        let name = String::from_utf8_lossy(&bytes).trim_end_matches('\0').to_owned();
        let action = ACTIONS.into_iter().find(|action| *action as u64 == words[0]).unwrap_or(Action::Failed);
        Step { rank, action, hash: words[1], number: words[2], call: words[3], name, values }
    };
    all.chunks_exact(WORDS).enumerate().map(step).collect()
}

/// FNV-1a: the same on every rank, unlike the standard library's, which is seeded.
fn hash(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}
