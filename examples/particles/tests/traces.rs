//! Lines are those of a plain loop over particles: on any number of blocks, ranks and threads, in and out of core.

use forall::{Blocks, Runtime, Settings};
use forall_examples::random::random;
use particles::axis::Axis;
use particles::brick::Brick;
use particles::field::Field;
use particles::flow::Flow;
use particles::lines::sorted;
use particles::particle::Point;
use particles::stepping::Stepping;
use particles::visit::{Limit, Totals};
use particles::{bricks, seed, seeds, trace, trace_sequentially};
use std::convert::Infallible;
use std::f64::consts::TAU;
use std::num::NonZeroUsize;
use std::ops::Range;

type Vector = [f64; 3];

/// A field that a formula gives at the points of a grid, as a plain program has it.
struct Plain {
    axes: [Vec<f64>; 3],
    is_periodic: bool,
    samples: Vec<[f32; 3]>,
}

impl Plain {
    fn new(axes: [Vec<f64>; 3], is_periodic: bool, formula: impl Fn(Vector) -> Vector) -> Plain {
        let [xs, ys, zs] = &axes;
        let rows = zs.iter().flat_map(|z| ys.iter().map(move |y| (*y, *z)));
        let samples = rows.flat_map(|(y, z)| xs.iter().map(move |x| [*x, y, z]));
        let samples = samples.map(|at| formula(at).map(|v| v as f32)).collect();
        Plain { axes, is_periodic, samples }
    }

    fn flow(&self, stepping: Stepping, blocks: usize) -> Flow {
        let axis = |which: usize| Axis::new(&self.axes[which], self.is_periodic).expect("an axis");
        Flow::new([axis(0), axis(1), axis(2)], None, stepping, blocks)
    }

    fn bricks(&self, flow: &Flow) -> Blocks<Brick> {
        let [nx, ny, _] = self.axes.each_ref().map(Vec::len);
        let read = |_: usize, [x, y, z]: [Range<usize>; 3]| {
            let rows = z.flat_map(|z| y.clone().map(move |y| (z * ny + y) * nx));
            Ok::<_, Infallible>(rows.flat_map(|row| &self.samples[row + x.start..row + x.end]).copied().collect())
        };
        bricks(flow, read).unwrap_or_else(|never| match never {})
    }

    /// The period, or the last point, of an axis with equal cells.
    fn high(&self, axis: usize) -> f64 {
        let points = &self.axes[axis];
        let (first, last) = (points[0], points[points.len() - 1]);
        if self.is_periodic { first + (last - first) / (points.len() - 1) as f64 * points.len() as f64 } else { last }
    }

    /// The velocity at a place; `None` outside.
    fn velocity(&self, mut at: Vector) -> Option<Vector> {
        let n = self.axes.each_ref().map(Vec::len);
        let (mut cell, mut part) = ([0; 3], [0.0; 3]);
        for axis in 0..3 {
            let (low, high) = (self.axes[axis][0], self.high(axis));
            at[axis] = self.wrapped(axis, at[axis]);
            if !(low <= at[axis] && at[axis] <= high) {
                return None;
            }
            let cells = if self.is_periodic { n[axis] } else { n[axis] - 1 };
            let along = (at[axis] - low) * (cells as f64 / (high - low));
            cell[axis] = (along as usize).min(cells - 1);
            part[axis] = along - cell[axis] as f64;
        }
        let sample = |dx: usize, dy: usize, dz: usize| {
            let [x, y, z] = [(0, dx), (1, dy), (2, dz)].map(|(axis, d)| {
                let next = cell[axis] + d;
                if next < n[axis] { next } else { 0 }
            });
            self.samples[(z * n[1] + y) * n[0] + x].map(f64::from)
        };
        let between = |a: Vector, b: Vector, part: f64| [0, 1, 2].map(|k| a[k] + part * (b[k] - a[k]));
        let along_x = |dy, dz| between(sample(0, dy, dz), sample(1, dy, dz), part[0]);
        let along_y = |dz| between(along_x(0, dz), along_x(1, dz), part[1]);
        Some(between(along_y(0), along_y(1), part[2]))
    }

    fn wrapped(&self, axis: usize, at: f64) -> f64 {
        let (low, high) = (self.axes[axis][0], self.high(axis));
        if !self.is_periodic || low <= at && at < high { at } else { low + (at - low).rem_euclid(high - low) }
    }

