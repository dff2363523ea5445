//! The plan of a loop in one call: which rank runs which iterations, and with which form of the body.

use super::disjoint::prove_disjoint;
use super::site::{Instance, Interleaving, Weight};
use super::touched::{ByArray, touched, written};
use super::traffic::TrafficReport;
use crate::call::Call;
use crate::data::{Elements, Layout, overlap};
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

/// The calling thread alone runs a loop that takes less than this, because waking workers costs about as much.
const WORTHWHILE_PICOSECONDS: u64 = 20_000_000;

pub(super) struct Plan {
    /// The positions that this rank runs. If blocks are on [other ranks](Scattered) than their tokens, the positions whose results it has.
    pub mine: Range<usize>,
    pub scattered_blocks: Option<Scattered>,
    /// Positions in a chunk.
    pub chunk: usize,
    /// Whether the last rank runs the first positions.
    pub backwards: bool,
    /// Whether all accesses of this rank's iterations are proved to be inside the windows.
    pub inside: bool,
    /// If `inside` is `false`: whether all accesses of some chunks may be inside the windows.
    pub inside_in_parts: bool,
    /// Whether disjoint ranges of iterations access disjoint intervals.
    pub ordered: bool,
    /// Whether the loop writes any array.
    pub writes: bool,
    /// The interval that this rank's iterations may access, for each array.
    pub hulls: Hulls,
    /// For arrays whose accesses all have the same step: the elements that a position may access, as
    /// `step * position + lo .. step * position + hi`. Chunks then need no evaluation of the footprint. Empty with a single worker.
    steps: Steps,
    /// The elements that go past the caches.
    pub sets: SmallVec<[Set; 1]>,
    /// The elements that the iterations of each rank may access, array by array.
    pub by_rank: Vec<Vec<Elements>>,
    /// Whether iterations of any rank access remote elements of an array that the loop writes.
    pub elsewhere: bool,
    /// For arrays with remote writes, if no two ranks write the same element: the elements that each rank may write.
    pub written: Vec<Option<Vec<Elements>>>,
    /// The interval of each array's window.
    pub held: Hulls,
    /// The arrays whose windows have gaps, and the elements in these windows.
    pub sparse: Vec<(usize, Elements)>,
    /// Whether any window has single elements, which only the checked form can access.
    pub scattered: bool,
    /// The number of workers.
    pub workers: usize,
    /// The schedule, and whether workers take single chunks because the user chose their length.
    pub schedule: Schedule,
    pub by_chunk: bool,
    /// The cost of an iteration in picoseconds, measured or estimated.
    pub cost: u64,
    /// Reports the traffic between ranks, if enabled.
    pub report: Option<TrafficReport>,
}

/// The most bytes of an array that an iteration sets and that go past the caches: a buffer has at least 64 iterations.
const MOST_BYTES: usize = 64;

/// Elements that iterations set without reading them: iteration `p` the `count` elements from `count * p + first` on.
#[derive(Debug, Clone, Copy)]
pub(super) struct Set {
    pub array: usize,
    pub count: usize,
    first: i64,
}

impl Set {
    /// The elements that these iterations set.
    #[inline]
    pub fn elements(&self, positions: &Range<usize>) -> Range<usize> {
        let element = |position: usize| (self.count as i64 * position as i64 + self.first) as usize;
        element(positions.start)..element(positions.end)
    }
}

/// For each array, `step * position + lo ..= step * position + hi`.
type Steps = SmallVec<[Option<(i64, i64, i64)>; 8]>;

/// Iterations over blocks on other ranks than their tokens.
pub(super) struct Scattered {
    /// The rank that runs each position.
    runs: Vec<usize>,
    /// For each rank, the positions whose results it has.
    homes: Vec<Range<usize>>,
}

/// Consecutive positions of one rank, and the ranks of those before and after.
pub(super) struct Turn {
    pub positions: Range<usize>,
    pub rank: usize,
    pub before: Option<usize>,
    pub after: Option<usize>,
}

