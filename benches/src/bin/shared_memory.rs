//! Draws the comparisons of Ettinger et al. 2013 (figures 4 to 7), as far as there are threads on this machine. It draws speed-ups of a transform,
//! the first and the second of a chain, of a contour whose work is all in the first cells, under each schedule, and of the two point locators. It
//! also draws those of a contour by a tree of the values' ranges, against a task for each node. A table of traversals follows.
//!
//! Usage: `shared_memory [FOLDER] [REPS] [THREADS] [ONLY]`: where the charts go, how often each is timed, up to how many threads, and
//! part of the name of what is timed.

use forall::{DistVec, Schedule, foreach_tls, traverse};
use forall_examples::chart::{Chart, Line};
use locators::{Grid, Locked, Own};
use primitives::measure::{in_turn, median};
use std::hint::black_box;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Instant;
use transform::{Points, Transform};

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1);
    let folder = PathBuf::from(arguments.next().unwrap_or_else(|| ".".to_owned()));
    let mut number = |default: usize| match arguments.next() {
        None => Some(default),
        Some(text) => text.parse().ok().filter(|number| *number > 0),
    };
    let cores = std::thread::available_parallelism().map_or(1, std::num::NonZeroUsize::get);
    let (Some(reps), Some(threads)) = (number(7), number(cores)) else {
        eprintln!("usage: shared_memory [FOLDER] [REPS] [THREADS] [ONLY], the numbers whole and from 1 on");
        return ExitCode::from(2);
    };
    let only = arguments.next().unwrap_or_default();
    if !folder.is_dir() {
        eprintln!("error: there is no folder {}: make it, or name another one", folder.display());
        return ExitCode::from(2);
    }
    let bench = Bench { folder, reps: reps as u32, threads: (1..=threads).collect() };
    for (name, draw) in
        [("transform", transforms as fn(&Bench) -> Drawn), ("contour", contours), ("locators", merges), ("tree", trees)]
    {
        if !name.contains(&only) {
            continue;
        }
        if let Err(error) = draw(&bench) {
            eprintln!("error: {error}");
            return ExitCode::FAILURE;
        }
    }
    if "traversals".contains(&only) {
        traversals(&bench);
    }
    ExitCode::SUCCESS
}

type Drawn = Result<(), forall_examples::write::WriteError>;

struct Bench {
    folder: PathBuf,
    reps: u32,
    threads: Vec<usize>,
}

/// One way to do it: the median of its seconds, on so many threads.
type Timed<'a> = Box<dyn Fn(usize, u32) -> Vec<f64> + 'a>;

impl Bench {
    /// Times all ways on all numbers of threads, and draws how much faster than the first way on one thread they are.
    fn draw(&self, file: &str, title: &str, names: &[&str], times: impl Fn(usize) -> Vec<f64>) -> Drawn {
        let all: Vec<Vec<f64>> = self.threads.iter().map(|threads| times(*threads)).collect();
        println!("\n{title}\n| | {} |", names.join(" | "));
        println!("|---|{}", "---:|".repeat(names.len()));
        for (threads, times) in self.threads.iter().zip(&all) {
            let cells: Vec<String> =
                times.iter().map(|time| format!("{:.1} ms ({:.2})", time * 1e3, all[0][0] / time)).collect();
            println!("| {threads} | {} |", cells.join(" | "));
        }
        let lines = names.iter().enumerate().map(|(way, name)| Line {
            name: (*name).to_owned(),
            dashed: false,
            points: self.threads.iter().zip(&all).map(|(&t, times)| [t as f64, all[0][0] / times[way]]).collect(),
        });
        let chart = Chart {
            title: title.to_owned(),
            axes: ["threads".to_owned(), "times as fast".to_owned()],
            lines: lines.collect(),
        };
        chart.write(&self.folder.join(file))
    }

