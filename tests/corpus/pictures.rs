//! Loops of visualisation: particles, contours, thresholds, gradients, statistics, images.

use crate::support::*;
use forall::{distributed_scan, foreach, foreach_tls, kary_reduce};

/// A point mass.
#[derive(Clone, Copy, Debug, PartialEq, bytemuck::Pod, bytemuck::Zeroable, forall::DeviceData)]
#[repr(C)]
struct Body {
    position: [f32; 3],
    velocity: [f32; 3],
    mass: f32,
}
same_fields!(Body { position, velocity, mass });

fn bodies(n: usize) -> Vec<Body> {
    made(n, 77, |bits| {
        let at = |turn: u32| 2.0 * unit(bits.rotate_left(turn)) as f32 - 1.0;
        Body { position: [at(0), at(9), at(18)], velocity: [at(27), at(36), at(45)], mass: 1.5 + at(54) }
    })
}

/// Moves the bodies inside a box and returns their kinetic energy.
#[foreach]
fn move_bodies(bodies: &mut [Body], dt: f32) -> f64 {
    let mut energy = 0.0;
    for body in bodies.iter_mut() {
        let mut speed2 = 0.0;
        for axis in 0..3 {
            body.position[axis] += body.velocity[axis] * dt;
            if body.position[axis].abs() > 1.0 {
                body.velocity[axis] = -body.velocity[axis];
                body.position[axis] = body.position[axis].clamp(-1.0, 1.0);
            }
            speed2 += body.velocity[axis] * body.velocity[axis];
        }
        energy += 0.5 * body.mass as f64 * speed2 as f64;
    }
    energy
}

/// Updates, reduces and pushes at once: also lists the fast ones.
#[foreach_tls]
fn step_and_list(bodies: &mut [Body], dt: f32, limit: f32, fast: &mut Vec<u32>) -> (f64, usize) {
    let mut momentum = 0.0;
    let mut hits = 0;
    for i in 0..bodies.len() {
        let b = &mut bodies[i];
        b.position[0] += b.velocity[0] * dt;
        momentum += (b.mass * b.velocity[0]) as f64;
        if b.velocity[0] > limit {
            fast.push(i as u32);
            hits += 1;
        }
    }
    (momentum, hits)
}

/// Gravity of all bodies on each, all against all.
#[foreach]
fn accelerations(#[replicated] all: &[Body], out: &mut [[f32; 3]]) {
    for i in 0..out.len() {
        let mut a = [0.0f32; 3];
        for (j, other) in all.iter().enumerate() {
            if i == j {
                continue;
            }
            let mut d = [0.0; 3];
            let mut r2 = 0.01;
            for axis in 0..3 {
                d[axis] = other.position[axis] - all[i].position[axis];
                r2 += d[axis] * d[axis];
            }
            let s = other.mass / (r2 * r2.sqrt());
            for axis in 0..3 {
                a[axis] += s * d[axis];
            }
        }
        out[i] = a;
    }
}

/// Points whose value lies between two bounds, as in a threshold filter.
#[foreach_tls]
fn threshold(points: &[[f32; 3]], values: &[f32], lo: f32, hi: f32, kept: &mut Vec<[f32; 3]>, scalars: &mut Vec<f32>) {
    for (point, &value) in points.iter().zip(values) {
        if (lo..=hi).contains(&value) {
            kept.push(*point);
            scalars.push(value);
        }
    }
}

