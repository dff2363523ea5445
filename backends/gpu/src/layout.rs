//! How values lie in the memory of the device, and how they come there and back.
//!
//! An array's elements keep the bytes that Rust gives them; the shader takes them apart. Its buffer is an array of the scalars
//! of which the elements are made, or of words where WGSL has no such scalar. The fields of a `State` are held as the shader
//! computes with them, and are converted here.

use forall_core::device::{Program, Type};

/// The scalar of which a type is made, and how many there are in one value.
pub(crate) fn scalar(of: Type) -> (Type, usize) {
    match of {
        Type::Array(element, len) => {
            let (base, width) = scalar(*element);
            (base, width * len)
        }
        base => (base, 1),
    }
}

/// The least number that both divide.
pub(crate) fn common_multiple(one: u64, two: u64) -> u64 {
    let (mut a, mut b) = (one, two);
    while b != 0 {
        (a, b) = (b, a % b);
    }
    one / a * two
}

/// The type with which a shader computes.
pub(crate) fn wgsl(of: Type) -> String {
    match of {
        Type::Bool => "bool".into(),
        Type::I8 | Type::I16 | Type::I32 | Type::Isize => "i32".into(),
        Type::U8 | Type::U16 | Type::U32 | Type::Usize => "u32".into(),
        Type::I64 => "i64".into(),
        Type::U64 => "u64".into(),
        Type::F32 => "f32".into(),
        Type::F64 => "f64".into(),
        Type::Array(element, len) => format!("array<{}, {len}>", wgsl(*element)),
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
        Type::I16 | Type::U16 => Cell::Bits(16),
        Type::Isize | Type::Usize if size_of::<usize>() == 8 => Cell::Pair,
        _ => Cell::Plain,
    }
}

/// Where a value of the type may begin in the memory of the device, and how many bytes it has there, where a shader computes
/// with it.
pub(crate) fn held(of: Type) -> (usize, usize) {
    let (base, width) = scalar(of);
    let size = match base {
        Type::I64 | Type::U64 | Type::F64 => 8,
        _ => 4,
    };
    (size, size * width)
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
            _ => {
                let (base, width) = scalar(*field);
                let (size, _) = held(base);
                bytes[offset..offset + size * width]
                    .chunks_exact(size)
                    .for_each(|value| to_host(base, value, &mut host));
            }
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
        let (base, width) = scalar(*field);
        let (_, size) = self::field(*field);
        for place in bytes[offset..offset + size].chunks_exact_mut(size / width.max(1)) {
            let value;
            (value, rest) = rest.split_at_checked(base.size())?;
            match field {
                Type::Isize => extend(value, place),
                Type::Usize => place[..value.len()].copy_from_slice(value),
                _ => to_device(base, value, place)?,
            }
        }
    }
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn states_come_back_as_they_went() {
        let fields = [Type::I8, Type::F64, Type::Array(&Type::U16, 3), Type::Usize, Type::Isize, Type::Bool];
        let mut host = vec![0xfe_u8];
        host.extend_from_slice(&1.5_f64.to_ne_bytes());
        for value in [1_u16, 2, 0xffff] {
            host.extend_from_slice(&value.to_ne_bytes());
        }
        host.extend_from_slice(&usize::MAX.to_ne_bytes());
        host.extend_from_slice(&(-5_isize).to_ne_bytes());
        host.push(1);
        let (offsets, size) = state(&fields);
        assert_eq!(offsets, [0, 8, 16, 32, 40, 48]);
        assert_eq!(size, 56);
        let device = state_to_device(&fields, &host).unwrap();
        assert_eq!(device[..4], [0xfe, 0xff, 0xff, 0xff]);
        assert_eq!(state_to_host(&fields, &device), host);
    }

    #[test]
    fn what_has_no_room_is_said() {
        const MANY: [Type; 2] = [Type::Array(&Type::Usize, 1), Type::Array(&Type::Isize, 1)];
        assert!(state_to_device(&MANY[..1], &(u32::MAX as usize).to_ne_bytes()).is_none());
        assert!(state_to_device(&MANY[1..], &isize::MIN.to_ne_bytes()).is_none());
    }
}