    /// Medians of several ways in turn, in loops on so many threads.
    fn medians(&self, ways: usize, mut time: impl FnMut(usize)) -> Vec<f64> {
        let times = in_turn(ways, self.reps, |way| {
            let start = Instant::now();
            time(way);
            start.elapsed().as_secs_f64()
        });
        times.iter().map(|times| median(times)).collect()
    }
}

fn runtime(threads: usize, schedule: Schedule) -> forall::Builder {
    let builder = forall::Runtime::builder().ranks(1).threads(threads).schedule(schedule);
    if threads == 1 { builder.backend("serial") } else { builder.backend("threads") }
}

/// Runs something on so many threads, and gives back what it gives.
fn on<R: Send>(threads: usize, schedule: Schedule, run: impl Fn() -> R + Sync) -> R {
    runtime(threads, schedule).run(run).remove(0)
}

fn transforms(bench: &Bench) -> Drawn {
    let map = Transform::rotate([1.0, 1.0, 0.0], 30.0).and_then(|map| map.then(Transform::translate([1.0, 2.0, 3.0])?));
    let map = map.unwrap_or(Transform::IDENTITY);
    bench.draw("transform.svg", "2^23 points and normals through a matrix", &["first", "second"], |threads| {
        on(threads, Schedule::Static, || {
            let points = Points::random(1 << 23);
            let (mut first, mut second) = (Vec::new(), Vec::new());
            for _ in 0..bench.reps {
                let start = Instant::now();
                let mapped = black_box(points.mapped(&map));
                first.push(start.elapsed().as_secs_f64());
                let start = Instant::now();
                black_box(mapped.mapped(&map));
                second.push(start.elapsed().as_secs_f64());
            }
            [first, second]
                .map(|mut times| {
                    times.sort_unstable_by(f64::total_cmp);
                    median(&times)
                })
                .to_vec()
        })
    })
}

/// The values at the corners of a cell.
type Cell = [f32; 8];

/// The six tetrahedra of a cube, all around one of its diagonals.
const TETRAHEDRA: [[usize; 4]; 6] =
    [[0, 1, 3, 7], [0, 3, 2, 7], [0, 2, 6, 7], [0, 6, 4, 7], [0, 4, 5, 7], [0, 5, 1, 7]];

/// The edges of a tetrahedron.
const EDGES: [[usize; 2]; 6] = [[0, 1], [0, 2], [0, 3], [1, 2], [1, 3], [2, 3]];

/// The corners of a contour in a cell.
#[inline]
fn corners_in(cell: &Cell, iso: f32) -> impl Iterator<Item = [f32; 3]> {
    let place = |k: usize| [(k & 1) as f32, (k >> 1 & 1) as f32, (k >> 2) as f32];
    let edges = TETRAHEDRA.iter().flat_map(|corners| EDGES.iter().map(|edge| edge.map(|end| corners[end])));
    edges.filter(move |[a, b]| (cell[*a] > iso) != (cell[*b] > iso)).map(move |[a, b]| {
        let share = (iso - cell[a]) / (cell[b] - cell[a]);
        let (from, to) = (place(a), place(b));
        [0, 1, 2].map(|axis| from[axis] + share * (to[axis] - from[axis]))
    })
}

/// The least and the greatest value at the corners of a cell.
#[inline]
fn range(cell: &Cell) -> (f32, f32) {
    cell.iter().fold((f32::MAX, f32::MIN), |(least, most), v| (v.min(least), v.max(most)))
}

#[inline]
fn is_crossed(cell: &Cell, iso: f32) -> bool {
    let (least, most) = range(cell);
    least <= iso && iso < most
}

#[foreach_tls]
fn contoured(#[replicated] cells: &[Cell], isos: &[f32; 11], out: &mut Vec<[f32; 3]>) {
    for i in 0..cells.len() {
        let (least, most) = range(&cells[i]);
        if least > isos[10] {
            continue;
        }
        for &iso in isos {
            if least <= iso && iso < most {
                for corner in corners_in(&cells[i], iso) {
                    out.push(corner);
                }
            }
        }
    }
}

