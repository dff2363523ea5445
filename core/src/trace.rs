//! The trace of `FORALL_TRACE`: one timeline of all ranks and threads.
//!
//! Annotated calls are `tracing` spans. A [`Recorder`] collects the spans and events of one process, of level `INFO` and above, also the
//! program's own. At the end the ranks send them to rank 0, which writes one file in the format of Chrome's trace viewer.
//! <https://ui.perfetto.dev> opens it. Each rank is a group of rows, each thread a row, and the fields of spans are arguments.
//!
//! A worker of a loop has its own span (`worker`) while it is busy, with the function, the number of the loop and the schedule. A call has
//! two measurements. `busy_us` is the sum of the busy times of all workers in its loops. For `imbalance`, the longest busy time of a
//! worker in each loop is added up, multiplied by the number of workers, and divided by `busy_us`. The imbalance is 1 if all workers were
//! equally busy, and the number of workers if one of them did everything. `strategies` names the [strategies](crate::settings::Strategy)
//! of its loops.
//!
//! Times count from a barrier at the start, so the rows of different machines are aligned to within the time of a message.

use crate::comm::{Comm, collective};
use crate::error::Error;
use crate::runtime::this_rank;
use serde_json::{Map, Value, json};
use std::cell::Cell;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;
use tracing::field::{Field, Visit};
use tracing::level_filters::LevelFilter;
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Metadata, Subscriber};
use tracing_subscriber::layer::{Context, Layer, SubscriberExt};
use tracing_subscriber::registry::{LookupSpan, Registry};

/// A `tracing` layer that collects the spans of this process. Clones collect into the same list.
#[derive(Debug, Clone)]
pub struct Recorder {
    records: Arc<Mutex<Records>>,
}

#[derive(Debug)]
struct Records {
    epoch: Instant,
    rows: Vec<Value>,
}

/// The recorded data of an open span.
struct Open {
    fields: Map<String, Value>,
    since: Option<Instant>,
}

thread_local! {
    /// The row of this thread; 0 if it has none yet.
    static ROW: Cell<u64> = const { Cell::new(0) };
}

impl Recorder {
    /// A recorder that is not installed: for programs with their own subscriber.
    pub fn new() -> Recorder {
        Recorder { records: Arc::new(Mutex::new(Records { epoch: Instant::now(), rows: Vec::new() })) }
    }

    /// Checks that a trace can be written to `path`, as far as possible beforehand.
    ///
    /// # Errors
    /// If there is no folder to write it to, or `path` is a folder.
    pub fn check(path: &Path) -> Result<(), Error> {
        let refuse = |reason: String| Err(Error::Trace { path: path.to_owned(), reason });
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        if !folder.is_dir() {
            return refuse(format!("there is no folder {}", folder.display()));
        }
        if path.is_dir() {
            return refuse("this is a folder".to_owned());
        }
        Ok(())
    }

    /// Installs a recorder for the whole process; the trace will be written to `path`.
    ///
    /// # Errors
    /// If the program has set its own `tracing` subscriber.
    pub fn install(path: &Path) -> Result<Recorder, Error> {
        let recorder = Recorder::new();
        let subscriber = Registry::default().with(recorder.clone());
        match tracing::subscriber::set_global_default(subscriber) {
            Ok(()) => Ok(recorder),
            Err(_) => {
                let reason = "the program has a tracing subscriber of its own".to_owned();
                Err(Error::Trace { path: path.to_owned(), reason })
            }
        }
    }

    /// Starts the time on all ranks at once. Collective.
    pub fn begin(&self, comm: &dyn Comm) {
        collective::barrier(comm);
        self.records().epoch = Instant::now();
    }

