//! Barriers in loops over objects: all tasks come to one before any goes on.

use forall::{Object, barrier, foreach};

/// One buffer: each task computes its tile, and stores it when all have read what they need.
#[foreach]
fn in_place(plane: &mut Object<f64, 2>, size: [usize; 2], count: usize) {
    for _ in 0..count {
        for tile in plane.tiles(size) {
            let [rows, columns] = tile.inside([1, 1]);
            let mut means = Vec::new();
            for y in rows.clone() {
                for x in columns.clone() {
                    means.push(0.25 * (plane[[y - 1, x]] + plane[[y + 1, x]] + plane[[y, x - 1]] + plane[[y, x + 1]]));
                }
            }
            let mut mean = means.into_iter();
            barrier();
            for y in rows {
                for x in columns.clone() {
                    plane[[y, x]] = mean.next().unwrap_or(f64::NAN);
                }
            }
        }
    }
}

#[foreach]
fn turned(line: &mut Object<u32, 1>) {
    let n = line.len();
    for i in 0..n {
        if i % 3 == 0 {
            continue;
        }
        let other = line[[n - 1 - i]];
        forall::barrier();
        line[[i]] += 10 * other;
        let sum = line[[i]] + 1;
        barrier();
        line[[i]] = sum * 2;
    }
}

/// The variable of the loop changes before the barrier.
#[foreach]
fn moved(out: &mut Object<u32, 1>, counts: &Object<u32, 1>) {
    for (i, mut k) in (0..out.len()).enumerate() {
        k += counts[[i]] as usize;
        let twice = 2 * k;
        barrier();
        out[[i]] = (twice + k) as u32;
    }
}

fn start([y, x]: [usize; 2]) -> f64 {
    ((7 * y + 3 * x) % 11) as f64 + 0.25
}

/// The same with two buffers, as a plain loop.
fn in_two([ny, nx]: [usize; 2], count: usize) -> Vec<f64> {
    let mut now: Vec<f64> = (0..ny * nx).map(|at| start([at / nx, at % nx])).collect();
    for _ in 0..count {
        let old = now.clone();
        for y in 1..ny.saturating_sub(1) {
            for x in 1..nx.saturating_sub(1) {
                let at = y * nx + x;
                now[at] = 0.25 * (old[at - nx] + old[at + nx] + old[at - 1] + old[at + 1]);
            }
        }
    }
    now
}

fn with_barriers() {
    for (shape, size) in
        [([17, 14], [5, 4]), ([17, 14], [1, 1]), ([3, 3], [2, 2]), ([2, 5], [1, 4]), ([9, 30], [100, 7])]
    {
        let mut now = Object::from_fn(shape, start);
        in_place(&mut now, size, 5);
        assert_eq!(now.to_all().elements(), in_two(shape, 5), "{shape:?} in tiles of {size:?}");
    }
    for n in [0, 1, 2, 3, 50, 700] {
        let start = |[i]: [usize; 1]| (7 * i % 5) as u32;
        let mut line = Object::from_fn([n], start);
        turned(&mut line);
        let expected = alone([n], start).into_iter().enumerate().map(|(i, own)| match i % 3 {
            0 => own,
            _ => (own + 10 * start([n - 1 - i]) + 1) * 2,
        });
        assert_eq!(line.to_all().elements(), expected.collect::<Vec<_>>(), "{n} elements");
    }
}

fn with_a_variable_of_the_loop() {
    let counts = Object::from_fn([30], |[i]| (i % 4) as u32);
    let mut out = Object::zeroed([30]);
    moved(&mut out, &counts);
    assert_eq!(out.to_all().elements(), (0..30).map(|i| 3 * (i + i % 4)).collect::<Vec<u32>>());
}

fn alone(shape: [usize; 1], start: impl Fn([usize; 1]) -> u32) -> Vec<u32> {
    (0..shape[0]).map(|i| start([i])).collect()
}

#[forall::test]
fn barriers_on_this_launch() {
    with_barriers();
}

