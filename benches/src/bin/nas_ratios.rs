//! Prints how the annotated loops of the NAS benchmarks compare with the plain ones and with those by hand, run in turn: class A, from
//! the same data, one step of each benchmark.
//!
//! Usage: `nas_ratios [REPS] [ONLY]`; `FORALL_THREADS` sets the threads of both, `ONLY` is part of the names to run.

use forall_benches::nas::{Annotated, Cg, Ft, Is, Mg, Plain, Rayon};
use forall_benches::side_by_side;
use nas::ft::{Complex, Size, roots};
use primitives::measure::{in_turn, median};
use std::process::ExitCode;
use std::time::Instant;

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1);
    let reps = match arguments.next().map(|text| text.parse::<u32>()) {
        None => 5,
        Some(Ok(reps)) if reps > 0 => reps,
        Some(_) => {
            eprintln!("usage: nas_ratios [REPS] [ONLY], the first a whole number from 1 on");
            return ExitCode::from(2);
        }
    };
    let only = arguments.next().unwrap_or_default();
    side_by_side(|| {
        println!("medians of {reps} steps in turn, class A, {} threads", rayon::current_num_threads());
        println!("| step | plain ms | annotated ms | rayon ms | annotated / plain | annotated / rayon |");
        println!("|---|---:|---:|---:|---:|---:|");
        let wanted = |name: &str| name.contains(&only);
        if wanted("cg") {
            conjugate_gradients(reps);
        }
        if wanted("mg") {
            multigrid(reps);
        }
        if wanted("is") {
            ranks(reps);
        }
        if wanted("ft") {
            fourier(reps);
        }
    })
}

/// Runs the three ways in turn, and prints how they compare.
fn row(name: &str, reps: u32, mut ways: [&mut dyn FnMut(); 3]) {
    let times = in_turn(3, reps, |way| {
        let start = Instant::now();
        ways[way]();
        start.elapsed().as_secs_f64()
    });
    let [plain, annotated, by_hand] = [0, 1, 2].map(|way| 1e3 * median(&times[way]));
    println!(
        "| {name} | {plain:.2} | {annotated:.2} | {by_hand:.2} | {:.2} | {:.2} |",
        annotated / plain,
        annotated / by_hand
    );
}

/// A solution by 25 steps of conjugate gradients.
fn conjugate_gradients(reps: u32) {
    let matrix = nas::cg::make_matrix(14_000, 11, 20.0);
    let (rows, column, a) = (matrix.rows.to_all(), matrix.column.to_all(), matrix.a.to_all());
    let x = vec![1.0; 14_000];
    fn solve<K: Cg>(rows: &[usize], column: &[u32], a: &[f64], x: &[f64], vectors: &mut [Vec<f64>; 4]) -> f64 {
        let [z, r, p, q] = vectors;
        let mut rho = K::begin(x, z, r, p);
        for _ in 0..25 {
            K::multiply(rows, column, a, p, q);
            let alpha = rho / K::dot(p, q);
            let before = rho;
            rho = K::advance(alpha, p, q, z, r);
            K::turn(rho / before, r, p);
        }
        K::multiply(rows, column, a, z, r);
        K::distance(x, r).sqrt()
    }
    let vectors = || [(); 4].map(|()| vec![0.0; x.len()]);
    let (mut one, mut two, mut three) = (vectors(), vectors(), vectors());
    #[allow(clippy::type_complexity)] // The functions below, once more.
    let run = |solve: fn(&[usize], &[u32], &[f64], &[f64], &mut [Vec<f64>; 4]) -> f64, vectors: &mut [Vec<f64>; 4]| {
        std::hint::black_box(solve(&rows, &column, &a, &x, vectors));
    };
    row(
        "CG",
        reps,
        [&mut || run(solve::<Plain>, &mut one), &mut || run(solve::<Annotated>, &mut two), &mut || {
            run(solve::<Rayon>, &mut three)
        }],
    );
    let mut scaled = vec![0.0; x.len()];
    row(
        "CG, scale",
        reps,
        [&mut || Plain::scale(0.5, &x, &mut one[0]), &mut || Annotated::scale(0.5, &x, &mut two[0]), &mut || {
            <Rayon as Cg>::scale(0.5, &x, &mut scaled)
        }],
    );
}

/// A grid of `n` points along each side, with its layers.
struct Grid {
    n: usize,
    u: Vec<f64>,
    v: Vec<f64>,
    r: Vec<f64>,
}

