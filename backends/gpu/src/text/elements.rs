//! Elements of a binding, read and written: in windows, and in parts of words.

use super::values::{as_words, gather, kinds, narrow, of_words, place, scatter};
use super::writer::{Access, Binding, Writer, put};
use crate::layout::{Cell, Room, cell, room};
use forall_core::device::Type;
use std::fmt::Write;

/// A binding that holds elements, or several that are windows of one array.
#[derive(Clone, Copy)]
pub(crate) struct Cells<'n> {
    pub(crate) name: &'n str,
    pub(crate) windows: u32,
}

/// The name of a window of an array.
pub(crate) fn window_name(name: &str, window: u32) -> String {
    match window {
        0 => name.into(),
        further => format!("{name}_window_{further}"),
    }
}

impl Writer<'_> {
    /// Reads scalar `at` of a binding: an expression.
    pub(crate) fn get(&self, name: &str, base: Type, at: &str, atomic: bool) -> String {
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
    pub(crate) fn set(&self, name: &str, base: Type, at: &str) -> String {
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
    pub(crate) fn in_window(&self, cells: Cells<'_>, base: Type, each: impl Fn(&str, &str) -> String) -> String {
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
    pub(crate) fn bind_windows(
        &mut self,
        binding: impl Fn(u32) -> Binding,
        access: Access,
        cells: Cells<'_>,
        of: &str,
    ) {
        for window in 0..cells.windows {
            self.bind(binding(window), access, &window_name(cells.name, window), of);
        }
    }

    /// The WGSL type of a binding that holds elements of this type.
    pub(crate) fn cells(of: Type, writes: bool) -> String {
        let bits = match room(of) {
            Room::Scalars(base, _) if cell(base) == Cell::Plain => return format!("array<{}>", base.wgsl()),
            Room::Scalars(base, _) => matches!(cell(base), Cell::Bits(_)),
            // The words of an element are its own.
            Room::Words(_) => false,
            Room::Bytes(_) => true,
        };
        if bits && writes { "array<atomic<u32>>".into() } else { "array<u32>".into() }
    }

    /// Element `k` of a binding: an expression. Its names begin with `get`.
    pub(crate) fn element(&mut self, of: Type, cells: Cells<'_>, get: &str, k: &str, atomic: bool) -> String {
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

    /// Statements that make `v` element `k` of a binding. Their names begin with `set`.
    pub(crate) fn put_element(&mut self, of: Type, cells: Cells<'_>, set: &str, k: &str) -> String {
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
}
