//! One call of an annotated function: agreed between the ranks.

use crate::comm::Traffic;
use crate::data::{Cuts, Layout};
use crate::device::Moved;
use crate::meta::Meta;
use crate::runtime::{Context, Header, MAX_VALUES, Value};
use std::rc::Rc;

/// One call, on this rank.
#[derive(Debug)]
pub struct Call {
    pub(crate) context: Rc<Context>,
    pub(crate) meta: &'static Meta,
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
            bytes_to_device = Empty,
            bytes_from_device = Empty,
        )
        .entered();
        let (start, iterations) = (std::time::Instant::now(), context.iterations());
        Seen { span, start, traffic: context.traffic(), iterations, moved: Moved::so_far() }
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
        let context = crate::runtime::current_or(starter);
        if context.settings().explain {
            crate::explain::once(meta, &context);
        }
        let seen = tracing::enabled!(tracing::Level::INFO).then(|| Seen::begin(meta, &context));
        Call { context, meta, seen }
    }

    /// The context that the call runs in.
    pub fn context(&self) -> &Context {
        &self.context
    }

    /// Whether there are other ranks.
    #[inline]
    pub fn alone(&self) -> bool {
        self.context.place().ranks == 1
    }

    /// Lets the ranks agree that they make the same call, and exchanges the lengths of their shares.
    ///
    /// `shapes` are those of this rank's parts of the parameters that have one, with their names, and then those of the
    /// whole arrays: the parts are planes, cut along the first axis.
    #[inline]
    pub fn align(&self, places: &mut [&mut Layout], shapes: &mut [(&str, &mut [usize])]) {
        if !self.alone() {
            self.align_ranks(places, shapes);
        }
    }

    #[cold]
    fn align_ranks(&self, places: &mut [&mut Layout], shapes: &mut [(&str, &mut [usize])]) {
        let axes = shapes.iter().flat_map(|(name, shape)| (0..shape.len()).map(move |axis| (name, axis)));
        let labels: Vec<String> = (self.meta.parameters.iter().map(|name| format!("the length of `{name}`")))
            .chain(axes.map(|(name, axis)| format!("the length of axis {axis} of `{name}`")))
            .collect();
        // A plain slice's length is the rank's own; what a `DistVec` has in all must be the same on all ranks.
        let lengths = places.iter().map(|place| match &place.cuts {
            Some(cuts) => (cuts.total(), true),
            None => (place.len, false),
        });
        let extents = shapes.iter().flat_map(|(_, shape)| shape.iter().enumerate()).map(|(axis, &n)| (n, axis > 0));
        let values: Vec<Value<'_>> = (labels.iter().zip(lengths.chain(extents)))
            .map(|(label, (value, must_agree))| Value { label, value: value as u64, must_agree })
            .collect();
        // What all ranks said of each value. Without any value the ranks still agree that they make the call.
        let mut all: Vec<Vec<usize>> = Vec::with_capacity(values.len());
        for (group, values) in values.chunks(MAX_VALUES).chain(values.is_empty().then_some(&[][..])).enumerate() {
            // Further handshakes of the call have other numbers than its loops.
            let number = if group == 0 { 0 } else { (1 << 16) + group as u32 };
            let agreed = self.context.agree(&Header { function: self.meta.name, number, values });
            all.extend((0..values.len()).map(|k| agreed.of(k).map(|value| value as usize).collect()));
        }
        for (place, lengths) in places.iter_mut().zip(&all) {
            let cuts = place.cuts.take().unwrap_or_else(|| Cuts::from_lengths(lengths));
            place.len = cuts.total();
            place.offset = cuts.range(self.context.place().rank).start;
            place.cuts = Some(cuts);
        }
        let mut extents = &all[places.len()..];
        for (_, shape) in shapes {
            shape[0] = extents[0].iter().sum();
            extents = &extents[shape.len()..];
        }
    }

    /// Lets the ranks agree on a loop's number of iterations.
    pub(crate) fn begin_loop(&self, number: usize, iterations: usize) {
        let values = [Value::same("the number of iterations", iterations as u64)];
        let number = u32::try_from(number + 1).unwrap_or(u32::MAX);
        self.context.agree(&Header { function: self.meta.name, number, values: &values });
    }
}

impl Drop for Call {
    #[inline]
    fn drop(&mut self) {
        // A call that unwinds is not done: the other ranks must hear of it.
        if !self.alone() && !std::thread::panicking() {
            self.context.done();
        }
        if let Some(seen) = &self.seen {
            seen.end(&self.context);
        }
    }
}
