//! Loops over the tiles of objects: each leaves the same bits as its sequential function, for any ranks, workers and tiles.

#![allow(clippy::type_complexity)]

use bytemuck::{Pod, Zeroable};
use forall::{Element, Object, barrier, foreach, foreach_tls, kary_reduce, ranks};

#[foreach]
fn inner_points(now: &Object<f64, 2>, next: &mut Object<f64, 2>, size: [usize; 2]) {
    for tile in next.tiles(size) {
        let [rows, columns] = tile.inside([1, 1]);
        for y in rows {
            for x in columns.clone() {
                next[[y, x]] =
                    0.2 * (now[[y, x]] + now[[y - 1, x]] + now[[y + 1, x]] + now[[y, x - 1]] + now[[y, x + 1]]);
            }
        }
    }
}

#[foreach]
fn guarded(now: &Object<f64, 2>, next: &mut Object<f64, 2>, size: [usize; 2]) {
    let [ny, nx] = next.shape();
    for tile in next.tiles(size) {
        for y in tile.rows() {
            for x in tile.columns() {
                if y > 0 && y < ny - 1 && x > 0 && x + 1 < nx {
                    next[[y, x]] = 0.25 * (now[[y - 1, x]] + now[[y + 1, x]] + now[[y, x - 1]] + now[[y, x + 1]]);
                } else {
                    next[[y, x]] = now[[y, x]];
                }
            }
        }
    }
}

#[foreach]
fn periodic(now: &Object<f64, 2>, next: &mut Object<f64, 2>, size: [usize; 2]) {
    for tile in next.tiles(size) {
        for y in tile.rows() {
            for x in tile.columns() {
                let (ny, nx) = (next.shape()[0], next.shape()[1]);
                let up = now[[(y + ny - 1) % ny, x]];
                let left = now[[y, (x + nx - 1) % nx]];
                next[[y, x]] = up - left;
            }
        }
    }
}

#[foreach]
fn scaled(a: &mut Object<f64, 2>, k: f64) {
    for tile in a.tiles([3, 4]) {
        for y in tile.rows() {
            for x in tile.columns() {
                a[[y, x]] *= k;
            }
        }
    }
}

#[kary_reduce]
fn residual(now: &Object<f64, 2>, next: &Object<f64, 2>) -> (f64, f64) {
    let (mut most, mut sum) = (0.0f64, 0.0);
    for tile in now.tiles([4, 4]) {
        for y in tile.rows() {
            for x in tile.columns() {
                let d = (next[[y, x]] - now[[y, x]]).abs();
                most = most.max(d);
                sum += d * d;
            }
        }
    }
    (most, sum)
}

#[foreach]
fn volume(now: &Object<f32, 3>, next: &mut Object<f32, 3>) {
    for tile in next.tiles([4, 3, 5]) {
        for z in tile.planes() {
            for y in tile.rows() {
                for x in tile.columns() {
                    let below = if z > 0 { now[[z - 1, y, x]] } else { 0.0 };
                    let above = if z + 1 < now.shape()[0] { now[[z + 1, y, x]] } else { 0.0 };
                    next[[z, y, x]] = 0.5 * (below + above) + now[[z, y, x]];
                }
            }
        }
    }
}

#[foreach]
fn line(a: &Object<i64, 1>, out: &mut Object<i64, 1>) {
    let n = a.len();
    for tile in out.tiles([7]) {
        for i in tile.indices() {
            let left = i.saturating_sub(1);
            let right = (i + 1).min(n - 1);
            out[[i]] = a[[left]] + 2 * a[[i]] + a[[right]];
        }
    }
}

#[foreach]
fn steps(now: &mut Object<f64, 2>, next: &mut Object<f64, 2>, count: usize) {
    for _ in 0..count {
        for tile in next.tiles([5, 4]) {
            let [rows, columns] = tile.inside([1, 1]);
            for y in rows {
                for x in columns.clone() {
                    next[[y, x]] = 0.25 * (now[[y - 1, x]] + now[[y + 1, x]] + now[[y, x - 1]] + now[[y, x + 1]]);
                }
            }
        }
        std::mem::swap(now, next);
    }
}