impl Scattered {
    /// The rank that has the results of a position.
    pub fn home(&self, position: usize) -> usize {
        self.homes.iter().position(|home| home.contains(&position)).expect("each position has a home")
    }

    /// The turns of the ranks, if the iterations run in order.
    pub fn turns(&self) -> impl Iterator<Item = Turn> + '_ {
        let mut start = 0;
        self.runs.chunk_by(|one, two| one == two).map(move |run| {
            let positions = start..start + run.len();
            start = positions.end;
            let before = positions.start.checked_sub(1).map(|before| self.runs[before]);
            Turn { rank: run[0], before, after: self.runs.get(positions.end).copied(), positions }
        })
    }

    /// The parts of consecutive positions with different homes.
    pub fn by_home(&self, positions: Range<usize>) -> Vec<Range<usize>> {
        let mut parts: Vec<Range<usize>> = self.homes.iter().map(|home| overlap(home, &positions)).collect();
        parts.retain(|part| !part.is_empty());
        parts.sort_by_key(|part| part.start);
        parts
    }

    /// The positions that a rank runs.
    pub fn positions(&self, rank: usize) -> impl Iterator<Item = usize> + '_ {
        (0..self.runs.len()).filter(move |position| self.runs[*position] == rank)
    }
}

/// The requirements of the accumulators on a plan.
#[derive(Clone, Copy)]
pub(super) struct Wishes {
    /// Whether the boundaries of ranks are boundaries of chunks.
    pub aligned: bool,
    /// The largest useful number of chunks.
    pub chunks: usize,
    /// Whether the order of ranks must be the order of iterations.
    pub forwards: bool,
    /// The number of parts of a chunk.
    pub parts: usize,
}

impl Wishes {
    /// The largest useful number of chunks: few if their results are large, and a moderate number if chunks are summarised quickly.
    pub fn most(bulky: bool, settles: bool) -> usize {
        match (bulky, settles) {
            (true, _) => 32,
            (false, true) => 256,
            (false, false) => usize::MAX,
        }
    }
}

/// Computes the interval that accesses touch in each array, clipped to the array. Returns whether all were known and none was clipped.
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

/// The intervals for a range of positions.
fn hulls_of(footprint: &Footprint<'_>, positions: Range<usize>, lens: &[Range<usize>], to: &mut Hulls) -> bool {
    let mut accesses = Accesses::default();
    footprint(positions, &mut accesses);
    hulls(&accesses, lens, to)
}

impl Plan {
    /// A plan for a range of positions, with defaults.
    pub(super) fn over(mine: Range<usize>, chunk: usize, cost: u64) -> Plan {
        Plan {
            mine,
            scattered_blocks: None,
            chunk,
            backwards: false,
            inside: true,
            inside_in_parts: true,
            ordered: false,
            writes: false,
            hulls: Hulls::new(),
            steps: SmallVec::new(),
            sets: SmallVec::new(),
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
        // Each block is a chunk, and there are at most as many workers as blocks in memory.
        let stays = slots.iter().filter_map(|slot| slot.place().stays.as_ref()).map(|stays| stays.workers).min();
        let one = stays.is_some().then_some(1);
        let grain = if one.is_none() { context.settings().grain } else { None };
        let wanted = one.or_else(|| if grain.is_none() { site.grain.of(iterations) } else { None });
        let chunk = grain.map(NonZeroUsize::get).or(wanted).unwrap_or_else(|| {
            let chunk = match site.weight {
                Weight::Light => crate::data::chunk_len(iterations),
                Weight::Medium => (iterations / 1024).next_power_of_two().clamp(32, 1 << 16),
                Weight::Heavy => (iterations / 1024).next_power_of_two(),
            };
            // Shorter chunks cost more than their iterations.
            let least = if site.weight == Weight::Light { 1024 } else { 1 };
            let chunk = (chunk / wishes.parts).max(least);
            chunk.max((iterations / wishes.chunks).next_power_of_two())
        });
        let writes = slots.iter().any(|slot| slot.writes());
        // A large value, which is not moved.
        let mut accesses = Accesses::default();
        if iterations > 0 {
            footprint(0..iterations, &mut accesses);
        }
        // The compiler's proof assumes that no index wraps around, which is checked here.
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
            plan.refuse_blocks_elsewhere(site, slots, footprint);
        }
        if plan.scattered_blocks.is_some() {
            plan.workers = workers.min(iterations).min(stays.unwrap_or(usize::MAX)).max(1);
        } else if workers > 1 && plan.mine.len() > 1 {
            // A user who has chosen a grain knows the cost of an iteration better than the estimate.
            let worthwhile = grain.is_some()
                || plan.by_chunk && !site.is_measured()
                || plan.cost.saturating_mul(plan.mine.len() as u64) > WORTHWHILE_PICOSECONDS;
            let chunks = plan.mine.len().div_ceil(plan.chunk);
            plan.workers = if worthwhile { workers.min(chunks).min(stays.unwrap_or(usize::MAX)) } else { 1 };
        }
        let sets = slots.iter().any(|slot| slot.sets() > 0) && site.interleaving == Interleaving::Free;
        if plan.workers > 1 || sets {
            steps(&accesses, plan.held.len(), &mut plan.steps);
        }
        if sets {
            plan.sets = sets_of(slots, &plan.steps, plan.mine.len(), context.settings().cache());
        }
        plan
    }