/// Marching squares: up to two segments a cell, four coordinates each.
#[foreach_tls]
fn marching_squares(field: &[f64], nx: usize, ny: usize, iso: f64, segments: &mut Vec<[f64; 4]>) {
    for y in 0..ny - 1 {
        for x in 0..nx - 1 {
            let v = [field[y * nx + x], field[y * nx + x + 1], field[(y + 1) * nx + x + 1], field[(y + 1) * nx + x]];
            let mut case = 0;
            for (bit, value) in v.iter().enumerate() {
                if *value > iso {
                    case |= 1 << bit;
                }
            }
            let cut = |edge: usize| -> [f64; 2] {
                let (a, b) = (v[edge], v[(edge + 1) % 4]);
                let t = (iso - a) / (b - a);
                match edge {
                    0 => [x as f64 + t, y as f64],
                    1 => [x as f64 + 1.0, y as f64 + t],
                    2 => [x as f64 + 1.0 - t, y as f64 + 1.0],
                    _ => [x as f64, y as f64 + 1.0 - t],
                }
            };
            let edges: &[(usize, usize)] = match case {
                0 | 15 => &[],
                1 | 14 => &[(3, 0)],
                2 | 13 => &[(0, 1)],
                3 | 12 => &[(3, 1)],
                4 | 11 => &[(1, 2)],
                6 | 9 => &[(0, 2)],
                7 | 8 => &[(3, 2)],
                5 => &[(3, 2), (0, 1)],
                _ => &[(3, 0), (1, 2)],
            };
            for &(from, to) in edges {
                let (p, q) = (cut(from), cut(to));
                segments.push([p[0], p[1], q[0], q[1]]);
            }
        }
    }
}

/// Central differences inside, one-sided at the faces.
#[foreach]
fn gradient(f: &[f32], g: &mut [[f32; 3]], nx: usize, ny: usize, nz: usize) {
    for z in 0..nz {
        for y in 0..ny {
            for x in 0..nx {
                let at = (z * ny + y) * nx + x;
                let gx = if x == 0 {
                    f[at + 1] - f[at]
                } else if x == nx - 1 {
                    f[at] - f[at - 1]
                } else {
                    0.5 * (f[at + 1] - f[at - 1])
                };
                let gy = if y == 0 {
                    f[at + nx] - f[at]
                } else if y == ny - 1 {
                    f[at] - f[at - nx]
                } else {
                    0.5 * (f[at + nx] - f[at - nx])
                };
                let gz = if z == 0 {
                    f[at + nx * ny] - f[at]
                } else if z == nz - 1 {
                    f[at] - f[at - nx * ny]
                } else {
                    0.5 * (f[at + nx * ny] - f[at - nx * ny])
                };
                g[at] = [gx, gy, gz];
            }
        }
    }
}

#[foreach]
fn magnitude(v: &[[f32; 3]], out: &mut [f32]) {
    for (m, [x, y, z]) in out.iter_mut().zip(v) {
        *m = (x * x + y * y + z * z).sqrt();
    }
}

/// Stretches the values to `0..1`: a reduction, plain statements, then a map.
#[foreach]
fn normalise(field: &mut [f32]) -> (f32, f32) {
    let mut least = field[0];
    let mut most = field[0];
    for i in 1..field.len() {
        least = least.min(field[i]);
        most = most.max(field[i]);
    }
    let width = if most > least { most - least } else { 1.0 };
    for value in field.iter_mut() {
        *value = (*value - least) / width;
    }
    (least, most)
}

/// Corners of the box around all points.
#[kary_reduce]
fn bounding_box(points: &[[f32; 3]]) -> ([f32; 3], [f32; 3]) {
    let mut lo = [f32::INFINITY; 3];
    let mut hi = [f32::NEG_INFINITY; 3];
    for p in points {
        for axis in 0..3 {
            lo[axis] = lo[axis].min(p[axis]);
            hi[axis] = hi[axis].max(p[axis]);
        }
    }
    (lo, hi)
}

/// Count, mean and sum of squared deviations of a stream.
#[derive(Clone, Copy, Debug, PartialEq, bytemuck::Pod, bytemuck::Zeroable, forall::DeviceData)]
#[repr(C)]
struct Moments {
    count: f64,
    mean: f64,
    m2: f64,
}
same_fields!(Moments { count, mean, m2 });

#[forall::device]
impl Moments {
    const NONE: Moments = Moments { count: 0.0, mean: 0.0, m2: 0.0 };

    fn of(x: f64) -> Moments {
        Moments { count: 1.0, mean: x, m2: 0.0 }
    }

