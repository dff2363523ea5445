//! Blocks that hold maps, and a loop that composes them by rounds of partners: an operation that does not commute.

use forall::blocks::Blocks;
use forall::foreach;
use forall::partners::{Does, Partners};

/// The map `x -> a x + b`, whose composition does not commute, of each of some elements.
pub type Maps = Vec<[u32; 2]>;

pub fn after([a, b]: [u32; 2], [c, d]: [u32; 2]) -> [u32; 2] {
    [a.wrapping_mul(c), a.wrapping_mul(d).wrapping_add(b)]
}

/// The messages of the round before are merged, and those of this round are sent.
#[foreach]
pub fn composed(blocks: &mut Blocks<Maps>, partners: &Partners, round: usize) {
    for mut block in blocks.iter_mut() {
        let number = block.number();
        if let Some(before) = round.checked_sub(1).and_then(|before| partners.round(number, before)) {
            for (piece, message) in block.inbox().pieces(&before) {
                for (map, other) in block[piece.region].iter_mut().zip(&*message.elements::<[u32; 2]>()) {
                    *map = match before.does {
                        Does::Merge if piece.earlier => after(*other, *map),
                        Does::Merge => after(*map, *other),
                        Does::Copy => *other,
                    };
                }
            }
        }
        for piece in partners.round(number, round).into_iter().flat_map(|round| round.sends) {
            block.send_elements(piece.rank, &block[piece.region]);
        }
    }
}
