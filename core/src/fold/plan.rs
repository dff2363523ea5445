//! What will be done for one loop of one call: who runs which iterations, and which form of the body.

use super::disjoint::prove_disjoint;
use super::site::{Instance, Weight};
use super::touched::{ByArray, touched, written};
use super::traffic::TrafficReport;
use crate::call::Call;
use crate::data::{Elements, Layout};
use crate::footprint::{Access, Accesses, Footprint, Values};
use crate::runtime::Rank;
use crate::settings::Schedule;
use crate::slot::List;
use smallvec::SmallVec;
use std::num::NonZeroUsize;
use std::ops::Range;
use std::time::Duration;

/// Ranges of elements, one for each array of a loop.
pub(super) type Hulls = SmallVec<[Range<usize>; 8]>;

/// A loop that takes less than this is run by the calling thread: waking others costs about as much.
const WORTHWHILE_PICOSECONDS: u64 = 20_000_000;

pub(super) struct Plan {
    /// The positions that this rank runs.
    pub mine: Range<usize>,
    /// Positions in a chunk.
    pub chunk: usize,
    /// Whether the ranks take the positions in the opposite order.
    pub backwards: bool,
    /// Whether every access of this rank's iterations is proved to lie inside its window.
    pub inside: bool,
    /// Whether that may hold for some of the chunks where it does not hold for all of them.
    pub inside_in_parts: bool,
    /// Whether the elements from the lowest to the highest that a range of iterations touches belong to it alone.
    pub ordered: bool,
    /// Whether the loop writes any array.
    pub writes: bool,
    /// The elements that this rank's iterations can touch.
    pub hulls: Hulls,
    /// Where every access of an array moves by a fixed step: the elements that a position can touch, as
    /// `step * position + lo .. step * position + hi`. Chunks then need no evaluation of their own. Empty where one worker has all.
    steps: Steps,
    /// The elements that every rank's iterations can touch, array by array.
    pub by_rank: Vec<Vec<Elements>>,
    /// Whether iterations of some rank touch elements of another in an array that the loop writes.
    pub elsewhere: bool,
    /// Those that they can write, of the arrays of which some are written elsewhere, and none by two ranks.
    pub written: Vec<Option<Vec<Elements>>>,
    /// What each array's window holds, from the first element to the last one.
    pub held: Hulls,
    /// The arrays of which it does not hold all elements in between, and those that it holds.
    pub sparse: Vec<(usize, Elements)>,
    /// Whether any window holds single elements only, which the proved form cannot find.
    pub scattered: bool,
    /// How many workers take part.
    pub workers: usize,
    /// How they share the chunks, and whether they take one at a time because the author chose its length.
    pub schedule: Schedule,
    pub by_chunk: bool,
    /// What an iteration costs, in picoseconds, as far as it is known.
    pub cost: u64,
    /// Tells what moves between ranks, if that is asked for.
    pub report: Option<TrafficReport>,
}

/// For each array, `step * position + lo ..= step * position + hi`.
type Steps = SmallVec<[Option<(i64, i64, i64)>; 8]>;

/// What the accumulators ask of a plan.
#[derive(Clone, Copy)]
pub(super) struct Wishes {
    /// Ranks are cut at chunks.
    pub aligned: bool,
    /// How many chunks there should be at most.
    pub chunks: usize,
    /// Rank order must be iteration order.
    pub forwards: bool,
    /// How many parts a chunk is cut into.
    pub parts: usize,
}

impl Wishes {
    /// How many chunks there should be at most: few where each leaves so much behind that merging takes time, and not many
    /// where it leaves so little that more are of no use.
    pub fn most(bulky: bool, settles: bool) -> usize {
        match (bulky, settles) {
            (true, _) => 32,
            (false, true) => 256,
            (false, false) => usize::MAX,
        }
    }
}