    fn and(self, other: Moments) -> Moments {
        let count = self.count + other.count;
        if count == 0.0 {
            return Moments::NONE;
        }
        let delta = other.mean - self.mean;
        Moments {
            count,
            mean: self.mean + delta * other.count / count,
            m2: self.m2 + other.m2 + delta * delta * self.count * other.count / count,
        }
    }
}

#[kary_reduce(combine = Moments::and, k = 4)]
fn stream_statistics(x: &[f64]) -> Moments {
    let mut all = Moments::NONE;
    for i in 0..x.len() {
        all = Moments::and(all, Moments::of(x[i]));
    }
    all
}

/// How many runs of equal values there are, and the longest that begins at each place by a segmented count.
#[distributed_scan]
fn run_lengths(x: &[u8], length: &mut [u32]) {
    let mut run = 0;
    for i in 0..x.len() {
        if i > 0 && x[i] != x[i - 1] {
            run = 0;
        }
        run += 1;
        length[i] = run;
    }
}

/// The first half of stream compaction: where each kept element will go; the total is returned.
#[distributed_scan]
fn exclusive_offsets(keep: &[bool], offset: &mut [usize]) -> usize {
    let mut total = 0;
    for i in 0..keep.len() {
        offset[i] = total;
        if keep[i] {
            total += 1;
        }
    }
    total
}

/// Mandelbrot: the work of an iteration differs a lot from its neighbour's.
#[foreach]
fn mandelbrot(width: usize, height: usize, limit: u32, image: &mut [u32]) {
    for row in 0..height {
        for col in 0..width {
            let c = (3.0 * col as f64 / width as f64 - 2.0, 2.0 * row as f64 / height as f64 - 1.0);
            let (mut x, mut y) = (0.0, 0.0);
            let mut steps = 0;
            while x * x + y * y <= 4.0 && steps < limit {
                (x, y) = (x * x - y * y + c.0, 2.0 * x * y + c.1);
                steps += 1;
            }
            image[row * width + col] = steps;
        }
    }
}

/// A colour map by `match`, on bytes.
#[foreach]
fn colour_map(values: &[u8], rgb: &mut [[u8; 3]]) {
    for i in 0..values.len() {
        rgb[i] = match values[i] {
            0 => [0, 0, 0],
            v @ 1..=127 => [2 * v, v, 255 - v],
            v if v % 2 == 0 => [255, v, 0],
            _ => [255; 3],
        };
    }
}

/// A transfer function looked up in a table that all ranks have.
#[foreach]
fn look_up(values: &[f32], #[replicated] table: &[[f32; 4]], rgba: &mut [[f32; 4]]) {
    let last = table.len() - 1;
    for (out, value) in rgba.iter_mut().zip(values) {
        let t = (value * 0.5 + 0.5) * last as f32;
        let low = (t as usize).min(last - 1);
        let w = t - low as f32;
        for c in 0..4 {
            out[c] = table[low][c] * (1.0 - w) + table[low + 1][c] * w;
        }
    }
}

/// Front-to-back compositing along rays of equal length; stops early when nothing more can be seen.
#[foreach]
fn composite_rays(samples: &[[f32; 2]], depth: usize, pixels: &mut [f32]) {
    for p in 0..pixels.len() {
        let mut colour = 0.0;
        let mut through = 1.0;
        for s in 0..depth {
            let [c, a] = samples[p * depth + s];
            let a = a.abs() * 0.5;
            colour += through * a * c;
            through *= 1.0 - a;
            if through < 0.01 {
                break;
            }
        }
        pixels[p] = colour;
    }
}

/// The same by chunks: one pixel to each ray.
#[foreach]
fn maximum_projection(samples: &[f32], depth: usize, pixels: &mut [f32]) {
    for (pixel, ray) in pixels.iter_mut().zip(samples.chunks_exact(depth)) {
        let mut top = f32::MIN;
        for s in ray {
            if *s > top {
                top = *s;
            }
        }
        *pixel = top;
    }
}

/// Transmittance from the back: a linear recurrence in reverse.
#[distributed_scan]
fn back_to_front(emission: &[f64], clear: &[f64], light: &mut [f64]) -> f64 {
    let mut l = 0.0;
    for i in (0..emission.len()).rev() {
        l = clear[i] * l + emission[i];
        light[i] = l;
    }
    l
}