/// With the grain of the paper.
#[foreach_tls(grain = sqrt)]
fn contoured_by_sqrt(#[replicated] cells: &[Cell], isos: &[f32; 11], out: &mut Vec<[f32; 3]>) {
    for i in 0..cells.len() {
        let (least, most) = range(&cells[i]);
        if least > isos[10] {
            continue;
        }
        for &iso in isos {
            if least <= iso && iso < most {
                for corner in corners_in(&cells[i], iso) {
                    out.push(corner);
                }
            }
        }
    }
}

/// Eleven values from 0 to 1.
const ISOS: [f32; 11] = [0.05, 0.14, 0.23, 0.32, 0.41, 0.5, 0.59, 0.68, 0.77, 0.86, 0.95];

fn contours(bench: &Bench) -> Drawn {
    // Only the first of 32 parts of the cells have values on both sides.
    let cells: Vec<Cell> = (0..1 << 20)
        .map(|i| match i < 1 << 15 {
            true => std::array::from_fn(|k| ((i * 37 + k * 101) % 97) as f32 / 96.0),
            false => [2.0; 8],
        })
        .collect();
    let names = ["steal", "static", "guided", "steal, square root", "guided, square root"];
    let ways = [
        (Schedule::Steal, false),
        (Schedule::Static, false),
        (Schedule::Guided, false),
        (Schedule::Steal, true),
        (Schedule::Guided, true),
    ];
    bench.draw("contour.svg", "2^20 cells, the first 2^15 are crossed", &names, |threads| {
        bench.each_in_turn(
            &ways.map(|(schedule, by_sqrt)| {
                let cells = &cells;
                let way: Timed<'_> = Box::new(move |threads, _| {
                    on(threads, schedule, || {
                        let mut times = Vec::new();
                        // The first call learns what an iteration costs.
                        for _ in 0..3 {
                            let (mut out, start) = (Vec::new(), Instant::now());
                            let contour = if by_sqrt { contoured_by_sqrt } else { contoured };
                            contour(&cells[..], &ISOS, &mut out);
                            times.push(start.elapsed().as_secs_f64());
                            black_box(&out);
                        }
                        times
                    })
                });
                way
            }),
            threads,
        )
    })
}