    /// The points of a line, by the classical Runge-Kutta scheme, and whether it has all steps.
    fn line(&self, seed: Vector, h: f64, steps: u32) -> (Vec<Vector>, bool) {
        let moved = |at: Vector, v: Vector| [0, 1, 2].map(|k| at[k] + h * v[k]);
        let (mut at, mut line) = ([0, 1, 2].map(|axis| self.wrapped(axis, seed[axis])), Vec::new());
        while let Some(k1) = self.velocity(at) {
            line.push(at);
            if line.len() as u32 > steps {
                return (line, true);
            }
            let Some(k2) = self.velocity(moved(at, k1.map(|v| 0.5 * v))) else { break };
            let Some(k3) = self.velocity(moved(at, k2.map(|v| 0.5 * v))) else { break };
            let Some(k4) = self.velocity(moved(at, k3)) else { break };
            let mean = [0, 1, 2].map(|k| (k1[k] + 2.0 * (k2[k] + k3[k]) + k4[k]) / 6.0);
            at = moved(at, mean);
            at = [0, 1, 2].map(|axis| self.wrapped(axis, at[axis]));
        }
        (line, false)
    }
}

fn even(low: f64, high: f64, cells: usize) -> Vec<f64> {
    (0..=cells).map(|i| low + (high - low) / cells as f64 * i as f64).collect()
}

/// Without its last point, for a periodic axis.
fn open(low: f64, high: f64, cells: usize) -> Vec<f64> {
    (0..cells).map(|i| low + (high - low) / cells as f64 * i as f64).collect()
}

fn abc([x, y, z]: Vector) -> Vector {
    [
        3_f64.sqrt() * z.sin() + y.cos(),
        2_f64.sqrt() * x.sin() + 3_f64.sqrt() * z.cos(),
        y.sin() + 2_f64.sqrt() * x.cos(),
    ]
}

/// Seeds in the domain, on its faces and corners, on those of blocks, outside, and nowhere.
fn awkward_seeds(plain: &Plain) -> Vec<Vector> {
    let side = |axis: usize| (plain.axes[axis][0], plain.high(axis) - plain.axes[axis][0]);
    let at = |parts: Vector| [0, 1, 2].map(|axis| side(axis).0 + parts[axis] * side(axis).1);
    let mut all: Vec<Vector> = (0..40).map(|id| at([0, 1, 2].map(|axis| random(id, axis)))).collect();
    for part in [0.0, 0.25, 0.5, 0.75, 1.0] {
        all.extend([at([part; 3]), at([part, 0.5, 0.0]), at([0.3, part, 1.0])]);
    }
    all.extend([at([-0.01, 0.5, 0.5]), at([0.5, 1.5, 0.5]), at([0.5, 0.5, 1e300])]);
    for odd in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        all.extend([[odd, 0.5, 0.5], [0.5, odd, 0.5], [0.5, 0.5, odd], [odd; 3]]);
    }
    all
}

/// The points and totals of a run, gathered on all ranks.
fn traced(plain: &Plain, stepping: Stepping, steps: u32, blocks: usize, places: &[Vector]) -> (Vec<Point>, Totals) {
    let flow = plain.flow(stepping, blocks);
    let mut bricks = plain.bricks(&flow);
    seed(&mut bricks, places.len(), seeds(&flow, |id| places[id]));
    let mut points = Vec::new();
    let totals = trace(&mut bricks, &flow, Limit::all(steps), &mut points);
    (sorted(points).to_all(), totals)
}

fn point_bits(point: &Point) -> (u32, u32, [u32; 3], u32, u32) {
    (point.particle, point.step, point.at.map(f32::to_bits), point.time.to_bits(), point.speed.to_bits())
}

/// Blocks, ranks, threads, and blocks in memory.
const PLANS: [(usize, usize, usize, Option<usize>); 9] = [
    (1, 1, 1, None),
    (8, 1, 2, None),
    (8, 1, 7, Some(1)),
    (64, 1, 2, Some(5)),
    (3, 2, 1, None),
    (12, 2, 2, Some(2)),
    (64, 3, 1, None),
    (2, 4, 1, Some(1)),
    (200, 4, 2, None),
];