    /// Writes the records of all ranks since then. Collective. Rank 0 writes a file of another name first and renames it, so a file with
    /// the final name is complete.
    ///
    /// # Errors
    /// If rank 0 cannot write the file.
    pub fn finish(&self, comm: &dyn Comm, path: &Path) -> Result<(), Error> {
        let rows = std::mem::take(&mut self.records().rows);
        let rank = comm.rank();
        let own: Vec<String> = row_of_rank(rank).into_iter().chain(rows).map(|row| row.to_string()).collect();
        let Some((all, lengths)) = collective::gather(comm, 0, own.join(",\n").as_bytes()) else {
            return Ok(());
        };
        let mut text = b"{\"displayTimeUnit\": \"ns\", \"traceEvents\": [\n".to_vec();
        let mut rest = &all[..];
        for (rank, length) in lengths.into_iter().enumerate() {
            let (part, after) = rest.split_at(length);
            if rank > 0 {
                text.extend_from_slice(b",\n");
            }
            text.extend_from_slice(part);
            rest = after;
        }
        text.extend_from_slice(b"\n]}\n");
        let mut aside = PathBuf::from(path).into_os_string();
        aside.push(".part");
        let written = fs::write(&aside, text).and_then(|()| fs::rename(&aside, path));
        written.map_err(|error| {
            // The incomplete file is useless. An error of its removal is ignored.
            let _ = fs::remove_file(&aside);
            Error::Trace { path: path.to_owned(), reason: error.to_string() }
        })
    }

    fn records(&self) -> MutexGuard<'_, Records> {
        self.records.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds a record to the calling thread's row. The first one names the thread.
    fn add(&self, metadata: &Metadata<'_>, fields: Map<String, Value>, since: Option<Instant>) {
        static NEXT: AtomicU64 = AtomicU64::new(1);
        let now = Instant::now();
        let rank = this_rank().rank;
        let mut introduction = None;
        let row = match ROW.get() {
            0 => {
                let row = NEXT.fetch_add(1, Ordering::Relaxed);
                ROW.set(row);
                let name = std::thread::current().name().map_or_else(|| format!("thread {row}"), str::to_owned);
                introduction =
                    Some(json!({"name": "thread_name", "ph": "M", "pid": rank, "tid": row, "args": {"name": name}}));
                row
            }
            row => row,
        };
        let mut records = self.records();
        let at = |instant: Instant| instant.saturating_duration_since(records.epoch).as_nanos() as f64 / 1000.0;
        let (name, category) = (metadata.name(), metadata.target());
        let entry = match since {
            Some(since) => json!({
                "name": name, "cat": category, "ph": "X", "pid": rank, "tid": row,
                "ts": at(since), "dur": at(now) - at(since), "args": fields,
            }),
            None => json!({
                "name": name, "cat": category, "ph": "i", "s": "t", "pid": rank, "tid": row,
                "ts": at(now), "args": fields,
            }),
        };
        records.rows.extend(introduction);
        records.rows.push(entry);
    }
}

impl Default for Recorder {
    fn default() -> Self {
        Recorder::new()
    }
}

fn row_of_rank(rank: usize) -> [Value; 2] {
    [
        json!({"name": "process_name", "ph": "M", "pid": rank, "args": {"name": format!("rank {rank}")}}),
        json!({"name": "process_sort_index", "ph": "M", "pid": rank, "args": {"sort_index": rank}}),
    ]
}

impl<S: Subscriber + for<'span> LookupSpan<'span>> Layer<S> for Recorder {
    fn max_level_hint(&self) -> Option<LevelFilter> {
        Some(LevelFilter::INFO)
    }

    fn enabled(&self, metadata: &Metadata<'_>, _: Context<'_, S>) -> bool {
        *metadata.level() <= LevelFilter::INFO
    }

    fn on_new_span(&self, attributes: &Attributes<'_>, id: &Id, context: Context<'_, S>) {
        let Some(span) = context.span(id) else { return };
        let mut fields = Fields::default();
        attributes.record(&mut fields);
        span.extensions_mut().insert(Open { fields: fields.0, since: None });
    }

    fn on_record(&self, id: &Id, values: &Record<'_>, context: Context<'_, S>) {
        let Some(span) = context.span(id) else { return };
        let mut fields = Fields::default();
        values.record(&mut fields);
        if let Some(open) = span.extensions_mut().get_mut::<Open>() {
            open.fields.extend(fields.0);
        }
    }

    fn on_enter(&self, id: &Id, context: Context<'_, S>) {
        let Some(span) = context.span(id) else { return };
        if let Some(open) = span.extensions_mut().get_mut::<Open>() {
            open.since = Some(Instant::now());
        }
    }

