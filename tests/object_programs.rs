//! Programs on objects, as their users write them: on any number of ranks and threads they give what the sequential functions give.

use bytemuck::{Pod, Zeroable};
use forall::{Object, Runtime, foreach, foreach_tls, kary_reduce};

/// Boundary values at the indices of the boundary.
#[foreach]
fn edges(now: &Object<f64, 2>, next: &mut Object<f64, 2>) {
    let [ny, _] = now.shape();
    for tile in next.tiles([4, 3]) {
        for y in tile.rows() {
            for x in tile.columns() {
                if y == 0 {
                    next[[0, x]] = 1.0;
                } else if y + 1 == ny {
                    next[[ny - 1, x]] = 2.0;
                } else {
                    next[[y, x]] = 0.5 * (now[[y - 1, x]] + now[[y + 1, x]]);
                }
            }
        }
    }
}

/// The first and the last tiles of each row write one column more.
#[foreach]
fn sides(now: &Object<f64, 2>, next: &mut Object<f64, 2>) {
    let nx = now.shape()[1];
    for tile in next.tiles([4, 3]) {
        for y in tile.rows() {
            for x in tile.columns() {
                next[[y, x]] = 2.0 * now[[y, x]];
            }
            if tile.columns().start == 0 && y != 3 {
                next[[y, 0]] = now[[y, nx - 1]];
            }
            if tile.columns().end == nx {
                next[[y, nx - 1]] = now[[y, 0]];
            }
        }
    }
}

/// Branches of other forms, along all axes.
#[foreach]
fn corners(now: &Object<f64, 3>, next: &mut Object<f64, 3>) {
    let [nz, ny, nx] = now.shape();
    for tile in next.tiles([2, 3, 2]) {
        for z in tile.planes() {
            for y in tile.rows() {
                for x in tile.columns() {
                    match (z, y) {
                        (0, 0) if x == nx - 1 => next[[0, 0, nx - 1]] = 7.0,
                        _ if z != nz - 1 || y != ny - 1 => next[[z, y, x]] = now[[z, y, x]] + 1.0,
                        _ => next[[nz - 1, ny - 1, x]] = 9.0,
                    }
                }
            }
        }
    }
}

/// Indices with names.
#[foreach]
fn named_indices(now: &Object<f64, 2>, next: &mut Object<f64, 2>) {
    for tile in next.tiles([4, 4]) {
        for y in tile.rows() {
            let mut x = tile.columns().start;
            let start: [usize; 2] = [y, x];
            next[start] = -now[start];
            x += 1;
            for x in x..tile.columns().end {
                let (here, left) = ([y, x], [y, x - 1]);
                let at = [y, x];
                next[at] = now[at] + now[left] * here[1] as f64;
            }
        }
    }
}

/// The number of a tile is an index, and its length a number.
#[foreach]
fn means(now: &Object<f64, 2>, sums: &mut Object<f64, 1>) {
    for tile in now.tiles([3, 3]).rev() {
        let ranges = tile.ranges();
        let mut sum = 0.0;
        for y in ranges[0].clone() {
            for x in ranges[1].clone() {
                sum += now[[y, x]] * (1 + x - ranges[1].start) as f64;
            }
        }
        sums[[tile.number()]] += sum / tile.len() as f64;
    }
}

#[foreach]
fn thresholds(now: &Object<f64, 3>, next: &mut Object<f64, 3>) {
    for tile in next.tiles([2, 3, 2]).skip(1).step_by(2) {
        let [depth, height, width] = [tile.planes().len(), tile.rows().len(), tile.columns().len()];
        assert_eq!(tile.len(), depth * height * width);
        let all = tile.inside([1, 0, 1]);
        for z in all[0].clone() {
            for y in all[1].start..all[1].end {
                for x in all[2].clone() {
                    next[[z, y, x]] = now[[z - 1, y, x + 1]] + tile.number() as f64;
                }
            }
        }
    }
}

/// Fields by a tuple; one of them is only read.
struct Solver {
    now: Object<f64, 2>,
    next: Object<f64, 2>,
    factor: f64,
}

impl Solver {
    #[foreach]
    fn step(&mut self) {
        let factor = self.factor;
        let (now, next) = (&self.now, &mut self.next);
        for tile in next.tiles([4, 4]) {
            let [rows, columns] = tile.inside([1, 1]);
            for y in rows {
                for x in columns.clone() {
                    next[[y, x]] = factor * (now[[y - 1, x]] + now[[y + 1, x]]);
                }
            }
        }
    }

    #[kary_reduce]
    fn change(&self) -> f64 {
        let now = &self.now;
        let next = &self.next;
        let mut worst = 0.0_f64;
        for tile in now.tiles([4, 4]) {
            for y in tile.rows() {
                for x in tile.columns() {
                    worst = worst.max((now[[y, x]] - next[[y, x]]).abs());
                }
            }
        }
        worst
    }
}

/// A local object is exchanged for the parameter.
#[foreach]
fn steps(now: &mut Object<f64, 2>, count: usize) {
    let mut next = Object::zeroed(now.shape());
    for _ in 0..count {
        for tile in next.tiles([4, 4]) {
            for y in tile.rows() {
                for x in tile.columns() {
                    next[[y, x]] = now[[y, x]] + 1.0;
                }
            }
        }
        std::mem::swap(now, &mut next);
    }
}