/// Finds the elements that accesses touch in each array, clipped to the array. Whether nothing was unknown or clipped.
fn hulls(accesses: &[Access], lens: &[Range<usize>], clipped: &mut Hulls) -> bool {
    let mut hulls: SmallVec<[(i64, i64); 8]> = SmallVec::from_elem((i64::MAX, i64::MIN), lens.len());
    let mut inside = true;
    for access in accesses {
        inside &= access.unguarded();
        let (lo, hi) = &mut hulls[access.slot];
        match access.interval() {
            // An empty range of elements.
            Some((first, last)) if first > last => {}
            Some((first, last)) => {
                *lo = (*lo).min(first);
                *hi = (*hi).max(last);
            }
            None => {
                (*lo, *hi) = (i64::MIN, i64::MAX - 1);
            }
        }
    }
    clipped.clear();
    for (&(lo, hi), len) in hulls.iter().zip(lens) {
        let (start, end) = (len.start as i64, len.end as i64);
        clipped.push(if lo > hi {
            len.start..len.start
        } else {
            inside &= lo >= start && hi < end;
            let lo = lo.clamp(start, end) as usize;
            lo..((hi + 1).clamp(start, end) as usize).max(lo)
        });
    }
    inside
}

/// Those of a range of positions.
fn hulls_of(footprint: &Footprint<'_>, positions: Range<usize>, lens: &[Range<usize>], to: &mut Hulls) -> bool {
    let mut accesses = Accesses::default();
    footprint(positions, &mut accesses);
    hulls(&accesses, lens, to)
}

impl Plan {
    /// A plan of positions that is not made yet.
    pub(super) fn over(mine: Range<usize>, chunk: usize, cost: u64) -> Plan {
        Plan {
            mine,
            chunk,
            backwards: false,
            inside: true,
            inside_in_parts: true,
            ordered: false,
            writes: false,
            hulls: Hulls::new(),
            steps: SmallVec::new(),
            by_rank: Vec::new(),
            elsewhere: false,
            written: Vec::new(),
            held: Hulls::new(),
            sparse: Vec::new(),
            scattered: false,
            workers: 1,
            schedule: Schedule::default(),
            by_chunk: false,
            cost,
            report: None,
        }
    }

    pub fn make(
        call: &Call,
        site: &'static Instance,
        iterations: usize,
        slots: &List<'_>,
        (footprint, values): (&Footprint<'_>, Option<&Values<'_>>),
        wishes: Wishes,
    ) -> Plan {
        let context = &*call.context;
        // Blocks are worked on one by one, and by no more workers than may have one in memory.
        let stays = slots.iter().filter_map(|slot| slot.place().stays).min();
        let one = stays.is_some().then_some(1);
        let grain = if one.is_none() { context.settings().grain } else { None };
        let wanted = one.or_else(|| if grain.is_none() { site.grain.of(iterations) } else { None });
        let chunk = grain.map(NonZeroUsize::get).or(wanted).unwrap_or_else(|| {
            let chunk = match site.weight {
                Weight::Light => crate::data::chunk_len(iterations),
                Weight::Medium => (iterations / 1024).next_power_of_two().clamp(32, 1 << 16),
                Weight::Heavy => (iterations / 1024).next_power_of_two(),
            };
            // Shorter ones than this cost more by themselves than light iterations do.
            let least = if site.weight == Weight::Light { 1024 } else { 1 };
            let chunk = (chunk / wishes.parts).max(least);
            chunk.max((iterations / wishes.chunks).next_power_of_two())
        });
        let writes = slots.iter().any(|slot| slot.writes());
        // They are many bytes, and stay where they are made.
        let mut accesses = Accesses::default();
        if iterations > 0 {
            footprint(0..iterations, &mut accesses);
        }
        // What the macro proved holds for the numbers as they are written; whether they wrap is known only here.
        let known = accesses.iter().all(|access| access.interval().is_some());
        let ordered = (site.ordered && known) || !writes || prove_disjoint(site, slots, &accesses, iterations, values);
        let workers = context.node().workers();
        let mut plan = Plan::over(0..iterations, chunk, site.cost());
        (plan.ordered, plan.writes) = (ordered, writes);
        (plan.schedule, plan.by_chunk) = (context.settings().schedule, wanted.is_some());
        plan.report = if iterations > 0 { TrafficReport::of(call, site) } else { None };
        slots.iter().for_each(|slot| plan.held.push(0..slot.place().len));
        if call.alone() {
            plan.inside = hulls(&accesses, &plan.held, &mut plan.hulls);
            plan.look_at_parts(footprint);
        } else {
            plan.over_ranks(context.this_rank(), iterations, slots, footprint, &accesses, wishes);
            plan.refuse_blocks_elsewhere(site, slots);
        }
        if workers > 1 && plan.mine.len() > 1 {
            // The author, who has chosen a grain, knows better what an iteration costs until it is measured.
            let worthwhile = grain.is_some()
                || plan.by_chunk && !site.is_measured()
                || plan.cost.saturating_mul(plan.mine.len() as u64) > WORTHWHILE_PICOSECONDS;
            let chunks = plan.mine.len().div_ceil(plan.chunk);
            plan.workers = if worthwhile { workers.min(chunks).min(stays.unwrap_or(usize::MAX)) } else { 1 };
        }
        if plan.workers > 1 {
            steps(&accesses, plan.held.len(), &mut plan.steps);
        }
        plan
    }

