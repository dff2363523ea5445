//! The crate under another name (`fa = { package = "forall" }`), and as an item of another crate (`forall_facade::forall`).
//!
//! No crate here has the name `forall`: an expansion that names it does not compile.

#![deny(warnings, clippy::all)]

/// The name comes from `Cargo.toml`.
mod by_its_name {
    use fa::{
        Blocks, DeviceData, Object, device, distributed_scan, distributed_sort, foreach, foreach_tls, kary_reduce,
    };
    use ndarray::{ArrayView2, ArrayViewMut2};

    #[derive(Clone, Copy, bytemuck::Pod, bytemuck::Zeroable, DeviceData)]
    #[repr(C)]
    pub struct Point {
        pub x: f32,
        pub y: f32,
    }

    #[device]
    fn length(p: Point) -> f32 {
        p.x + p.y
    }

    #[foreach]
    pub fn lengths(points: &[Point], out: &mut [f32]) {
        for i in 0..points.len() {
            out[i] = length(points[i]);
        }
    }

    #[foreach_tls(grain = 2)]
    pub fn longer(points: &[Point], than: f32, out: &mut Vec<u32>) {
        for i in 0..points.len() {
            if length(points[i]) > than {
                out.push(i as u32);
            }
        }
    }

    #[distributed_scan]
    pub fn running<T: bytemuck::Pod + std::ops::AddAssign + Default + Send + Sync>(
        x: &[u64],
        out: &mut [u64],
        _: &[T; 2],
    ) {
        let mut sum = 0;
        for (x, out) in x.iter().zip(out.iter_mut()) {
            sum += x;
            *out = sum;
        }
    }

    #[kary_reduce(k = 2)]
    pub fn greatest(x: &[f32]) -> f32 {
        let mut most = f32::MIN;
        for &x in x {
            most = most.max(x);
        }
        most
    }

    #[distributed_sort]
    pub fn sorted(x: &mut [u64]) {
        x.sort();
    }

    #[foreach]
    pub fn transposed(x: ArrayView2<f64>, mut out: ArrayViewMut2<f64>) {
        let (rows, columns) = out.dim();
        for y in 0..rows {
            for i in 0..columns {
                out[[y, i]] = 2.0 * x[[y, i]];
            }
        }
    }

    #[foreach]
    pub fn halved(blocks: &mut Blocks<f32>) {
        for mut block in blocks.iter_mut() {
            *block *= 0.5;
        }
    }

    #[foreach]
    pub fn means(now: &Object<f32, 2>, next: &mut Object<f32, 2>) {
        for tile in next.tiles([2, 2]) {
            let [rows, columns] = tile.inside([1, 0]);
            for y in rows {
                for x in columns.clone() {
                    next[[y, x]] = 0.5 * (now[[y - 1, x]] + now[[y + 1, x]]);
                }
            }
        }
        fa::barrier();
        for tile in next.tiles([2, 2]) {
            for y in tile.rows() {
                for x in tile.columns() {
                    next[[y, x]] += 1.0;
                }
            }
        }
    }

    pub struct Counts {
        pub all: Vec<u32>,
    }

    impl Counts {
        #[foreach]
        pub fn add(&mut self, x: &mut [u32]) {
            for i in 0..x.len() {
                x[i] += 1;
            }
            self.all.push(1);
        }

        #[kary_reduce(associated)]
        pub fn histogram(x: &[u64]) -> [u64; 4] {
            let mut bins = [0; 4];
            for i in 0..x.len() {
                bins[(x[i] % 4) as usize] += 1;
            }
            bins
        }
    }

    #[fa::traverse]
    pub fn leaves(node: u32, out: &mut Vec<u32>) {
        if node >= 8 {
            out.push(node);
            return;
        }
        leaves(2 * node, out);
        leaves(2 * node + 1, out);
    }

    #[fa::test]
    fn all_attributes() {
        let points = [Point { x: 1.0, y: 2.0 }, Point { x: 3.0, y: 4.0 }];
        let (mut out, mut indices) = ([0.0; 2], Vec::new());
        lengths(&points, &mut out);
        longer(&points, 5.0, &mut indices);
        assert_eq!((out, indices, greatest(&out)), ([3.0, 7.0], vec![1], 7.0));
        let mut sums = [0; 3];
        running(&[3, 4, 5], &mut sums, &[0_u8; 2]);
        sorted(&mut sums);
        assert_eq!((sums, Counts::histogram(&sums)), ([3, 7, 12], [1, 0, 0, 2]));
        let mut doubled = ndarray::Array2::zeros((2, 3));
        transposed(ndarray::Array2::from_elem((2, 3), 1.0).view(), doubled.view_mut());
        assert_eq!(doubled[[1, 2]], 2.0);
        let mut blocks = Blocks::from_fn(2, |number| number as f32);
        halved(&mut blocks);
        let now = Object::from_fn([4, 4], |[y, x]| (y * x) as f32);
        let mut next = Object::zeroed([4, 4]);
        means(&now, &mut next);
        assert_eq!(next.get([2..3, 3..4]).elements(), [7.0]);
        let mut counts = Counts { all: Vec::new() };
        counts.add(&mut [1, 2]);
        let mut found = Vec::new();
        leaves(1, &mut found);
        assert_eq!((found.len(), counts.all.len()), (8, 1));
    }

    #[fa::test(ranks = 2)]
    fn on_two_ranks() {
        assert_eq!(fa::ranks(), 2);
    }
}

/// The path is an argument.
mod by_a_path {
    use forall_facade::forall::{DeviceData, device, foreach};

    #[derive(Clone, Copy, bytemuck::Pod, bytemuck::Zeroable, DeviceData)]
    #[device_data(crate = forall_facade::forall)]
    #[repr(C)]
    pub struct Pair(f32, f32);

    #[device(crate = forall_facade::forall)]
    fn sum(pair: Pair) -> f32 {
        pair.0 + pair.1
    }

    #[foreach(crate = forall_facade::forall, grain = 64)]
    pub fn sums(x: &[Pair], out: &mut [f32]) {
        for i in 0..x.len() {
            out[i] = sum(x[i]);
        }
    }

    #[forall_facade::forall::main(crate = forall_facade::forall)]
    #[allow(dead_code)]
    fn main() {}

    #[forall_facade::forall::test(crate = forall_facade::forall, ranks = 2)]
    fn on_two_ranks() {
        let mut out = [0.0; 2];
        sums(&[Pair(1.0, 2.0), Pair(3.0, 4.0)], &mut out);
        assert_eq!(out, [3.0, 7.0]);
    }
}
