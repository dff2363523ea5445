//! How values lie in the memory of the device, and how they come there and back.
//!
//! An array's elements keep the bytes that Rust gives them; the shader takes them apart. Its buffer is an array of the scalars of the elements, or of
//! words if WGSL has no such scalar, or if there are several. The fields of a `State` are held as the shader computes with them, and are converted
//! here.

use forall_core::device::{Program, Type};
use half::f16;

/// How the elements of an array lie in its buffer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Room {
    /// As scalars: their type, and their number in one element.
    Scalars(Type, usize),
    /// As words, which hold scalars of several types: how many are in one element.
    Words(usize),
    /// As words, in which elements may begin in the middle: the number of bytes of an element.
    Bytes(usize),
}

/// The least number that both divide.
pub(crate) fn common_multiple(one: u64, two: u64) -> u64 {
    let (mut a, mut b) = (one, two);
    while b != 0 {
        (a, b) = (b, a % b);
    }
    one / a * two
}

/// How elements of the type lie.
pub(crate) fn room(of: Type) -> Room {
    let scalars = of.scalars();
    match (scalars.first(), of.size()) {
        (Some(first), _) if scalars.iter().all(|scalar| scalar == first) => Room::Scalars(*first, scalars.len()),
        (_, size) if size % 4 == 0 => Room::Words(size / 4),
        (_, size) => Room::Bytes(size),
    }
}

/// How the scalars of one type lie in a buffer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Cell {
    /// As an element of a WGSL array.
    Plain,
    /// In a part of a word, which has this many bits.
    Bits(u32),
    /// As two words, the lower first: an integer that the shader holds in one.
    Pair,
}

/// How this scalar lies in a buffer.
pub(crate) fn cell(base: Type) -> Cell {
    match base {
        Type::Bool | Type::I8 | Type::U8 => Cell::Bits(8),
        Type::I16 | Type::U16 | Type::F16 => Cell::Bits(16),
        Type::Isize | Type::Usize if size_of::<usize>() == 8 => Cell::Pair,
        _ => Cell::Plain,
    }
}

/// Where a value of the type may begin in the memory of the device, and how many bytes it has there, where a shader computes
/// with it.
pub(crate) fn held(of: Type) -> (usize, usize) {
    match of {
        Type::I64 | Type::U64 | Type::F64 => (8, 8),
        Type::Array(element, len) => {
            let (align, size) = held(*element);
            (align, size * len)
        }
        Type::Struct(of) => {
            let (mut align, mut size) = (4, 0_usize);
            for (_, field) in of.fields {
                let (alignment, more) = held(*field);
                align = align.max(alignment);
                size = size.next_multiple_of(alignment) + more;
            }
            (align, size.next_multiple_of(align))
        }
        _ => (4, 4),
    }
}

/// The scalars of a value that begins at `at` in the memory of the device: where each of them is.
fn scalars(of: Type, mut at: usize, each: &mut impl FnMut(Type, usize)) {
    match of {
        Type::Array(element, len) => {
            let (_, size) = held(*element);
            (0..len).for_each(|k| scalars(*element, at + k * size, each));
        }
        Type::Struct(of) => {
            for (_, field) in of.fields {
                let (alignment, size) = held(*field);
                at = at.next_multiple_of(alignment);
                scalars(*field, at, each);
                at += size;
            }
        }
        scalar => each(scalar, at),
    }
}

/// The same for a field of a `State`, which has all bits of a `usize`.
fn field(of: Type) -> (usize, usize) {
    match of {
        Type::Usize | Type::Isize => (8, 8),
        other => held(other),
    }
}

/// Where each field of a `State` begins in the memory of the device, and how many bytes all of it has.
pub(crate) fn state(fields: &[Type]) -> (Vec<usize>, usize) {
    let (mut at, mut align) = (0_usize, 4);
    let offsets = fields
        .iter()
        .map(|field| {
            let (alignment, size) = self::field(*field);
            align = align.max(alignment);
            let offset = at.next_multiple_of(alignment);
            at = offset + size;
            offset
        })
        .collect();
    (offsets, at.next_multiple_of(align))
}

/// A scalar as a shader computes with it, as Rust holds it.
pub(crate) fn to_host(base: Type, value: &[u8], host: &mut Vec<u8>) {
    match base {
        Type::Usize => {
            let held = u32::from_ne_bytes(value.try_into().unwrap_or_default());
            let value = if held == u32::MAX { usize::MAX } else { held as usize };
            host.extend_from_slice(&value.to_ne_bytes());
        }
        Type::Isize => {
            let held = i32::from_ne_bytes(value.try_into().unwrap_or_default());
            host.extend_from_slice(&(held as isize).to_ne_bytes());
        }
        Type::F16 => {
            let held = f32::from_ne_bytes(value.try_into().unwrap_or_default());
            host.extend_from_slice(&f16::from_f32(held).to_ne_bytes());
        }
        // The devices that wgpu knows are little-endian, as are their hosts.
        _ => host.extend_from_slice(&value[..base.size()]),
    }
}

/// A scalar as Rust holds it, as a shader computes with it; nothing where a `usize` has no room there.
pub(crate) fn to_device(base: Type, value: &[u8], place: &mut [u8]) -> Option<()> {
    match base {
        Type::Usize => {
            let value = usize::from_ne_bytes(value.try_into().ok()?);
            let held = match value {
                usize::MAX => u32::MAX,
                _ => u32::try_from(value).ok().filter(|held| *held != u32::MAX)?,
            };
            place.copy_from_slice(&held.to_ne_bytes());
        }
        Type::Isize => {
            let value = isize::from_ne_bytes(value.try_into().ok()?);
            place.copy_from_slice(&i32::try_from(value).ok()?.to_ne_bytes());
        }
        Type::I8 | Type::I16 => extend(value, place),
        Type::F16 => place.copy_from_slice(&f16::from_ne_bytes(value.try_into().ok()?).to_f32().to_ne_bytes()),
        _ => place[..value.len()].copy_from_slice(value),
    }
    Some(())
}

