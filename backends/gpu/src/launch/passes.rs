//! The passes of a launch.

use super::read::raised;
use super::region::{Region, Resident};
use super::run::{Run, Step};
use super::spread::{bins_of, cell_size};
use crate::bins;
use crate::layout;
use crate::memory::usage::Use;
use crate::shader::{Kernel, Rows, Shader};
use crate::text::look_back;
use crate::text::shape::{Leaf, Pass, leaf};
use crate::text::tree::LEAVES;
use crate::text::writer::Binding;
use crate::ways::LookBack;
use forall_core::device::{Cause, Refusal};

/// The results of the passes in the memory of the device.
#[derive(Debug, Default)]
pub(super) struct Left {
    /// The merged state, where the loop has one; of a scan, one for each level of running values.
    pub(super) states: Vec<Region>,
    /// The pushed elements, with the number of their bytes.
    pub(super) pushes: Vec<(Region, usize)>,
    /// The histograms.
    pub(super) bins: Vec<Region>,
}

/// The arguments of kernels beside words, flags and levels.
pub(super) struct Bound<'a> {
    pub(super) resident: &'a Resident,
    pub(super) seed: Option<Region>,
    pub(super) states: Vec<Region>,
    pub(super) counts: Option<Region>,
    pub(super) chain: Option<Region>,
    pub(super) pushes: &'a [Region],
    pub(super) bins: &'a [Region],
    pub(super) fresh: &'a [Region],
}

impl<'a> Bound<'a> {
    /// The arrays, and nothing else yet.
    fn of(resident: &'a Resident) -> Self {
        Bound {
            resident,
            seed: None,
            states: Vec::new(),
            counts: None,
            chain: None,
            pushes: &[],
            bins: &[],
            fresh: &[],
        }
    }
}

fn wanted(kernel: &Option<Kernel>) -> Result<&Kernel, Refusal> {
    kernel.as_ref().ok_or_else(|| Refusal::Cannot("a tree without kernels".into()))
}

