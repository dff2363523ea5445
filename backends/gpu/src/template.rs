//! The text around a program: bindings, what the program may call, and the kernels.
//!
//! # Kernels
//! Every loop runs as some passes over its positions. Each invocation of a pass takes some positions that follow each other,
//! and runs the body for one after the other. What it has at the end (its *leaf*: a state, or how many elements it pushed) is
//! folded over a tree of levels: `fa_up` merges the leaves of a tile to one element of the next level, in order, until one
//! is left; `fa_down` goes back and leaves at each leaf what all leaves before it have together.
//!
//! | loop | passes |
//! |---|---|
//! | maps | `Iterate` |
//! | reduces | `Iterate`, up |
//! | pushes | `Count`, up, down, `Iterate` |
//! | scans | `Total`, up, down, for each level of running values, then `Iterate` |
//!
//! | histograms | `Iterate`, with rows filled before and joined after it, where there are rows: see [`bins`] |
//!
//! A loop that does several of these has the passes of all of them, `Total` first and `Iterate` last.

use crate::bins::{self, Way};
use crate::layout::{Cell, Room, cell, room};
use crate::library::{self, Native};
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
}

/// The shape in which a program runs on a device.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Shape {
    /// Invocations of a workgroup in a pass.
    pub group: u32,
    /// Positions of an invocation.
    pub each: u32,
    /// Invocations of a workgroup in the tree over states, and over counts.
    pub fold: u32,
    pub sum: u32,
    /// How many turns of loops an invocation may have, where they are counted.
    pub turns: Option<u32>,
    /// How many words of histograms a workgroup has room for; none where they are put into the device's memory at once.
    pub shared: u32,
    /// What the device does as Rust does.
    pub native: Native,
}

/// Leaves that an invocation of the tree takes.
pub(crate) const LEAVES: u32 = 8;

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
    /// Merged states before each leaf.
    /// Of the running values of a level.
    StatesBefore(usize),
    /// Numbers of pushed elements before each leaf.
    CountsBefore,
    /// The leaves that the pass leaves.
    Leaves,
    /// A level of the tree, and the level above.
    Lower,
    Upper,
    Array(usize),
    Table(usize),
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
    pub slots: Vec<(Slot, Access)>,
}

/// What a kernel may do with a binding.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Access {
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

    /// The array's part: its first element, how many, the global length, and where it begins in the buffer.
    pub(crate) fn array(number: usize) -> usize {
        ARRAYS + 4 * number
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

/// Whether a program both reads and writes this array: then what it reads later may be what it wrote.
pub(crate) fn rewrites(program: &Program, array: usize) -> bool {
    program.arrays[array].writes && program.source.contains(&format!("fa_load_{array}("))
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
    match leaf(program, variant.pass) {
        Leaf::Nothing => {}
        Leaf::State => writer.tree("State", "fa_identity()", "fa_merge", shape.fold),
        Leaf::Counts => writer.tree("fa_Counts", "fa_Counts()", "fa_merge_counts", shape.sum),
    }
    let mut source = writer.out;
    source.push_str(program.source);
    library::complete(&mut source, shape.native);
    Text { source, slots: writer.slots }
}

struct Writer<'a> {
    program: &'a Program,
    variant: Variant,
    shape: Shape,
    out: String,
    slots: Vec<(Slot, Access)>,
}

/// Writing to a string does not fail.
macro_rules! put {
    ($writer:expr, $($text:tt)*) => {
        let _ = writeln!($writer.out, $($text)*);
    };
}

