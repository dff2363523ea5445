//! Tasks that move, before they begin, to ranks that run out of them.
//!
//! The rank's own thread repeats a round. All ranks tell each other how many tasks they have left and how long theirs take, and run tasks
//! while these messages are in transit. So a rank waits only if it has no task. All ranks compute from these numbers who gives how many tasks to whom ([`gifts`]). A rank
//! that gives chooses the tasks, and sends their numbers, and then their input. Both know of both messages. The round in which no rank has a
//! task left is the last one.
//!
//! Other workers take tasks from the queue of their rank, and wait if it is empty.

use super::area::Area;
use super::declared::Slot;
use super::window::{Alone, Window};
use crate::comm::Comm;
use crate::lock::lock;
use crate::runtime::Context;
use std::cell::RefCell;
use std::collections::VecDeque;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::rc::Rc;
use std::sync::{Condvar, Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

/// The number of iterations of the loop on each rank. A worker that runs one of them runs tasks until none is left.
pub(super) const SLOTS: usize = 64;

/// The most tasks that a rank gives another one in a round.
const MOST: usize = 256;

/// The least time between two rounds of a rank that has tasks.
const PAUSE: Duration = Duration::from_micros(500);

thread_local! {
    /// The context of the rank whose thread this is, while tasks may move. Other workers have none.
    static OF_RANK: RefCell<Option<Rc<Context>>> = const { RefCell::new(None) };
}

/// The tasks of a rank.
pub(super) struct Stealing {
    state: Mutex<State>,
    changed: Condvar,
    /// For each object a window without memory, and the boxes of all tasks.
    objects: Vec<(Window, Vec<Area>)>,
    /// The tasks that have come from other ranks.
    arrived: Vec<OnceLock<Arrived>>,
}

#[derive(Debug, Default)]
struct State {
    /// The tasks that have not begun.
    queue: VecDeque<usize>,
    /// The tasks that have begun here.
    ran: Vec<usize>,
    /// The number of tasks that have ended here, and the time that they took.
    ended: (u32, Duration),
    /// Whether the rank's own thread takes part, so that more tasks may come.
    takes_part: bool,
    finished: bool,
}

/// The input of a task from another rank.
#[derive(Debug)]
pub(super) struct Arrived {
    pub windows: Vec<Window>,
    pub slots: Vec<Slot>,
    /// The memory of the windows.
    _memory: Vec<Alone>,
}

/// Tasks begin while messages are in transit.
type Begin<'b> = dyn FnMut(usize) + 'b;

impl Stealing {
    /// The tasks of this rank at first. The calling thread is that of the rank.
    pub fn new(context: &Rc<Context>, own: &[usize], objects: Vec<(Window, Vec<Area>)>, count: usize) -> Self {
        OF_RANK.set(Some(context.clone()));
        let state = State { queue: own.iter().copied().collect(), ..State::default() };
        let arrived = std::iter::repeat_with(OnceLock::new).take(count).collect();
        Stealing { state: Mutex::new(state), changed: Condvar::new(), objects, arrived }
    }

    /// The context on the rank's own thread.
    pub fn context() -> Option<Rc<Context>> {
        OF_RANK.with_borrow(Clone::clone)
    }

    pub fn arrived(&self, task: usize) -> Option<&Arrived> {
        self.arrived[task].get()
    }

    fn next(&self) -> Option<usize> {
        let mut state = lock(&self.state);
        let task = state.queue.pop_front()?;
        state.ran.push(task);
        Some(task)
    }

    /// The next task of a worker that is not the rank's own thread.
    pub fn wait(&self) -> Option<usize> {
        let mut state = lock(&self.state);
        loop {
            if let Some(task) = state.queue.pop_front() {
                state.ran.push(task);
                return Some(task);
            }
            // Otherwise this may be the thread that would have to bring tasks.
            if state.finished || !state.takes_part {
                return None;
            }
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Notes the time of a task that has ended.
    pub fn ended(&self, time: Duration) {
        let (count, all) = &mut lock(&self.state).ended;
        *count += 1;
        *all += time;
    }

    fn finish(&self) {
        lock(&self.state).finished = true;
        self.changed.notify_all();
    }

    /// Takes part until no rank has a task left. Runs tasks by `begin`, and otherwise accepts none. `window` is a task's box of an object.
    pub fn take_part(&self, comm: &dyn Comm, window: &dyn Fn(usize, usize) -> Window, begin: Option<&mut Begin<'_>>) {
        if lock(&self.state).finished {
            return;
        }
        // Workers do not wait for a thread that unwinds.
        let _finish = Finish(self);
        let (mut nothing, accepts) = (|_: usize| {}, begin.is_some());
        lock(&self.state).takes_part = accepts;
        let mut part = Part { stealing: self, comm, window, begin: begin.unwrap_or(&mut nothing), accepts };
        while part.round() {
            let start = Instant::now();
            while accepts
                && start.elapsed() < PAUSE
                && let Some(task) = self.next()
            {
                (part.begin)(task);
            }
        }
    }

    /// Ends the moves, and returns the tasks that have run on this rank.
    pub fn ran(&self) -> Vec<usize> {
        OF_RANK.set(None);
        let mut state = lock(&self.state);
        assert!(state.queue.is_empty(), "all tasks have begun");
        let mut ran = std::mem::take(&mut state.ran);
        ran.sort_unstable();
        ran
    }
}

/// Shows the tasks.
impl fmt::Debug for Stealing {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_tuple("Stealing").field(&*lock(&self.state)).finish()
    }
}

struct Finish<'s>(&'s Stealing);

impl Drop for Finish<'_> {
    fn drop(&mut self) {
        self.0.finish();
    }
}