    /// Assigns positions to the ranks so that little communication is needed.
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
            let number = if backwards { ranks - 1 - rank } else { rank };
            bounds[number]..bounds[number + 1]
        };
        self.mine = positions(rank);
        let places: Vec<&Layout> = places.into_iter().map(|(place, _)| place).collect();
        if let Some(runs) = ranks_of_blocks(&places, accesses, iterations) {
            self.scattered_blocks = Some(Scattered { runs, homes: (0..ranks).map(positions).collect() });
        }
        let scattered = self.scattered_blocks.take();
        let of_rank = |of: &dyn Fn(Range<usize>) -> ByArray, other: usize| match &scattered {
            Some(scattered) => together(&scattered.positions(other).collect::<Vec<_>>(), of, places.len()),
            None => of(positions(other)),
        };
        self.by_rank = vec![Vec::with_capacity(ranks); places.len()];
        for other in 0..ranks {
            let theirs = of_rank(&|positions| touched(footprint, positions, &places, other), other);
            self.by_rank.iter_mut().zip(theirs).for_each(|(list, touched)| list.push(touched));
        }
        self.written = vec![None; places.len()];
        let remote = |array: usize| slots[array].writes() && slots[array].is_remote(&self.by_rank[array]);
        let remote: Vec<usize> = (0..places.len()).filter(|array| remote(*array)).collect();
        self.elsewhere = !remote.is_empty();
        let all: Vec<_> = match remote.is_empty() {
            true => Vec::new(),
            false => {
                let of = |other| of_rank(&|positions| written(footprint, positions, &places, other), other);
                (0..ranks).map(of).collect()
            }
        };
        self.scattered_blocks = scattered;
        for array in remote {
            // Only fetched elements are in the window.
            let of_rank = |(all, touched): (&ByArray, &Elements)| all[array].common(touched);
            let of_all: Vec<Elements> = all.iter().zip(&self.by_rank[array]).map(of_rank).collect();
            self.written[array] = Elements::are_disjoint(&of_all).then_some(of_all);
        }
    }

    /// Rejects remote blocks: a loop over two sets of blocks needs both blocks of an iteration on the same rank.
    fn refuse_blocks_elsewhere(&self, site: &Instance, slots: &List<'_>, footprint: &Footprint<'_>) {
        let is_apart = |array: usize, place: &Layout| {
            let Some(Scattered { runs, .. }) = &self.scattered_blocks else {
                return slots[array].is_remote(&self.by_rank[array]);
            };
            runs.iter().enumerate().any(|(position, rank)| {
                let mut accesses = Accesses::default();
                footprint(position..position + 1, &mut accesses);
                let blocks = accesses.iter().filter(|access| access.slot == array).filter_map(Access::interval);
                blocks.flat_map(|(first, last)| first..=last).any(|block| place.holder(block as usize) != *rank)
            })
        };
        for (array, slot) in slots.iter().enumerate() {
            if slot.place().stays.is_some() && is_apart(array, slot.place()) {
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

    /// Rejects a loop whose results stay on the ranks that run its iterations, if blocks are on other ranks than their tokens.
    pub fn refuse_scattered(&self, site: &Instance, reason: &str) {
        if self.scattered_blocks.is_some() {
            (site.refuse)(format_args!(
                "FA065: `{}`: loop {} needs consecutive blocks on each rank, because {reason}; call \
                 `blocks.assign(&Assigner::Contiguous)` before",
                site.name,
                site.number + 1,
            ));
        }
    }

    /// Completes the plan with the contents of the open windows.
    pub fn settle(&mut self, held: Hulls, sparse: Vec<(usize, Elements)>, footprint: &Footprint<'_>) {
        (self.held, self.sparse) = (held, sparse);
        if self.scattered_blocks.is_some() {
            // Each iteration is proved by itself.
            (self.inside, self.inside_in_parts) = (false, true);
            self.hulls = self.held.clone();
        } else if self.mine.is_empty() {
            self.hulls = self.held.iter().map(|held| held.start..held.start).collect();
        } else {
            let mut hulls = Hulls::new();
            self.inside = self.holds(self.mine.clone(), footprint, &mut hulls);
            self.hulls = hulls;
            self.look_at_parts(footprint);
        }
    }

    /// The plan for some positions of this rank.
    pub fn part(&self, positions: Range<usize>) -> Plan {
        Plan {
            backwards: self.backwards,
            inside: self.inside,
            inside_in_parts: self.inside_in_parts,
            ordered: self.ordered,
            writes: self.writes,
            hulls: self.hulls.clone(),
            steps: self.steps.clone(),
            sets: self.sets.clone(),
            held: self.held.clone(),
            sparse: self.sparse.clone(),
            scattered: self.scattered,
            workers: self.workers,
            schedule: self.schedule,
            by_chunk: self.by_chunk,
            ..Plan::over(positions, self.chunk, self.cost)
        }
    }

    /// The plan of the interior: the longest run of chunks around the middle one whose accesses are proved to be inside `held`.
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

    /// Computes the intervals that positions access. Returns whether the windows have all of these elements.
    fn holds(&self, positions: Range<usize>, footprint: &Footprint<'_>, hulls: &mut Hulls) -> bool {
        let inside = hulls_of(footprint, positions, &self.held, hulls);
        inside && !self.scattered && self.sparse.iter().all(|(array, held)| held.hold(&hulls[*array]))
    }

    /// Tests an iteration in the middle: if even this one is not proved, none is.
    fn look_at_parts(&mut self, footprint: &Footprint<'_>) {
        if !self.inside && !self.mine.is_empty() {
            let middle = self.mine.start + self.mine.len() / 2;
            self.inside_in_parts = self.holds(middle..middle + 1, footprint, &mut Hulls::new());
        }
    }

    /// The intervals that positions may access, and whether the windows have all of these elements.
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

    /// The number of chunks that take about this time; at least one.
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

/// Binary search: the least number for which a monotone predicate holds, or the end of the range.
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

/// The union of the elements at these positions.
fn together(positions: &[usize], of: &dyn Fn(Range<usize>) -> ByArray, arrays: usize) -> ByArray {
    let mut all: Vec<Vec<Range<usize>>> = vec![Vec::new(); arrays];
    for run in positions.chunk_by(|one, two| one + 1 == *two) {
        let found = of(run[0]..run[0] + run.len());
        all.iter_mut().zip(&found).for_each(|(all, found)| all.extend(found.ranges()));
    }
    all.into_iter().map(Elements::of).collect()
}

/// The rank of each position, if the loop goes over blocks on other ranks than their tokens.
fn ranks_of_blocks(places: &[&Layout], accesses: &[Access], iterations: usize) -> Option<Vec<usize>> {
    if !places.iter().any(|place| place.is_elsewhere()) {
        return None;
    }
    let (place, a, lo) = leading_blocks(places, accesses)?;
    Some((0..iterations as i64).map(|position| place.holder((a * position + lo) as usize)).collect())
}

/// The blocks that a loop goes over, as an affine function of the position.
fn leading_blocks<'p>(places: &[&'p Layout], accesses: &[Access]) -> Option<(&'p Layout, i64, i64)> {
    accesses.iter().find_map(|access| {
        let place = places[access.slot];
        let (a, lo, _) = access.affine()?;
        (place.stays.is_some() && a != 0 && place.len > 0).then_some((place, a, lo))
    })
}

/// The elements that go past the caches: those that so many iterations set, if they are longer than the last cache.
fn sets_of(slots: &List<'_>, steps: &Steps, iterations: usize, cache: Option<usize>) -> SmallVec<[Set; 1]> {
    let bytes_of = |set: &Set| set.count * slots[set.array].element_size();
    let set = |array: usize| {
        let (count, (step, lo, hi)) = (slots[array].sets(), steps[array]?);
        let set = Set { array, count, first: lo };
        let dense = count > 0 && step == count as i64 && hi - lo + 1 == step;
        (dense && bytes_of(&set) <= MOST_BYTES).then_some(set)
    };
    let sets: SmallVec<[Set; 1]> = (0..slots.len()).filter_map(set).collect();
    let bytes: usize = sets.iter().map(|set| bytes_of(set) * iterations).sum();
    if cache.is_some_and(|cache| bytes > cache) { sets } else { SmallVec::new() }
}

/// The boundaries of the ranks' positions (owner computes): an iteration runs on the owner of the first element that it accesses of the
/// leading array.
fn bounds(
    places: &[(&Layout, bool)],
    accesses: &[Access],
    iterations: usize,
    ranks: usize,
    wishes: Wishes,
    chunk: usize,
) -> (Vec<usize>, bool) {
    // The leading array is the first one with an affine write, else the first one with an affine read.
    let leads = |writes: bool| {
        accesses.iter().find_map(|access| {
            let (place, written) = &places[access.slot];
            let (a, lo, hi) = access.affine()?;
            let fits = a != 0 && (a > 0 || !wishes.forwards) && !place.everywhere && place.len > 0;
            // An iteration that accesses the whole array has no owner.
            let near = hi - lo < a.abs() || hi - lo <= (place.len / ranks) as i64;
            (fits && near && access.writes == writes && (*written || !writes)).then_some((*place, a, lo))
        })
    };
    let round = |position: i64| {
        let position = position.clamp(0, iterations as i64) as usize;
        if wishes.aligned && position < iterations { (position + chunk / 2) / chunk * chunk } else { position }
            .min(iterations)
    };
    // Blocks cannot move, so they lead before any array.
    let layouts: Vec<&Layout> = places.iter().map(|(place, _)| *place).collect();
    let block = leading_blocks(&layouts, accesses);
    let Some((place, a, lo)) = block.or_else(|| leads(true)).or_else(|| leads(false)) else {
        let even = |rank: usize| round((iterations as u128 * rank as u128 / ranks as u128) as i64);
        let mut bounds: Vec<usize> = (0..=ranks).map(even).collect();
        bounds[ranks] = iterations;
        return (bounds, false);
    };
    let backwards = a < 0;
    let mut bounds = vec![0; ranks + 1];
    for (number, bound) in bounds.iter_mut().enumerate().take(ranks).skip(1) {
        // The first position whose lowest element is in this rank's share or beyond it.
        *bound = round(if backwards {
            // In reverse order: positions below have elements from `start` on.
            let start = place.share_of(ranks - number).start as i64;
            (lo - start).div_euclid(-a) + 1
        } else {
            let start = place.share_of(number).start as i64;
            (start - lo + a - 1).div_euclid(a)
        });
    }
    bounds[ranks] = iterations;
    for number in 1..=ranks {
        bounds[number] = bounds[number].max(bounds[number - 1]);
    }
    (bounds, backwards)
}