/// A torus, with index arithmetic.
#[foreach]
fn life(now: &Object<f64, 2>, next: &mut Object<f64, 2>, g: usize) {
    let [ny, nx] = now.shape();
    for ty in 0..ny / g {
        for tx in 0..nx / g {
            for i in 0..g {
                for j in 0..g {
                    let y = ty * g + i;
                    let x = tx * g + j;
                    let mut neighbours = 0.0;
                    for dy in [ny - 1, 0, 1] {
                        for dx in [nx - 1, 0, 1] {
                            if dy != 0 || dx != 0 {
                                neighbours += now[[(y + dy) % ny, (x + dx) % nx]];
                            }
                        }
                    }
                    let lives = neighbours == 3.0 || neighbours == 2.0 && now[[y, x]] == 1.0;
                    next[[y, x]] = if lives { 1.0 } else { 0.0 };
                }
            }
        }
    }
}

#[foreach]
fn coarser(fine: &Object<f64, 2>, coarse: &mut Object<f64, 2>) {
    for tile in coarse.tiles([2, 3]) {
        for y in tile.rows() {
            for x in tile.columns() {
                coarse[[y, x]] = 0.25 * (fine[[2 * y, 2 * x]] + fine[[2 * y + 1, 2 * x + 1]]);
            }
        }
    }
}

/// A coarse tile writes the fine elements below it.
#[foreach]
fn finer(coarse: &Object<f64, 2>, fine: &mut Object<f64, 2>) {
    for tile in coarse.tiles([2, 2]) {
        for y in tile.rows() {
            for x in tile.columns() {
                for dy in 0..2 {
                    for dx in 0..2 {
                        fine[[2 * y + dy, 2 * x + dx]] += coarse[[y, x]] + dy as f64;
                    }
                }
            }
        }
    }
}

#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C)]
struct Particle {
    x: f64,
    v: f64,
}

#[foreach_tls]
fn attracted(now: &Object<Particle, 1>, next: &mut Object<Particle, 1>) {
    let mut forces = Vec::new();
    for tile in next.tiles([4]) {
        for i in tile.indices() {
            forces.clear();
            forces.extend((0..now.len()).filter(|j| *j != i).map(|j| {
                let distance = now[[j]].x - now[[i]].x;
                distance / (1.0 + distance * distance)
            }));
            next[[i]].v = now[[i]].v + 0.1 * forces.iter().sum::<f64>();
            next[[i]].x = now[[i]].x + 0.1 * next[[i]].v;
        }
    }
}

fn plane(ny: usize, nx: usize) -> Object<f64, 2> {
    Object::from_fn([ny, nx], |[y, x]| ((7 * y + 3 * x) % 11) as f64)
}

fn volume(shape: [usize; 3]) -> Object<f64, 3> {
    Object::from_fn(shape, |[z, y, x]| ((5 * z + 7 * y + 3 * x) % 13) as f64)
}

/// The results of all programs, by the functions or by the sequential ones.
fn all(sequential: bool) -> Vec<u64> {
    macro_rules! run {
        ($name:ident($($argument:expr),*)) => {
            if sequential { $name::sequential($($argument),*) } else { $name($($argument),*) }
        };
    }
    let (mut now, mut next) = (plane(11, 9), Object::zeroed([11, 9]));
    let mut results = Vec::new();
    let mut note = |object: &Object<f64, 2>| results.extend(object.to_all().into_elements());
    run!(edges(&now, &mut next));
    note(&next);
    run!(sides(&now, &mut next));
    note(&next);
    run!(named_indices(&now, &mut next));
    note(&next);
    run!(steps(&mut now, 3));
    note(&now);
    let mut cells = Object::from_fn([12, 8], |[y, x]| ((y * x + y) % 3 % 2) as f64);
    let mut later = Object::zeroed([12, 8]);
    run!(life(&cells, &mut later, 4));
    std::mem::swap(&mut cells, &mut later);
    note(&cells);
    let (mut fine, mut coarse) = (plane(10, 12), Object::zeroed([5, 6]));
    run!(coarser(&fine, &mut coarse));
    run!(finer(&coarse, &mut fine));
    note(&fine);
    let mut solver = Solver { now: plane(9, 10), next: plane(9, 10), factor: 0.4 };
    let mut changes = Vec::new();
    for _ in 0..3 {
        solver.step();
        changes.push(solver.change());
        std::mem::swap(&mut solver.now, &mut solver.next);
    }
    note(&solver.now);
    let mut sums = Object::from_fn([12], |[i]| i as f64);
    run!(means(&now, &mut sums));
    let (cube, mut other) = (volume([5, 6, 7]), Object::zeroed([5, 6, 7]));
    run!(corners(&cube, &mut other));
    results.extend(changes.into_iter().chain(sums.to_all().into_elements()).chain(other.to_all().into_elements()));
    run!(thresholds(&cube, &mut other));
    results.extend(other.to_all().into_elements());
    let particles = Object::from_fn([13], |[i]| Particle { x: i as f64, v: 0.5 });
    let mut moved = Object::zeroed([13]);
    run!(attracted(&particles, &mut moved));
    results.extend(moved.to_all().into_elements().into_iter().flat_map(|particle| [particle.x, particle.v]));
    results.into_iter().map(f64::to_bits).collect()
}

#[test]
fn results_do_not_depend_on_ranks_and_threads() {
    let expected = &Runtime::builder().ranks(1).threads(1).run(|| all(true))[0];
    for ranks in [1, 2, 3, 7] {
        for threads in [1, 2] {
            for result in Runtime::builder().ranks(ranks).threads(threads).run(|| all(false)) {
                assert_eq!(result, *expected, "{ranks} ranks with {threads} threads");
            }
        }
    }
}

/// The number of the results on one rank: it is the same for any launch.
#[forall::test]
fn on_this_launch() {
    let number = all(false).into_iter().fold(0_u64, |number, bits| (number ^ bits).wrapping_mul(0x0100_0000_01b3));
    assert_eq!(number, 12_668_183_790_219_495_858);
}