    fn on_exit(&self, id: &Id, context: Context<'_, S>) {
        let Some(span) = context.span(id) else { return };
        let left = span.extensions_mut().get_mut::<Open>().map(|open| (open.fields.clone(), open.since.take()));
        if let Some((fields, Some(since))) = left {
            self.add(span.metadata(), fields, Some(since));
        }
    }

    fn on_event(&self, event: &Event<'_>, _: Context<'_, S>) {
        let mut fields = Fields::default();
        event.record(&mut fields);
        self.add(event.metadata(), fields.0, None);
    }
}

#[derive(Default)]
struct Fields(Map<String, Value>);

impl Visit for Fields {
    fn record_debug(&mut self, field: &Field, value: &dyn std::fmt::Debug) {
        self.0.insert(field.name().to_owned(), format!("{value:?}").into());
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        self.0.insert(field.name().to_owned(), value.into());
    }

    fn record_u64(&mut self, field: &Field, value: u64) {
        self.0.insert(field.name().to_owned(), value.into());
    }

    fn record_i64(&mut self, field: &Field, value: i64) {
        self.0.insert(field.name().to_owned(), value.into());
    }

    fn record_f64(&mut self, field: &Field, value: f64) {
        self.0.insert(field.name().to_owned(), value.into());
    }

    fn record_bool(&mut self, field: &Field, value: bool) {
        self.0.insert(field.name().to_owned(), value.into());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::comm::Local;
    use crate::node::Serial;
    use crate::runtime::{self, enter_loop, install};
    use crate::settings::Settings;

    /// Each rank has its own recorder, as ranks in processes have.
    fn trace(ranks: usize, path: &Path) -> Vec<Value> {
        Local::run(ranks, |comm| {
            let context = install(runtime::Context::new(Box::new(comm), Arc::new(Serial), Settings::default()));
            let recorder = Recorder::new();
            let place = context.this_rank();
            recorder.begin(context.comm());
            let dispatch = tracing::Dispatch::new(Registry::default().with(recorder.clone()));
            tracing::dispatcher::with_default(&dispatch, || {
                let call = tracing::info_span!("call", function = "f", bytes = tracing::field::Empty).entered();
                call.record("bytes", 17);
                std::thread::scope(|scope| {
                    scope.spawn(|| {
                        let _loop = enter_loop(place);
                        tracing::dispatcher::with_default(&dispatch, || tracing::info!(chunk = 3, "work"));
                    });
                });
            });
            recorder.finish(context.comm(), path).unwrap();
        });
        let text = fs::read_to_string(path).unwrap();
        let Value::Array(rows) = serde_json::from_str::<Value>(&text).unwrap()["traceEvents"].take() else { panic!() };
        rows
    }

    #[test]
    fn a_row_for_each_rank_and_thread() {
        let path = std::env::temp_dir().join(format!("forall-trace-{}.json", std::process::id()));
        let rows = trace(3, &path);
        fs::remove_file(&path).unwrap();
        for rank in 0..3 {
            let of_rank: Vec<&Value> = rows.iter().filter(|row| row["pid"] == rank).collect();
            let call = of_rank.iter().find(|row| row["ph"] == "X").unwrap();
            let work = of_rank.iter().find(|row| row["ph"] == "i").unwrap();
            assert_eq!(call["args"], json!({"function": "f", "bytes": 17}));
            assert_eq!(work["args"], json!({"chunk": 3, "message": "work"}));
            assert_ne!(call["tid"], work["tid"]);
            let (begin, length) = (call["ts"].as_f64().unwrap(), call["dur"].as_f64().unwrap());
            assert!((begin..=begin + length).contains(&work["ts"].as_f64().unwrap()));
            assert!(of_rank.iter().any(|row| row["args"]["name"] == format!("rank {rank}")));
        }
    }

    #[test]
    fn a_folder_that_is_missing_is_an_error() {
        let message = Recorder::check(Path::new("/no/such/folder/trace.json")).unwrap_err().to_string();
        assert_eq!(message, "cannot write the trace /no/such/folder/trace.json: there is no folder /no/such/folder");
    }
}