#[foreach]
fn convolve(now: &Object<f64, 2>, next: &mut Object<f64, 2>, w: [[f64; 3]; 3]) {
    for tile in next.tiles([4, 4]) {
        let [rows, columns] = tile.inside([1, 1]);
        for y in rows {
            for x in columns.clone() {
                let mut sum = 0.0;
                for dy in 0..3 {
                    for dx in 0..3 {
                        sum += w[dy][dx] * now[[y + dy - 1, x + dx - 1]];
                    }
                }
                next[[y, x]] = sum;
            }
        }
    }
}

#[foreach]
fn product(a: &Object<i64, 2>, b: &Object<i64, 2>, c: &mut Object<i64, 2>) {
    for tile in c.tiles([3, 4]) {
        for i in tile.rows() {
            for j in tile.columns() {
                for k in 0..a.shape()[1] {
                    c[[i, j]] += a[[i, k]] * b[[k, j]];
                }
            }
        }
    }
}

#[foreach]
fn transpose(a: &Object<i64, 2>, t: &mut Object<i64, 2>) {
    for tile in t.tiles([3, 2]) {
        for y in tile.rows() {
            for x in tile.columns() {
                t[[y, x]] = a[[x, y]];
            }
        }
    }
}

#[foreach]
fn restrict(fine: &Object<f64, 2>, coarse: &mut Object<f64, 2>) {
    for tile in coarse.tiles([2, 3]) {
        for y in tile.rows() {
            for x in tile.columns() {
                coarse[[y, x]] = 0.25
                    * (fine[[2 * y, 2 * x]]
                        + fine[[2 * y + 1, 2 * x]]
                        + fine[[2 * y, 2 * x + 1]]
                        + fine[[2 * y + 1, 2 * x + 1]]);
            }
        }
    }
}

#[foreach]
fn prolong(coarse: &Object<f64, 2>, fine: &mut Object<f64, 2>) {
    for tile in fine.tiles([3, 3]) {
        for y in tile.rows() {
            for x in tile.columns() {
                fine[[y, x]] += coarse[[y / 2, x / 2]];
            }
        }
    }
}

#[kary_reduce]
fn count_above(a: &Object<f64, 2>, limit: f64) -> usize {
    let mut count = 0;
    for tile in a.tiles([4, 4]) {
        for y in tile.rows() {
            for x in tile.columns() {
                if a[[y, x]] > limit {
                    count += 1;
                }
            }
        }
    }
    count
}

#[kary_reduce]
fn histogram(a: &Object<i64, 2>, bins: &mut [u64; 8]) {
    for tile in a.tiles([4, 4]) {
        for y in tile.rows() {
            for x in tile.columns() {
                bins[(a[[y, x]] & 7) as usize] += 1;
            }
        }
    }
}

#[kary_reduce]
fn biggest(a: &Object<i64, 2>) -> (i64, usize, usize) {
    let mut best = (i64::MIN, 0, 0);
    for tile in a.tiles([4, 4]) {
        for y in tile.rows() {
            for x in tile.columns() {
                if a[[y, x]] > best.0 {
                    best = (a[[y, x]], y, x);
                }
            }
        }
    }
    best
}

#[derive(Clone, Copy, Pod, Zeroable, Debug, PartialEq)]
#[repr(C)]
struct Cell {
    u: f64,
    v: f64,
}

#[foreach]
fn reaction(now: &Object<Cell, 2>, next: &mut Object<Cell, 2>, dt: f64) {
    for tile in next.tiles([4, 4]) {
        for y in tile.rows() {
            for x in tile.columns() {
                let c = now[[y, x]];
                let r = c.u * c.v * c.v;
                next[[y, x]] = Cell { u: c.u - dt * r, v: c.v + dt * r };
                next[[y, x]].u += 1.0;
            }
        }
    }
}

#[foreach]
fn closures(a: &Object<f64, 2>, out: &mut Object<f64, 2>) {
    let [ny, nx] = a.shape();
    for tile in out.tiles([4, 4]) {
        let at = |y: usize, x: usize| a[[y.min(ny - 1), x.min(nx - 1)]];
        for y in tile.rows() {
            for x in tile.columns() {
                out[[y, x]] = at(y + 1, x) + at(y, x + 1);
            }
        }
    }
}

