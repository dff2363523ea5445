//! One call of an annotated function.

use crate::comm::{Comm, OverlappedWork, Traffic, Transit};
use crate::data::{Cuts, Layout};
use crate::device::Moved;
use crate::meta::{Meta, Use};
use crate::out_of_line::{OutOfLine, drop_here};
use crate::runtime::{Along, Context, Header, Label, Value};
use crate::settings::{Strategies, Strategy};
use std::cell::{Cell, RefCell};
use std::rc::Rc;

/// One call, on this rank.
#[derive(Debug)]
pub struct Call {
    pub(crate) context: Rc<Context>,
    pub(crate) meta: &'static Meta,
    /// Whether only this rank takes part.
    local: bool,
    seen: Option<Seen>,
    /// Messages that overlap with the next loop.
    transit: RefCell<Option<Transit>>,
    /// Whether the ranks have just agreed on the next loop.
    agreed: Cell<bool>,
}

/// The measurements of a call, for a subscriber of `tracing`: the counters of this rank before the call.
#[derive(Debug)]
struct Seen {
    span: tracing::span::EnteredSpan,
    start: std::time::Instant,
    traffic: Traffic,
    iterations: u64,
    transferred: Moved,
    /// The busy time of all workers in the loops, and the time that they would have been busy if all took as long as the slowest, in
    /// nanoseconds.
    busy: Cell<(u64, u64)>,
    /// The strategies of the loops.
    strategies: Cell<Strategies>,
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
            strategies = Empty,
        )
        .entered();
        let (start, iterations) = (std::time::Instant::now(), context.iterations());
        let busy = Cell::new((0, 0));
        Seen {
            span,
            start,
            traffic: context.traffic(),
            iterations,
            transferred: Moved::so_far(),
            busy,
            strategies: Cell::new(Strategies::NONE),
        }
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
        self.span.record("strategies", self.strategies.get().names());
        let (busy, room) = self.busy.get();
        if busy > 0 {
            self.span.record("busy_us", busy / 1000);
            self.span.record("imbalance", room as f64 / busy as f64);
        }
        if context.node().may_have_device() {
            let moved = Moved::since(self.transferred);
            self.span.record("bytes_to_device", moved.up);
            self.span.record("bytes_from_device", moved.down);
        }
    }
}

impl Call {
    /// Begins a call in the ambient context. Calls `starter` if there is none.
    pub fn begin(meta: &'static Meta, starter: fn() -> Context) -> OutOfLine<Call> {
        Self::new(meta, starter, false)
    }

    /// Begins a call of this rank alone.
    pub fn begin_local(meta: &'static Meta, starter: fn() -> Context) -> OutOfLine<Call> {
        Self::new(meta, starter, true)
    }

    fn new(meta: &'static Meta, starter: fn() -> Context, local: bool) -> OutOfLine<Call> {
        let context = crate::runtime::current_or(starter);
        if context.settings().explain {
            crate::explain::once(meta, &context);
        }
        let seen = tracing::enabled!(tracing::Level::INFO).then(|| Seen::begin(meta, &context));
        OutOfLine::new(Call { context, meta, local, seen, transit: RefCell::default(), agreed: Cell::new(false) })
    }

    /// The context that the call runs in.
    pub fn context(&self) -> &Context {
        &self.context
    }

    /// Adds messages that overlap with the next loop. All ranks of the loop add some, which may be empty.
    pub(crate) fn overlap(&self, transit: Transit) {
        self.transit.replace(Some(transit));
    }

    /// Sets whether the ranks have agreed on the iterations of the next loop. It then needs no handshake unless it fetches elements.
    pub(crate) fn set_agreed(&self, agreed: bool) {
        self.agreed.set(agreed);
    }

    /// Whether messages overlap with the next loop.
    pub(crate) fn has_transit(&self) -> bool {
        self.transit.borrow().is_some()
    }

    /// Completes these messages, overlapped with other work.
    pub(crate) fn complete_transit(&self, overlapped: &mut OverlappedWork<'_>) {
        if let Some(transit) = &mut *self.transit.borrow_mut() {
            transit.complete(self.context.comm(), overlapped);
        }
    }