/// Runs on all plans, and gives the one result.
fn everywhere<R: PartialEq + std::fmt::Debug + Send>(run: impl Fn(usize) -> R + Sync) -> R {
    let mut first: Option<R> = None;
    for (blocks, ranks, threads, in_memory) in PLANS {
        let settings =
            Settings { blocks: in_memory.and_then(NonZeroUsize::new), ..Settings::from_env().expect("settings") };
        for result in Runtime::builder().settings(settings).ranks(ranks).threads(threads).run(|| run(blocks)) {
            match &first {
                None => first = Some(result),
                Some(first) => assert!(result == *first, "{blocks} blocks, {ranks} ranks, {threads} threads"),
            }
        }
    }
    first.expect("there are plans")
}

/// All that does not depend on the blocks.
fn lasting(totals: Totals) -> Totals {
    Totals { rounds: 0, bytes: 0, ..totals }
}

#[test]
fn lines_are_those_of_a_plain_loop() {
    let periodic = Plain::new([open(0.0, TAU, 12), open(0.0, TAU, 9), open(0.0, TAU, 11)], true, abc);
    let bounded = Plain::new([even(0.0, TAU, 12), even(0.0, TAU, 9), even(0.0, TAU, 11)], false, abc);
    // The last steps are longer than blocks.
    for (plain, step, steps) in
        [(&periodic, 0.05, 200), (&bounded, 0.05, 200), (&bounded, -0.3, 60), (&periodic, 2.5, 40)]
    {
        let places = awkward_seeds(plain);
        let (points, totals) = everywhere(|blocks| {
            let (points, totals) = traced(plain, Stepping::Fixed { step }, steps, blocks, &places);
            (points.iter().map(point_bits).collect::<Vec<_>>(), lasting(totals))
        });
        let mut expected = Vec::new();
        let (mut finished, mut taken) = (0, 0);
        for (id, place) in places.iter().enumerate() {
            let (line, is_whole) = plain.line(*place, step, steps);
            finished += u64::from(is_whole);
            taken += line.len().saturating_sub(1) as u64;
            expected
                .extend(line.iter().enumerate().map(|(k, at)| (id as u32, k as u32, at.map(|x| (x as f32).to_bits()))));
        }
        assert!(points.iter().map(|(id, k, at, _, _)| (*id, *k, *at)).eq(expected.iter().copied()), "step {step}");
        assert_eq!((totals.finished, totals.steps, totals.points), (finished, taken, expected.len() as u64));
        assert_eq!(totals.finished + totals.left_the_domain, places.len() as u64, "every particle is accounted for");
        assert!(finished >= 40 || !plain.is_periodic);
    }
}

#[test]
fn adaptive_lines_do_not_depend_on_blocks() {
    let plain = Plain::new([open(0.0, TAU, 16), open(0.0, TAU, 16), open(0.0, TAU, 16)], true, abc);
    let places = awkward_seeds(&plain);
    let stepping = Stepping::Adaptive { step: 0.1, tolerance: 1e-5 };
    let (points, totals) = everywhere(|blocks| {
        let (points, totals) = traced(&plain, stepping, 60, blocks, &places);
        (points.iter().map(point_bits).collect::<Vec<_>>(), lasting(totals))
    });
    assert_eq!(totals.points, points.len() as u64);
    assert_eq!(totals.finished + totals.left_the_domain + totals.stopped, places.len() as u64);
    assert!(totals.rejected_steps > 0 && totals.stopped == 0);
}

/// A rotation around the z axis: linear interpolation is exact, and lines are circles.
fn rotation() -> Plain {
    let side = || even(-2.0, 2.0, 8);
    Plain::new([side(), side(), side()], false, |[x, y, _]| [-y, x, 0.0])
}

/// How far a particle is from its seed after a turn.
fn gap(stepping: Stepping, steps: u32) -> f64 {
    let flow = rotation().flow(stepping, 8);
    let mut bricks = rotation().bricks(&flow);
    let seed_place = [1.1, 0.3, 0.2];
    seed(&mut bricks, 1, seeds(&flow, |_| seed_place));
    // The particle waits at the end, where its place is known exactly.
    let limit = Limit { steps: u32::MAX, steps_of_call: steps, every: 0 };
    trace(&mut bricks, &flow, limit, &mut Vec::new());
    let at = particles::waiting(&bricks).to_all()[0].at;
    (0..3).map(|axis| (at[axis] - seed_place[axis]).powi(2)).sum::<f64>().sqrt()
}

