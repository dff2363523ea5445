//! The text around a program: bindings, what the program may call, and the kernels.
//!
//! # Passes
//! Every loop runs as some passes over its positions, see [`kernels`]. What a part of the positions leaves (its *leaf*: a state, or
//! how many elements it pushed) is folded over a tree of levels, until one is left: `fa_up` merges a span of leaves to one
//! element of the next level, in order, and leaves at each leaf what those before it in the span have together; where there is
//! more than one span, `fa_down` adds what the spans before have.
//!
//! | loop | passes |
//! |---|---|
//! | maps | `Iterate` |
//! | reduces | `Iterate`, up |
//! | pushes | `Count`, up, down, `Iterate` |
//! | scans | `Total`, up, down, for each level of running values, then `Iterate` |
//! | histograms | `Iterate`, with rows filled before and joined after it, where there are rows: see [`bins`] |
//!
//! A loop that does several of these has the passes of all of them, `Total` first and `Iterate` last. Of `n` elements, maps and
//! reduces move what the body reads and writes; scans and pushes read once more what their totals and counts depend on.

use crate::LookBack;
use crate::bins::{self, Way};
use crate::kernels::Monoid;
use crate::layout::{Cell, Room, cell, room};
use crate::library::{self, Native};
use crate::look_back;
use forall_core::device::{Cause, Program, Type};
use std::fmt::Write;

/// What the body is run for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Pass {
    /// For what it adds to the running values of a level: nothing is pushed, and nothing stored for good.
    Total(usize),
    /// For how many elements it pushes: nothing is stored for good.
    Count,
    /// For all that it does.
    Iterate,
}

/// Which of the texts that a program has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Variant {
    pub pass: Pass,
    /// See [`forall_core::device::Launch::proved`].
    pub proved: bool,
    /// See [`forall_core::device::Launch::overflow`].
    pub overflow: bool,
    /// A bit for each array of which elements lie apart.
    pub apart: u64,
    /// How many windows there are to each array, and to each table; to the runs, too, after all tables.
    pub arrays: Windows,
    pub tables: Windows,
}

/// Through how many windows kernels look at each of several arrays, where these are too long for one: a few bits for each.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub(crate) struct Windows(u64);

impl Windows {
    const BITS: usize = 4;

    /// The most that there are to an array.
    pub(crate) const MOST: u64 = 1 << Self::BITS;

    /// So many for each of them; `None` where that is too many, of too many arrays.
    pub(crate) fn new(counts: impl Iterator<Item = u64>) -> Option<Windows> {
        counts.enumerate().filter(|(_, count)| *count > 1).try_fold(Windows::default(), |all, (number, count)| {
            let fits = count <= Self::MOST && (number + 1) * Self::BITS <= u64::BITS as usize;
            fits.then(|| Windows(all.0 | (count - 1) << (number * Self::BITS)))
        })
    }

    /// How many the array with this number has.
    pub(crate) fn of(self, number: usize) -> u32 {
        let shifted = u32::try_from(number * Self::BITS).ok().and_then(|shift| self.0.checked_shr(shift)).unwrap_or(0);
        (shifted & ((1 << Self::BITS) - 1)) as u32 + 1
    }
}

impl Variant {
    fn is_apart(self, array: usize) -> bool {
        array < 64 && self.apart >> array & 1 == 1
    }
}

/// An array has fewer than twice this power of two runs of elements that lie apart.
pub(crate) const LONGEST_SEARCH: u32 = 25;

/// The shape in which a program runs on a device.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Shape {
    /// Which positions an invocation takes.
    pub walk: Walk,
    /// Invocations of a workgroup in a pass.
    pub group: u32,
    /// Positions of an invocation.
    pub each: u32,
    /// Invocations of a workgroup in the tree.
    pub fold: u32,
    /// How many turns of loops an invocation may have, where they are counted.
    pub turns: Option<u32>,
    /// How many words of histograms a workgroup has room for; none where they are put into the device's memory at once.
    pub shared: u32,
    /// Whether sizes and values are few enough to be held where all invocations read the same.
    pub uniform: bool,
    /// Whether the lanes of a subgroup hand what they fold to each other.
    pub subgroups: bool,
    /// Whether the tiles of a scan look back, instead of a pass for their totals.
    pub look_back: LookBack,
    /// What the device does as Rust does.
    pub native: Native,
    /// The size of a window, as a power of two of bytes.
    pub window: u32,
}

impl Shape {
    /// How many positions leave a leaf.
    pub(crate) fn span(self) -> u32 {
        match self.walk {
            Walk::Tiles => self.group * self.each,
            Walk::Runs => self.each,
        }
    }
}

/// Which positions an invocation takes: see [`kernels`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Walk {
    /// Those of a tile that are as far apart as there are lanes.
    Tiles,
    /// Some that follow each other.
    Runs,
}

/// Mesa's software devices end a shader, without an error, after 65,535 turns of all loops together. Each turn of one lane
/// counts for the vector that it is in, which has 8 lanes or fewer. Some are left to the kernels' own loops.
pub(crate) const TURNS: u32 = 65_535 / 8 - 256;

/// For a lane that is alone.
pub(crate) const TURNS_ALONE: u32 = 65_535 - 512;