    /// Chooses each rank's positions so that little moves.
    #[cold]
    fn over_ranks(
        &mut self,
        Rank { rank, ranks }: Rank,
        iterations: usize,
        slots: &List<'_>,
        footprint: &Footprint<'_>,
        accesses: &[Access],
        wishes: Wishes,
    ) {
        let places: Vec<(&Layout, bool)> = slots.iter().map(|slot| (slot.place(), slot.writes())).collect();
        let (bounds, backwards) = bounds(&places, accesses, iterations, ranks, wishes, self.chunk);
        self.backwards = backwards;
        let positions = |rank: usize| {
            let turn = if backwards { ranks - 1 - rank } else { rank };
            bounds[turn]..bounds[turn + 1]
        };
        self.mine = positions(rank);
        let places: Vec<&Layout> = places.into_iter().map(|(place, _)| place).collect();
        self.by_rank = vec![Vec::with_capacity(ranks); places.len()];
        for other in 0..ranks {
            let theirs = touched(footprint, positions(other), &places, other);
            self.by_rank.iter_mut().zip(theirs).for_each(|(list, touched)| list.push(touched));
        }
        self.written = vec![None; places.len()];
        let remote = |array: usize| slots[array].writes() && slots[array].is_remote(&self.by_rank[array]);
        let remote: Vec<usize> = (0..places.len()).filter(|array| remote(*array)).collect();
        self.elsewhere = !remote.is_empty();
        if remote.is_empty() {
            return;
        }
        let all: Vec<_> = (0..ranks).map(|other| written(footprint, positions(other), &places, other)).collect();
        for array in remote {
            // What was not fetched is not held.
            let of_rank = |(all, touched): (&ByArray, &Elements)| all[array].common(touched);
            let of_all: Vec<Elements> = all.iter().zip(&self.by_rank[array]).map(of_rank).collect();
            self.written[array] = Elements::are_disjoint(&of_all).then_some(of_all);
        }
    }

    /// Blocks are worked on where they are: a loop that goes through those of two sets side by side needs both on the same ranks.
    fn refuse_blocks_elsewhere(&self, site: &Instance, slots: &List<'_>) {
        for (array, (slot, touched)) in slots.iter().zip(&self.by_rank).enumerate() {
            if slot.place().stays.is_some() && slot.is_remote(touched) {
                (site.refuse)(format_args!(
                    "FA065: `{}`: iterations of loop {} need blocks of `{}` that are on other ranks than the blocks beside them; go through \
                     as many blocks of each, from the first one on, or send what is needed as messages",
                    site.name,
                    site.number + 1,
                    site.arrays.get(array).unwrap_or(&"?"),
                ));
            }
        }
    }

    /// What the windows hold, once they are open.
    pub fn settle(&mut self, held: Hulls, sparse: Vec<(usize, Elements)>, footprint: &Footprint<'_>) {
        (self.held, self.sparse) = (held, sparse);
        if self.mine.is_empty() {
            self.hulls = self.held.iter().map(|held| held.start..held.start).collect();
        } else {
            let mut hulls = Hulls::new();
            self.inside = self.holds(self.mine.clone(), footprint, &mut hulls);
            self.hulls = hulls;
            self.look_at_parts(footprint);
        }
    }

