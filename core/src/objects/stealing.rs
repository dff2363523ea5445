//! Tasks that move, before they begin, to ranks that run out of them.
//!
//! The rank's own thread repeats a round. All ranks tell each other how many tasks they have left and how long theirs take, and run tasks
//! while these messages are in transit. So a rank waits only if it has no task. All ranks compute from these numbers who gives how many tasks to whom ([`gifts`]). A rank
//! that gives chooses the tasks, and sends their numbers, and then their input. Both know of both messages. The round in which no rank has a
//! task left is the last one. Its results go back to the rank that had the task at first (`fold/moving`).
//!
//! Other workers take tasks from the queue of their rank, and wait if it is empty.

use super::area::Area;
use super::declared::Slot;
use super::order::Ordered;
use super::window::{Alone, Window};
use crate::comm::Comm;
use crate::lock::lock;
use std::collections::VecDeque;
use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Condvar, Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

/// The most tasks that a rank gives another one in a round.
const MOST: usize = 256;

/// The least time between two rounds of a rank that has tasks.
const PAUSE: Duration = Duration::from_micros(500);

/// The tasks of a rank.
pub(super) struct Stealing {
    state: Mutex<State>,
    changed: Condvar,
    /// For each object a window without memory, and the boxes of all tasks.
    objects: Vec<(Window, Vec<Area>)>,
    /// The tasks by position, the positions by task, and the end of each rank's positions.
    tasks: Vec<usize>,
    positions: Vec<usize>,
    ends: Vec<usize>,
    /// The tasks that have come from other ranks.
    arrived: Vec<OnceLock<Arrived>>,
}

#[derive(Debug, Default)]
struct State {
    /// The tasks that have not begun.
    queue: VecDeque<usize>,
    /// The tasks that have begun here.
    ran: Vec<usize>,
    /// The mean time of the tasks that have ended here. The last ones count most: tasks that follow each other often take about as long.
    mean: Option<Duration>,
    /// Whether tasks may have moved, and whether no more come.
    has_run: bool,
    finished: bool,
}

/// The input of a task from another rank.
#[derive(Debug)]
pub(super) struct Arrived {
    pub windows: Vec<Window>,
    pub slots: Vec<Slot>,
    begun: AtomicBool,
    /// The memory of the windows.
    _memory: Vec<Alone>,
}

/// Runs a task while messages are in transit. Returns whether the loop goes on.
type Begin<'b> = dyn FnMut(usize) -> bool + 'b;

/// A task's box of an object, by the number of the object and the task.
type WindowOf<'w> = dyn Fn(usize, usize) -> Window + 'w;

impl Stealing {
    /// The tasks of this rank at first.
    pub fn new(order: &Ordered, own: &[usize], objects: Vec<(Window, Vec<Area>)>) -> Self {
        let count = order.tasks.len();
        let ends = (0..order.cuts.ranks()).map(|rank| order.cuts.range(rank).end).collect();
        let state = State { queue: own.iter().copied().collect(), ..State::default() };
        let mut positions = vec![0; count];
        order.tasks.iter().enumerate().for_each(|(position, task)| positions[*task] = position);
        Stealing {
            state: Mutex::new(state),
            changed: Condvar::new(),
            objects,
            tasks: order.tasks.clone(),
            positions,
            ends,
            arrived: std::iter::repeat_with(OnceLock::new).take(count).collect(),
        }
    }

    /// The rank that had the task at a position at first.
    pub fn home(&self, position: usize) -> usize {
        self.ends.partition_point(|end| *end <= position)
    }

    pub fn arrived(&self, task: usize) -> Option<&Arrived> {
        self.arrived[task].get()
    }

    /// Begins the task at a position, which has come from another rank.
    ///
    /// # Panics
    /// If it has not come, or has begun.
    pub fn begin(&self, position: usize) -> (usize, &Arrived) {
        let task = self.tasks[position];
        let arrived = self.arrived(task).expect("a task is here, or has arrived");
        assert!(!arrived.begun.swap(true, Ordering::Relaxed), "a task runs once");
        (task, arrived)
    }

    /// Whether the driver of the loop has let tasks move.
    pub fn has_run(&self) -> bool {
        lock(&self.state).has_run
    }

    /// Runs tasks on this worker, by their positions, until no rank has one left or `run` returns that the loop has ended. The rank's own thread
    /// has the communicator.
    pub fn run(&self, comm: Option<&dyn Comm>, window: &WindowOf<'_>, run: &mut Begin<'_>) {
        let begin = &mut |task: usize| {
            let start = Instant::now();
            let goes_on = run(self.positions[task]);
            self.ended(start.elapsed(), goes_on);
            goes_on
        };
        match comm {
            Some(comm) => self.take_part(comm, window, begin),
            None => while self.wait().is_some_and(&mut *begin) {},
        }
    }

    fn next(&self) -> Option<usize> {
        let mut state = lock(&self.state);
        let task = if state.finished { None } else { state.queue.pop_front() }?;
        state.ran.push(task);
        Some(task)
    }