/// What a binding holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Slot {
    /// Sizes and values: see [`words`].
    Words,
    /// For each cause, the first position that raised it.
    Flags,
    /// A state before the first position.
    Seed,
    /// Merged states before each leaf, of the running values of a level.
    StatesBefore(usize),
    /// Numbers of pushed elements before each leaf.
    CountsBefore,
    /// What tiles tell each other: see [`look_back`](crate::look_back).
    Chain,
    /// The leaves that the pass leaves.
    Leaves,
    /// A level of the tree, and the level above.
    Lower,
    Upper,
    /// A window of an array.
    Array(usize, u32),
    /// Where the elements are that lie apart, of all arrays that have such.
    Runs(u32),
    /// A window of a table.
    Table(usize, u32),
    Push(usize),
    /// A histogram: words, or rows.
    Bins(usize),
    /// What each row of it starts from.
    Fresh(usize),
    /// Its rows, and the fewer ones that they are merged to.
    LowerRows(usize),
    UpperRows(usize),
}

/// The text of a variant, and which bindings it has, in the order of their numbers.
#[derive(Debug)]
pub(crate) struct Text {
    pub source: String,
    /// Whether an iteration may raise something.
    pub raises: bool,
    pub slots: Vec<(Slot, Access)>,
}

/// What a kernel may do with a binding.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Access {
    /// Read, all of it by all invocations.
    Same,
    Read,
    Write,
}

/// Where things are in [`Slot::Words`].
pub(crate) mod words {
    use super::{Cell, Program, Type, cell};

    /// The first position, how many, how many leaves, workgroups of a pass, and whether there is a seed.
    pub(crate) const START: usize = 0;
    pub(crate) const COUNT: usize = 1;
    pub(crate) const LEAVES: usize = 2;
    pub(crate) const GROUPS: usize = 3;
    pub(crate) const SEEDED: usize = 4;
    const ARRAYS: usize = 5;

    /// How many bins a histogram has, and at which word it begins where a workgroup holds it.
    pub(crate) fn bins(program: &Program, number: usize) -> usize {
        value(program, program.values.len()) + 2 * number
    }

    /// The array's part: its first element, how many, the global length, and where it begins in the buffer; the first run of
    /// the elements that lie apart, and how many runs there are.
    pub(crate) fn array(number: usize) -> usize {
        ARRAYS + 6 * number
    }

    /// How many elements a table has.
    pub(crate) fn table(program: &Program, number: usize) -> usize {
        array(program.arrays.len()) + number
    }

    /// Where a value begins.
    pub(crate) fn value(program: &Program, number: usize) -> usize {
        table(program, program.tables.len()) + program.values[..number].iter().map(|of| of_type(*of)).sum::<usize>()
    }

    /// How many there are in all.
    pub(crate) fn total(program: &Program) -> usize {
        bins(program, program.bins.len())
    }

    /// How many words a value takes.
    fn of_type(of: Type) -> usize {
        of.scalars().into_iter().map(of_scalar).sum()
    }

    /// How many words a scalar takes.
    pub(crate) fn of_scalar(base: Type) -> usize {
        match (base, cell(base)) {
            (Type::I64 | Type::U64 | Type::F64, _) | (_, Cell::Pair) => 2,
            _ => 1,
        }
    }
}

/// A word: an expression.
pub(crate) fn word(at: usize) -> String {
    format!("fa_words[{}].{}", at / 4, ["x", "y", "z", "w"][at % 4])
}

/// Whether a pass of the program before the last one stores elements of an array that it reads, so that it has to be made
/// what it was.
fn disturbs(program: &Program, array: usize) -> bool {
    let early = match program.pushes.is_empty() {
        false => true,
        true => (0..program.depth()).any(|level| stores_early(program, Pass::Total(level), array)),
    };
    program.arrays[array].writes && early && program.source.contains(&format!("fa_load_{array}("))
}

/// Whether a pass that is not the last stores elements of an array: such that are read later by the same iteration.
fn stores_early(program: &Program, pass: Pass, array: usize) -> bool {
    program.source.contains(&format!("fa_load_{array}("))
        && body_of(program, pass).contains(&format!("fa_store_{array}("))
}

/// The text that a pass runs for a position.
pub(crate) fn body_of(program: &Program, pass: Pass) -> &'static str {
    let name = match pass {
        Pass::Total(0) => "fa_total",
        Pass::Total(level) => &format!("fa_total_{level}"),
        _ => "fa_iteration",
    };
    let body = program.source.split_once(&format!("fn {name}(")).map_or("", |(_, rest)| rest);
    body.split("\nfn ").next().unwrap_or_default()
}

/// What the text of a program says, which is looked through once.
#[derive(Debug)]
pub(crate) struct Facts {
    pub loops: bool,
    pub in_tiles: bool,
    pub looks_back: bool,
    /// Whether it depends on what the device rounds.
    pub rounds: bool,
    /// For each array, see [`disturbs`].
    pub disturbs: Vec<bool>,
}

impl Facts {
    /// For `long` see [`bins::way`].
    pub(crate) fn of(program: &Program, long: bool) -> Facts {
        let rounds = ["fa_div_f", "fa_sqrt_f", "fa_recip_", "fa_powi_", "div_euclid_f"];
        Facts {
            loops: loops(program),
            in_tiles: in_tiles(program, long),
            looks_back: look_back::fits(program),
            rounds: rounds.iter().any(|name| program.source.contains(name)),
            disturbs: (0..program.arrays.len()).map(|array| disturbs(program, array)).collect(),
        }
    }
}