/// The rank's own thread among the workers.
struct Part<'s, 'b> {
    stealing: &'s Stealing,
    comm: &'s dyn Comm,
    window: &'s dyn Fn(usize, usize) -> Window,
    begin: &'s mut Begin<'b>,
    accepts: bool,
}

impl Part<'_, '_> {
    /// Returns whether there may be tasks left.
    fn round(&mut self) -> bool {
        let (rank, ranks) = (self.comm.rank(), self.comm.ranks());
        let own = {
            let state = lock(&self.stealing.state);
            let (count, all) = state.ended;
            let mean =
                all.checked_div(count).map_or(0, |mean| u64::try_from(mean.as_nanos()).unwrap_or(u64::MAX).max(1));
            [state.queue.len() as u64, mean, u64::from(self.accepts)]
        };
        let bytes: Vec<u8> = own.iter().flat_map(|word| word.to_le_bytes()).collect();
        let others: Vec<usize> = (0..ranks).filter(|other| *other != rank).collect();
        let sends = others.iter().map(|to| (*to, bytes.clone())).collect();
        let received = self.exchange(sends, others.iter().map(|from| (*from, bytes.len())).collect());
        let mut all = vec![own; ranks];
        for (from, message) in others.iter().zip(&received) {
            all[*from] = [0, 1, 2].map(|at| word(message, at));
        }
        if all.iter().all(|[left, ..]| *left == 0) {
            return false;
        }
        let of_rank =
            |[left, mean, accepts]: &[u64; 3]| Left { tasks: *left as usize, mean: *mean, accepts: *accepts == 1 };
        let gifts = gifts(&all.iter().map(of_rank).collect::<Vec<_>>());
        self.give(&gifts.iter().filter(|gift| gift.from == rank).map(|gift| (gift.to, gift.count)).collect::<Vec<_>>());
        self.receive(&gifts.iter().filter(|gift| gift.to == rank).map(|gift| gift.from).collect::<Vec<_>>());
        true
    }

    /// Gives so many tasks to each of these ranks, as far as they have not begun.
    fn give(&mut self, gifts: &[(usize, usize)]) {
        if gifts.is_empty() {
            return;
        }
        let (mut numbers, mut inputs) = (Vec::new(), Vec::new());
        for (to, count) in gifts {
            let mut state = lock(&self.stealing.state);
            let left = state.queue.len();
            let tasks: Vec<usize> = state.queue.split_off(left - (*count).min(left.div_ceil(2))).into();
            drop(state);
            let mut message: Vec<u8> = (tasks.len() as u64).to_le_bytes().to_vec();
            message.extend(tasks.iter().flat_map(|task| (*task as u64).to_le_bytes()));
            message.resize(8 * (MOST + 1), 0);
            numbers.push((*to, message));
            let mut input = Vec::new();
            for task in tasks {
                (0..self.stealing.objects.len()).for_each(|object| (self.window)(object, task).pack(&mut input));
            }
            inputs.push((*to, input));
        }
        self.exchange(numbers, Vec::new());
        inputs.retain(|(_, input)| !input.is_empty());
        self.exchange(inputs, Vec::new());
    }