/// A V-cycle and the residual after it.
fn multigrid(reps: u32) {
    const EQUATION: [f64; 4] = [-8.0 / 3.0, 0.0, 1.0 / 6.0, 1.0 / 12.0];
    const SMOOTHER: [f64; 4] = [-3.0 / 8.0, 1.0 / 32.0, -1.0 / 64.0, 0.0];
    fn cycle<K: Mg>(grids: &mut [Grid]) {
        let residual = |grid: &mut Grid| {
            K::residual(EQUATION, &grid.u, &grid.v, &mut grid.r, grid.n);
            K::wrap(&mut grid.r, grid.n);
        };
        let finest = grids.len() - 1;
        for level in (0..finest).rev() {
            let (coarse, fine) = grids.split_at_mut(level + 1);
            let (coarse, fine) = (&mut coarse[level], &fine[0]);
            K::restrict(if level + 1 == finest { &fine.r } else { &fine.v }, &mut coarse.v, coarse.n);
            K::wrap(&mut coarse.v, coarse.n);
            K::clear(&mut coarse.u);
        }
        let coarsest = &mut grids[0];
        K::smooth(SMOOTHER, &coarsest.v, &mut coarsest.u, coarsest.n);
        K::wrap(&mut coarsest.u, coarsest.n);
        for level in 1..=finest {
            let (coarse, fine) = grids.split_at_mut(level);
            let (coarse, fine) = (&coarse[level - 1], &mut fine[0]);
            K::interpolate(&coarse.u, &mut fine.u, coarse.n);
            residual(fine);
            K::smooth(SMOOTHER, &fine.r, &mut fine.u, fine.n);
            K::wrap(&mut fine.u, fine.n);
        }
        residual(&mut grids[finest]);
        K::norm(&grids[finest].r, grids[finest].n);
    }
    let grids = || -> Vec<Grid> {
        let grid = |level: u32| {
            let n = (1 << level) + 2;
            let some = |i: usize| if i.is_multiple_of(7919) { 1.0 } else { 0.0 };
            let v = (0..n * n * n).map(some).collect();
            Grid { n, u: vec![0.0; n * n * n], v, r: vec![0.0; n * n * n] }
        };
        (1..=8).map(grid).collect()
    };
    let (mut one, mut two, mut three) = (grids(), grids(), grids());
    row(
        "MG",
        reps,
        [&mut || cycle::<Plain>(&mut one), &mut || cycle::<Annotated>(&mut two), &mut || cycle::<Rayon>(&mut three)],
    );
}

/// The ranks of 2^23 keys.
fn ranks(reps: u32) {
    const LARGEST: u32 = 1 << 19;
    let mut keys = vec![0; 1 << 23];
    nas::is::make_keys(&mut keys[..], LARGEST);
    let all = || (keys.clone(), vec![0; LARGEST as usize]);
    let (mut one, mut two, mut three) = (all(), all(), all());
    row(
        "IS",
        reps,
        [
            &mut || Plain::rank_keys(&mut one.0, &mut one.1, 1),
            &mut || Annotated::rank_keys(&mut two.0, &mut two.1, 1),
            &mut || Rayon::rank_keys(&mut three.0, &mut three.1, 1),
        ],
    );
    assert!(one == two && one == three, "all ways rank alike");
}

/// A step in time.
fn fourier(reps: u32) {
    let size = Size { nx: 256, ny: 256, nz: 128 };
    let points = size.nx * size.ny * size.nz;
    let roots = roots(256, -1.0);
    let mut fade = vec![0.0; points];
    nas::ft::fading(&mut fade[..], size);
    let mut u = vec![Complex { re: 0.0, im: 0.0 }; points];
    nas::ft::begin(&mut u[..], size);
    let mut w = u.clone();
    #[allow(clippy::type_complexity)] // As above.
    let mut step = |step: fn(&[f64], &mut [Complex], &mut [Complex], &[Complex], Size) -> (f64, f64)| {
        std::hint::black_box(step(&fade, &mut u, &mut w, &roots, size));
    };
    fn one<K: Ft>(fade: &[f64], u: &mut [Complex], w: &mut [Complex], roots: &[Complex], size: Size) -> (f64, f64) {
        K::evolve(fade, u, w);
        K::along_z(w, roots, size);
        K::along_y(w, roots, size);
        K::along_x(w, roots, size);
        K::checksum(w, size)
    }
    let step = std::cell::RefCell::new(&mut step);
    row(
        "FT",
        reps,
        [&mut || (step.borrow_mut())(one::<Plain>), &mut || (step.borrow_mut())(one::<Annotated>), &mut || {
            (step.borrow_mut())(one::<Rayon>)
        }],
    );
}
