//! How the primitives take to more threads, and to more ranks: a table and a chart.

use crate::bench::{Bench, Size, benchmarks};
use forall::Settings;
use forall_examples::chart::{self, Chart, Line};
use forall_examples::program::Failure;
use forall_examples::{report, say, write};
use primitives::measure::{Measured, Way};
use serde::Serialize;
use std::path::Path;

/// Who ran the primitives, and how long it took.
#[derive(Debug, Serialize)]
pub struct Setup {
    ranks: usize,
    threads: usize,
    rows: Vec<Measured>,
}

impl Setup {
    fn workers(&self) -> usize {
        self.ranks * self.threads
    }

    fn title(&self) -> String {
        match (self.ranks, self.threads) {
            (1, 1) => "1 thread".to_owned(),
            (1, threads) => format!("{threads} threads"),
            (ranks, _) => format!("{ranks} ranks"),
        }
    }
}

/// The contents of the report.
#[derive(Debug, Serialize)]
struct Report<'a> {
    n: usize,
    reps: u32,
    setups: &'a [Setup],
}

/// Times the annotated primitives on one thread, and on ever more threads and ranks of one thread, up to `most`.
/// Draws a chart, and writes a report if there is a name for it.
pub fn run(size: Size<'_>, settings: &Settings, most: usize, image: &Path, to: Option<&Path>) -> Result<(), Failure> {
    if forall::ranks() > 1 {
        return Err("--scaling makes ranks of its own: start the program without a launcher".into());
    }
    chart::check(image)?;
    to.map_or(Ok(()), write::check_place)?;
    let mut setups = Vec::new();
    for (ranks, threads) in sizes(most) {
        say!("# ranks {ranks} threads {threads}");
        let runtime = forall::Runtime::builder().settings(settings.clone()).ranks(ranks).threads(threads);
        let of_ranks = runtime.run(|| {
            let mut bench = Bench { size, ways: &[Way::Forall], rows: Vec::new() };
            benchmarks(&mut bench).map(|()| bench.rows)
        });
        let rows = of_ranks.into_iter().next().unwrap_or_else(|| Ok(Vec::new()));
        setups.push(Setup { ranks, threads, rows: rows? });
    }
    table(&setups).iter().for_each(|line| say!("{line}"));
    drawn(&setups).write(image)?;
    say!("{} shows it", image.display());
    if let Some(path) = to {
        report::write(path, &Report { n: size.n, reps: size.reps, setups: &setups })?;
    }
    Ok(())
}

/// One thread; twice as many threads each time; and as many ranks.
fn sizes(most: usize) -> Vec<(usize, usize)> {
    let mut counts: Vec<usize> =
        std::iter::successors(Some(2), |count| Some(2 * count)).take_while(|count| *count < most).collect();
    counts.extend((most > 1).then_some(most));
    let threads = counts.iter().map(|&threads| (1, threads));
    [(1, 1)].into_iter().chain(threads).chain(counts.iter().map(|&ranks| (ranks, 1))).collect()
}

/// A line for each primitive: milliseconds, and how many times as fast as one thread that is.
fn table(setups: &[Setup]) -> Vec<String> {
    let Some(one) = setups.first() else { return Vec::new() };
    let heads = setups.iter().map(|setup| format!("{:>18}", setup.title()));
    let mut lines = vec![format!("{:40}{}", "milliseconds (times as fast)", heads.collect::<String>())];
    for (number, row) in one.rows.iter().enumerate() {
        let cells = setups.iter().map(|setup| {
            let spent = setup.rows[number].median_ms();
            format!("{:>18}", format!("{spent:.2} ({:.2})", row.median_ms() / spent))
        });
        lines.push(format!("{:40}{}", row.name(), cells.collect::<String>()));
    }
    lines
}

/// How many times as fast as one thread: over threads, and dashed over ranks.
fn drawn(setups: &[Setup]) -> Chart {
    let Some(one) = setups.first() else { unreachable!("one thread is always timed") };
    let mut lines = Vec::new();
    for (number, row) in one.rows.iter().enumerate() {
        for dashed in [false, true] {
            let these = setups.iter().filter(|setup| setup.workers() == 1 || (setup.ranks > 1) == dashed);
            let point = |setup: &Setup| [setup.workers() as f64, row.median_ms() / setup.rows[number].median_ms()];
            lines.push(Line { name: row.name().to_owned(), dashed, points: these.map(point).collect() });
        }
    }
    let axes = ["threads (dashed: ranks of one thread)".to_owned(), "times as fast as one thread".to_owned()];
    Chart { title: "How the primitives take to more threads and ranks".to_owned(), axes, lines }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_and_ranks_double_up_to_the_most() {
        assert_eq!(sizes(1), [(1, 1)]);
        assert_eq!(sizes(2), [(1, 1), (1, 2), (2, 1)]);
        assert_eq!(sizes(6), [(1, 1), (1, 2), (1, 4), (1, 6), (2, 1), (4, 1), (6, 1)]);
    }
}