/// Which cells of a volume an isosurface crosses.
#[kary_reduce]
fn active_cells(f: &[f32], nx: usize, ny: usize, nz: usize, iso: f32) -> usize {
    let mut active = 0;
    for z in 0..nz - 1 {
        for y in 0..ny - 1 {
            for x in 0..nx - 1 {
                let mut above = 0;
                for corner in 0..8 {
                    let (dx, dy, dz) = (corner & 1, corner >> 1 & 1, corner >> 2);
                    if f[((z + dz) * ny + y + dy) * nx + x + dx] > iso {
                        above += 1;
                    }
                }
                if above != 0 && above != 8 {
                    active += 1;
                }
            }
        }
    }
    active
}

/// Semi-Lagrangian advection: reads at a place that depends on data, never farther than `reach`.
#[foreach]
fn advect(#[halo(reach)] f: &[f64], wind: &[f64], reach: usize, out: &mut [f64]) {
    for i in 0..out.len() {
        if i < reach || i + reach >= out.len() {
            out[i] = f[i];
            continue;
        }
        let back = i as f64 - wind[i] * (reach as f64 - 1.0);
        let low = back.floor() as usize;
        let w = back - low as f64;
        out[i] = (1.0 - w) * f[low] + w * f[low + 1];
    }
}

/// Box blur of a row image with a radius known at run time.
#[foreach]
fn blur(image: &[f32], width: usize, height: usize, radius: usize, out: &mut [f32]) {
    for y in radius..height - radius {
        for x in radius..width - radius {
            let mut sum = 0.0;
            for v in y - radius..=y + radius {
                for u in x - radius..=x + radius {
                    sum += image[v * width + u];
                }
            }
            out[y * width + x] = sum / ((2 * radius + 1) * (2 * radius + 1)) as f32;
        }
    }
}

/// Median of five, in a buffer that all iterations of a worker share.
#[foreach_tls]
fn medians(x: &[f64], out: &mut Vec<f64>) {
    let mut window: Vec<f64> = Vec::new();
    for i in 2..x.len().saturating_sub(2) {
        window.clear();
        window.extend_from_slice(&x[i - 2..=i + 2]);
        window.sort_by(f64::total_cmp);
        out.push(window[2]);
    }
}

/// Distance to the nearest of a few spheres, and how many pixels hit: a render loop without input slices.
#[foreach]
fn ray_march(width: usize, height: usize, #[replicated] spheres: &[[f32; 4]], depth: &mut [f32]) -> usize {
    let distance = |p: [f32; 3]| {
        spheres
            .iter()
            .map(|s| ((p[0] - s[0]).powi(2) + (p[1] - s[1]).powi(2) + (p[2] - s[2]).powi(2)).sqrt() - s[3])
            .fold(f32::INFINITY, f32::min)
    };
    let mut hits = 0;
    for pixel in 0..width * height {
        let (x, y) = ((pixel % width) as f32 / width as f32 - 0.5, (pixel / width) as f32 / height as f32 - 0.5);
        let mut t = 0.0;
        let mut hit = false;
        loop {
            let d = distance([x * t, y * t, t]);
            if d < 1e-3 {
                hit = true;
                break;
            }
            t += d;
            if t > 10.0 {
                break;
            }
        }
        depth[pixel] = if hit { t } else { f32::INFINITY };
        hits += hit as usize;
    }
    hits
}

/// Field statistics with a tuple as accumulator.
#[kary_reduce]
fn range_of(field: &[f32]) -> (f32, f32) {
    let mut range = (f32::MAX, f32::MIN);
    for v in field {
        range.0 = range.0.min(*v);
        range.1 = range.1.max(*v);
    }
    range
}

/// A z-buffer: the nearest fragment of each pixel wins.
#[kary_reduce]
fn z_buffer(fragments: &[u32], pixel_of: &[u32], pixels: usize) -> Vec<u32> {
    let mut buffer = vec![u32::MAX; pixels];
    for i in 0..fragments.len() {
        let p = pixel_of[i] as usize;
        buffer[p] = buffer[p].min(fragments[i]);
    }
    buffer
}