/// Whether the body has loops of its own, or calls functions of the library that have.
pub(crate) fn loops(program: &Program) -> bool {
    ["fa_trip(", "fa_pow", "fa_rem_", "_euclid_"].iter().any(|name| program.source.contains(name))
}

/// Whether workgroups can take tiles of this program. For `long` see [`bins::way`].
fn in_tiles(program: &Program, long: bool) -> bool {
    let pushes = !program.pushes.is_empty();
    let twice = program.running || pushes;
    let alone =
        !(program.running && (pushes || program.depth() > 1)) && !(pushes && folds(program) && !program.commutative);
    let rows = program.bins.iter().any(|of| bins::way(of, long) == Way::Rows);
    alone && !rows && !(twice && (0..program.arrays.len()).any(|array| disturbs(program, array)))
}

/// Whether the loop needs a state at all.
pub(crate) fn folds(program: &Program) -> bool {
    !program.state.is_empty()
}

/// What a pass leaves for each invocation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Leaf {
    Nothing,
    State,
    Counts,
}

/// What this pass of the program leaves.
pub(crate) fn leaf(program: &Program, pass: Pass) -> Leaf {
    match pass {
        Pass::Total(_) => Leaf::State,
        Pass::Count => Leaf::Counts,
        Pass::Iterate if folds(program) && !program.running => Leaf::State,
        Pass::Iterate => Leaf::Nothing,
    }
}

/// The text of a program's variant.
pub(crate) fn text(program: &Program, variant: Variant, shape: Shape) -> Text {
    let mut writer = Writer { program, variant, shape, out: String::new(), slots: Vec::new() };
    writer.frame();
    if variant.apart != 0 {
        writer.runs();
    }
    for number in 0..program.arrays.len() {
        writer.array(number);
    }
    for number in 0..program.tables.len() {
        writer.table(number);
    }
    for number in 0..program.values.len() {
        writer.value(number);
    }
    for number in 0..program.pushes.len() {
        writer.push(number);
    }
    for number in 0..program.bins.len() {
        writer.bins(number);
    }
    writer.pass();
    if variant.pass == Pass::Iterate {
        (0..program.bins.len())
            .filter(|k| bins::way(&program.bins[*k], shape.native.long) == Way::Rows)
            .for_each(|k| writer.rows(k));
    }
    if let Some(of) = Monoid::of(leaf(program, variant.pass)) {
        writer.tree(of);
    }
    let mut source = writer.out;
    source.push_str(program.source);
    library::complete(&mut source, shape.native);
    let raises = raises(&source, variant.overflow);
    Text { source, raises, slots: writer.slots }
}

/// Whether anything calls `fa_raise`, other than where overflow is checked and is not.
fn raises(source: &str, overflow: bool) -> bool {
    let mut calls = source.lines().filter(|line| line.contains("fa_raise(") && !line.starts_with("fn fa_raise("));
    calls.any(|line| overflow || !line.contains("fa_checked"))
}

pub(crate) struct Writer<'a> {
    pub program: &'a Program,
    pub variant: Variant,
    pub shape: Shape,
    pub out: String,
    slots: Vec<(Slot, Access)>,
}

/// A binding that holds elements, or several that are windows of one array.
#[derive(Clone, Copy)]
struct Cells<'n> {
    name: &'n str,
    windows: u32,
}

/// What a window of an array is called.
fn window_name(name: &str, window: u32) -> String {
    match window {
        0 => name.into(),
        further => format!("{name}_window_{further}"),
    }
}

/// Writing to a string does not fail.
macro_rules! put {
    ($writer:expr, $($text:tt)*) => {
        let _ = writeln!($writer.out, $($text)*);
    };
}
pub(crate) use put;