/// The same integer with more bytes.
fn extend(value: &[u8], place: &mut [u8]) {
    let negative = value.last().is_some_and(|last| *last >= 0x80);
    place.fill(if negative { 0xff } else { 0 });
    place[..value.len()].copy_from_slice(value);
}

/// From the device's `State` to the fields as Rust holds them, one after the other.
pub(crate) fn state_to_host(fields: &[Type], bytes: &[u8]) -> Vec<u8> {
    let (offsets, _) = state(fields);
    let mut host = Vec::new();
    for (field, offset) in fields.iter().zip(offsets) {
        match field {
            Type::Usize | Type::Isize => host.extend_from_slice(&bytes[offset..offset + field.size()]),
            _ => scalars(*field, offset, &mut |base, at| to_host(base, &bytes[at..at + held(base).1], &mut host)),
        }
    }
    host
}

/// The fields of all levels, of states that each hold those of one: the last one those of higher levels too.
pub(crate) fn of_levels(program: &Program, states: &[Vec<u8>]) -> Vec<u8> {
    let (mut all, mut at) = (Vec::new(), 0);
    for (number, field) in program.state.iter().enumerate() {
        let level = program.levels.get(number).copied().unwrap_or(0);
        let end = at + field.size();
        all.extend(states.get(level).or(states.last()).and_then(|state| state.get(at..end)).unwrap_or_default());
        at = end;
    }
    all
}

/// From the fields as Rust holds them to the device's `State`; nothing where a `usize` has no room there.
pub(crate) fn state_to_device(fields: &[Type], host: &[u8]) -> Option<Vec<u8>> {
    let (offsets, total) = state(fields);
    let mut bytes = vec![0; total];
    let mut rest = host;
    for (field, offset) in fields.iter().zip(offsets) {
        let mut fits = Some(());
        let mut take = |size: usize| {
            let value;
            (value, rest) = rest.split_at_checked(size)?;
            Some(value)
        };
        match field {
            Type::Isize => extend(take(field.size())?, &mut bytes[offset..offset + 8]),
            Type::Usize => bytes[offset..offset + field.size()].copy_from_slice(take(field.size())?),
            _ => scalars(*field, offset, &mut |base, at| {
                let place = &mut bytes[at..at + held(base).1];
                fits = fits.and_then(|()| to_device(base, take(base.size())?, place));
            }),
        }
        fits?;
    }
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use forall_core::device::Struct;

    #[test]
    fn states_come_back_as_they_went() {
        let fields = [Type::I8, Type::F64, Type::Array(&Type::U16, 3), Type::Usize, Type::Isize, Type::Bool, Type::F16];
        let mut host = vec![0xfe_u8];
        host.extend_from_slice(&1.5_f64.to_ne_bytes());
        for value in [1_u16, 2, 0xffff] {
            host.extend_from_slice(&value.to_ne_bytes());
        }
        host.extend_from_slice(&usize::MAX.to_ne_bytes());
        host.extend_from_slice(&(-5_isize).to_ne_bytes());
        host.push(1);
        host.extend_from_slice(&f16::from_f32(-0.1).to_ne_bytes());
        let (offsets, size) = state(&fields);
        assert_eq!(offsets, [0, 8, 16, 32, 40, 48, 52]);
        assert_eq!(size, 56);
        let device = state_to_device(&fields, &host).unwrap();
        assert_eq!(device[..4], [0xfe, 0xff, 0xff, 0xff]);
        assert_eq!(state_to_host(&fields, &device), host);
    }

    #[test]
    fn structs_come_back_as_they_went() {
        static INNER: Struct =
            Struct { name: "Inner", arguments: &[], fields: &[("a", Type::U8), ("b", Type::Bool)], variants: None };
        static OUTER: Struct = Struct {
            name: "Outer",
            arguments: &[],
            fields: &[("x", Type::F64), ("in", Type::Array(&Type::Struct(&INNER), 2)), ("y", Type::F32)],
            variants: None,
        };
        let fields = [Type::Bool, Type::Struct(&OUTER), Type::I8];
        let (offsets, size) = state(&fields);
        assert_eq!((offsets, size), (vec![0, 8, 40], 48));
        let mut host = vec![1_u8];
        host.extend_from_slice(&1.5_f64.to_ne_bytes());
        host.extend_from_slice(&[7, 1, 255, 0]);
        host.extend_from_slice(&2.5_f32.to_ne_bytes());
        host.push(0xfe);
        let device = state_to_device(&fields, &host).unwrap();
        assert_eq!(device[16..36], [7, 0, 0, 0, 1, 0, 0, 0, 255, 0, 0, 0, 0, 0, 0, 0, 0, 0, 32, 64]);
        assert_eq!(state_to_host(&fields, &device), host);
    }

    #[test]
    fn what_has_no_room_is_said() {
        const MANY: [Type; 2] = [Type::Array(&Type::Usize, 1), Type::Array(&Type::Isize, 1)];
        assert!(state_to_device(&MANY[..1], &(u32::MAX as usize).to_ne_bytes()).is_none());
        assert!(state_to_device(&MANY[1..], &isize::MIN.to_ne_bytes()).is_none());
    }
}
