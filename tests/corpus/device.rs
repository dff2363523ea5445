//! Functions for the GPU that loops of other crates call.

/// The days of each month.
#[forall::device]
pub const MONTHS: [u32; 12] = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/// In which month a day of the year is, both from 0.
#[forall::device]
pub fn month(day: u32) -> u32 {
    let (mut month, mut left) = (0_u32, day);
    while left >= MONTHS[month as usize] {
        left -= MONTHS[month as usize];
        month += 1;
    }
    month
}