impl Run<'_> {
    /// Runs the passes; the inner error is what a position raised.
    pub(super) fn passes(&mut self, resident: &Resident) -> Result<Result<Left, (usize, Cause)>, Refusal> {
        let program = self.program;
        let mut bound = Bound::of(resident);
        let mut left = Left::default();
        if program.running {
            self.find_values(&mut bound, &mut left)?;
            if self.launch.totals.is_some() {
                return Ok(Ok(left));
            }
        }
        if !program.pushes.is_empty()
            && let Err(raised) = self.count(&mut bound, &mut left)?
        {
            return Ok(Err(raised));
        }
        let sequences: Vec<Region> = left.pushes.iter().map(|(region, _)| region.clone()).collect();
        bound.pushes = &sequences;
        let shader = self.shader(Pass::Iterate)?;
        let left_by = leaf(program, Pass::Iterate);
        let (held, fresh) = self.bins()?;
        (bound.bins, bound.fresh) = (&held, &fresh);
        for (number, fill) in shader.rows.iter().map(|rows| (rows.number, &rows.fill)) {
            let cells = held[number].bytes / cell_size(&program.bins[number]);
            self.dispatch(fill, cells.div_ceil(u64::from(self.shape.group)), &bound, None, None)?;
        }
        if program.running && self.shape.look_back != LookBack::No {
            let bytes = look_back::chain(program, self.leaves);
            let chain = self.take(bytes, Use::Work)?;
            self.steps.push(Step::Clear { buffer: chain.buffer.clone(), bytes: bytes.next_multiple_of(4) });
            let state = layout::state(program.state).1 as u64;
            let all = self.take(state, Use::Work)?;
            bound.chain = Some(chain);
            left.states.push(Region::first(all.buffer, state));
        }
        let lower = left.states.last().filter(|_| bound.chain.is_some()).cloned();
        let levels = self.pass(&shader, left_by, &bound, lower)?;
        if left_by == Leaf::State {
            left.states.extend(levels.last().cloned());
        }
        left.bins.clone_from(&held);
        for rows in &shader.rows {
            left.bins[rows.number] = self.join(rows, &bound)?;
        }
        Ok(Ok(left))
    }

    /// Finds the running values before each leaf, level by level.
    fn find_values(&mut self, bound: &mut Bound<'_>, left: &mut Left) -> Result<(), Refusal> {
        let program = self.program;
        let seed =
            self.launch.state.map_or_else(|| Some(vec![0; 16]), |state| layout::state_to_device(program.state, state));
        let Some(seed) = seed else {
            let name = &self.processor.name;
            return Err(Refusal::Cannot(format!("a running value before the loop has no room on {name}")));
        };
        bound.seed = Some(self.put_at_least(&seed, layout::state(program.state).1)?);
        for level in self.totals() {
            let shader = self.shader(Pass::Total(level))?;
            let levels = self.pass(&shader, Leaf::State, bound, None)?;
            left.states.extend(levels.last().cloned());
            self.restore(bound.resident);
            if self.launch.totals != Some(level) {
                self.down(&shader, &levels)?;
                bound.states.extend(levels.into_iter().next());
            }
        }
        Ok(())
    }

    /// Counts what each leaf pushes, and makes room for all of it; the inner error is what a position raised.
    fn count(&mut self, bound: &mut Bound<'_>, left: &mut Left) -> Result<Result<(), (usize, Cause)>, Refusal> {
        let shader = self.shader(Pass::Count)?;
        let levels = self.pass(&shader, Leaf::Counts, bound, None)?;
        let Some(top) = levels.last() else {
            return Err(Refusal::Failed("a tree without a top".into()));
        };
        let read = self.read(&[self.flags.clone(), top.clone()])?;
        let counts = read.bytes(1)?.to_vec();
        let raised = raised(&read.bytes(0)?);
        drop(read);
        if let Some(raised) = raised {
            return Ok(Err(raised));
        }
        self.down(&shader, &levels)?;
        self.restore(bound.resident);
        for (count, element) in counts.chunks_exact(4).zip(self.program.pushes) {
            let count = u32::from_ne_bytes(count.try_into().unwrap_or_default());
            let bytes = count as usize * element.size();
            if count == u32::MAX {
                return Err(Refusal::Cannot(format!("{} numbers no 4,294,967,295 elements", self.processor.name)));
            }
            left.pushes.push((self.take(bytes as u64, Use::Work)?, bytes));
        }
        bound.counts = levels.into_iter().next();
        Ok(Ok(()))
    }

    /// Makes arrays what they were before a pass that is not the last.
    fn restore(&mut self, resident: &Resident) {
        let facts = self.shaders.facts(self.program, self.processor.long());
        let regions = resident.before.iter().zip(&resident.arrays).zip(&facts.disturbs);
        for ((before, region), _) in regions.filter(|(_, disturbs)| **disturbs) {
            if let Some(before) = before {
                self.copy(before, region);
            }
        }
    }

    /// The histograms in the memory of the device, and what their rows start from.
    pub(super) fn bins(&mut self) -> Result<(Vec<Region>, Vec<Region>), Refusal> {
        let (mut held, mut fresh) = (Vec::new(), Vec::new());
        for (number, (of, count)) in bins_of(self.launch).enumerate() {
            let Some(bytes) = bins::to_device(of, &self.launch.bins[number]) else {
                return Err(Refusal::Cannot(format!("a bin before the loop has no room on {}", self.processor.name)));
            };
            let first = self.put(&bytes)?;
            held.push(match bins::way(of, self.shape.native.long) {
                bins::Way::Rows => {
                    let size = cell_size(of);
                    let bytes = self.leaves * count * size;
                    let rows = self.take(bytes, Use::Work)?;
                    // The length of the binding tells kernels how many rows there are.
                    Region::first(rows.buffer, bytes.max(size))
                }
                _ => first.clone(),
            });
            fresh.push(first);
        }
        Ok((held, fresh))
    }

    /// Merges the rows of a histogram to one.
    pub(super) fn join(&mut self, rows: &Rows, bound: &Bound<'_>) -> Result<Region, Refusal> {
        let size = cell_size(&self.program.bins[rows.number]);
        let count = bins_of(self.launch).nth(rows.number).map_or(0, |(_, count)| count).max(1);
        let (mut left, mut held) = (self.leaves, bound.bins[rows.number].clone());
        while left > 1 {
            left = left.div_ceil(u64::from(bins::FAN));
            let bytes = left * count * size;
            let upper = self.take(bytes, Use::Work)?;
            let upper = Region::first(upper.buffer, bytes);
            let groups = (left * count).div_ceil(u64::from(self.shape.group));
            self.dispatch(&rows.join, groups, bound, Some(&held), Some(&upper))?;
            held = upper;
        }
        Ok(held)
    }

    /// Runs the body over all positions and folds what it leaves: the levels of the tree, the leaves first. `all` is where it
    /// leaves what there is nothing to fold of.
    pub(super) fn pass(
        &mut self,
        shader: &Shader,
        leaf: Leaf,
        bound: &Bound<'_>,
        all: Option<Region>,
    ) -> Result<Vec<Region>, Refusal> {
        let size = match leaf {
            Leaf::Nothing => 0,
            Leaf::State => layout::state(self.program.state).1 as u64,
            Leaf::Counts => 4 * self.program.pushes.len() as u64,
        };
        let span = u64::from(self.shape.fold * LEAVES);
        let mut levels = Vec::new();
        if size > 0 {
            let mut count = self.leaves;
            loop {
                // The length of the binding tells kernels how many elements the level has.
                let held = self.take(count * size, Use::Work)?;
                levels.push(Region::first(held.buffer, count * size));
                if count == 1 {
                    break;
                }
                count = count.div_ceil(span);
            }
        }
        self.dispatch(&shader.pass, self.groups, bound, levels.first().or(all.as_ref()), None)?;
        for pair in levels.windows(2) {
            let groups = pair[1].bytes / size;
            self.dispatch(wanted(&shader.up)?, groups, bound, Some(&pair[0]), Some(&pair[1]))?;
        }
        Ok(levels)
    }

    /// Leaves at each leaf what all before it have together, where those before it in its span are there.
    pub(super) fn down(&mut self, shader: &Shader, levels: &[Region]) -> Result<(), Refusal> {
        let Some(size) = levels.last().map(|top| top.bytes) else { return Ok(()) };
        let resident = Resident::default();
        let bound = Bound::of(&resident);
        for pair in levels.windows(2).rev().skip(1) {
            let groups = pair[1].bytes / size;
            self.dispatch(wanted(&shader.down)?, groups, &bound, Some(&pair[0]), Some(&pair[1]))?;
        }
        Ok(())
    }

    pub(super) fn dispatch(
        &mut self,
        kernel: &Kernel,
        groups: u64,
        bound: &Bound<'_>,
        lower: Option<&Region>,
        upper: Option<&Region>,
    ) -> Result<(), Refusal> {
        let mut held = Vec::with_capacity(kernel.bindings.len());
        let [arrays, tables] = self.windows;
        for (_, binding) in &kernel.bindings {
            let (mut all, mut window, mut writes) = (1, 0, false);
            let found = match *binding {
                Binding::Words => Some(&self.words),
                Binding::Flags => Some(&self.flags),
                Binding::Seed => bound.seed.as_ref(),
                Binding::StatesBefore(level) => bound.states.get(level),
                Binding::CountsBefore => bound.counts.as_ref(),
                Binding::Leaves | Binding::Lower => lower,
                Binding::Upper => upper,
                Binding::Chain => bound.chain.as_ref(),
                Binding::Array(number, of) => {
                    (all, window, writes) = (arrays.of(number), of, self.program.arrays[number].writes);
                    bound.resident.arrays.get(number)
                }
                Binding::Runs(of) => {
                    (all, window) = (tables.of(self.program.tables.len()), of);
                    bound.resident.runs.as_ref()
                }
                Binding::Table(number, of) => {
                    (all, window) = (tables.of(number), of);
                    bound.resident.tables.get(number)
                }
                Binding::Push(number) => bound.pushes.get(number),
                Binding::Bins(number) => bound.bins.get(number),
                Binding::Fresh(number) => bound.fresh.get(number),
                Binding::LowerRows(_) => lower,
                Binding::UpperRows(_) => upper,
            };
            let found = found
                .ok_or_else(|| Refusal::Cannot(format!("{}: nothing to bind as {binding:?}", self.program.name)))?;
            let found = match all {
                1 => found,
                _ => &found
                    .window(window, 1 << self.shape.window)
                    .unwrap_or_else(|| self.nothing[usize::from(writes)].clone()),
            };
            held.push((found.buffer.clone(), found.from, found.bytes));
        }
        let group = self.memory.group(self.processor, kernel, held)?;
        let most = u64::from(self.processor.limits.max_compute_workgroups_per_dimension);
        let x = groups.clamp(1, most);
        let y = groups.div_ceil(x).max(1);
        self.steps.push(Step::Dispatch { pipeline: kernel.pipeline.clone(), group, x: x as u32, y: y as u32 });
        Ok(())
    }
}