    /// The same for some of its positions, on this rank alone.
    pub fn part(&self, positions: Range<usize>) -> Plan {
        Plan {
            backwards: self.backwards,
            inside: self.inside,
            inside_in_parts: self.inside_in_parts,
            ordered: self.ordered,
            writes: self.writes,
            hulls: self.hulls.clone(),
            steps: self.steps.clone(),
            held: self.held.clone(),
            sparse: self.sparse.clone(),
            scattered: self.scattered,
            workers: self.workers,
            schedule: self.schedule,
            by_chunk: self.by_chunk,
            ..Plan::over(positions, self.chunk, self.cost)
        }
    }

    /// The plan of chunks around the middle one, as many as there are of which windows that hold no more than this are proved to hold
    /// all elements.
    pub fn interior(&self, held: Hulls, footprint: &Footprint<'_>) -> Option<Plan> {
        let mut plan = Plan { held, sparse: Vec::new(), scattered: false, ..self.part(self.mine.clone()) };
        let (chunks, mut hulls) = (plan.chunks(), Hulls::new());
        let middle = chunks.start + chunks.len() / 2;
        let positions = |chunks: Range<usize>| plan.positions(chunks.start).start..plan.positions(chunks.end - 1).end;
        let mut holds = |chunks: Range<usize>| plan.holds(positions(chunks), footprint, &mut hulls);
        if chunks.is_empty() || !holds(middle..middle + 1) {
            return None;
        }
        let start = least(chunks.start..middle, |start| holds(start..middle + 1));
        let end = chunks.end - least(0..chunks.end - middle - 1, |fewer| holds(middle..chunks.end - fewer));
        let mine = positions(start..end);
        plan.inside = plan.holds(mine.clone(), footprint, &mut hulls);
        (plan.mine, plan.hulls) = (mine, hulls);
        plan.inside.then_some(plan)
    }

    /// Finds the elements that positions touch; whether the windows hold all from the first of them to the last one.
    fn holds(&self, positions: Range<usize>, footprint: &Footprint<'_>, hulls: &mut Hulls) -> bool {
        let inside = hulls_of(footprint, positions, &self.held, hulls);
        inside && !self.scattered && self.sparse.iter().all(|(array, held)| held.hold(&hulls[*array]))
    }

    /// Where not even an iteration amid the others is proved, what is missing is proved for none of them.
    fn look_at_parts(&mut self, footprint: &Footprint<'_>) {
        if !self.inside && !self.mine.is_empty() {
            let middle = self.mine.start + self.mine.len() / 2;
            self.inside_in_parts = self.holds(middle..middle + 1, footprint, &mut Hulls::new());
        }
    }

    /// The elements that these positions can touch in each array, and whether all of them are held.
    pub fn footprint(&self, positions: &Range<usize>, footprint: &Footprint<'_>) -> (Hulls, bool) {
        if !self.inside || self.steps.len() < self.held.len() || self.steps.iter().any(Option::is_none) {
            let mut hulls = Hulls::new();
            let inside = self.holds(positions.clone(), footprint, &mut hulls);
            return (hulls, inside);
        }
        let (first, last) = (positions.start as i64, positions.end as i64 - 1);
        let reach = |(&step, held): (&Option<(i64, i64, i64)>, &Range<usize>)| {
            let (a, lo, hi) = step.unwrap_or_default();
            let (one, two) = (a * first, a * last);
            let start = (one.min(two) + lo).clamp(held.start as i64, held.end as i64) as usize;
            start..((one.max(two) + hi + 1).clamp(held.start as i64, held.end as i64) as usize).max(start)
        };
        (self.steps.iter().zip(&self.held).map(reach).collect(), true)
    }

    /// How many chunks take about so long; at least one.
    pub fn chunks_in(&self, time: Duration) -> usize {
        let fit = time.as_nanos() * 1000 / u128::from(self.cost.saturating_mul(self.chunk as u64).max(1));
        usize::try_from(fit).unwrap_or(usize::MAX).max(1)
    }

