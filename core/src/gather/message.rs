//! Messages with requested indices, from a rank to the owner of the elements.

use super::requested::{Requested, ones};
use crate::data::{LocalBytes, pick};
use crate::element::{bytes_of, from_bytes};
use std::ops::Range;

/// The first byte of a message is its encoding: a list of indices,
const LIST: u8 = 0;

/// a bit for each element of the share,
const BITS: u8 = 1;

/// or the two ends of a range.
const RANGE: u8 = 2;

impl Requested {
    /// Encodes the requested elements of a share, relative to its start, as a list or as bits, whichever is shorter.
    pub(crate) fn request(&self, share: &Range<usize>, count: usize) -> Vec<u8> {
        if count == 0 {
            return Vec::new();
        }
        if count * 8 < share.len().div_ceil(8) {
            let mut list = Vec::with_capacity(count);
            self.ones(share.clone()).for_each(|index| list.push((index - share.start) as u64));
            return [&[LIST], bytes_of(&list)].concat();
        }
        let (first, shift) = (share.start / 64, share.start % 64);
        let word = |word: usize| self.word(first + word);
        let mut message = vec![BITS];
        message.extend((0..share.len().div_ceil(64)).flat_map(|at| {
            // The bits of the share, aligned to its start.
            let both = u128::from(word(at)) | u128::from(word(at + 1)) << 64;
            ((both >> shift) as u64).to_le_bytes()
        }));
        message.truncate(1 + share.len().div_ceil(8));
        if let (Some(last), beyond @ 1..) = (message.last_mut(), share.len() % 8) {
            *last &= 0xff >> (8 - beyond);
        }
        message
    }
}

pub(crate) fn request_range(range: &Range<usize>, share: &Range<usize>) -> Vec<u8> {
    if range.is_empty() {
        return Vec::new();
    }
    [&[RANGE], bytes_of(&[(range.start - share.start) as u64, (range.end - share.start) as u64])].concat()
}

/// The bytes of the requested elements of a share, in order. If a device has the share, only these are copied.
pub(crate) fn requested_elements(request: &[u8], local: &LocalBytes<'_>) -> Vec<u8> {
    match request.split_first() {
        None => Vec::new(),
        Some((&RANGE, ends)) => {
            let ends = from_bytes::<u64>(ends);
            let range = ends[0] as usize..ends[1] as usize;
            local.some(std::slice::from_ref(&range)).concat()
        }
        Some((&LIST, list)) => {
            let places: Vec<usize> = from_bytes::<u64>(list).into_iter().map(|offset| offset as usize).collect();
            local.gather(&places)
        }
        Some((_, bits)) => {
            let word = |word: usize| {
                let bytes = &bits[8 * word..bits.len().min(8 * word + 8)];
                bytes.iter().rev().fold(0, |all, byte| all << 8 | u64::from(*byte))
            };
            let count: usize = bits.iter().map(|byte| byte.count_ones() as usize).sum();
            let wanted = ones(word, 0..local.len());
            if local.is_away() {
                return local.gather(&wanted.collect::<Vec<_>>());
            }
            let size = local.element().size();
            let mut all = vec![0; count * size];
            pick(local.all(), size, wanted, &mut all);
            all
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Local;
    use crate::gather::requested::Requests;

    fn requests(len: usize, elements: &[usize]) -> Requests {
        let requests = Requests::new([len]);
        let requester = requests.requester(0);
        elements.iter().for_each(|index| requester.request(*index));
        drop(requester);
        requests
    }

    /// Sparse and dense messages request the same elements, for shares with any bounds.
    #[test]
    fn a_message_requests_the_recorded_elements() {
        for len in [1, 63, 64, 65, 130, 1000] {
            for step in [1, 2, 7, 63, 64, 200, 999] {
                let elements: Vec<usize> = (0..len).step_by(step).collect();
                let requests = requests(len, &elements);
                for (start, end) in [(0, len), (len / 3, len / 2), (len / 2, len), (len, len), (0, 1)] {
                    let local: Vec<u32> = (start..end).map(|index| index as u32 * 10).collect();
                    let count = requests.of(0).count(start..end);
                    let request = requests.of(0).request(&(start..end), count);
                    let share = elements.iter().filter(|index| (start..end).contains(index));
                    let expected: Vec<u32> = share.map(|&index| index as u32 * 10).collect();
                    assert_eq!(
                        (count, from_bytes::<u32>(&requested_elements(&request, &Local::from(&local[..]).as_bytes()))),
                        (expected.len(), expected),
                        "{start}..{end} of {len}"
                    );
                }
            }
        }
    }
}