/// Area of a triangle soup whose corners follow each other.
#[kary_reduce]
fn surface_area(corners: &[[f32; 3]]) -> f64 {
    let mut area = 0.0f64;
    for triangle in corners.chunks_exact(3) {
        let [a, b, c] = [triangle[0], triangle[1], triangle[2]];
        let (u, v) = ([b[0] - a[0], b[1] - a[1], b[2] - a[2]], [c[0] - a[0], c[1] - a[1], c[2] - a[2]]);
        let n = [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]];
        area += 0.5 * ((n[0] * n[0] + n[1] * n[1] + n[2] * n[2]) as f64).sqrt();
    }
    area
}

/// Unit normals at the vertices by gathering the corners of each triangle.
#[foreach]
fn triangle_normals(#[gather] points: &[[f32; 3]], triangles: &[[u32; 3]], normals: &mut [[f32; 3]]) {
    for (normal, &[a, b, c]) in normals.iter_mut().zip(triangles.iter()) {
        let (a, b, c) = (points[a as usize], points[b as usize], points[c as usize]);
        let u: [f32; 3] = std::array::from_fn(|k| b[k] - a[k]);
        let v: [f32; 3] = std::array::from_fn(|k| c[k] - a[k]);
        let n = [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]];
        let length = (n[0] * n[0] + n[1] * n[1] + n[2] * n[2]).sqrt();
        *normal = if length > 0.0 { n.map(|c| c / length) } else { [0.0; 3] };
    }
}

fn points(n: usize, seed: u64) -> Vec<[f32; 3]> {
    made(n, seed, |bits| [0, 21, 42].map(|turn| 2.0 * unit(bits.rotate_left(turn)) as f32 - 1.0))
}