#[test]
fn circles_close_with_an_error_of_the_fourth_order() {
    let gaps = [40, 80, 160].map(|steps| gap(Stepping::Fixed { step: TAU / f64::from(steps) }, steps));
    for pair in gaps.windows(2) {
        let ratio = pair[0] / pair[1];
        assert!((15.0..17.0).contains(&ratio), "gaps {gaps:?}");
    }
    assert!(gaps[0] < 1e-4, "{gaps:?}");
}

#[test]
fn adaptive_circles_keep_their_radius_within_the_tolerance() {
    for tolerance in [1e-5, 1e-8] {
        let plain = rotation();
        let (points, totals) = traced(&plain, Stepping::Adaptive { step: 0.5, tolerance }, 200, 8, &[[1.1, 0.3, 0.2]]);
        assert_eq!((totals.finished, points.len()), (1, 201));
        let off =
            points.iter().map(|point| (point.at[0].hypot(point.at[1]) - 1.1_f32.hypot(0.3)).abs()).fold(0.0, f32::max);
        assert!(f64::from(off) < 200.0 * tolerance + 1e-6, "{off} at {tolerance}");
        let turned = f64::from(points[200].time) / TAU;
        assert!(turned > 1.0, "steps grow: {turned} turns");
    }
}

/// Particles at places where the field is missing stop, and all others go on.
#[test]
fn missing_values_stop_particles() {
    let side = || even(0.0, 4.0, 8);
    let missing = |[x, _, _]: Vector| if x > 3.0 { [f64::NAN; 3] } else { [1.0, 0.0, 0.0] };
    let plain = Plain::new([side(), side(), side()], false, missing);
    let places = [[0.5, 1.0, 1.0], [3.6, 1.0, 1.0], [-1.0, 0.0, 0.0], [2.9, 4.0, 4.0]];
    let totals = everywhere(|blocks| lasting(traced(&plain, Stepping::Fixed { step: 0.125 }, 1000, blocks, &places).1));
    assert_eq!((totals.stopped, totals.left_the_domain, totals.finished), (3, 1, 0));
    // The last step that begins before x = 3 does not end before it.
    assert_eq!(totals.points, 20 + 1);
}

/// Uneven axes, and particles that wait for the next call.
#[test]
fn lines_in_two_calls_are_those_of_one() {
    let uneven = |n: usize| (0..n).map(|i| (i * i) as f64 * 0.1 + i as f64).collect::<Vec<_>>();
    let plain =
        Plain::new([uneven(7), even(0.0, 9.0, 9), uneven(5)], false, |[x, y, z]| [y - 4.0, 3.0 - x, 0.1 * (2.0 - z)]);
    let places: Vec<Vector> = (0..30).map(|id| [0, 1, 2].map(|axis| 8.0 * random(id, axis))).collect();
    for stepping in [Stepping::Fixed { step: 0.03 }, Stepping::Adaptive { step: 0.03, tolerance: 1e-6 }] {
        let whole = everywhere(|blocks| traced(&plain, stepping, 150, blocks, &places).0);
        let parts = everywhere(|blocks| {
            let flow = plain.flow(stepping, blocks);
            let (mut bricks, mut points) = (plain.bricks(&flow), Vec::new());
            seed(&mut bricks, places.len(), seeds(&flow, |id| places[id]));
            let mut totals = Totals::default();
            for call in [1, 40, 41, 150] {
                let limit = Limit { steps: u32::MAX, steps_of_call: call, every: 1 };
                totals = totals.and_then(trace(&mut bricks, &flow, limit, &mut points));
                // On other blocks.
                let waiting = particles::waiting(&bricks).to_all();
                assert_eq!(waiting.len() as u64, totals.waiting);
                bricks = plain.bricks(&flow);
                seed(&mut bricks, waiting.len(), |at| waiting[at]);
            }
            totals = totals.and_then(trace(&mut bricks, &flow, Limit::all(150), &mut points));
            assert_eq!(totals.finished + totals.left_the_domain, 30);
            sorted(points).to_all()
        });
        assert!(parts == whole);
    }
}