#[foreach_tls]
fn medians(a: &Object<i64, 2>, out: &mut Object<i64, 2>) {
    let mut window = Vec::new();
    for tile in out.tiles([4, 4]) {
        let [rows, columns] = tile.inside([1, 1]);
        for y in rows {
            for x in columns.clone() {
                window.clear();
                for dy in 0..3 {
                    for dx in 0..3 {
                        window.push(a[[y + dy - 1, x + dx - 1]]);
                    }
                }
                window.sort_unstable();
                out[[y, x]] = window[4];
            }
        }
    }
}

#[foreach]
fn mandelbrot(image: &mut Object<u32, 2>, limit: u32) {
    let [ny, nx] = image.shape();
    for tile in image.tiles([8, 8]) {
        for y in tile.rows() {
            for x in tile.columns() {
                let (cr, ci) = (3.0 * x as f64 / nx as f64 - 2.0, 2.0 * y as f64 / ny as f64 - 1.0);
                let (mut zr, mut zi, mut n) = (0.0, 0.0, 0);
                while zr * zr + zi * zi < 4.0 && n < limit {
                    (zr, zi) = (zr * zr - zi * zi + cr, 2.0 * zr * zi + ci);
                    n += 1;
                }
                image[[y, x]] = n;
            }
        }
    }
}

#[foreach]
fn numbered(a: &mut Object<u64, 2>) {
    for (number, tile) in a.tiles([3, 3]).enumerate() {
        for y in tile.rows() {
            for x in tile.columns() {
                a[[y, x]] = 1000 * number as u64 + tile.number() as u64;
            }
        }
    }
}

#[foreach]
fn backwards(a: &mut Object<u64, 2>) {
    for tile in a.tiles([3, 3]).rev() {
        for y in tile.rows() {
            for x in tile.columns() {
                a[[y, x]] += tile.number() as u64;
            }
        }
    }
}

#[foreach]
fn ranges(a: &Object<f64, 2>, out: &mut Object<f64, 2>) {
    for tile in out.tiles([4, 5]) {
        let rows = tile.rows();
        let columns = tile.columns();
        for y in rows.start..rows.end {
            for x in columns.clone() {
                out[[y, x]] = a[[y, x]] + rows.start as f64 + columns.len() as f64;
            }
        }
    }
}

#[foreach]
fn table(#[replicated] w: &[f64], a: &Object<f64, 2>, out: &mut Object<f64, 2>) {
    for tile in out.tiles([4, 5]) {
        for y in tile.rows() {
            for x in tile.columns() {
                out[[y, x]] = w[(y + x) % w.len()] * a[[y, x]];
            }
        }
    }
}

#[foreach]
fn red_black(u: &mut Object<f64, 2>, colour: usize) {
    let width = u.shape()[1].max(1);
    for tile in u.tiles([4, width]) {
        for y in tile.rows() {
            for x in tile.columns() {
                if (x + y) % 2 == colour && x > 0 {
                    u[[y, x]] = u[[y, x - 1]] * 0.5;
                }
            }
        }
    }
}

/// The paper's listing: the tiles by their numbers.
#[foreach]
fn written_out(now: &Object<f64, 2>, next: &mut Object<f64, 2>, g: usize) {
    let [ny, nx] = next.shape();
    let (ty, tx) = (ny.div_ceil(g), nx.div_ceil(g));
    for i in 0..ty {
        for j in 0..tx {
            for y in i * g..((i + 1) * g).min(ny) {
                for x in j * g..((j + 1) * g).min(nx) {
                    let left = if x > 0 { now[[y, x - 1]] } else { 0.0 };
                    let below = if y + 1 < ny { now[[y + 1, x]] } else { 0.0 };
                    next[[y, x]] = left + 2.0 * below;
                }
            }
        }
    }
}

#[foreach]
fn by_rows(now: &mut Object<f64, 2>, next: &mut Object<f64, 2>, count: usize) {
    for _ in 0..count {
        let [ny, nx] = next.shape();
        for y in 1..ny - 1 {
            for x in 1..nx - 1 {
                next[[y, x]] = 0.25 * (now[[y - 1, x]] + now[[y + 1, x]] + now[[y, x - 1]] + now[[y, x + 1]]);
            }
        }
        std::mem::swap(now, next);
    }
}