cases! {
    move_bodies(n) {
        let bodies = bodies(n);
        check!(move_bodies(&mut bodies, 0.25) within 1e-11; writes bodies);
    }
    step_and_list(n) {
        let (bodies, fast) = (bodies(n), Vec::<u32>::new());
        check!(step_and_list(&mut bodies, 0.25, 0.3, &mut fast) within 1e-11; writes bodies, fast);
    }
    accelerations(n) {
        let n = n.min(200);
        let (all, out) = (bodies(n), vec![[0.0; 3]; n]);
        check!(accelerations(&all, &mut out); writes out);
    }
    threshold(n) {
        let (points, values) = (points(n, 1), singles(n, 2));
        let (kept, scalars) = (Vec::<[f32; 3]>::new(), Vec::<f32>::new());
        check!(threshold(&points, &values, -0.2, 0.6, &mut kept, &mut scalars);
            shares points, values; writes kept, scalars);
    }
    marching_squares(n) {
        let nx = square(n).max(1);
        let ny = nx + 1;
        let (field, segments) = (reals(nx * ny, 1), Vec::<[f64; 4]>::new());
        check!(marching_squares(&field, nx, ny, 0.1, &mut segments); shares field; writes segments);
    }
    gradient(n) {
        let nx = cube(n).max(2);
        let (ny, nz) = (nx + 1, nx + 2);
        let (f, g) = (singles(nx * ny * nz, 1), vec![[0.0; 3]; nx * ny * nz]);
        check!(gradient(&f, &mut g, nx, ny, nz); shares f; writes g);
    }
    magnitude(n) {
        let (v, out) = (points(n, 1), vec![0.0; n]);
        check!(magnitude(&v, &mut out); shares v; writes out);
    }
    normalise(n) {
        let field = singles(n.max(1), 1);
        check!(normalise(&mut field); writes field);
    }
    bounding_box(n) {
        let points = points(n, 1);
        check!(bounding_box(&points); shares points);
    }
    stream_statistics(n) {
        let x = reals(n, 1);
        check!(stream_statistics(&x) within 1e-10; shares x);
    }
    run_lengths(n) {
        let (x, length) = (made(n, 1, |bits| (bits % 3) as u8), vec![0; n]);
        check!(run_lengths(&x, &mut length); shares x; writes length);
        let x = vec![1u8; n];
        check!(run_lengths(&x, &mut length); shares x; writes length);
    }
    exclusive_offsets(n) {
        let (keep, offset) = (flags(n, 1, 3), vec![0; n]);
        check!(exclusive_offsets(&keep, &mut offset); shares keep; writes offset);
    }
    mandelbrot(n) {
        let width = square(n);
        let height = width + 1;
        let image = vec![0; width * height];
        check!(mandelbrot(width, height, 50, &mut image); writes image);
    }
    colour_map(n) {
        let (values, rgb) = (made(n, 1, |bits| bits as u8), vec![[0; 3]; n]);
        check!(colour_map(&values, &mut rgb); shares values; writes rgb);
    }
    look_up(n) {
        let (values, rgba) = (singles(n, 1), vec![[0.0; 4]; n]);
        let table = made(9, 2, |bits| [0, 13, 26, 39].map(|turn| unit(bits.rotate_left(turn)) as f32));
        check!(look_up(&values, &table, &mut rgba); shares values; writes rgba);
    }
    composite_rays(n) {
        let depth = 30;
        let samples = made(n / depth * depth, 1, |bits| [unit(bits) as f32, unit(bits.rotate_left(30)) as f32]);
        let pixels = vec![0.0; n / depth];
        check!(composite_rays(&samples, depth, &mut pixels); shares samples; writes pixels);
    }
    maximum_projection(n) {
        let depth = 7;
        let (samples, pixels) = (singles(n, 1), vec![0.0; n / depth]);
        check!(maximum_projection(&samples, depth, &mut pixels); shares samples; writes pixels);
    }
    back_to_front(n) {
        let (emission, clear, light) = (positives(n, 1), made(n, 2, unit), vec![0.0; n]);
        check!(back_to_front(&emission, &clear, &mut light) within 1e-11; shares emission, clear; writes light);
    }
    active_cells(n) {
        let nx = cube(n).max(1);
        let (ny, nz) = (nx + 1, nx + 2);
        let f = singles(nx * ny * nz, 1);
        check!(active_cells(&f, nx, ny, nz, 0.8); shares f);
    }
    advect(n) {
        let (f, wind, out) = (reals(n, 1), reals(n, 2), vec![0.0; n]);
        check!(advect(&f, &wind, 3, &mut out); shares f, wind; writes out);
    }
    blur(n) {
        let radius = 2;
        let width = square(n).max(2 * radius);
        let height = width + 1;
        let (image, out) = (singles(width * height, 1), vec![0.0; width * height]);
        check!(blur(&image, width, height, radius, &mut out); shares image; writes out);
    }
    medians(n) {
        let (x, out) = (reals(n, 1), Vec::<f64>::new());
        check!(medians(&x, &mut out); shares x; writes out);
    }
    ray_march(n) {
        let width = square(n);
        let height = width + 1;
        let spheres = vec![[0.0, 0.0, 3.0, 1.0], [0.5, 0.5, 2.0, 0.4]];
        let depth = vec![0.0; width * height];
        check!(ray_march(width, height, &spheres, &mut depth); writes depth);
    }
    range_of(n) {
        let field = singles(n, 1);
        check!(range_of(&field); shares field);
    }
    z_buffer(n) {
        let (fragments, pixel_of) = (made(n, 1, |bits| bits as u32), naturals(n, 2, n / 2 + 1));
        let pixels = n / 2 + 1;
        check!(z_buffer(&fragments, &pixel_of, pixels); shares fragments, pixel_of);
    }
    surface_area(n) {
        let corners = points(n, 1);
        check!(surface_area(&corners) within 1e-11; shares corners);
    }
    triangle_normals(n) {
        let points = points(n + 1, 1);
        let triangles = made(n, 2, |bits| [0, 21, 42].map(|turn| (bits.rotate_left(turn) % (n as u64 + 1)) as u32));
        let normals = vec![[0.0; 3]; n];
        check!(triangle_normals(&points, &triangles, &mut normals); shares points, triangles; writes normals);
    }
}