impl Writer<'_> {
    pub(crate) fn bind(&mut self, slot: Slot, access: Access, name: &str, of: &str) {
        let number = self.slots.len();
        let space = match access {
            Access::Same => "uniform",
            Access::Read => "storage, read",
            Access::Write => "storage, read_write",
        };
        put!(self, "@group(0) @binding({number}) var<{space}> {name}: {of};");
        self.slots.push((slot, access));
    }

    /// What all variants have: sizes, flags, raising, and counting turns.
    fn frame(&mut self) {
        let total = words::total(self.program);
        let access = if self.shape.uniform { Access::Same } else { Access::Read };
        self.bind(Slot::Words, access, "fa_words", &format!("array<vec4<u32>, {}>", total.div_ceil(4)));
        self.bind(Slot::Flags, Access::Write, "fa_flags", "array<atomic<u32>, 8>");
        put!(self, "const fa_checked = {};", self.variant.overflow);
        // An invocation that raised ends its loops, and what it raises later follows from that.
        put!(self, "var<private> fa_position: u32;\nvar<private> fa_stop: bool;\nvar<private> fa_turns: u32;");
        put!(
            self,
            "fn fa_raise(cause: u32) {{\n  if (!fa_stop) {{ fa_stop = true; atomicMin(&fa_flags[cause], fa_position); }}\n}}"
        );
        let turns = self.shape.turns.filter(|_| loops(self.program));
        let count = turns.map_or_else(String::new, |most| {
            format!("fa_turns += 1u; if (fa_turns > {most}u) {{ fa_raise({}u); }}", Cause::Trips as u32)
        });
        if self.counts_ahead() {
            put!(self, "var<private> fa_counting: bool;");
        }
        if self.shape.subgroups {
            put!(self, "var<private> fa_subgroup_size: u32;\nvar<private> fa_subgroup_lane: u32;");
        }
        put!(self, "fn fa_trip() -> bool {{ {count} return fa_stop; }}");
    }

    /// Reads scalar `at` of a binding: an expression.
    fn get(&self, name: &str, base: Type, at: &str, atomic: bool) -> String {
        let word = |index: String| match atomic {
            true => format!("atomicLoad(&{name}[{index}])"),
            false => format!("{name}[{index}]"),
        };
        match cell(base) {
            Cell::Plain => format!("{name}[{at}]"),
            Cell::Pair => {
                let pair = format!("vec2<u32>({name}[{at} * 2u], {name}[{at} * 2u + 1u])");
                format!("fa_narrow_{}({pair})", base.word())
            }
            Cell::Bits(bits) => {
                let (shift, mask) = if bits == 8 { (2, 3) } else { (1, 1) };
                let word = word(format!("{at} >> {shift}u"));
                narrow(base, &format!("({word} >> (({at} & {mask}u) * {bits}u))"))
            }
        }
    }

    /// Writes scalar `at` of a binding: a statement.
    fn set(&self, name: &str, base: Type, at: &str) -> String {
        match (cell(base), base) {
            (Cell::Plain, _) => format!("{name}[{at}] = v;"),
            (Cell::Pair, Type::Isize) => {
                format!("{name}[{at} * 2u] = bitcast<u32>(v); {name}[{at} * 2u + 1u] = bitcast<u32>(v >> 31u);")
            }
            (Cell::Pair, _) => {
                let upper = "select(0u, 0xffffffffu, v == 0xffffffffu)";
                format!("{name}[{at} * 2u] = v; {name}[{at} * 2u + 1u] = {upper};")
            }
            // Only this invocation writes these bits, others write the word's other bits at the same time.
            (Cell::Bits(bits), _) => {
                let (shift, mask) = if bits == 8 { (2, 3) } else { (1, 1) };
                let all = (1_u32 << bits) - 1;
                let value = match base {
                    Type::Bool => "select(0u, 1u, v)",
                    Type::I8 | Type::I16 => "bitcast<u32>(v)",
                    Type::F16 => "fa_to_bits_f16(v)",
                    _ => "v",
                };
                format!(
                    "let word = {at} >> {shift}u; let shift = ({at} & {mask}u) * {bits}u;\n  \
                     let change = ((atomicLoad(&{name}[word]) >> shift) ^ {value}) & {all}u;\n  \
                     if (change != 0u) {{ atomicXor(&{name}[word], change << shift); }}"
                )
            }
        }
    }

    /// Statements that do what `each` says with a scalar of a binding: given its name and the place there. Of several windows,
    /// it is the one that has scalar `at`.
    fn in_window(&self, cells: Cells<'_>, base: Type, each: impl Fn(&str, &str) -> String) -> String {
        if cells.windows == 1 {
            return each(cells.name, "at");
        }
        let shift = self.shape.window - base.size().ilog2();
        let at = format!("(at & {}u)", (1_u64 << shift) - 1);
        let further = (1..cells.windows).map(|window| {
            let there = each(&window_name(cells.name, window), &at);
            format!("if ((at >> {shift}u) == {window}u) {{ {there} }} else ")
        });
        format!("{}{{ {} }}", further.collect::<String>(), each(cells.name, &at))
    }

    /// Binds all windows of an array.
    fn bind_windows(&mut self, slot: impl Fn(u32) -> Slot, access: Access, cells: Cells<'_>, of: &str) {
        for window in 0..cells.windows {
            self.bind(slot(window), access, &window_name(cells.name, window), of);
        }
    }

    /// The WGSL type of a binding that holds elements of this type.
    fn cells(of: Type, writes: bool) -> String {
        let bits = match room(of) {
            Room::Scalars(base, _) if cell(base) == Cell::Plain => return format!("array<{}>", base.wgsl()),
            Room::Scalars(base, _) => matches!(cell(base), Cell::Bits(_)),
            // The words of an element are its own.
            Room::Words(_) => false,
            Room::Bytes(_) => true,
        };
        if bits && writes { "array<atomic<u32>>".into() } else { "array<u32>".into() }
    }

    /// Element `k` of a binding: an expression. What it needs is called `get`.
    fn element(&mut self, of: Type, cells: Cells<'_>, get: &str, k: &str, atomic: bool) -> String {
        let one = |this: &Self, base: Type| {
            this.in_window(cells, base, |name, at| format!("return {};", this.get(name, base, at, atomic)))
        };
        match room(of) {
            Room::Scalars(base, width) => {
                let one = one(self, base);
                put!(self, "fn {get}(at: u32) -> {} {{ {one} }}", base.wgsl());
                let mut offset = 0..;
                gather(of, &mut |_| format!("{get}({})", place(k, width, offset.next().unwrap_or_default())))
            }
            Room::Words(width) => {
                let one = one(self, Type::U32);
                put!(self, "fn {get}(at: u32) -> u32 {{ {one} }}");
                let mut at = 0;
                gather(of, &mut |base| {
                    let word = |word: usize| format!("{get}({})", place(k, width, word));
                    let (first, shift) = (at / 4, at % 4 * 8);
                    at += base.size();
                    let low = word(first);
                    of_words(base, &if shift > 0 { format!("({low} >> {shift}u)") } else { low }, &word(first + 1))
                })
            }
            Room::Bytes(size) => {
                for base in kinds(of) {
                    let (one, word) = (one(self, base), base.word());
                    put!(self, "fn {get}_{word}(at: u32) -> {} {{ {one} }}", base.wgsl());
                }
                let mut at = 0;
                gather(of, &mut |base| {
                    let place = place(k, size / base.size(), at / base.size());
                    at += base.size();
                    format!("{get}_{}({place})", base.word())
                })
            }
        }
    }

    /// Statements that make `v` element `k` of a binding. What they need is called `set`.
    fn put_element(&mut self, of: Type, cells: Cells<'_>, set: &str, k: &str) -> String {
        let one = |this: &Self, base: Type| this.in_window(cells, base, |name, at| this.set(name, base, at));
        let mut stores = String::new();
        match room(of) {
            Room::Scalars(base, width) => {
                let one = one(self, base);
                put!(self, "fn {set}(at: u32, v: {}) {{\n  {one}\n}}", base.wgsl());
                let mut offset = 0..;
                scatter(of, "v", &mut |_, value| {
                    let _ = write!(stores, "{set}({}, {value}); ", place(k, width, offset.next().unwrap_or_default()));
                });
            }
            Room::Words(width) => {
                let one = one(self, Type::U32);
                put!(self, "fn {set}(at: u32, v: u32) {{ {one} }}");
                let (mut words, mut at) = (vec![Vec::new(); width], 0);
                scatter(of, "v", &mut |base, value| {
                    for (number, word) in as_words(base, value).into_iter().enumerate() {
                        words[at / 4 + number].push(match at % 4 {
                            0 => word,
                            bytes => format!("({word} << {}u)", 8 * bytes),
                        });
                    }
                    at += base.size();
                });
                for (number, parts) in words.into_iter().enumerate() {
                    let _ = write!(stores, "{set}({}, {}); ", place(k, width, number), parts.join(" | "));
                }
            }
            Room::Bytes(size) => {
                for base in kinds(of) {
                    let (one, word) = (one(self, base), base.word());
                    put!(self, "fn {set}_{word}(at: u32, v: {}) {{\n  {one}\n}}", base.wgsl());
                }
                let mut at = 0;
                scatter(of, "v", &mut |base, value| {
                    let place = place(k, size / base.size(), at / base.size());
                    at += base.size();
                    let _ = write!(stores, "{set}_{}({place}, {value}); ", base.word());
                });
            }
        }
        stores
    }

    fn array(&mut self, number: usize) {
        let of = self.program.arrays[number];
        let element = of.element.wgsl();
        let access = if of.writes { Access::Write } else { Access::Read };
        let name = format!("fa_array_{number}");
        let cells = Cells { name: &name, windows: self.variant.arrays.of(number) };
        self.bind_windows(|window| Slot::Array(number, window), access, cells, &Self::cells(of.element, of.writes));
        let at = words::array(number);
        let (first, from) = (word(at), word(at + 3));
        put!(self, "fn fa_len_{number}() -> u32 {{ return {}; }}", word(at + 2));
        let whole = self.element(of.element, cells, &format!("fa_get_{number}"), "k", of.writes);
        // An index before the part wraps to one far beyond it.
        let check = |fail: &str| match self.variant.proved {
            true => String::new(),
            false => format!("if (j >= {}) {{ fa_raise({}u); return{fail}; }}", word(at + 1), Cause::Index as u32),
        };
        let fail = check(&format!(" {element}()"));
        if self.variant.is_apart(number) {
            self.place(number);
            let fail = format!("if (j == 0xffffffffu) {{ fa_raise({}u); return {element}(); }}", Cause::Index as u32);
            put!(
                self,
                "fn fa_load_{number}(i: u32) -> {element} {{\n  let j = fa_place_{number}(i); {fail}\n  let k = j + {from};\n  return {whole};\n}}"
            );
            return;
        }
        put!(
            self,
            "fn fa_load_{number}(i: u32) -> {element} {{\n  let j = i - {first}; {fail}\n  let k = j + {from};\n  return {whole};\n}}"
        );
        if !of.writes {
            return;
        }
        let fail = check("");
        let mut stores = String::new();
        let pass = self.variant.pass;
        if pass == Pass::Iterate || stores_early(self.program, pass, number) {
            stores = self.put_element(of.element, cells, &format!("fa_set_{number}"), "k");
        }
        let skip = if self.counts_ahead() { "if (fa_counting) { return; }" } else { "" };
        put!(
            self,
            "fn fa_store_{number}(i: u32, v: {element}) {{\n  let j = i - {first}; {fail}\n  {skip}\n  let k = j + {from};\n  {stores}\n}}"
        );
    }

    /// The runs of elements that lie apart, of all arrays.
    fn runs(&mut self) {
        let cells = Cells { name: "fa_runs", windows: self.variant.tables.of(self.program.tables.len()) };
        self.bind_windows(Slot::Runs, Access::Read, cells, "array<vec2<u32>>");
        let one = self.in_window(cells, Type::U64, |name, at| format!("return {name}[{at}];"));
        put!(self, "fn fa_run(at: u32) -> vec2<u32> {{ {one} }}");
    }

    /// Where an element of an array is, of which some lie apart: after the others, in the order of the runs. The search has
    /// no loop: turns of loops are counted where the device counts them.
    fn place(&mut self, number: usize) {
        let at = words::array(number);
        let [first, count, runs, all] = [at, at + 1, at + 4, at + 5].map(word);
        let steps = (0..=LONGEST_SEARCH).rev().map(|step| {
            let step = 1_u32 << step;
            format!("  if (r + {step}u <= {all} && fa_run({runs} + r + {}u).x <= i) {{ r += {step}u; }}\n", step - 1)
        });
        let steps = steps.collect::<String>();
        put!(
            self,
            "fn fa_place_{number}(i: u32) -> u32 {{\n  let j = i - {first};\n  if (j < {count}) {{ return j; }}\n  \
             var r = 0u;\n{steps}  if (r == 0u) {{ return 0xffffffffu; }}\n  \
             let run = fa_run({runs} + r - 1u);\n  let k = i - run.x + run.y;\n  \
             return select({count} + k, 0xffffffffu, k >= fa_run({runs} + r).y);\n}}"
        );
    }

    fn table(&mut self, number: usize) {
        let of = self.program.tables[number];
        let element = of.wgsl();
        let name = format!("fa_cells_{number}");
        let cells = Cells { name: &name, windows: self.variant.tables.of(number) };
        self.bind_windows(|window| Slot::Table(number, window), Access::Read, cells, &Self::cells(of, false));
        let len = word(words::table(self.program, number));
        put!(self, "fn fa_table_len_{number}() -> u32 {{ return {len}; }}");
        let whole = self.element(of, cells, &format!("fa_look_{number}"), "i", false);
        let fail = format!("if (i >= {len}) {{ fa_raise({}u); return {element}(); }}", Cause::Index as u32);
        put!(self, "fn fa_table_{number}(i: u32) -> {element} {{\n  {fail}\n  return {whole};\n}}");
    }

    fn value(&mut self, number: usize) {
        let of = self.program.values[number];
        let mut at = words::value(self.program, number);
        let whole = gather(of, &mut |base| {
            let [low, high] = [at, at + 1].map(word);
            at += words::of_scalar(base);
            of_words(base, &low, &high)
        });
        put!(self, "fn fa_value_{number}() -> {} {{ return {whole}; }}", of.wgsl());
    }

    /// Whether the body also runs to count what it pushes, in the same pass.
    fn counts_ahead(&self) -> bool {
        let pushes = !self.program.pushes.is_empty();
        pushes && self.variant.pass == Pass::Iterate && self.shape.walk == Walk::Tiles
    }

    fn push(&mut self, number: usize) {
        let of = self.program.pushes[number];
        put!(self, "var<private> fa_pushed_{number}: u32;");
        let count = format!("fa_pushed_{number} += 1u;");
        let body = match self.variant.pass {
            Pass::Total(_) => String::new(),
            Pass::Count => count,
            Pass::Iterate => {
                let name = format!("fa_sequence_{number}");
                let cells = Cells { name: &name, windows: 1 };
                self.bind(Slot::Push(number), Access::Write, &name, &Self::cells(of, true));
                let stores =
                    self.put_element(of, cells, &format!("fa_append_{number}"), &format!("fa_pushed_{number}"));
                match self.counts_ahead() {
                    true => format!("if (!fa_counting) {{ {stores} }} {count}"),
                    false => stores + &count,
                }
            }
        };
        put!(self, "fn fa_push_{number}(v: {}) {{ {body} }}", of.wgsl());
    }

    /// What puts values into a histogram.
    fn bins(&mut self, number: usize) {
        let of = self.program.bins[number];
        let (at, value) = (words::bins(self.program, number), of.element.wgsl());
        let len = word(at);
        put!(self, "fn fa_bins_len_{number}() -> u32 {{ return {len}; }}");
        if self.variant.pass != Pass::Iterate {
            put!(self, "fn fa_bin_{number}(i: u32, v: {value}) {{ }}");
            return;
        }
        let name = format!("fa_histogram_{number}");
        let long = self.shape.native.long;
        let body = match bins::way(&of, long) {
            Way::Rows => {
                self.bind(Slot::Bins(number), Access::Write, &name, &format!("array<{}>", bins::cell(&of)));
                let both = bins::both(&of, &format!("{name}[at]"), "v");
                format!("let at = fa_row * {len} + i; {name}[at] = {both};")
            }
            Way::Long => {
                self.bind(Slot::Bins(number), Access::Write, &name, &format!("array<atomic<{value}>>"));
                format!("{}(&{name}[i], v);", bins::atomic(of.operator))
            }
            Way::Word | Way::Pair => {
                self.bind(Slot::Bins(number), Access::Write, &name, "array<atomic<u32>>");
                let width = bins::words(&of, long);
                let (array, first) = match self.shape.shared {
                    0 => (&*name, format!("i * {width}u")),
                    _ => ("fa_near", format!("{} + i * {width}u", word(at + 1))),
                };
                format!("let w = {}; let at = {first}; {}", bins::as_words(&of), bins::put(&of, array, "at"))
            }
        };
        let skip = if self.counts_ahead() { "if (fa_counting) { return; }" } else { "" };
        put!(
            self,
            "fn fa_bin_{number}(i: u32, v: {value}) {{\n  {skip} if (i >= {len}) {{ fa_raise({}u); return; }}\n  {body}\n}}",
            Cause::Index as u32
        );
    }

    /// The kernels that make the rows of a histogram, and merge them.
    fn rows(&mut self, number: usize) {
        let of = self.program.bins[number];
        let (len, cell, group) = (word(words::bins(self.program, number)), bins::cell(&of), self.shape.group);
        for (slot, access, name) in [
            (Slot::Fresh(number), Access::Read, "fresh"),
            (Slot::LowerRows(number), Access::Read, "lower_rows"),
            (Slot::UpperRows(number), Access::Write, "upper_rows"),
        ] {
            self.bind(slot, access, &format!("fa_{name}_{number}"), &format!("array<{cell}>"));
        }
        let head = format!(
            "(@builtin(workgroup_id) group: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>,
           @builtin(local_invocation_index) lane: u32) {{
  let at = (group.y * groups.x + group.x) * {group}u + lane;
  let bins = {len};"
        );
        put!(
            self,
            "@compute @workgroup_size({group})
fn fa_fill_{number}{head}
  if (at < arrayLength(&fa_histogram_{number})) {{ fa_histogram_{number}[at] = fa_fresh_{number}[at % bins]; }}
}}
@compute @workgroup_size({group})
fn fa_join_{number}{head}
  if (at >= arrayLength(&fa_upper_rows_{number})) {{ return; }}
  fa_position = {} + max({}, 1u) - 1u;
  let first = at / bins * {FAN}u;
  let end = min(first + {FAN}u, arrayLength(&fa_lower_rows_{number}) / bins);
  let bin = at % bins;
  var both = fa_lower_rows_{number}[first * bins + bin];
  for (var row = first + 1u; row < end; row += 1u) {{
    both = {};
  }}
  fa_upper_rows_{number}[at] = both;
}}",
            word(words::START),
            word(words::COUNT),
            bins::both(&of, "both", &format!("fa_lower_rows_{number}[row * bins + bin]")),
            FAN = bins::FAN,
        );
    }

    /// For the histograms that a workgroup holds: what makes them, and what puts them into the device's memory.
    pub(crate) fn near(&mut self) -> (String, String) {
        let Shape { group, shared, .. } = self.shape;
        if shared == 0 || self.variant.pass != Pass::Iterate {
            return Default::default();
        }
        put!(self, "var<workgroup> fa_near: array<atomic<u32>, {shared}>;");
        let (mut before, mut after) = (String::new(), String::from("  workgroupBarrier();\n"));
        for (number, of) in self.program.bins.iter().enumerate().filter(|(_, of)| bins::words(of, false) > 0) {
            let (at, width) = (words::bins(self.program, number), bins::words(of, false));
            let (count, first, nothing) = (word(at), word(at + 1), bins::nothing(of));
            let _ = writeln!(
                before,
                "  for (var at = lane; at < {count} * {width}u; at += {group}u) {{ atomicStore(&fa_near[{first} + at], {nothing}); }}"
            );
            let (words, none) = match bins::way(of, false) {
                Way::Pair => (
                    format!(
                        "vec2<u32>(atomicLoad(&fa_near[{first} + i * 2u]), atomicLoad(&fa_near[{first} + i * 2u + 1u]))"
                    ),
                    format!("all(w == vec2<u32>({nothing}))"),
                ),
                _ => (format!("atomicLoad(&fa_near[{first} + i])"), format!("w == {nothing}")),
            };
            let put = bins::put(of, &format!("fa_histogram_{number}"), "at");
            let _ = writeln!(
                after,
                "  for (var i = lane; i < {count}; i += {group}u) {{
    let w = {words}; let at = i * {width}u;
    if (!({none})) {{ {put} }}
  }}"
            );
        }
        before.push_str("  workgroupBarrier();\n");
        (before, after)
    }
}

