//! One call of an annotated function: agreed between the ranks.

use crate::comm::{Comm, Traffic};
use crate::data::{Cuts, Layout};
use crate::device::Moved;
use crate::meta::{Meta, Use};
use crate::runtime::{Along, Context, Header, Label, Value};
use std::cell::Cell;
use std::rc::Rc;

/// One call, on this rank.
#[derive(Debug)]
pub struct Call {
    pub(crate) context: Rc<Context>,
    pub(crate) meta: &'static Meta,
    /// Whether the other ranks have no part in it.
    local: bool,
    seen: Option<Seen>,
}

/// A call that a subscriber of `tracing` looks at, and what this rank had done before it.
#[derive(Debug)]
struct Seen {
    span: tracing::span::EnteredSpan,
    start: std::time::Instant,
    traffic: Traffic,
    iterations: u64,
    moved: Moved,
    /// How long all workers were busy in the loops, and how long they could have been: as long as the one that was it longest. In
    /// nanoseconds.
    busy: Cell<(u64, u64)>,
}

impl Seen {
    fn begin(meta: &'static Meta, context: &Context) -> Seen {
        use tracing::field::Empty;
        let span = tracing::info_span!(
            "call",
            function = meta.name,
            attribute = meta.attribute,
            node = context.node().name(),
            comm = context.comm().name(),
            iterations = Empty,
            messages = Empty,
            bytes_sent = Empty,
            bytes_received = Empty,
            communication_us = Empty,
            computation_us = Empty,
            busy_us = Empty,
            imbalance = Empty,
            bytes_to_device = Empty,
            bytes_from_device = Empty,
        )
        .entered();
        let (start, iterations) = (std::time::Instant::now(), context.iterations());
        let busy = Cell::new((0, 0));
        Seen { span, start, traffic: context.traffic(), iterations, moved: Moved::so_far(), busy }
    }

    fn end(&self, context: &Context) {
        let traffic = context.traffic() - self.traffic;
        let micros = |time: std::time::Duration| u64::try_from(time.as_micros()).unwrap_or(u64::MAX);
        self.span.record("iterations", context.iterations() - self.iterations);
        self.span.record("messages", traffic.messages);
        self.span.record("bytes_sent", traffic.bytes_sent);
        self.span.record("bytes_received", traffic.bytes_received);
        self.span.record("communication_us", micros(traffic.time));
        self.span.record("computation_us", micros(self.start.elapsed().saturating_sub(traffic.time)));
        let (busy, room) = self.busy.get();
        if busy > 0 {
            self.span.record("busy_us", busy / 1000);
            self.span.record("imbalance", room as f64 / busy as f64);
        }
        if context.node().may_have_device() {
            let moved = Moved::since(self.moved);
            self.span.record("bytes_to_device", moved.up);
            self.span.record("bytes_from_device", moved.down);
        }
    }
}

impl Call {
    /// Begins a call: takes the ambient context, makes one with `starter` where there is none yet.
    #[inline]
    pub fn begin(meta: &'static Meta, starter: fn() -> Context) -> Call {
        Self::new(meta, starter, false)
    }

    /// Begins a call of this rank alone.
    #[inline]
    pub fn begin_local(meta: &'static Meta, starter: fn() -> Context) -> Call {
        Self::new(meta, starter, true)
    }

    #[inline]
    fn new(meta: &'static Meta, starter: fn() -> Context, local: bool) -> Call {
        let context = crate::runtime::current_or(starter);
        if context.settings().explain {
            crate::explain::once(meta, &context);
        }
        let seen = tracing::enabled!(tracing::Level::INFO).then(|| Seen::begin(meta, &context));
        Call { context, meta, local, seen }
    }

    /// The context that the call runs in.
    pub fn context(&self) -> &Context {
        &self.context
    }

    /// Its span, where a subscriber looks at it.
    pub(crate) fn span(&self) -> Option<tracing::Id> {
        self.seen.as_ref().and_then(|seen| seen.span.id())
    }

    /// How long each worker was busy in a loop, in nanoseconds.
    pub(crate) fn was_busy(&self, each: &[u64]) {
        if let Some(seen) = &self.seen {
            let (busy, room) = seen.busy.get();
            let longest = each.iter().max().map_or(0, |longest| longest.saturating_mul(each.len() as u64));
            seen.busy.set((busy.saturating_add(each.iter().sum()), room.saturating_add(longest)));
        }
    }

    /// Whether there are no other ranks that have a part in it.
    #[inline]
    pub fn alone(&self) -> bool {
        self.local || self.context.this_rank().ranks == 1
    }

