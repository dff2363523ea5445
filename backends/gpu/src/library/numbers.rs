//! The types of numbers, as the library's functions need to know them.

/// The operations that the device computes as Rust does: whether it rounds quotients and square roots to the nearest
/// float, for each type of floats, and how it treats zeros.
///
/// Vulkan lets it be off by some units in the last place. Then the library computes them from the fractions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Native {
    pub single: bool,
    pub double: bool,
    /// Whether it keeps the sign of zero where a zero that is written is added or is a factor.
    pub zero: bool,
    /// Whether it has atomic minima and maxima of 64 bits.
    pub long: bool,
}

/// A type of integers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Int {
    /// Rust's name.
    pub(super) name: &'static str,
    /// The name of the type of the same size without a sign.
    pub(super) unsigned: &'static str,
    /// The type that holds it.
    pub(super) held: &'static str,
    /// The suffix of literals of that type.
    pub(super) suffix: &'static str,
    pub(super) storage: Storage,
    pub(super) signed: bool,
}

/// How integers are held.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Storage {
    /// 8 or 16 bits, in a word.
    Narrow(u32),
    /// 32 bits.
    Word,
    /// 64 bits.
    Long,
    /// `usize` and `isize`: 64 bits in Rust, held in a word. One value of `usize` is reserved for [`usize::MAX`].
    Wide,
}

impl Int {
    pub(super) fn of(name: &str) -> Option<Int> {
        use Storage::{Long, Narrow, Wide, Word};
        let (name, unsigned, held, suffix, storage) = match name {
            "i8" => ("i8", "u8", "i32", "i", Narrow(8)),
            "u8" => ("u8", "u8", "u32", "u", Narrow(8)),
            "i16" => ("i16", "u16", "i32", "i", Narrow(16)),
            "u16" => ("u16", "u16", "u32", "u", Narrow(16)),
            "i32" => ("i32", "u32", "i32", "i", Word),
            "u32" => ("u32", "u32", "u32", "u", Word),
            "i64" => ("i64", "u64", "i64", "li", Long),
            "u64" => ("u64", "u64", "u64", "lu", Long),
            "isize" => ("isize", "usize", "i32", "i", Wide),
            "usize" => ("usize", "usize", "u32", "u", Wide),
            _ => return None,
        };
        Some(Int { name, unsigned, held, suffix, storage, signed: name.starts_with('i') })
    }

    /// Bits in Rust.
    pub(super) fn bits(self) -> u32 {
        match self.storage {
            Storage::Narrow(bits) => bits,
            Storage::Word => 32,
            Storage::Long | Storage::Wide => 64,
        }
    }

    /// The type without a sign that holds the same bits.
    pub(super) fn bits_held(self) -> &'static str {
        if self.storage == Storage::Long { "u64" } else { "u32" }
    }

    /// The greatest value that is held: an expression.
    pub(super) fn most(self) -> String {
        match (self.storage, self.signed) {
            (Storage::Narrow(bits), true) => format!("{}i", (1_i32 << (bits - 1)) - 1),
            (Storage::Narrow(bits), false) => format!("{}u", (1_u32 << bits) - 1),
            (Storage::Word | Storage::Wide, true) => "2147483647i".into(),
            (Storage::Word | Storage::Wide, false) => "0xffffffffu".into(),
            (Storage::Long, true) => "9223372036854775807li".into(),
            (Storage::Long, false) => "18446744073709551615lu".into(),
        }
    }

    /// The least value that is held: an expression.
    pub(super) fn least(self) -> String {
        match self.signed {
            true => format!("(-{} - 1{})", self.most(), self.suffix),
            false => format!("0{}", self.suffix),
        }
    }

    /// Replaces, in a text: `$n` Rust's name, `$V` the name without a sign, `$T` the type that holds it, `$U` the type that
    /// holds the bits, `$s` the suffix, `$MOST` and `$LEAST`, `$BITS`.
    pub(super) fn fill(self, text: &str) -> String {
        text.replace("$MOST", &self.most())
            .replace("$LEAST", &self.least())
            .replace("$BITS", &format!("{}u", self.bits()))
            .replace("$n", self.name)
            .replace("$V", self.unsigned)
            .replace("$T", self.held)
            .replace("$U", self.bits_held())
            .replace("$s", self.suffix)
    }
}