#[forall::test(ranks = 4)]
fn barriers_on_four_ranks() {
    with_barriers();
    with_a_variable_of_the_loop();
}

/// Written-out tiles, with a copy of each and its margin.
#[foreach]
fn copied(plane: &mut Object<f64, 2>, n: usize, g: usize) {
    let s = n / g;
    let width = g + 2;
    for ty in 0..s {
        for tx in 0..s {
            let mut copy = vec![0.0; width * width];
            for i in 0..width {
                for j in 0..width {
                    let (y, x) = (ty * g + i, tx * g + j);
                    if y > 0 && y <= n && x > 0 && x <= n {
                        copy[i * width + j] = plane[[y - 1, x - 1]];
                    }
                }
            }
            barrier();
            for i in 0..g {
                for j in 0..g {
                    let k = (i + 1) * width + j + 1;
                    plane[[ty * g + i, tx * g + j]] =
                        copy[k - 1] + 2.0 * copy[k + 1] + copy[k - width] - copy[k + width];
                }
            }
        }
    }
}

/// Steps that do not divide the shape, and tiles that are left out.
#[foreach]
fn summed(cube: &mut Object<f64, 3>, tile: [usize; 3]) {
    let [nz, ny, nx] = cube.shape();
    let [tz, ty, tx] = tile;
    for z0 in (0..nz).step_by(tz) {
        for y0 in (1..ny).step_by(ty) {
            for x0 in (0..nx).step_by(tx) {
                let [z1, y1, x1] = [(z0 + tz).min(nz), (y0 + ty).min(ny), (x0 + tx).min(nx)];
                let mut sum = 0.0;
                for z in z0..z1 {
                    for y in y0..y1 {
                        for x in x0..x1 {
                            sum += cube[[z, y - 1, (x + 1) % nx]];
                        }
                    }
                }
                if sum > 40.0 {
                    continue;
                }
                barrier();
                for z in z0..z1 {
                    for y in y0..y1 {
                        for x in x0..x1 {
                            cube[[z, y, x]] = sum;
                        }
                    }
                }
            }
        }
    }
}

fn in_nests() {
    let (n, g) = (12, 4);
    let mut plane = Object::from_fn([n, n], start);
    copied(&mut plane, n, g);
    let old = |y: usize, x: usize| if y == 0 || y > n || x == 0 || x > n { 0.0 } else { start([y - 1, x - 1]) };
    let expected = (0..n * n).map(|at| {
        let (y, x) = (at / n + 1, at % n + 1);
        old(y, x - 1) + 2.0 * old(y, x + 1) + old(y - 1, x) - old(y + 1, x)
    });
    assert_eq!(plane.to_all().elements(), expected.collect::<Vec<_>>());
    let (shape, of) = ([5, 6, 7], |[z, y, x]: [usize; 3]| ((5 * z + 7 * y + 3 * x) % 13) as f64);
    let mut cube = Object::from_fn(shape, of);
    summed(&mut cube, [2, 2, 3]);
    let all = cube.to_all();
    for z in 0..5 {
        for y in 0..6 {
            for x in 0..7 {
                let [z0, y0, x0] = [z / 2 * 2, (y.max(1) - 1) / 2 * 2 + 1, x / 3 * 3];
                let mut sum = 0.0;
                for z in z0..(z0 + 2).min(5) {
                    for y in y0..(y0 + 2).min(6) {
                        (x0..(x0 + 3).min(7)).for_each(|x| sum += of([z, y - 1, (x + 1) % 7]));
                    }
                }
                let expected = if y == 0 || sum > 40.0 { of([z, y, x]) } else { sum };
                assert_eq!(all[[z, y, x]], expected, "{z}, {y}, {x}");
            }
        }
    }
}

#[forall::test]
fn nests_on_this_launch() {
    in_nests();
}

#[forall::test(ranks = 3)]
fn nests_on_three_ranks() {
    in_nests();
}

#[forall::test(ranks = 7)]
fn nests_on_seven_ranks() {
    in_nests();
}