#[foreach]
fn smoothed(now: &Object<f64, 2>, steps: usize) -> Object<f64, 2> {
    let mut last = Object::zeroed(now.shape());
    for tile in last.tiles([4, 5]) {
        for y in tile.rows() {
            for x in tile.columns() {
                last[[y, x]] = now[[y, x]];
            }
        }
    }
    let mut next = Object::from_fn(now.shape(), |_| 0.0);
    for _ in 0..steps {
        for tile in next.tiles([4, 5]) {
            let (rows, columns) = (tile.rows(), tile.columns());
            for y in rows {
                for x in columns.clone() {
                    next[[y, x]] = 0.5 * (last[[y, x.saturating_sub(1)]] + last[[y, x]]);
                }
            }
        }
        std::mem::swap(&mut last, &mut next);
    }
    last
}

struct Heat {
    now: Object<f64, 2>,
    next: Object<f64, 2>,
    k: f64,
}

impl Heat {
    #[foreach]
    fn step(&mut self, size: [usize; 2]) {
        let k = self.k;
        let now: &Object<f64, 2> = &self.now;
        let next = &mut self.next;
        for tile in next.tiles(size) {
            let [rows, columns] = tile.inside([1, 1]);
            for y in rows {
                for x in columns.clone() {
                    let flow =
                        now[[y - 1, x]] + now[[y + 1, x]] + now[[y, x - 1]] + now[[y, x + 1]] - 4.0 * now[[y, x]];
                    next[[y, x]] = now[[y, x]] + k * flow;
                }
            }
        }
        std::mem::swap(&mut self.now, &mut self.next);
    }
}

#[foreach]
fn doubled<T: Element + Zeroable + std::ops::Add<Output = T>>(a: &Object<T, 2>, out: &mut Object<T, 2>) {
    for tile in out.tiles([3, 7]) {
        for y in tile.rows() {
            for x in tile.columns() {
                out[[y, x]] = a[[y, x]] + a[[y, x]];
            }
        }
    }
}

/// Values before a barrier that depend on others, items, and parts without objects.
#[foreach]
fn above_the_mean(a: &Object<i64, 1>, out: &mut Object<i64, 1>) {
    for tile in out.tiles([4]) {
        const LEAST: i64 = 2;
        let mut sum = 0;
        for i in tile.indices() {
            assert!(i < a.len() && tile.len() <= 4);
            sum += a[[i]];
        }
        let mean = sum / tile.len() as i64;
        let limit = mean + 1;
        barrier();
        for i in tile.indices() {
            out[[i]] = if a[[i]] > limit { a[[i]] } else { LEAST };
        }
    }
}

#[foreach]
fn without_objects(a: &Object<i64, 1>, out: &mut Object<i64, 1>) {
    for i in 0..out.len() {
        let k = 2 * i as i64;
        let twice = k * k;
        barrier();
        out[[i]] = twice + a[[i]];
        barrier();
        let _last = i;
    }
}

#[foreach]
fn colours(u: &mut Object<f64, 2>) {
    let [ny, nx] = u.shape();
    for colour in 0..2 {
        for y in 0..ny {
            for x in ((y + colour) % 2..nx).step_by(2) {
                u[[y, x]] *= 0.5 + colour as f64;
            }
        }
    }
}

#[foreach]
fn pairs(a: &Object<i64, 1>, out: &mut Object<i64, 1>) {
    for i in 0..out.len() / 2 {
        out[[2 * i]] = a[[2 * i + 1]];
        out[[2 * i + 1]] = a[[2 * i]];
    }
}

#[foreach]
fn sums_of_tiles(a: &mut Object<i64, 1>) {
    for tile in a.tiles([5]) {
        let own = tile.indices();
        for i in own.start + 1..own.end {
            a[[i]] += a[[i - 1]];
        }
    }
}

#[foreach]
fn from_a_local(out: &mut Object<f64, 2>) {
    let from = Object::from_fn(out.shape(), |[y, x]| (y * x) as f64);
    for tile in out.tiles([4, 4]) {
        for y in tile.rows() {
            for x in tile.columns() {
                out[[y, x]] = from[[y, x]];
            }
        }
    }
}

#[foreach]
fn even_rows(a: &mut Object<f64, 2>) {
    for y in (0..a.shape()[0]).step_by(2) {
        for x in 0..a.shape()[1] {
            a[[y, x]] = -a[[y, x]];
        }
    }
}