    /// The next task of a worker that is not the rank's own thread.
    fn wait(&self) -> Option<usize> {
        let mut state = lock(&self.state);
        while !state.finished {
            if let Some(task) = state.queue.pop_front() {
                state.ran.push(task);
                return Some(task);
            }
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        None
    }

    /// Notes the time of a task that has ended, and whether the loop goes on.
    fn ended(&self, time: Duration, goes_on: bool) {
        let mut state = lock(&self.state);
        state.mean = Some(state.mean.map_or(time, |mean| (7 * mean + time) / 8));
        if !goes_on {
            state.finished = true;
            self.changed.notify_all();
        }
    }

    /// Takes part until no rank has a task left, or the loop ends.
    fn take_part(&self, comm: &dyn Comm, window: &WindowOf<'_>, begin: &mut Begin<'_>) {
        lock(&self.state).has_run = true;
        // Workers do not wait for a thread that has ended.
        let _finish = Finish(self);
        let mut part = Part { stealing: self, comm, window, begin };
        while !lock(&self.state).finished && part.round() {
            let start = Instant::now();
            while start.elapsed() < PAUSE
                && let Some(task) = self.next()
            {
                (part.begin)(task);
            }
        }
    }

    /// Ends the moves, and returns the tasks that have run on this rank.
    pub fn ran(&self) -> Vec<usize> {
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
        lock(&self.0.state).finished = true;
        self.0.changed.notify_all();
    }
}

/// The rank's own thread among the workers.
struct Part<'s, 'b> {
    stealing: &'s Stealing,
    comm: &'s dyn Comm,
    window: &'s WindowOf<'s>,
    begin: &'s mut Begin<'b>,
}

impl Part<'_, '_> {
    /// Returns whether there may be tasks left.
    fn round(&mut self) -> bool {
        let (rank, ranks) = (self.comm.rank(), self.comm.ranks());
        let own = {
            let state = lock(&self.stealing.state);
            let mean = state.mean.map_or(0, |mean| u64::try_from(mean.as_nanos()).unwrap_or(u64::MAX).max(1));
            [state.queue.len() as u64, mean]
        };
        let bytes: Vec<u8> = own.iter().flat_map(|word| word.to_le_bytes()).collect();
        let others: Vec<usize> = (0..ranks).filter(|other| *other != rank).collect();
        let sends = others.iter().map(|to| (*to, bytes.clone())).collect();
        let received = self.exchange(sends, others.iter().map(|from| (*from, bytes.len())).collect());
        let mut all = vec![own; ranks];
        for (from, message) in others.iter().zip(&received) {
            all[*from] = [0, 1].map(|at| word(message, at));
        }
        if all.iter().all(|[left, _]| *left == 0) {
            return false;
        }
        let of_rank = |[left, mean]: &[u64; 2]| Left { tasks: *left as usize, mean: *mean };
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
                let _ = self.stealing.arrived[*task].set(Arrived {
                    windows,
                    slots,
                    begun: AtomicBool::new(false),
                    _memory: memory,
                });
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
        let (stealing, begin) = (self.stealing, &mut *self.begin);
        self.comm.exchange_overlapped(&sends, &mut receives, &mut || stealing.next().is_some_and(&mut *begin));
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
}

/// Who gives how many tasks to whom: ranks with less than two thirds of an equal part of the time get the rest of it, from the ranks that have most.
fn gifts(ranks: &[Left]) -> Vec<Gift> {
    let known = ranks.iter().filter(|rank| rank.mean > 0);
    let usual = known.clone().map(|rank| u128::from(rank.mean)).sum::<u128>().checked_div(known.count() as u128);
    let mean = |rank: usize| if ranks[rank].mean > 0 { ranks[rank].mean.into() } else { usual.unwrap_or(1).max(1) };
    let mut time: Vec<u128> = (0..ranks.len()).map(|rank| ranks[rank].tasks as u128 * mean(rank)).collect();
    let part = time.iter().sum::<u128>().div_ceil(ranks.len() as u128);
    let (mut poor, rich): (Vec<usize>, Vec<usize>) = (0..ranks.len()).partition(|rank| 3 * time[*rank] < 2 * part);
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
        let of =
            |tasks: &[usize]| -> Vec<Left> { tasks.iter().map(|tasks| Left { tasks: *tasks, mean: 1000 }).collect() };
        assert_eq!(gifts(&of(&[0, 40, 40, 40])).iter().map(|gift| gift.count).sum::<usize>(), 30);
        assert_eq!(gifts(&of(&[20, 30, 25, 25])), []);
        assert_eq!(gifts(&of(&[0, 0, 2, 0])), [Gift { from: 2, to: 0, count: 1 }]);
        assert_eq!(gifts(&of(&[0, 0, 1, 0])), []);
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
            let mut left = || Left { tasks: next() % 30, mean: next() as u64 % 9 };
            let left: Vec<Left> = (0..7).map(|_| left()).collect();
            let found = gifts(&left);
            for gift in &found {
                assert!(found.iter().all(|other| other.to != gift.from && gift.count > 0), "{left:?}: {found:?}");
                let pairs = found.iter().filter(|other| (other.from, other.to) == (gift.from, gift.to));
                assert_eq!(pairs.count(), 1, "{left:?}: {found:?}");
                let given: usize = found.iter().filter(|other| other.from == gift.from).map(|gift| gift.count).sum();
                assert!(given <= left[gift.from].tasks);
            }
        }
    }
}