/// The small value in the lower bits of a word: an expression.
fn narrow(base: Type, word: &str) -> String {
    match base {
        Type::Bool => format!("(({word} & 0xffu) != 0u)"),
        Type::F16 => format!("fa_from_bits_f16({word})"),
        Type::I8 | Type::I16 => format!("fa_wrap_{}(bitcast<i32>({word}))", base.word()),
        _ => format!("fa_wrap_{}({word})", base.word()),
    }
}

/// The index of a scalar: `offset` in element `element`.
fn place(element: &str, width: usize, offset: usize) -> String {
    match (width, offset) {
        (1, _) => element.into(),
        (_, 0) => format!("{element} * {width}u"),
        _ => format!("{element} * {width}u + {offset}u"),
    }
}

/// The types of the scalars of a value, each once.
fn kinds(of: Type) -> Vec<Type> {
    let mut kinds = Vec::new();
    for scalar in of.scalars() {
        if !kinds.contains(&scalar) {
            kinds.push(scalar);
        }
    }
    kinds
}

/// A scalar in one word, or two: an expression. Its bits are the lower ones.
fn of_words(base: Type, low: &str, high: &str) -> String {
    let both = || format!("(u64({low}) | (u64({high}) << 32u))");
    match (cell(base), base) {
        (Cell::Pair, _) => format!("fa_narrow_{}(vec2<u32>({low}, {high}))", base.word()),
        (_, Type::U64) => both(),
        (_, Type::I64 | Type::F64) => format!("bitcast<{}>({})", base.wgsl(), both()),
        (_, Type::U32 | Type::Usize) => low.into(),
        (_, Type::I32 | Type::Isize | Type::F32) => format!("bitcast<{}>({low})", base.wgsl()),
        _ => narrow(base, low),
    }
}

