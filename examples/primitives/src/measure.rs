//! Times one primitive several ways, in turn: a machine that slows down does so for all of them.

use forall::DistVec;
use serde::Serialize;
use std::fmt;
use std::time::Instant;

/// A way to run a primitive.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Way {
    /// The annotated loop.
    Forall,
    /// The same loop without its attribute.
    Plain,
    /// Written by hand with rayon.
    Rayon,
}

impl Way {
    /// All of them.
    pub const ALL: [Way; 3] = [Way::Forall, Way::Plain, Way::Rayon];

    /// The ways that mean something here: a rank that is not alone has only its share, which the others cannot know of.
    pub fn timed() -> &'static [Way] {
        if forall::ranks() > 1 { &[Way::Forall] } else { &Way::ALL }
    }

    /// Its word in the rows.
    pub fn name(self) -> &'static str {
        match self {
            Way::Forall => "forall",
            Way::Plain => "plain",
            Way::Rayon => "rayon",
        }
    }
}

/// One row of the table.
#[derive(Debug, Serialize)]
pub struct Measured {
    way: &'static str,
    name: String,
    n: usize,
    median_ms: f64,
    min_ms: f64,
    max_ms: f64,
    gigabytes_per_second: f64,
}

impl Measured {
    /// The timed loops.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The median of its times.
    pub fn median_ms(&self) -> f64 {
        self.median_ms
    }
}

impl fmt::Display for Measured {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Measured { way, name, n, median_ms, min_ms, max_ms, gigabytes_per_second } = self;
        let elements = *n as f64 / median_ms / 1e3;
        write!(f, "{way},{name},{n},med_ms={median_ms:.2},min_ms={min_ms:.2},max_ms={max_ms:.2},")?;
        write!(f, "Melem/s={elements:.1},GB/s={gigabytes_per_second:.2}")
    }
}

/// Runs each of the ways `reps` times and once before, in turn. `before` is done before each run and not timed; `bytes` is how
/// many are read and written for each of `n` elements. On several ranks a run takes as long as on the slowest.
pub fn time(
    name: &str,
    n: usize,
    bytes: usize,
    reps: u32,
    ways: &[Way],
    mut before: impl FnMut(),
    mut run: impl FnMut(Way),
) -> Vec<Measured> {
    let seconds = in_turn(ways.len(), reps, |way| {
        before();
        // The ranks begin together.
        slowest(0.0);
        let start = Instant::now();
        run(ways[way]);
        slowest(start.elapsed().as_secs_f64())
    });
    let rows = ways.iter().zip(seconds).map(|(way, seconds)| {
        let median = median(&seconds);
        Measured {
            way: way.name(),
            name: name.to_owned(),
            n,
            median_ms: median * 1e3,
            min_ms: seconds[0] * 1e3,
            max_ms: seconds[seconds.len() - 1] * 1e3,
            gigabytes_per_second: (n * bytes) as f64 / median / 1e9,
        }
    });
    rows.collect()
}

/// The results of `time` for each way, `reps` times and once before, which does not count; from the least to the greatest.
pub fn in_turn(ways: usize, reps: u32, mut time: impl FnMut(usize) -> f64) -> Vec<Vec<f64>> {
    let mut times = vec![Vec::new(); ways];
    for rep in 0..=reps as usize {
        for turn in 0..ways {
            let way = (turn + rep) % ways;
            let spent = time(way);
            if rep > 0 {
                times[way].push(spent);
            }
        }
    }
    times.iter_mut().for_each(|times| times.sort_by(f64::total_cmp));
    times
}

/// The middle one of some numbers in order.
pub fn median(sorted: &[f64]) -> f64 {
    sorted[sorted.len() / 2]
}

/// The greatest of all ranks' times; nobody goes on before all have come.
fn slowest(seconds: f64) -> f64 {
    if forall::ranks() == 1 {
        return seconds;
    }
    DistVec::from_local(vec![seconds]).to_all().into_iter().fold(0.0, f64::max)
}
