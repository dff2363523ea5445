//! The algorithms on machines that are not at hand: how long they take on more and more ranks, and what each rank does meanwhile.

use crate::paper;
use forall_core::comm::Machine;
use forall_core::partners::{Algorithm, Doing, Elements, Partners, Span, Timeline, Whither, simulated};
use forall_examples::chart::{Chart, Line};
use forall_examples::say;
use forall_examples::write::{WriteError, atomically};
use std::fmt::Write;
use std::path::Path;

/// Bytes of a pixel: four floats, and without its opacity.
const PIXEL: usize = 16;
const COLOUR: usize = 12;

/// The pictures that are composited.
#[derive(Debug, Clone, Copy)]
pub struct Pictures {
    /// Pixels in a row.
    pub width: usize,
    /// Rows.
    pub height: usize,
    /// How much of each is not empty, from 0 to 1.
    pub fraction: f64,
}

/// The machine of the paper, a rank on each node.
fn edison() -> Machine {
    let paper::Costs { latency, pixel, blended } = paper::EDISON;
    let byte = pixel / PIXEL as f64;
    Machine { latency, byte, injection: byte, merged: blended / PIXEL as f64, ranks_per_node: 1 }
}

impl Pictures {
    fn timeline(&self, algorithm: Algorithm, ranks: usize) -> Timeline {
        let merged = if matches!(algorithm, Algorithm::TodTree { .. }) { COLOUR } else { PIXEL };
        let partners = Partners::of_all(algorithm, ranks, self.width * self.height, Whither::Root(0));
        simulated(&partners, Elements { merging: PIXEL, merged, coverage: self.fraction }, edison())
    }

    fn seconds(&self, algorithm: Algorithm, ranks: usize) -> f64 {
        self.timeline(algorithm, ranks).seconds
    }
}

/// Prints the tables and draws the charts into a folder.
///
/// # Errors
/// When the operating system refuses a file.
pub fn simulate(pictures: &Pictures, most: usize, folder: &Path) -> Result<(), WriteError> {
    of_all_algorithms(pictures, most, &folder.join("ranks.svg"))?;
    staircase(pictures, most, &folder.join("staircase.svg"))?;
    let timeline = pictures.timeline(Algorithm::TodTree { regions: 16, k: 8 }, most.min(64));
    atomically(&folder.join("timeline.svg"), |file| file.write_all(drawn(&timeline, most.min(64)).as_bytes()))
}

/// The greatest simulated size of algorithms with a message from each rank to each other one, or with a round for each rank.
const MANY: usize = 1024;

fn of_all_algorithms(pictures: &Pictures, most: usize, chart: &Path) -> Result<(), WriteError> {
    let algorithms = [
        Algorithm::TodTree { regions: 16, k: 8 },
        Algorithm::RadixK { radices: vec![8; 16] },
        Algorithm::BinarySwap,
        Algorithm::Tree { k: 2 },
        Algorithm::DirectSend,
        Algorithm::Pipeline { slices: 64 },
    ];
    say!("ranks,algorithm,simulated_ms,formula_ms");
    let line = |algorithm: Algorithm| {
        let is_long = matches!(algorithm, Algorithm::DirectSend | Algorithm::Pipeline { .. });
        let limit = if is_long { most.min(MANY) } else { most };
        let ranks = std::iter::successors(Some(2), |ranks| Some(2 * ranks)).take_while(|ranks| *ranks <= limit);
        let point = |ranks: usize| {
            let milliseconds = 1e3 * pictures.seconds(algorithm.clone(), ranks);
            let formula = match algorithm {
                Algorithm::TodTree { regions, k } if regions <= ranks => {
                    let seconds = paper::seconds(ranks, pictures.width * pictures.height, regions, k, paper::EDISON);
                    format!("{:.2}", 1e3 * seconds)
                }
                _ => String::new(),
            };
            say!("{ranks},{algorithm},{milliseconds:.2},{formula}");
            [(ranks as f64).log2(), milliseconds]
        };
        Line { name: algorithm.name().to_owned(), dashed: false, points: ranks.map(point).collect() }
    };
    let lines = algorithms.into_iter().map(line).collect();
    let Pictures { width, height, fraction } = pictures;
    let title = format!("{width} x {height} pixels, {} % visible, simulated", 100.0 * fraction);
    Chart { title, axes: ["ranks, as a power of two".to_owned(), "milliseconds".to_owned()], lines }.write(chart)
}