#[test]
fn pathlines_do_not_depend_on_blocks() {
    let field = Field::abc(10, true, true).expect("a field");
    let run = |blocks: usize| {
        let flow = Flow::new(field.axes.clone(), field.times.clone(), Stepping::Fixed { step: 0.1 }, blocks);
        let mut bricks = bricks(&flow, |time, part| field.part(time, part)).expect("a formula");
        seed(&mut bricks, 20, seeds(&flow, |id| [0, 1, 2].map(|axis| TAU * random(id as u64, axis))));
        let mut points = Vec::new();
        let totals = trace(&mut bricks, &flow, Limit::all(50), &mut points);
        (sorted(points).to_all().iter().map(point_bits).collect::<Vec<_>>(), lasting(totals))
    };
    let (points, totals) = everywhere(run);
    assert_eq!((totals.finished, points.len()), (20, 20 * 51));
    // The field swings, so the lines are no streamlines.
    let steady = Field::abc(10, true, false).expect("a field");
    let (one, other) = (field.part(8, [0..3, 0..3, 0..3]), steady.part(0, [0..3, 0..3, 0..3]));
    assert!(one.expect("samples") != other.expect("samples"));
}

/// The same on the launcher's ranks, and as a sequential program.
#[forall::test]
fn on_this_launch() {
    let plain = Plain::new([open(0.0, TAU, 12), open(0.0, TAU, 9), open(0.0, TAU, 11)], true, abc);
    let places = awkward_seeds(&plain);
    let (points, totals) = traced(&plain, Stepping::Fixed { step: 0.05 }, 100, 24, &places);
    for (id, place) in places.iter().enumerate() {
        let (line, _) = plain.line(*place, 0.05, 100);
        let found: Vec<[f32; 3]> =
            points.iter().filter(|point| point.particle == id as u32).map(|point| point.at).collect();
        assert!(found.iter().eq(&line.iter().map(|at| at.map(|x| x as f32)).collect::<Vec<_>>()));
    }
    if forall::ranks() == 1 {
        let flow = plain.flow(Stepping::Fixed { step: 0.05 }, 24);
        let (mut bricks, mut found) = (plain.bricks(&flow), Vec::new());
        seed(&mut bricks, places.len(), seeds(&flow, |id| places[id]));
        assert_eq!(trace_sequentially(&mut bricks, &flow, Limit::all(100), &mut found), totals);
        assert_eq!(sorted(found).to_all(), points);
    }
}

/// The time of a plain loop over particles beside that of one block and of 64. Run it with `--release -- --ignored --nocapture`.
#[test]
#[ignore = "it measures"]
fn a_plain_loop_takes_as_long() {
    let plain = Plain::new([open(0.0, TAU, 64), open(0.0, TAU, 64), open(0.0, TAU, 64)], true, abc);
    let places: Vec<Vector> = (0..2000).map(|id| [0, 1, 2].map(|axis| TAU * random(id, axis))).collect();
    let (step, steps) = (0.02, 1000);
    let mut seconds = [const { Vec::new() }; 3];
    for _ in 0..7 {
        let begin = std::time::Instant::now();
        let ends: Vec<f64> = places.iter().map(|place| plain.line(*place, step, steps).0[1000][0]).collect();
        seconds[0].push(begin.elapsed().as_secs_f64());
        std::hint::black_box(ends);
        for (which, blocks) in [(1, 1), (2, 64)] {
            let runtime = Runtime::builder().threads(1);
            let taken = runtime.run(|| {
                let flow = plain.flow(Stepping::Fixed { step }, blocks);
                let mut bricks = plain.bricks(&flow);
                seed(&mut bricks, places.len(), seeds(&flow, |id| places[id]));
                let begin = std::time::Instant::now();
                trace(&mut bricks, &flow, Limit { every: 0, ..Limit::all(steps) }, &mut Vec::new());
                begin.elapsed().as_secs_f64()
            });
            seconds[which].push(taken[0]);
        }
    }
    for (name, seconds) in ["plain loop", "1 block", "64 blocks"].into_iter().zip(&mut seconds) {
        seconds.sort_by(f64::total_cmp);
        println!("{name}: {:.1} ns a step", seconds[3] * 1e9 / 2e6);
    }
}

#[test]
fn no_particles_and_no_steps() {
    let plain = rotation();
    let (points, totals) = everywhere(|blocks| {
        let none = traced(&plain, Stepping::Fixed { step: 0.1 }, 10, blocks, &[]);
        assert_eq!((none.0.len(), lasting(none.1)), (0, Totals::default()));
        let (points, totals) = traced(&plain, Stepping::Fixed { step: 0.1 }, 0, blocks, &[[0.5; 3], [2.0; 3]]);
        (points.len(), lasting(totals))
    });
    assert_eq!((totals.finished, totals.steps, totals.points, points), (2, 0, 2, 2));
}