    /// Receives tasks from these ranks.
    fn receive(&mut self, from: &[usize]) {
        if from.is_empty() {
            return;
        }
        let numbers = self.exchange(Vec::new(), from.iter().map(|from| (*from, 8 * (MOST + 1))).collect());
        let tasks: Vec<Vec<usize>> = numbers
            .iter()
            .map(|message| (1..=word(message, 0) as usize).map(|at| word(message, at) as usize).collect())
            .collect();
        let objects = &self.stealing.objects;
        let length = |task: &usize| objects.iter().map(|(window, areas)| window.bytes(areas[*task])).sum::<usize>();
        let lengths: Vec<usize> = tasks.iter().map(|tasks| tasks.iter().map(length).sum()).collect();
        let rooms = from.iter().zip(&lengths).filter(|(_, length)| **length > 0).map(|(from, length)| (*from, *length));
        let mut inputs = self.exchange(Vec::new(), rooms.collect()).into_iter();
        for (tasks, length) in tasks.iter().zip(lengths) {
            let input = if length > 0 { inputs.next().unwrap_or_default() } else { Vec::new() };
            let mut rest = &input[..];
            for task in tasks {
                let (mut windows, mut memory) = (Vec::new(), Vec::new());
                for (window, areas) in objects {
                    let (own, others) = rest.split_at(window.bytes(areas[*task]));
                    let alone = Alone::new(own);
                    windows.push(alone.window(window, areas[*task]));
                    memory.push(alone);
                    rest = others;
                }
                let slots = objects.iter().map(|_| Slot::default()).collect();
                // A task that comes a second time has not begun, and has the same input.
                let _ = self.stealing.arrived[*task].set(Arrived { windows, slots, _memory: memory });
            }
        }
        lock(&self.stealing.state).queue.extend(tasks.into_iter().flatten());
        self.stealing.changed.notify_all();
    }

    /// Exchanges messages of known lengths, and runs tasks meanwhile.
    fn exchange(&mut self, sends: Vec<(usize, Vec<u8>)>, lengths: Vec<(usize, usize)>) -> Vec<Vec<u8>> {
        let sends: Vec<(usize, &[u8])> = sends.iter().map(|(to, message)| (*to, &message[..])).collect();
        let mut rooms: Vec<(usize, Vec<u8>)> =
            lengths.into_iter().map(|(from, length)| (from, vec![0; length])).collect();
        let mut receives: Vec<(usize, &mut [u8])> =
            rooms.iter_mut().map(|(from, room)| (*from, &mut room[..])).collect();
        let mut panic = None;
        let (stealing, accepts, begin) = (self.stealing, self.accepts, &mut *self.begin);
        self.comm.exchange_overlapped(&sends, &mut receives, &mut || {
            let task = if accepts && panic.is_none() { stealing.next() } else { None };
            if let Some(task) = task {
                panic = catch_unwind(AssertUnwindSafe(|| begin(task))).err();
            }
            task.is_some()
        });
        if let Some(panic) = panic {
            resume_unwind(panic);
        }
        rooms.into_iter().map(|(_, room)| room).collect()
    }
}

/// A number in a message.
fn word(message: &[u8], at: usize) -> u64 {
    u64::from_le_bytes(message[8 * at..8 * at + 8].try_into().expect("a number has eight bytes"))
}

/// Tasks that one rank gives another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Gift {
    from: usize,
    to: usize,
    count: usize,
}

/// The tasks of a rank that have not begun.
#[derive(Debug, Clone, Copy)]
struct Left {
    tasks: usize,
    /// The mean time of the tasks that have ended there, in nanoseconds; 0 if none has.
    mean: u64,
    accepts: bool,
}