impl Writer<'_> {
    fn bind(&mut self, slot: Slot, access: Access, name: &str, of: &str) {
        let number = self.slots.len();
        let access_text = match access {
            Access::Read => "read",
            Access::Write => "read_write",
        };
        put!(self, "@group(0) @binding({number}) var<storage, {access_text}> {name}: {of};");
        self.slots.push((slot, access));
    }

    /// What all variants have: sizes, flags, raising, and counting turns.
    fn frame(&mut self) {
        let total = words::total(self.program);
        self.bind(Slot::Words, Access::Read, "fa_words", &format!("array<u32, {total}>"));
        self.bind(Slot::Flags, Access::Write, "fa_flags", "array<atomic<u32>, 8>");
        put!(self, "const fa_checked = {};", self.variant.overflow);
        // An invocation that raised ends its loops, and what it raises later follows from that.
        put!(self, "var<private> fa_position: u32;\nvar<private> fa_stop: bool;\nvar<private> fa_turns: u32;");
        put!(
            self,
            "fn fa_raise(cause: u32) {{\n  if (!fa_stop) {{ fa_stop = true; atomicMin(&fa_flags[cause], fa_position); }}\n}}"
        );
        let count = self.shape.turns.map_or_else(String::new, |most| {
            format!("fa_turns += 1u; if (fa_turns > {most}u) {{ fa_raise({}u); }}", Cause::Trips as u32)
        });
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
    fn element(&mut self, of: Type, name: &str, get: &str, k: &str, atomic: bool) -> String {
        match room(of) {
            Room::Scalars(base, width) => {
                let one = self.get(name, base, "at", atomic);
                put!(self, "fn {get}(at: u32) -> {} {{ return {one}; }}", base.wgsl());
                let mut offset = 0..;
                gather(of, &mut |_| format!("{get}({})", place(k, width, offset.next().unwrap_or_default())))
            }
            Room::Words(width) => {
                put!(self, "fn {get}(at: u32) -> u32 {{ return {name}[at]; }}");
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
                    let (one, word) = (self.get(name, base, "at", atomic), base.word());
                    put!(self, "fn {get}_{word}(at: u32) -> {} {{ return {one}; }}", base.wgsl());
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
    fn put_element(&mut self, of: Type, name: &str, set: &str, k: &str) -> String {
        let mut stores = String::new();
        match room(of) {
            Room::Scalars(base, width) => {
                let one = self.set(name, base, "at");
                put!(self, "fn {set}(at: u32, v: {}) {{\n  {one}\n}}", base.wgsl());
                let mut offset = 0..;
                scatter(of, "v", &mut |_, value| {
                    let _ = write!(stores, "{set}({}, {value}); ", place(k, width, offset.next().unwrap_or_default()));
                });
            }
            Room::Words(width) => {
                put!(self, "fn {set}(at: u32, v: u32) {{ {name}[at] = v; }}");
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
                    let (one, word) = (self.set(name, base, "at"), base.word());
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
        self.bind(Slot::Array(number), access, &name, &Self::cells(of.element, of.writes));
        let at = words::array(number);
        let from = at + 3;
        put!(self, "fn fa_len_{number}() -> u32 {{ return fa_words[{}]; }}", at + 2);
        let whole = self.element(of.element, &name, &format!("fa_get_{number}"), "k", of.writes);
        // An index before the part wraps to one far beyond it.
        let check = |fail: &str| match self.variant.proved {
            true => String::new(),
            false => format!("if (j >= fa_words[{}]) {{ fa_raise({}u); return{fail}; }}", at + 1, Cause::Index as u32),
        };
        let fail = check(&format!(" {element}()"));
        put!(
            self,
            "fn fa_load_{number}(i: u32) -> {element} {{\n  let j = i - fa_words[{at}]; {fail}\n  let k = j + fa_words[{from}];\n  return {whole};\n}}"
        );
        if !of.writes {
            return;
        }
        let fail = check("");
        let mut stores = String::new();
        if self.variant.pass == Pass::Iterate || rewrites(self.program, number) {
            stores = self.put_element(of.element, &name, &format!("fa_set_{number}"), "k");
        }
        put!(
            self,
            "fn fa_store_{number}(i: u32, v: {element}) {{\n  let j = i - fa_words[{at}]; {fail}\n  let k = j + fa_words[{from}];\n  {stores}\n}}"
        );
    }

    fn table(&mut self, number: usize) {
        let of = self.program.tables[number];
        let element = of.wgsl();
        let name = format!("fa_cells_{number}");
        self.bind(Slot::Table(number), Access::Read, &name, &Self::cells(of, false));
        let at = words::table(self.program, number);
        put!(self, "fn fa_table_len_{number}() -> u32 {{ return fa_words[{at}]; }}");
        let whole = self.element(of, &name, &format!("fa_look_{number}"), "i", false);
        let fail = format!("if (i >= fa_words[{at}]) {{ fa_raise({}u); return {element}(); }}", Cause::Index as u32);
        put!(self, "fn fa_table_{number}(i: u32) -> {element} {{\n  {fail}\n  return {whole};\n}}");
    }

    fn value(&mut self, number: usize) {
        let of = self.program.values[number];
        let mut at = words::value(self.program, number);
        let whole = gather(of, &mut |base| {
            let [low, high] = [at, at + 1].map(|word| format!("fa_words[{word}]"));
            at += words::of_scalar(base);
            of_words(base, &low, &high)
        });
        put!(self, "fn fa_value_{number}() -> {} {{ return {whole}; }}", of.wgsl());
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
                self.bind(Slot::Push(number), Access::Write, &name, &Self::cells(of, true));
                let stores =
                    self.put_element(of, &name, &format!("fa_append_{number}"), &format!("fa_pushed_{number}"));
                stores + &count
            }
        };
        put!(self, "fn fa_push_{number}(v: {}) {{ {body} }}", of.wgsl());
    }

    /// What puts values into a histogram.
    fn bins(&mut self, number: usize) {
        let of = self.program.bins[number];
        let (at, value) = (words::bins(self.program, number), of.element.wgsl());
        put!(self, "fn fa_bins_len_{number}() -> u32 {{ return fa_words[{at}]; }}");
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
                format!("let at = fa_row * fa_words[{at}] + i; {name}[at] = {both};")
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
                    _ => ("fa_near", format!("fa_words[{}] + i * {width}u", at + 1)),
                };
                format!("let w = {}; let at = {first}; {}", bins::as_words(&of), bins::put(&of, array, "at"))
            }
        };
        put!(
            self,
            "fn fa_bin_{number}(i: u32, v: {value}) {{\n  if (i >= fa_words[{at}]) {{ fa_raise({}u); return; }}\n  {body}\n}}",
            Cause::Index as u32
        );
    }

    /// The kernels that make the rows of a histogram, and merge them.
    fn rows(&mut self, number: usize) {
        let of = self.program.bins[number];
        let (at, cell, group) = (words::bins(self.program, number), bins::cell(&of), self.shape.group);
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
  let bins = fa_words[{at}];"
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
  fa_position = fa_words[{}] + max(fa_words[{}], 1u) - 1u;
  let first = at / bins * {FAN}u;
  let end = min(first + {FAN}u, arrayLength(&fa_lower_rows_{number}) / bins);
  let bin = at % bins;
  var both = fa_lower_rows_{number}[first * bins + bin];
  for (var row = first + 1u; row < end; row += 1u) {{
    both = {};
  }}
  fa_upper_rows_{number}[at] = both;
}}",
            words::START,
            words::COUNT,
            bins::both(&of, "both", &format!("fa_lower_rows_{number}[row * bins + bin]")),
            FAN = bins::FAN,
        );
    }

    /// For the histograms that a workgroup holds: what makes them, and what puts them into the device's memory.
    fn near(&mut self) -> (String, String) {
        let Shape { group, shared, .. } = self.shape;
        if shared == 0 || self.variant.pass != Pass::Iterate {
            return Default::default();
        }
        put!(self, "var<workgroup> fa_near: array<atomic<u32>, {shared}>;");
        let (mut before, mut after) = (String::new(), String::from("  workgroupBarrier();\n"));
        for (number, of) in self.program.bins.iter().enumerate().filter(|(_, of)| bins::words(of, false) > 0) {
            let (at, width) = (words::bins(self.program, number), bins::words(of, false));
            let (count, first, nothing) =
                (format!("fa_words[{at}]"), format!("fa_words[{}]", at + 1), bins::nothing(of));
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

    /// The kernel that runs the body.
    fn pass(&mut self) {
        let (program, pass) = (self.program, self.variant.pass);
        let pushes = program.pushes.len();
        let leaf = leaf(program, pass);
        let mut before = String::new();
        // The levels of running values that are known.
        let known = match pass {
            Pass::Total(level) => level,
            _ if program.running => program.depth(),
            _ => 0,
        };
        if folds(program) {
            before.push_str("  var state = fa_identity();\n");
        }
        if known > 0 {
            self.bind(Slot::Seed, Access::Read, "fa_seed", "State");
            let _ = writeln!(before, "  if (fa_words[{}] != 0u) {{ state = fa_seed; }}", words::SEEDED);
        }
        for level in 0..known {
            let name = format!("fa_states_before_{level}");
            self.bind(Slot::StatesBefore(level), Access::Read, &name, "array<State>");
            let _ = writeln!(
                before,
                "  if (fa_words[{}] > 1u) {{ state = fa_advance(state, {name}[number]); }}",
                words::LEAVES
            );
        }
        // A chunk of the level, beside values of the levels below: these are no part of what it leaves.
        let mut own = String::new();
        if let Pass::Total(level @ 1..) = pass {
            let fields = |of: &dyn Fn(usize) -> bool| -> String {
                let fields = program.levels.iter().enumerate().filter(|(_, level)| of(**level));
                fields.map(|(field, _)| format!(" state.f{field} = fresh.f{field};")).collect()
            };
            let _ = writeln!(before, "  let fresh = fa_identity();{}", fields(&|of| of >= level));
            own = fields(&|of| of < level);
        }
        if pushes > 0 {
            let fields: Vec<String> = (0..pushes).map(|number| format!("c{number}: u32")).collect();
            put!(self, "struct fa_Counts {{ {} }}", fields.join(", "));
        }
        if pass == Pass::Iterate && pushes > 0 {
            self.bind(Slot::CountsBefore, Access::Read, "fa_counts_before", "array<fa_Counts>");
            for number in 0..pushes {
                let _ = writeln!(
                    before,
                    "  if (fa_words[{}] > 1u) {{ fa_pushed_{number} = fa_counts_before[number].c{number}; }}",
                    words::LEAVES
                );
            }
        }
        let after = match leaf {
            Leaf::Nothing => String::new(),
            Leaf::State => {
                self.bind(Slot::Leaves, Access::Write, "fa_leaves", "array<State>");
                format!("{own} fa_leaves[number] = state;")
            }
            Leaf::Counts => {
                self.bind(Slot::Leaves, Access::Write, "fa_leaves", "array<fa_Counts>");
                let counts: Vec<String> = (0..pushes).map(|number| format!("fa_pushed_{number}")).collect();
                format!("fa_leaves[number] = fa_Counts({});", counts.join(", "))
            }
        };
        let rows =
            pass == Pass::Iterate && program.bins.iter().any(|of| bins::way(of, self.shape.native.long) == Way::Rows);
        if program.bins.iter().any(|of| bins::way(of, self.shape.native.long) == Way::Rows) {
            put!(self, "var<private> fa_row: u32;");
        }
        if rows {
            before.push_str("  fa_row = number;\n");
        }
        let (make, keep) = self.near();
        let Shape { group, each, .. } = self.shape;
        // Where the order does not matter, neighbours take positions beside each other, so that they read together.
        let ordered = leaf != Leaf::Nothing || rows || pushes > 0 || self.program.bins.is_empty();
        let (first, end, step) = match ordered {
            true => (format!("number * {each}u"), format!("(number + 1u) * {each}u"), 1),
            false => {
                let many = group * each;
                (format!("tile * {many}u + lane"), format!("(tile + 1u) * {many}u"), group)
            }
        };
        let inside = match ordered {
            true => format!("if (number < fa_words[{}])", words::LEAVES),
            false => String::new(),
        };
        let call = match (pass, folds(program)) {
            (Pass::Total(0), _) => "fa_total(fa_position, &state);".to_owned(),
            (Pass::Total(level), _) => format!("fa_total_{level}(fa_position, &state);"),
            (_, true) => "fa_iteration(fa_position, &state);".to_owned(),
            (_, false) => "fa_iteration(fa_position);".to_owned(),
        };
        put!(
            self,
            "@compute @workgroup_size({group})
fn fa_pass(@builtin(workgroup_id) group: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>,
           @builtin(local_invocation_index) lane: u32) {{
  let tile = group.y * groups.x + group.x;
  if (tile >= fa_words[{groups_word}]) {{ return; }}
  let number = tile * {group}u + lane;
{make}  {inside} {{
{before}  let end = min({end}, fa_words[{count_word}]);
  for (var at = {first}; at < end; at += {step}u) {{
    fa_position = fa_words[{start_word}] + at;
    {call}
    if (fa_stop) {{ break; }}
  }}
  {after}
  }}
{keep}}}",
            groups_word = words::GROUPS,
            count_word = words::COUNT,
            start_word = words::START,
        );
    }

    /// The kernels that fold leaves of type `of`.
    fn tree(&mut self, of: &str, identity: &str, merge: &str, group: u32) {
        if of == "fa_Counts" {
            let fields: Vec<String> =
                (0..self.program.pushes.len()).map(|k| format!("fa_sum(a.c{k}, b.c{k})")).collect();
            // More than can be counted stays the greatest number, which is refused.
            put!(self, "fn fa_sum(a: u32, b: u32) -> u32 {{ let c = a + b; return select(c, 0xffffffffu, c < a); }}");
            put!(
                self,
                "fn fa_merge_counts(a: fa_Counts, b: fa_Counts) -> fa_Counts {{ return fa_Counts({}); }}",
                fields.join(", ")
            );
        }
        self.bind(Slot::Lower, Access::Write, "fa_lower", &format!("array<{of}>"));
        self.bind(Slot::Upper, Access::Write, "fa_upper", &format!("array<{of}>"));
        // Where two parts cannot be merged, the place is not known; an iteration that raised is before it.
        let head = format!(
            "@compute @workgroup_size({group})
fn NAME(@builtin(workgroup_id) group: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>,
         @builtin(local_invocation_index) lane: u32) {{
  let tile = group.y * groups.x + group.x;
  if (tile >= arrayLength(&fa_upper)) {{ return; }}
  fa_position = fa_words[{}] + max(fa_words[{}], 1u) - 1u;
  let count = arrayLength(&fa_lower);
  let first = min((tile * {group}u + lane) * {LEAVES}u, count);
  let end = min(first + {LEAVES}u, count);
  var sum = {identity};
  for (var at = first; at < end; at += 1u) {{ sum = {merge}(sum, fa_lower[at]); }}
  fa_shared[lane] = sum;
  workgroupBarrier();",
            words::START,
            words::COUNT
        );
        put!(self, "var<workgroup> fa_shared: array<{of}, {group}>;");
        put!(
            self,
            "{}
  for (var step = 1u; step < {group}u; step *= 2u) {{
    if (lane % (2u * step) == 0u) {{ fa_shared[lane] = {merge}(fa_shared[lane], fa_shared[lane + step]); }}
    workgroupBarrier();
  }}
  if (lane == 0u) {{ fa_upper[tile] = fa_shared[0]; }}
}}",
            head.replace("NAME", "fa_up")
        );
        put!(
            self,
            "{}
  for (var step = 1u; step < {group}u; step *= 2u) {{
    if (lane >= step) {{ sum = {merge}(fa_shared[lane - step], sum); }}
    workgroupBarrier();
    fa_shared[lane] = sum;
    workgroupBarrier();
  }}
  var before = {identity};
  if (arrayLength(&fa_upper) > 1u) {{ before = fa_upper[tile]; }}
  if (lane > 0u) {{ before = {merge}(before, fa_shared[lane - 1u]); }}
  for (var at = first; at < end; at += 1u) {{
    let next = fa_lower[at];
    fa_lower[at] = before;
    before = {merge}(before, next);
  }}
}}",
            head.replace("NAME", "fa_down")
        );
    }
}

/// The small value in the lower bits of a word: an expression.
fn narrow(base: Type, word: &str) -> String {
    match base {
        Type::Bool => format!("(({word} & 0xffu) != 0u)"),
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