    /// The messages, which are complete.
    pub(crate) fn take_transit(&self) -> Option<Transit> {
        self.complete_transit(&mut || false);
        self.transit.take()
    }

    /// The span of the call, if there is a subscriber.
    pub(crate) fn span(&self) -> Option<tracing::Id> {
        self.seen.as_ref().and_then(|seen| seen.span.id())
    }

    /// Records the busy time of each worker in a loop, in nanoseconds.
    pub(crate) fn was_busy(&self, each: &[u64]) {
        if let Some(seen) = &self.seen {
            let (busy, room) = seen.busy.get();
            let longest = each.iter().max().map_or(0, |longest| longest.saturating_mul(each.len() as u64));
            seen.busy.set((busy.saturating_add(each.iter().sum()), room.saturating_add(longest)));
        }
    }

    /// Records the strategy of a loop.
    #[inline]
    pub(crate) fn runs_by(&self, strategy: Strategy) {
        if let Some(seen) = &self.seen {
            seen.strategies.set(seen.strategies.get().and(strategy, true));
        }
    }

    /// Whether no other rank takes part.
    #[inline]
    pub fn alone(&self) -> bool {
        self.local || self.context.this_rank().ranks == 1
    }

    /// Makes the handshake of the call, and exchanges the lengths of the shares.
    ///
    /// `shapes` has the shapes of this rank's parts of multidimensional parameters, with their names. They become the shapes of the whole
    /// arrays; arrays are cut along the first axis.
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
        // Plain slices may differ in length between ranks; the total length of a `DistVec` must agree.
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
            // No rank needs information of another one: the handshake is deferred to the first loop.
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

    /// The communicator, after the handshake of the call.
    pub(crate) fn comm(&self) -> &dyn Comm {
        self.context.settle();
        self.context.comm()
    }

    /// Rejects plain slices that each iteration reads as a whole. On several ranks a plain slice is a share, but such a slice is most likely
    /// a table that every rank has.
    fn refuse_tables(&self, places: &mut [&mut Layout]) {
        let Meta { name, parameters, uses, .. } = self.meta;
        for (place, (parameter, used)) in places.iter_mut().zip(parameters.iter().zip(*uses)) {
            assert!(
                !place.plain || *used != Use::Whole,
                "FA066: `{name}` reads `{parameter}` as a whole, and a plain slice is only this rank's share of it: mark it \
                 `#[replicated] {parameter}` if every rank has all of it, or pass a `DistVec`"
            );
            // A parameter that is only passed on is still a plain slice; one that is used as a share is not.
            place.plain &= *used == Use::Neither;
        }
    }

    /// Makes the handshake of a loop. The ranks compare the number of iterations and the cached fetches: for each, the handshake that it is
    /// from. Returns the fetches that all ranks have cached, and whether the messages inside the handshake are valid.
    pub(crate) fn begin_loop(
        &self,
        number: usize,
        iterations: usize,
        cached: &[Option<u64>],
        along: &mut Along<'_>,
    ) -> (Vec<bool>, bool) {
        // All ranks have the same fetches, so all of them leave the handshake out.
        if self.agreed.take() && cached.is_empty() {
            return (Vec::new(), false);
        }
        let mut values = vec![Value::same("the number of iterations", iterations as u64)];
        // Fetches of the same handshake are the same; 0 means that there is none.
        values.extend(cached.iter().map(|born| Value::own("what was fetched", born.unwrap_or(0))));
        let number = u32::try_from(number + 1).unwrap_or(u32::MAX);
        let header = Header { function: self.meta.name, number, values: &values };
        let (agreed, valid) = self.context.agree_within(&header, along);
        let everywhere = |k: usize| agreed.of(1 + k).all(|born| born != 0 && born == agreed.value(0, 1 + k));
        ((0..cached.len()).map(everywhere).collect(), valid)
    }
}

drop_here!(Call);

impl Drop for Call {
    fn drop(&mut self) {
        // A call that unwinds is not done; the other ranks must learn that.
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