/// The words of a scalar: expressions. Other bits than its own are zero.
fn as_words(base: Type, value: &str) -> Vec<String> {
    let both = |bits: String| vec![format!("u32({bits} & 0xfffffffflu)"), format!("u32({bits} >> 32u)")];
    match (cell(base), base) {
        (Cell::Pair, Type::Isize) => vec![format!("bitcast<u32>({value})"), format!("bitcast<u32>({value} >> 31u)")],
        (Cell::Pair, _) => vec![value.into(), format!("select(0u, 0xffffffffu, {value} == 0xffffffffu)")],
        (_, Type::U64) => both(value.into()),
        (_, Type::I64 | Type::F64) => both(format!("bitcast<u64>({value})")),
        (_, Type::U32 | Type::Usize) => vec![value.into()],
        (_, Type::Bool) => vec![format!("select(0u, 1u, {value})")],
        (Cell::Bits(bits), Type::I8 | Type::I16) => {
            vec![format!("(bitcast<u32>({value}) & {}u)", (1_u32 << bits) - 1)]
        }
        (_, Type::F16) => vec![format!("fa_to_bits_f16({value})")],
        (Cell::Bits(_), _) => vec![value.into()],
        _ => vec![format!("bitcast<u32>({value})")],
    }
}

/// A value put together of its scalars: an expression.
fn gather(of: Type, next: &mut impl FnMut(Type) -> String) -> String {
    let parts: Vec<String> = match of {
        Type::Array(element, len) => (0..len).map(|_| gather(*element, next)).collect(),
        Type::Struct(of) => of.fields.iter().map(|(_, field)| gather(*field, next)).collect(),
        scalar => return next(scalar),
    };
    format!("{}({})", of.wgsl(), parts.join(", "))
}