/// TOD-Tree by the number of its regions, as in the paper's figure 5.
fn staircase(pictures: &Pictures, most: usize, chart: &Path) -> Result<(), WriteError> {
    say!("ranks,regions,simulated_ms");
    let line = |regions: usize| {
        let point = |ranks: usize| {
            let milliseconds = 1e3 * pictures.seconds(Algorithm::TodTree { regions, k: 8 }, ranks);
            say!("{ranks},{regions},{milliseconds:.2}");
            [ranks as f64, milliseconds]
        };
        let points = (1..=most.min(1024) / 32).map(|step| point(32 * step)).collect();
        Line { name: format!("r = {regions}"), dashed: false, points }
    };
    let lines = [16, 32, 64].into_iter().map(line).collect();
    let axes = ["ranks".to_owned(), "milliseconds".to_owned()];
    Chart { title: "TOD-Tree by its regions, simulated".to_owned(), axes, lines }.write(chart)
}

/// The steps of each rank, as the text of an SVG file.
fn drawn(timeline: &Timeline, ranks: usize) -> String {
    const LEFT: f64 = 60.0;
    const TOP: f64 = 50.0;
    const WIDTH: f64 = 880.0;
    const ROW: f64 = 10.0;
    const DOES: [(Doing, &str, &str); 4] = [
        (Doing::Receive, "receive", "#0072b2"),
        (Doing::Send, "send", "#e69f00"),
        (Doing::Merge, "blend", "#009e73"),
        (Doing::Wait, "wait", "#dddddd"),
    ];
    let (mut svg, bottom) = (String::new(), TOP + ROW * ranks as f64);
    let mut put = |text: std::fmt::Arguments<'_>| _ = writeln!(svg, "{text}");
    put(format_args!(
        r#"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 960 {}" font-family="sans-serif" font-size="13">"#,
        bottom + 40.0
    ));
    put(format_args!(r#"<rect width="100%" height="100%" fill="white"/>"#));
    for (number, (_, name, colour)) in DOES.iter().enumerate() {
        let x = LEFT + 110.0 * number as f64;
        put(format_args!(r#"<rect x="{x}" y="18" width="14" height="14" fill="{colour}"/>"#));
        put(format_args!(r#"<text x="{}" y="30">{name}</text>"#, x + 20.0));
    }
    let place = |time: f64| LEFT + WIDTH * time / timeline.seconds;
    for Span { rank, doing, from, to } in &timeline.spans {
        let colour = DOES.iter().find(|(does, ..)| does == doing).map_or("", |(.., colour)| colour);
        let (x, width, y) = (place(*from), place(*to) - place(*from), TOP + ROW * *rank as f64);
        put(format_args!(r#"<rect x="{x:.2}" y="{y}" width="{width:.2}" height="{}" fill="{colour}"/>"#, ROW - 2.0));
    }
    put(format_args!(r#"<text x="{}" y="{}" text-anchor="end">rank 0</text>"#, LEFT - 6.0, TOP + 9.0));
    let last = ranks.saturating_sub(1);
    put(format_args!(r#"<text x="{}" y="{}" text-anchor="end">{last}</text>"#, LEFT - 6.0, bottom - 1.0));
    let end = format!("{:.2} ms", 1e3 * timeline.seconds);
    put(format_args!(r#"<text x="{}" y="{}" text-anchor="end">{end}</text>"#, LEFT + WIDTH, bottom + 20.0));
    put(format_args!("</svg>"));
    svg
}
