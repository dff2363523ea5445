//! The choice of a strategy: a pure function of facts about the call and of the settings.

use super::site::Instance;
use crate::call::Call;
use crate::explain;
use crate::settings::{Strategies, Strategy};

/// The facts of a call on which the choice depends.
///
/// On several ranks, all ranks have the same facts, except about devices: a rank whose device refuses the loop runs it on its workers. The
/// results of devices merge with those of `Overlapped`, `Speculative` and `Chunks`, but not with those of `InOrder`.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Facts {
    /// Whether a device may run the loop on this rank.
    pub device: bool,
    /// Whether some ranks may have a device, and there are several.
    pub devices_elsewhere: bool,
    /// Whether only the order of the iterations decides the result.
    pub ordered: bool,
    /// Whether iterations may run while the arrays are opened, and there is something to fetch.
    pub overlaps: bool,
    /// Whether there is a form of the loop whose parts are speculative.
    pub speculates: bool,
    /// Whether the loop may process messages of blocks as they arrive.
    pub arrives: bool,
    /// Whether the results of messages as they arrive must be put into an order. Waves are then faster, unless messages cost much.
    pub reorders: bool,
    /// Whether there are chunks that are not speculative.
    pub chunks: bool,
    /// Whether one range over all iterations gives the result.
    pub one_piece: bool,
    /// Whether the iterations can run rank after rank.
    pub in_order: bool,
    /// Whether there is one worker, so that chunks have no use.
    pub one_worker: bool,
}

impl Facts {
    /// The strategies that give the result of the loop.
    fn fitting(&self) -> Strategies {
        if self.ordered {
            return Strategies::only(Strategy::InOrder).and(Strategy::Arrivals, self.arrives);
        }
        Strategies::NONE
            .and(Strategy::Device, self.device)
            .and(Strategy::Arrivals, self.arrives)
            .and(Strategy::Overlapped, self.overlaps)
            .and(Strategy::Speculative, self.speculates)
            .and(Strategy::Chunks, self.chunks)
            .and(Strategy::OnePiece, self.one_piece)
            .and(Strategy::InOrder, self.in_order)
    }
}

/// The first strategy that gives the result and is allowed; if none is, the first that gives the result.
#[inline]
pub(super) fn choose(facts: &Facts, mut allowed: Strategies) -> Strategy {
    // Loops over blocks run on no device.
    if facts.devices_elsewhere && !facts.arrives {
        let device = allowed.has(Strategy::Device);
        allowed = if device { Strategies::default() } else { Strategies::default().without(Strategy::Device) };
    }
    let fitting = facts.fitting();
    let of = |among: Strategies| {
        let others = among.without(Strategy::Arrivals);
        let among = if facts.reorders && others.first().is_some() { others } else { among };
        match facts.one_worker && among.has(Strategy::OnePiece) {
            true if !among.has(Strategy::Device) && !among.has(Strategy::Arrivals) => Some(Strategy::OnePiece),
            _ => among.first(),
        }
    };
    of(fitting.common(allowed)).or_else(|| of(fitting)).unwrap_or(Strategy::InOrder)
}

/// Tells the trace, and `FORALL_EXPLAIN`, by which strategy a loop runs.
#[inline]
pub(super) fn tell(call: &Call, site: &Instance, strategy: Strategy) {
    call.runs_by(strategy);
    if call.context.settings().explain && call.context.this_rank().rank == 0 {
        explain::decided(format!("`{}`, loop {}: strategy {strategy}", site.name, site.number + 1));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use Strategy::{Arrivals, Chunks, Device, InOrder, OnePiece, Overlapped, Speculative};

    const MAP: Facts = Facts {
        device: false,
        devices_elsewhere: false,
        ordered: false,
        overlaps: false,
        speculates: false,
        arrives: false,
        reorders: false,
        chunks: true,
        one_piece: true,
        in_order: true,
        one_worker: false,
    };

    #[track_caller]
    fn chosen(facts: Facts, expected: &[Strategy]) {
        let mut allowed = Strategies::default();
        for strategy in expected {
            assert_eq!(choose(&facts, allowed), *strategy, "{facts:?}");
            allowed = allowed.without(*strategy);
        }
    }

    #[test]
    fn the_next_strategy_replaces_a_forbidden_one() {
        chosen(MAP, &[Chunks, OnePiece, InOrder]);
        chosen(Facts { one_worker: true, ..MAP }, &[OnePiece, Chunks, InOrder]);
        chosen(Facts { device: true, ..MAP }, &[Device, Chunks, OnePiece, InOrder]);
        chosen(Facts { arrives: true, one_worker: true, ..MAP }, &[Arrivals, OnePiece, Chunks, InOrder]);
        chosen(Facts { arrives: true, ordered: true, ..MAP }, &[Arrivals, InOrder]);
        chosen(Facts { arrives: true, reorders: true, ..MAP }, &[Chunks, OnePiece, InOrder, Arrivals]);
        chosen(Facts { overlaps: true, one_piece: false, ..MAP }, &[Overlapped, Chunks, InOrder]);
        chosen(Facts { speculates: true, chunks: false, one_piece: false, ..MAP }, &[Speculative, InOrder]);
    }

    #[test]
    fn the_first_right_strategy_runs_if_no_right_one_is_allowed() {
        chosen(Facts { in_order: false, one_piece: false, ..MAP }, &[Chunks, Chunks]);
        chosen(MAP, &[Chunks, OnePiece, InOrder, Chunks]);
        chosen(Facts { ordered: true, ..MAP }, &[InOrder, InOrder]);
        chosen(Facts { ordered: true, in_order: false, device: true, one_worker: true, ..MAP }, &[InOrder, InOrder]);
    }

    #[test]
    fn one_strategy_alone_is_allowed() {
        for (only, expected) in [(InOrder, InOrder), (OnePiece, OnePiece), (Speculative, Chunks), (Device, Chunks)] {
            assert_eq!(choose(&MAP, Strategies::only(only)), expected);
        }
    }

    #[test]
    fn ranks_with_devices_elsewhere_may_only_forbid_devices() {
        let facts = Facts { devices_elsewhere: true, device: true, ..MAP };
        assert_eq!(choose(&facts, Strategies::only(InOrder)), Chunks);
        assert_eq!(choose(&facts, Strategies::default().without(Chunks)), Device);
        assert_eq!(choose(&Facts { device: false, ..facts }, Strategies::default().without(Chunks)), Chunks);
    }
}