/// Tells each scalar of a value: its type, and the expression that takes it.
fn scatter(of: Type, value: &str, each: &mut impl FnMut(Type, &str)) {
    match of {
        Type::Array(element, len) => (0..len).for_each(|k| scatter(*element, &format!("{value}[{k}]"), each)),
        Type::Struct(of) => {
            of.fields.iter().for_each(|(name, field)| scatter(*field, &format!("{value}.m_{name}"), each));
        }
        scalar => each(scalar, value),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use forall_core::device::Array;

    const SCAN: Program = Program {
        source: "fn fa_total(p: u32, s: ptr<function, State>) { (*s).f0 += fa_load_0(p); }
fn fa_iteration(p: u32, s: ptr<function, State>) { (*s).f0 += fa_load_0(p); fa_store_0(p, (*s).f0); }",
        arrays: &[Array { element: Type::U32, writes: true }],
        state: &[Type::U32],
        running: true,
        commutative: true,
        ..Program::EMPTY
    };

    #[test]
    fn only_what_is_stored_before_the_last_pass_is_made_what_it_was() {
        let facts = Facts::of(&SCAN, false);
        assert!(facts.in_tiles && !facts.disturbs[0], "the totals store nothing");
        assert!(!facts.looks_back, "what they read is written");
        let early =
            Program { source: leaked(SCAN.source.replace("(*s).f0 +=", "fa_store_0(p, 1u); (*s).f0 +=")), ..SCAN };
        let facts = Facts::of(&early, false);
        assert!(!facts.in_tiles && facts.disturbs[0]);
        let other = Program {
            source: leaked(SCAN.source.replace("fa_store_0", "fa_store_1")),
            arrays: vec![Array { element: Type::U32, writes: false }, SCAN.arrays[0]].leak(),
            ..SCAN
        };
        assert!(Facts::of(&other, false).looks_back);
        assert!(!Facts::of(&Program { state: &[Type::F32], ..other }, false).looks_back, "floats depend on the order");
        assert!(!Facts::of(&Program { commutative: false, ..other }, false).looks_back);
        let pushing = Program { pushes: &[Type::U32], ..other };
        assert!(!Facts::of(&pushing, false).in_tiles, "counts that depend on running values");
    }

    #[test]
    fn what_cannot_be_raised_is_known() {
        let text = "fn fa_raise(cause: u32) {\n}\nfn a() { if (fa_checked && b) { fa_raise(1u); } }";
        assert!(!raises(text, false) && raises(text, true));
        assert!(raises("fn a() { fa_raise(0u); }", false));
    }

    fn leaked(text: String) -> &'static str {
        text.leak()
    }
}