/// Who gives how many tasks to whom: ranks with less than half of an equal part of the time get the rest of it, from the ranks that have most.
fn gifts(ranks: &[Left]) -> Vec<Gift> {
    let known = ranks.iter().filter(|rank| rank.mean > 0);
    let usual = known.clone().map(|rank| u128::from(rank.mean)).sum::<u128>().checked_div(known.count() as u128);
    let mean = |rank: usize| if ranks[rank].mean > 0 { ranks[rank].mean.into() } else { usual.unwrap_or(1).max(1) };
    let mut time: Vec<u128> = (0..ranks.len()).map(|rank| ranks[rank].tasks as u128 * mean(rank)).collect();
    let part = time.iter().sum::<u128>().div_ceil(ranks.len() as u128);
    let (mut poor, rich): (Vec<usize>, Vec<usize>) = (0..ranks.len())
        .filter(|rank| ranks[*rank].accepts || time[*rank] > part)
        .partition(|rank| 2 * time[*rank] < part);
    poor.sort_by_key(|rank| (time[*rank], *rank));
    let mut gifts = Vec::new();
    for to in poor {
        // Each of the others gives at most once, so that two ranks exchange one message.
        let mut others = rich.clone();
        while time[to] < part
            && let Some(at) = (0..others.len()).max_by_key(|at| (time[others[*at]], others.len() - at))
        {
            let from = others.swap_remove(at);
            let wanted = (part - time[to]).div_ceil(mean(from));
            let count = wanted.min(time[from].saturating_sub(part) / mean(from)).min(MOST as u128);
            if count > 0 {
                time[from] -= count * mean(from);
                time[to] += count * mean(from);
                gifts.push(Gift { from, to, count: count as usize });
            }
        }
    }
    gifts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn poor_ranks_get_an_equal_part_and_ranks_never_give_and_get() {
        let of = |tasks: &[usize]| -> Vec<Left> {
            tasks.iter().map(|tasks| Left { tasks: *tasks, mean: 1000, accepts: true }).collect()
        };
        assert_eq!(gifts(&of(&[0, 40, 40, 40])).iter().map(|gift| gift.count).sum::<usize>(), 30);
        assert_eq!(gifts(&of(&[20, 30, 25, 25])), []);
        assert_eq!(gifts(&of(&[0, 0, 2, 0])), [Gift { from: 2, to: 0, count: 1 }]);
        assert_eq!(gifts(&of(&[0, 0, 1, 0])), []);
        assert_eq!(
            gifts(&of(&[0, 9, 9, 9]).iter().map(|rank| Left { accepts: false, ..*rank }).collect::<Vec<_>>()),
            []
        );
        assert_eq!(gifts(&of(&[0, 5000, 0, 0])).iter().map(|gift| gift.count).collect::<Vec<_>>(), [MOST; 3]);
        // Tasks that take longer count for more.
        let mut slow = of(&[40, 40]);
        slow[1].mean = 9000;
        assert_eq!(gifts(&slow), [Gift { from: 1, to: 0, count: 17 }]);
        slow[1].mean = 0;
        assert_eq!(gifts(&slow), []);
        let mut seed = 5_u64;
        for _ in 0..500 {
            let mut next = || {
                seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                (seed >> 33) as usize
            };
            let mut left = || Left { tasks: next() % 30, mean: next() as u64 % 9, accepts: next() % 3 > 0 };
            let left: Vec<Left> = (0..7).map(|_| left()).collect();
            let found = gifts(&left);
            for gift in &found {
                assert!(found.iter().all(|other| other.to != gift.from && gift.count > 0), "{left:?}: {found:?}");
                let pairs = found.iter().filter(|other| (other.from, other.to) == (gift.from, gift.to));
                assert_eq!(pairs.count(), 1, "{left:?}: {found:?}");
                let given: usize = found.iter().filter(|other| other.from == gift.from).map(|gift| gift.count).sum();
                assert!(given <= left[gift.from].tasks && left[gift.to].accepts);
            }
        }
    }
}