    /// Lets the ranks agree that they make the same call, and exchanges the lengths of their shares.
    ///
    /// `shapes` are those of this rank's parts of the parameters that have one, with their names, and then those of the
    /// whole arrays: the parts are planes, cut along the first axis.
    #[inline]
    pub fn align(&self, places: &mut [&mut Layout], shapes: &mut [(&'static str, &mut [usize])]) {
        if !self.alone() {
            self.align_ranks(places, shapes);
        }
    }

    #[cold]
    fn align_ranks(&self, places: &mut [&mut Layout], shapes: &mut [(&'static str, &mut [usize])]) {
        self.refuse_tables(places);
        let axes =
            shapes.iter().flat_map(|&(name, ref shape)| (0..shape.len()).map(move |axis| Label::Axis(axis, name)));
        let labels = self.meta.parameters.iter().map(|name| Label::Length(name)).chain(axes);
        // A plain slice's length is the rank's own; what a `DistVec` has in all must be the same on all ranks.
        let lengths = places.iter().map(|place| match &place.cuts {
            Some(cuts) => (cuts.total(), true),
            None => (place.len, false),
        });
        let extents = shapes.iter().flat_map(|(_, shape)| shape.iter().enumerate()).map(|(axis, &n)| (n, axis > 0));
        let values: Vec<Value<'_>> = (labels.zip(lengths.chain(extents)))
            .map(|(label, (value, must_agree))| Value { label, value: value as u64, must_agree })
            .collect();
        let rank = self.context.this_rank().rank;
        if values.iter().all(|value| value.must_agree) {
            // Nothing is to be learned from the others: they hear of it with the first loop.
            self.context.announce(self.meta.name, values);
            for place in places {
                let cuts = place.cuts.take();
                place.lie(cuts, rank);
            }
            return;
        }
        let agreed = self.context.agree(&Header { function: self.meta.name, number: 0, values: &values });
        let all = |k: usize| agreed.of(k).map(|value| value as usize);
        for (k, place) in places.iter_mut().enumerate() {
            let cuts = place.cuts.take().unwrap_or_else(|| Cuts::from_lengths(&all(k).collect::<Vec<_>>()));
            place.lie(Some(cuts), rank);
        }
        let mut first = places.len();
        for (_, shape) in shapes {
            shape[0] = all(first).sum();
            first += shape.len();
        }
    }

    /// The ranks, which have agreed that they make this call.
    pub(crate) fn comm(&self) -> &dyn Comm {
        self.context.settle();
        self.context.comm()
    }

    /// Refuses plain slices that every iteration reads as a whole. On several ranks a slice is this rank's share of one long vector, and
    /// the loop would see the elements of all ranks, one after the other: most likely it is a table that every rank has.
    fn refuse_tables(&self, places: &mut [&mut Layout]) {
        let Meta { name, parameters, uses, .. } = self.meta;
        for (place, (parameter, used)) in places.iter_mut().zip(parameters.iter().zip(*uses)) {
            assert!(
                !place.plain || *used != Use::Whole,
                "FA066: `{name}` reads `{parameter}` as a whole, and a plain slice is only this rank's share of it: mark it \
                 `#[replicated] {parameter}` if every rank has all of it, or pass a `DistVec`"
            );
            // Passed on, it is still what the caller passed; used as a share, it is one.
            place.plain &= *used == Use::Neither;
        }
    }

    /// Lets the ranks agree on a loop's number of iterations, and tells them which of what was fetched earlier this rank still
    /// has. Returns what all ranks still have, and whether what went along is valid.
    pub(crate) fn begin_loop(
        &self,
        number: usize,
        iterations: usize,
        kept: &[Option<u64>],
        along: &mut Along<'_>,
    ) -> (Vec<bool>, bool) {
        let mut values = vec![Value::same("the number of iterations", iterations as u64)];
        // Those that were fetched in the same handshake are the same: 0 is none.
        values.extend(kept.iter().map(|born| Value::own("what was fetched", born.unwrap_or(0))));
        let number = u32::try_from(number + 1).unwrap_or(u32::MAX);
        let header = Header { function: self.meta.name, number, values: &values };
        let (agreed, valid) = self.context.agree_within(&header, along);
        let everywhere = |k: usize| agreed.of(1 + k).all(|born| born != 0 && born == agreed.value(0, 1 + k));
        ((0..kept.len()).map(everywhere).collect(), valid)
    }
}

impl Drop for Call {
    #[inline]
    fn drop(&mut self) {
        // A call that unwinds is not done: the other ranks must hear of it.
        if !self.alone() {
            if std::thread::panicking() {
                self.context.forget_announced();
            } else {
                self.context.settle();
                self.context.done();
            }
        }
        if let Some(seen) = &self.seen {
            seen.end(&self.context);
        }
    }
}