impl Bench {
    /// Runs the ways in turn, each in a runtime of its own, and gives their medians.
    fn each_in_turn(&self, ways: &[Timed<'_>], threads: usize) -> Vec<f64> {
        let mut times = vec![Vec::new(); ways.len()];
        for round in 0..self.reps {
            for (times, way) in times.iter_mut().zip(ways) {
                times.extend(way(threads, round).split_off(1));
            }
        }
        times
            .into_iter()
            .map(|mut times| {
                times.sort_unstable_by(f64::total_cmp);
                median(&times)
            })
            .collect()
    }
}

fn merges(bench: &Bench) -> Drawn {
    // The corners of triangles: each point comes six times, near each other.
    let points: Vec<[f32; 3]> = (0..1usize << 20)
        .map(|i| {
            let (triangle, corner) = (i / 3, i % 3);
            let (square, upper) = (triangle / 2, triangle % 2);
            let (x, y) = (square % 418, square / 418);
            let [dx, dy] = [[[0, 0], [1, 0], [0, 1]], [[1, 0], [1, 1], [0, 1]]][upper][corner];
            let (x, y) = ((x + dx) as f32, (y + dy) as f32);
            [x, y, (x * 0.1).sin() * (y * 0.07).cos()]
        })
        .collect();
    let names = ["a grid for each worker", "one grid with locks"];
    bench.draw("locators.svg", "2^20 corners of triangles, each point six times", &names, |threads| {
        on(threads, Schedule::Steal, || {
            let at = DistVec::from_fn(points.len(), |i| points[i]);
            let grid = Grid::around(&at, at.len() / 6);
            bench.medians(2, |way| {
                black_box(if way == 0 { Own::firsts(&at, grid) } else { Locked::firsts(&at, grid) });
            })
        })
    })
}

/// A node of a tree over cells: the ranges of their values.
#[derive(Debug, Clone, Copy)]
struct Node {
    least: f32,
    most: f32,
    first: u32,
    count: u32,
}

/// Cells in a leaf.
const LEAF: u32 = 16;

/// A complete binary tree over 2^n cells, in an array.
fn ranges(cells: &[Cell]) -> Vec<Node> {
    let leaves = cells.len() / LEAF as usize;
    let mut nodes = vec![Node { least: f32::MAX, most: f32::MIN, first: 0, count: 0 }; 2 * leaves];
    for at in (1..2 * leaves).rev() {
        nodes[at] = if at >= leaves {
            let first = (at - leaves) * LEAF as usize;
            let values = cells[first..first + LEAF as usize].iter().flatten();
            let (least, most) = values.fold((f32::MAX, f32::MIN), |(l, m), v| (v.min(l), v.max(m)));
            Node { least, most, first: first as u32, count: LEAF }
        } else {
            let [a, b] = [nodes[2 * at], nodes[2 * at + 1]];
            Node { least: a.least.min(b.least), most: a.most.max(b.most), first: a.first, count: a.count + b.count }
        };
    }
    nodes
}

#[traverse]
fn by_tree(#[replicated] nodes: &[Node], #[replicated] cells: &[Cell], at: usize, iso: f32, out: &mut Vec<[f32; 3]>) {
    let node = nodes[at];
    if node.least > iso || node.most <= iso {
        return;
    }
    if node.count == LEAF {
        for i in node.first..node.first + LEAF {
            let cell = &cells[i as usize];
            if is_crossed(cell, iso) {
                for corner in corners_in(cell, iso) {
                    out.push(corner);
                }
            }
        }
        return;
    }
    by_tree(nodes, cells, 2 * at, iso, out);
    by_tree(nodes, cells, 2 * at + 1, iso, out);
}

/// A task for each node.
fn by_tasks(nodes: &[Node], cells: &[Cell], at: usize, iso: f32) -> Vec<[f32; 3]> {
    let node = nodes[at];
    let mut out = Vec::new();
    if node.least > iso || node.most <= iso {
        return out;
    }
    if node.count == LEAF {
        by_tree::sequential(nodes, cells, at, iso, &mut out);
        return out;
    }
    let (left, right) = rayon::join(|| by_tasks(nodes, cells, 2 * at, iso), || by_tasks(nodes, cells, 2 * at + 1, iso));
    out.extend(left);
    out.extend(right);
    out
}

/// A field on 2^(3 n) cells in Z-order, so that cells near each other have places near each other.
fn field(n: u32) -> Vec<Cell> {
    let side = 1u32 << n;
    let axis = |place: usize, axis: u32| (0..n).fold(0, |x, bit| x | ((place >> (3 * bit + axis)) as u32 & 1) << bit);
    let value = |x: u32, y: u32, z: u32| {
        let [x, y, z] = [x, y, z].map(|k| 6.0 * k as f32 / side as f32 - 3.0);
        let part = |x: f32| x * x * x * x - 5.0 * x * x;
        (part(x) + part(y) + part(z) + 11.8) * 0.02 + 0.3
    };
    (0..1 << (3 * n))
        .map(|place| {
            let (x, y, z) = (axis(place, 0), axis(place, 1), axis(place, 2));
            std::array::from_fn(|k| value(x + (k as u32 & 1), y + (k as u32 >> 1 & 1), z + (k as u32 >> 2)))
        })
        .collect()
}

fn trees(bench: &Bench) -> Drawn {
    let cells = field(7);
    let nodes = ranges(&cells);
    let names = ["the recursion as it is written", "traverse", "a task for each node (rayon)"];
    bench.draw("tree.svg", "2^21 cells by a tree, eleven values", &names, |threads| {
        let Ok(pool) = rayon::ThreadPoolBuilder::new().num_threads(threads).build() else { return vec![f64::NAN; 3] };
        on(threads, Schedule::Steal, || {
            bench.medians(3, |way| {
                for iso in ISOS {
                    let mut out = Vec::new();
                    match way {
                        0 => by_tree::sequential(&nodes, &cells, 1, iso, &mut out),
                        1 => by_tree(&nodes[..], &cells[..], 1, iso, &mut out),
                        _ => out = pool.install(|| by_tasks(&nodes, &cells, 1, iso)),
                    }
                    black_box(&out);
                }
            })
        })
    })
}

/// Takes so many steps of about a nanosecond each, and the processor can skip none of them. It is the same code for all: inlined, it
/// takes twice as long in one place as in another.
#[inline(never)]
fn work(steps: u32, from: usize) -> u64 {
    (0..steps).fold(from as u64, |x, _| black_box(x ^ (x >> 7)))
}

#[traverse]
fn count(at: usize, end: usize, lopsided: bool, steps: u32, sum: &mut u64) {
    *sum += work(steps, at) & 1;
    let left = below(at, end, lopsided);
    if left > at + 1 {
        count(at + 1, left, lopsided, steps, sum);
    }
    if end > left {
        count(left, end, lopsided, steps, sum);
    }
}

/// Where the nodes of the second child begin, of a node that has those up to `end`: half of them, or a tenth.
#[inline]
fn below(at: usize, end: usize, lopsided: bool) -> usize {
    let rest = end - at - 1;
    at + 1 + if lopsided { rest - rest / 10 } else { rest / 2 }
}

#[traverse]
fn add(at: usize, end: usize, steps: u32, sum: &mut f64) {
    *sum += work(steps, at) as f64;
    let left = below(at, end, false);
    if left > at + 1 {
        add(at + 1, left, steps, sum);
    }
    if end > left {
        add(left, end, steps, sum);
    }
}

fn count_by_tasks(at: usize, end: usize, lopsided: bool, steps: u32) -> u64 {
    let own = work(steps, at) & 1;
    let left = below(at, end, lopsided);
    let (one, two) = rayon::join(
        || if left > at + 1 { count_by_tasks(at + 1, left, lopsided, steps) } else { 0 },
        || if end > left { count_by_tasks(left, end, lopsided, steps) } else { 0 },
    );
    own.wrapping_add(one).wrapping_add(two)
}

fn traversals(bench: &Bench) {
    const NODES: usize = 1 << 22;
    println!(
        "\n2^22 nodes, milliseconds\n| nodes | threads | recursion | traverse | ratio | a task for each node | ratio |"
    );
    println!("|---|---:|---:|---:|---:|---:|---:|");
    for &threads in &bench.threads {
        let Ok(pool) = rayon::ThreadPoolBuilder::new().num_threads(threads).build() else { continue };
        for (name, lopsided, steps, floats) in [
            ("balanced, 100 steps", false, 100, false),
            ("lopsided, 100 steps", true, 100, false),
            ("balanced, 8 steps", false, 8, false),
            ("sums of floats, 8 steps", false, 8, true),
            ("sums of floats, 100 steps", false, 100, true),
        ] {
            let times = on(threads, Schedule::Steal, || {
                bench.medians(3, |way| {
                    let (mut sum, mut total) = (0, 0.0);
                    match (way, floats) {
                        (0, false) => count::sequential(0, NODES, lopsided, steps, &mut sum),
                        (1, false) => count(0, NODES, lopsided, steps, &mut sum),
                        (0, true) => add::sequential(0, NODES, steps, &mut total),
                        (1, true) => add(0, NODES, steps, &mut total),
                        _ => sum = pool.install(|| count_by_tasks(0, NODES, lopsided, steps)),
                    }
                    black_box((sum, total));
                })
            });
            let [plain, ours, tasks] = [0, 1, 2].map(|way| times[way] * 1e3);
            println!(
                "| {name} | {threads} | {plain:.2} | {ours:.2} | {:.2} | {tasks:.2} | {:.2} |",
                ours / plain,
                tasks / ours
            );
        }
    }
}