#[kary_reduce]
fn row_sums(a: &Object<f64, 2>, sums: &mut [f64; 16]) -> f64 {
    let mut total = 0.0;
    for y in 0..a.shape()[0] {
        for x in 0..a.shape()[1] {
            total += a[[y, x]];
            sums[(y * x) % 16] += a[[y, x]];
        }
    }
    total
}

#[foreach]
fn along(line: &Object<i64, 1>, out: &mut Object<i64, 1>) {
    for i in 0..out.len() {
        out[[i]] = if i == 0 { line[[i]] } else { line[[i]] - line[[i - 1]] };
    }
}

fn plane(shape: [usize; 2]) -> Object<f64, 2> {
    Object::from_fn(shape, |[y, x]| ((7 * y + 3 * x) % 11) as f64 + 0.25)
}

fn numbers(shape: [usize; 2]) -> Object<i64, 2> {
    Object::from_fn(shape, |[y, x]| ((5 * y + 9 * x) % 13) as i64 - 4)
}

/// Compares a function with its sequential twin, which runs on one rank.
macro_rules! same {
    ($($name:ident: $body:expr;)*) => {$(
        let expected = std::thread::spawn(|| $body(&$name::sequential)).join().expect(concat!(stringify!($name), " alone"));
        assert_eq!($body(&$name), expected, concat!(stringify!($name), " on {} ranks"), ranks());
    )*};
}

type Step = dyn Fn(&Object<f64, 2>, &mut Object<f64, 2>, [usize; 2]);

fn stepped(step: &Step) -> Vec<Vec<f64>> {
    let mut all = Vec::new();
    for shape in [[1, 1], [7, 5], [12, 12], [13, 17], [0, 4], [2, 31]] {
        for size in [[1, 1], [4, 4], [5, 3], [100, 2], [3, 100]] {
            let mut next = Object::from_fn(shape, |_| -1.0);
            step(&plane(shape), &mut next, size);
            all.push(next.to_all().elements().to_vec());
        }
    }
    all
}

fn with_two(shape: [usize; 2], run: impl Fn(&Object<f64, 2>, &mut Object<f64, 2>)) -> Vec<f64> {
    let mut next = Object::from_fn(shape, |[y, x]| (y + x) as f64);
    run(&plane(shape), &mut next);
    next.to_all().elements().to_vec()
}

fn in_lines(run: impl Fn(&Object<i64, 1>, &mut Object<i64, 1>)) -> Vec<i64> {
    let a = Object::from_fn([41], |[i]| (i * i % 17) as i64);
    let mut out = Object::zeroed([41]);
    run(&a, &mut out);
    out.to_all().elements().to_vec()
}