    /// The chunks of this rank, by their global numbers.
    pub fn chunks(&self) -> Range<usize> {
        if self.mine.is_empty() {
            return 0..0;
        }
        self.mine.start / self.chunk..self.mine.end.div_ceil(self.chunk)
    }

    /// The positions of a chunk that this rank runs.
    pub fn positions(&self, chunk: usize) -> Range<usize> {
        let start = (chunk * self.chunk).max(self.mine.start);
        start..((chunk + 1) * self.chunk).min(self.mine.end)
    }
}

/// The least number for which something holds that holds from there on; the end where it holds for none.
fn least(mut among: Range<usize>, mut holds: impl FnMut(usize) -> bool) -> usize {
    while !among.is_empty() {
        let middle = among.start + among.len() / 2;
        if holds(middle) {
            among.end = middle;
        } else {
            among.start = middle + 1;
        }
    }
    among.start
}

fn steps(accesses: &[Access], arrays: usize, to: &mut Steps) {
    let of_array = |array: usize| {
        let mut steps = accesses.iter().filter(|access| access.slot == array).map(Access::affine);
        // An array without any access has an empty footprint.
        let first = steps.next().unwrap_or(Some((0, 0, -1)));
        steps.fold(first, |one, two| match (one, two) {
            (Some((a, lo, hi)), Some((b, l, h))) if a == b => Some((a, lo.min(l), hi.max(h))),
            _ => None,
        })
    };
    (0..arrays).for_each(|array| to.push(of_array(array)));
}

/// Where each rank's positions begin: an iteration runs where the first element of the leading array that it touches is.
fn bounds(
    places: &[(&Layout, bool)],
    accesses: &[Access],
    iterations: usize,
    ranks: usize,
    wishes: Wishes,
    chunk: usize,
) -> (Vec<usize>, bool) {
    // The leading array is the first that is written where the iteration says, else the first that is read so.
    let leads = |writes: bool| {
        accesses.iter().find_map(|access| {
            let (place, written) = &places[access.slot];
            let (a, lo, hi) = access.affine()?;
            let fits = a != 0 && (a > 0 || !wishes.forwards) && !place.everywhere && place.len > 0;
            // An iteration that goes through the whole array is at home on no rank.
            let near = hi - lo < a.abs() || hi - lo <= (place.len / ranks) as i64;
            (fits && near && access.writes == writes && (*written || !writes)).then_some((place, a, lo))
        })
    };
    let round = |position: i64| {
        let position = position.clamp(0, iterations as i64) as usize;
        if wishes.aligned && position < iterations { (position + chunk / 2) / chunk * chunk } else { position }
            .min(iterations)
    };
    // Blocks stay where they are: they lead before any array.
    let block = accesses.iter().find_map(|access| {
        let (place, _) = &places[access.slot];
        let (a, lo, _) = access.affine()?;
        (place.stays.is_some() && a != 0 && place.len > 0).then_some((place, a, lo))
    });
    let Some((place, a, lo)) = block.or_else(|| leads(true)).or_else(|| leads(false)) else {
        let even = |rank: usize| round((iterations as u128 * rank as u128 / ranks as u128) as i64);
        let mut bounds: Vec<usize> = (0..=ranks).map(even).collect();
        bounds[ranks] = iterations;
        return (bounds, false);
    };
    let backwards = a < 0;
    let mut bounds = vec![0; ranks + 1];
    for (turn, bound) in bounds.iter_mut().enumerate().take(ranks).skip(1) {
        // The first position whose lowest element is in this turn's share or beyond it.
        *bound = round(if backwards {
            // Shares are taken from the last to the first: positions below have elements from `start` on.
            let start = place.share_of(ranks - turn).start as i64;
            (lo - start).div_euclid(-a) + 1
        } else {
            let start = place.share_of(turn).start as i64;
            (start - lo + a - 1).div_euclid(a)
        });
    }
    bounds[ranks] = iterations;
    for turn in 1..=ranks {
        bounds[turn] = bounds[turn].max(bounds[turn - 1]);
    }
    (bounds, backwards)
}