fn all_forms() {
    same! {
        inner_points: |run: &Step| stepped(run);
        guarded: |run: &Step| stepped(run);
        periodic: |run: &Step| stepped(run);
        scaled: |run: &dyn Fn(&mut Object<f64, 2>, f64)| {
            let mut a = plane([13, 9]);
            run(&mut a, 3.0);
            a.to_all().elements().to_vec()
        };
        volume: |run: &dyn Fn(&Object<f32, 3>, &mut Object<f32, 3>)| {
            let now = Object::from_fn([9, 7, 11], |[z, y, x]| (z * y + x) as f32);
            let mut next = Object::zeroed([9, 7, 11]);
            run(&now, &mut next);
            next.to_all().elements().to_vec()
        };
        line: |run: &dyn Fn(&Object<i64, 1>, &mut Object<i64, 1>)| {
            let a = Object::from_fn([40], |[i]| (i * i) as i64);
            let mut out = Object::zeroed([40]);
            run(&a, &mut out);
            out.to_all().elements().to_vec()
        };
        steps: |run: &dyn Fn(&mut Object<f64, 2>, &mut Object<f64, 2>, usize)| {
            let (mut now, mut next) = (plane([17, 14]), plane([17, 14]));
            run(&mut now, &mut next, 7);
            now.to_all().elements().to_vec()
        };
        convolve: |run: &dyn Fn(&Object<f64, 2>, &mut Object<f64, 2>, [[f64; 3]; 3])| {
            with_two([11, 13], |now, next| run(now, next, [[1.0, 2.0, 3.0], [0.5, -1.0, 4.0], [0.0, 0.25, 7.0]]))
        };
        product: |run: &dyn Fn(&Object<i64, 2>, &Object<i64, 2>, &mut Object<i64, 2>)| {
            let mut c = Object::zeroed([7, 10]);
            run(&numbers([7, 5]), &numbers([5, 10]), &mut c);
            c.to_all().elements().to_vec()
        };
        transpose: |run: &dyn Fn(&Object<i64, 2>, &mut Object<i64, 2>)| {
            let mut t = Object::zeroed([10, 7]);
            run(&numbers([7, 10]), &mut t);
            t.to_all().elements().to_vec()
        };
        restrict: |run: &dyn Fn(&Object<f64, 2>, &mut Object<f64, 2>)| {
            let mut coarse = Object::zeroed([6, 7]);
            run(&plane([12, 14]), &mut coarse);
            coarse.to_all().elements().to_vec()
        };
        prolong: |run: &dyn Fn(&Object<f64, 2>, &mut Object<f64, 2>)| {
            let mut fine = plane([11, 13]);
            run(&plane([6, 7]), &mut fine);
            fine.to_all().elements().to_vec()
        };
        reaction: |run: &dyn Fn(&Object<Cell, 2>, &mut Object<Cell, 2>, f64)| {
            let now = Object::from_fn([9, 10], |[y, x]| Cell { u: y as f64, v: 0.1 * x as f64 });
            let mut next = Object::zeroed([9, 10]);
            run(&now, &mut next, 0.01);
            next.to_all().elements().to_vec()
        };
        closures: |run: &dyn Fn(&Object<f64, 2>, &mut Object<f64, 2>)| with_two([11, 13], run);
        medians: |run: &dyn Fn(&Object<i64, 2>, &mut Object<i64, 2>)| {
            let mut out = Object::zeroed([11, 13]);
            run(&numbers([11, 13]), &mut out);
            out.to_all().elements().to_vec()
        };
        mandelbrot: |run: &dyn Fn(&mut Object<u32, 2>, u32)| {
            let mut image = Object::zeroed([30, 40]);
            run(&mut image, 50);
            image.to_all().elements().to_vec()
        };
        numbered: |run: &dyn Fn(&mut Object<u64, 2>)| {
            let mut a = Object::zeroed([10, 8]);
            run(&mut a);
            a.to_all().elements().to_vec()
        };
        backwards: |run: &dyn Fn(&mut Object<u64, 2>)| {
            let mut a = Object::from_fn([10, 8], |[y, x]| (100 * y + x) as u64);
            run(&mut a);
            a.to_all().elements().to_vec()
        };
        ranges: |run: &dyn Fn(&Object<f64, 2>, &mut Object<f64, 2>)| with_two([11, 13], run);
        table: |run: &dyn Fn(&[f64], &Object<f64, 2>, &mut Object<f64, 2>)| {
            with_two([11, 13], |a, out| run(&[1.0, 2.0, 4.0], a, out))
        };
        red_black: |run: &dyn Fn(&mut Object<f64, 2>, usize)| {
            let mut u = plane([11, 13]);
            (0..4).for_each(|turn| run(&mut u, turn % 2));
            u.to_all().elements().to_vec()
        };
        written_out: |run: &dyn Fn(&Object<f64, 2>, &mut Object<f64, 2>, usize)| {
            [1, 3, 5, 50].map(|g| with_two([17, 14], |now, next| run(now, next, g)))
        };
        by_rows: |run: &dyn Fn(&mut Object<f64, 2>, &mut Object<f64, 2>, usize)| {
            let (mut now, mut next) = (plane([17, 14]), plane([17, 14]));
            run(&mut now, &mut next, 5);
            now.to_all().elements().to_vec()
        };
        even_rows: |run: &dyn Fn(&mut Object<f64, 2>)| {
            let mut a = plane([301, 3]);
            run(&mut a);
            a.to_all().elements().to_vec()
        };
        along: |run: &dyn Fn(&Object<i64, 1>, &mut Object<i64, 1>)| {
            let line = Object::from_fn([1000], |[i]| (i * i % 91) as i64);
            let mut out = Object::zeroed([1000]);
            run(&line, &mut out);
            out.to_all().elements().to_vec()
        };
        smoothed: |run: &dyn Fn(&Object<f64, 2>, usize) -> Object<f64, 2>| {
            run(&plane([11, 13]), 3).to_all().elements().to_vec()
        };
        above_the_mean: |run: &dyn Fn(&Object<i64, 1>, &mut Object<i64, 1>)| in_lines(run);
        without_objects: |run: &dyn Fn(&Object<i64, 1>, &mut Object<i64, 1>)| in_lines(run);
        pairs: |run: &dyn Fn(&Object<i64, 1>, &mut Object<i64, 1>)| in_lines(run);
        sums_of_tiles: |run: &dyn Fn(&mut Object<i64, 1>)| {
            let mut a = Object::from_fn([23], |[i]| i as i64);
            run(&mut a);
            a.to_all().elements().to_vec()
        };
        colours: |run: &dyn Fn(&mut Object<f64, 2>)| {
            let mut u = plane([11, 13]);
            run(&mut u);
            u.to_all().elements().to_vec()
        };
        from_a_local: |run: &dyn Fn(&mut Object<f64, 2>)| {
            let mut out = plane([11, 13]);
            run(&mut out);
            out.to_all().elements().to_vec()
        };
        count_above: |run: &dyn Fn(&Object<f64, 2>, f64) -> usize| run(&plane([21, 19]), 5.0);
        histogram: |run: &dyn Fn(&Object<i64, 2>, &mut [u64; 8])| {
            let mut bins = [1; 8];
            run(&numbers([21, 19]), &mut bins);
            bins
        };
        biggest: |run: &dyn Fn(&Object<i64, 2>) -> (i64, usize, usize)| run(&numbers([21, 19]));
    }
}

#[forall::test]
fn tiles_on_this_launch() {
    all_forms();
}

#[forall::test(ranks = 2)]
fn tiles_on_two_ranks() {
    all_forms();
}

#[forall::test(ranks = 3)]
fn tiles_on_three_ranks() {
    all_forms();
}

#[forall::test(ranks = 7)]
fn tiles_on_seven_ranks() {
    all_forms();
}

fn in_methods_and_generic_functions() {
    type Step = fn(&mut Heat, [usize; 2]);
    let run = |step: Step| {
        let mut heat = Heat { now: plane([17, 14]), next: plane([17, 14]), k: 0.1 };
        (0..4).for_each(|_| step(&mut heat, [5, 4]));
        heat.now.to_all().elements().to_vec()
    };
    let expected = std::thread::spawn(move || run(Heat::step_sequential)).join().expect("the steps of one rank");
    assert_eq!(run(Heat::step), expected);
    let (mut floats, mut integers) = (Object::zeroed([8, 9]), Object::zeroed([8, 9]));
    doubled(&plane([8, 9]), &mut floats);
    doubled(&numbers([8, 9]), &mut integers);
    let floats = floats.to_all();
    assert!(floats.elements().iter().zip(integers.to_all().elements()).enumerate().all(|(at, (float, integer))| {
        let (y, x) = (at / 9, at % 9);
        *float == 2.0 * (((7 * y + 3 * x) % 11) as f64 + 0.25) && *integer == 2 * (((5 * y + 9 * x) % 13) as i64 - 4)
    }));
}

#[forall::test(ranks = 3)]
fn methods_and_generic_functions_on_three_ranks() {
    in_methods_and_generic_functions();
}

/// Floats are summed in the order of the tasks: the same bits on any number of ranks.
fn sums() -> (f64, f64, f64, [f64; 16]) {
    let (most, sum) = residual(&plane([21, 19]), &Object::from_fn([21, 19], |[y, x]| (y * x) as f64 / 3.0));
    let mut of_rows = [0.0; 16];
    let total = row_sums(&Object::from_fn([700, 3], |[y, x]| 1.0 / (1 + y + x) as f64), &mut of_rows);
    let one = plane([9, 8]);
    assert_eq!(residual(&one, &one), (0.0, 0.0));
    (most, sum, total, of_rows)
}

#[forall::test(ranks = 4)]
fn sums_have_the_same_bits_on_four_ranks() {
    let alone = std::thread::spawn(sums).join().expect("the sums of one rank");
    assert_eq!(sums(), alone);
}
