//! Declared access in tasks: `get`, `fetch`, `get_mut` and `modified` in loops over objects give what the sequential loop gives.

#![allow(clippy::manual_is_multiple_of, clippy::single_range_in_vec_init)]

mod mistakes;
mod natural;
mod overlap;

use forall::{Object, Runtime, barrier, foreach, foreach_tls, kary_reduce, ranks};

/// A range that is known before the task runs.
#[foreach]
fn neighbours(now: &Object<i64, 2>, next: &mut Object<i64, 2>, size: [usize; 2]) {
    for tile in next.tiles(size) {
        let near = now.get(tile.grown([1, 1]));
        for y in tile.rows() {
            for x in tile.columns() {
                next[[y, x]] = near.elements().iter().sum::<i64>() + near[[y, x]];
            }
        }
    }
}

#[foreach]
fn rows(now: &Object<i64, 2>, next: &mut Object<i64, 2>) {
    let nx = now.shape()[1];
    for tile in next.tiles([3, 4]) {
        for y in tile.rows() {
            let row = now.get([y..y + 1, 0..nx]);
            for x in tile.columns() {
                next[[y, x]] = row.elements().iter().sum::<i64>() - row[[y, x]];
            }
        }
    }
}

/// The data choose the range.
#[foreach]
fn chosen(from: &Object<usize, 1>, data: &Object<i64, 1>, sums: &mut Object<i64, 1>) {
    for tile in sums.tiles([3]) {
        let own = tile.indices();
        let mut first = data.len();
        let mut end = 0;
        for i in own.clone() {
            first = first.min(from[[i]]);
            end = end.max((from[[i]] + 4).min(data.len()));
        }
        let view = data.get(first..end);
        for i in own {
            sums[[i]] = view[[from[[i]]]] + view.elements().len() as i64;
        }
    }
}

#[foreach]
fn pointers(links: &Object<usize, 1>, out: &mut Object<usize, 1>) {
    for i in 0..out.len() {
        let one = links.get(i..i + 1)[[i]];
        let two = links.get(one..one + 1)[[one]];
        let three = links.get(two..two + 1).elements()[0];
        out[[i]] = 100 * one + 10 * two + three;
    }
}

/// Each document has another number of neighbours, and fetches the row of each.
#[foreach]
fn gathered(links: &Object<usize, 1>, data: &Object<i64, 1>, out: &mut Object<i64, 1>) {
    let n = links.len();
    for tile in out.tiles([4]) {
        let mut fetches = Vec::new();
        for i in tile.indices() {
            for k in 0..i % 4 {
                let other = (links[[i]] + k * k) % n;
                fetches.push(data.fetch(other..other + 1));
            }
        }
        let mut views = fetches.into_iter().map(|fetch| fetch.wait());
        for i in tile.indices() {
            let mut sum = 0;
            for _ in 0..i % 4 {
                sum = 3 * sum + views.next().map_or(0, |view| view.elements()[0]);
            }
            out[[i]] = sum;
        }
    }
}

#[foreach]
fn two_fetches(links: &Object<usize, 1>, data: &Object<i64, 1>, out: &mut Object<i64, 1>) {
    for i in 0..out.len() {
        let at = links[[i]];
        let one = data.fetch(at..at + 1);
        let two = data.fetch(0..at);
        let length = i as i64;
        out[[i]] = one.wait().elements()[0] + two.wait().elements().iter().sum::<i64>() + length;
    }
}

#[kary_reduce]
fn total(links: &Object<usize, 1>, data: &Object<f64, 1>) -> f64 {
    let mut sum = 0.0;
    for tile in links.tiles([5]) {
        for i in tile.indices() {
            sum += data.get(i..i + 1)[[i]];
        }
        let first = links[[tile.indices().start]];
        let view = data.get(first..data.len());
        for value in view.elements() {
            sum += value;
        }
    }
    sum
}

#[foreach_tls]
fn sorted(links: &Object<usize, 1>, data: &Object<i64, 1>, out: &mut Object<i64, 1>) {
    let mut room = Vec::new();
    for tile in out.tiles([4]) {
        let first = links[[tile.number()]];
        let view = data.get(first..(first + 9).min(data.len()));
        room.clear();
        room.extend_from_slice(view.elements());
        room.sort_unstable();
        for i in tile.indices() {
            out[[i]] = room[i % room.len()];
        }
    }
}

/// Private changes, published.
#[foreach]
fn doubled(data: &mut Object<i64, 2>, size: [usize; 2]) {
    for tile in data.tiles(size) {
        let mut own = data.get_mut(tile.ranges());
        for value in own.elements_mut() {
            *value *= 2;
        }
        drop(own);
        data.modified(tile.ranges());
    }
}

#[foreach]
fn halves(data: &mut Object<i64, 1>) {
    for tile in data.tiles([6]) {
        let own = tile.indices();
        let middle = own.start + own.len() / 2;
        let mut view = data.get_mut(own.start..middle);
        for i in own.start..middle {
            view[[i]] += 1000;
        }
        drop(view);
        data.modified(own.start..middle);
        let seen = data.get(own.start..middle);
        assert!(seen.elements().iter().all(|value| *value >= 1000));
    }
}

/// One buffer: the tasks change their private copies before the barrier, and publish them behind it.
#[foreach]
fn in_place(plane: &mut Object<f64, 2>, size: [usize; 2], steps: usize) {
    for _ in 0..steps {
        for tile in plane.tiles(size) {
            let near = plane.get(tile.grown([1, 1]));
            let mut own = plane.get_mut(tile.ranges());
            let [rows, columns] = tile.inside([1, 1]);
            for y in rows {
                for x in columns.clone() {
                    own[[y, x]] = 0.25 * (near[[y - 1, x]] + near[[y + 1, x]] + near[[y, x - 1]] + near[[y, x + 1]]);
                }
            }
            drop(own);
            barrier();
            plane.modified(tile.ranges());
        }
    }
}

#[foreach]
fn permuted(order: &Object<usize, 1>, from: &Object<i64, 1>, to: &mut Object<i64, 1>) {
    for i in 0..order.len() {
        let at = order[[i]];
        let mut place = to.get_mut(at..at + 1);
        place[[at]] = 7 * from[[i]];
        drop(place);
        to.modified(at..at + 1);
    }
}

/// A variable that the parts of a task share is changed in the order of the tasks.
#[foreach_tls]
fn collected(links: &Object<usize, 1>, data: &Object<i64, 1>, found: &mut Vec<i64>) {
    for tile in links.tiles([3]) {
        let first = links[[tile.indices().start]];
        found.push(first as i64);
        let view = data.get(first..first + 1);
        found.push(view[[first]]);
    }
}

fn line<T: forall::Element + bytemuck::Zeroable>(n: usize, of: impl Fn(usize) -> T) -> Object<T, 1> {
    Object::from_fn([n], |[i]| of(i))
}

fn plane(shape: [usize; 2]) -> Object<i64, 2> {
    Object::from_fn(shape, |[y, x]| ((7 * y + 3 * x) % 11) as i64)
}

fn link(n: usize) -> impl Fn(usize) -> usize {
    move |i| (7 * i + 3) % n
}

fn ranges_of_planes() {
    let [ny, nx] = [11, 13];
    let at = |y: usize, x: usize| ((7 * y + 3 * x) % 11) as i64;
    for size in [[1, 1], [4, 5], [30, 2]] {
        let mut next = Object::zeroed([ny, nx]);
        neighbours(&plane([ny, nx]), &mut next, size);
        for y in 0..ny {
            for x in 0..nx {
                let (ty, tx) = (y / size[0] * size[0], x / size[1] * size[1]);
                let rows = ty.saturating_sub(1)..(ty + size[0] + 1).min(ny);
                let columns = tx.saturating_sub(1)..(tx + size[1] + 1).min(nx);
                let sum: i64 = rows.flat_map(|y| columns.clone().map(move |x| at(y, x))).sum();
                assert_eq!(next.to_all()[[y, x]], sum + at(y, x), "{size:?} {y} {x}");
            }
        }
        let mut both = plane([ny, nx]);
        doubled(&mut both, size);
        assert!(both.to_all().elements().iter().zip(plane([ny, nx]).to_all().elements()).all(|(a, b)| *a == 2 * b));
        assert!(both.in_memory() <= 2 * both.held());
    }
    let mut next = Object::zeroed([ny, nx]);
    rows(&plane([ny, nx]), &mut next);
    for y in 0..ny {
        let sum: i64 = (0..nx).map(|x| at(y, x)).sum();
        assert!((0..nx).all(|x| next.to_all()[[y, x]] == sum - at(y, x)));
    }
    let mut empty = Object::zeroed([0, 5]);
    neighbours(&plane([0, 5]), &mut empty, [2, 2]);
    doubled(&mut empty, [1, 1]);
    let start = |[y, x]: [usize; 2]| ((5 * y + 3 * x) % 7) as f64;
    let (mut now, mut expected) = (Object::from_fn([ny, nx], start), Vec::new());
    in_place(&mut now, [4, 3], 4);
    expected.extend((0..ny * nx).map(|at| start([at / nx, at % nx])));
    for _ in 0..4 {
        let old: Vec<f64> = expected.clone();
        for y in 1..ny - 1 {
            for x in 1..nx - 1 {
                let at = y * nx + x;
                expected[at] = 0.25 * (old[at - nx] + old[at + nx] + old[at - 1] + old[at + 1]);
            }
        }
    }
    assert_eq!(now.to_all().elements(), expected);
}

fn ranges_that_the_data_choose() {
    for n in [1, 2, 5, 23, 600] {
        let links = line(n, link(n));
        let value = |i: usize| (i * i % 17) as i64;
        let data = line(n, value);
        let mut out = Object::zeroed([n]);
        chosen(&links, &data, &mut out);
        for i in 0..n {
            let own = i / 3 * 3..(i / 3 * 3 + 3).min(n);
            let first = own.clone().map(link(n)).min().unwrap_or(n);
            let end = own.map(link(n)).map(|at| (at + 4).min(n)).max().unwrap_or(0);
            assert_eq!(out.to_all()[[i]], value(link(n)(i)) + (end - first) as i64, "{n} {i}");
        }
        let mut followed = Object::zeroed([n]);
        pointers(&links, &mut followed);
        let next = link(n);
        let expected: Vec<usize> = (0..n).map(|i| 100 * next(i) + 10 * next(next(i)) + next(next(next(i)))).collect();
        assert_eq!(followed.to_all().elements(), expected);
        gathered(&links, &data, &mut out);
        let sums = (0..n).map(|i| (0..i % 4).fold(0, |sum, k| 3 * sum + value((next(i) + k * k) % n)));
        assert_eq!(out.to_all().elements(), sums.collect::<Vec<_>>());
        two_fetches(&links, &data, &mut out);
        let sums = (0..n).map(|i| value(next(i)) + (0..next(i)).map(value).sum::<i64>() + i as i64);
        assert_eq!(out.to_all().elements(), sums.collect::<Vec<_>>());
        if ranks() == 1 {
            let mut alone = Object::zeroed([n]);
            two_fetches::sequential(&links, &data, &mut alone);
            assert_eq!(alone.to_all(), out.to_all());
            gathered::sequential(&links, &data, &mut alone);
            gathered(&links, &data, &mut out);
            assert_eq!(alone.to_all(), out.to_all());
        }
        sorted(&links, &data, &mut out);
        for i in 0..n {
            let first = next(i / 4);
            let mut room: Vec<i64> = (first..(first + 9).min(n)).map(value).collect();
            room.sort_unstable();
            assert_eq!(out.to_all()[[i]], room[i % room.len()]);
        }
        let sum = total(&links, &line(n, |i| 1.0 / (1 + i) as f64));
        let mut expected = 0.0;
        for tile in 0..n.div_ceil(5) {
            (5 * tile..(5 * tile + 5).min(n)).for_each(|i| expected += 1.0 / (1 + i) as f64);
            (next(5 * tile)..n).for_each(|i| expected += 1.0 / (1 + i) as f64);
        }
        assert!((sum - expected).abs() < 1e-9 * expected);
        let mut found = Vec::new();
        collected(&links, &data, &mut found);
        let pairs = (0..n.div_ceil(3)).flat_map(|tile| [next(3 * tile) as i64, value(next(3 * tile))]);
        assert_eq!(forall::DistVec::from_local(found).to_all(), pairs.collect::<Vec<_>>());
    }
}

fn changes_that_tasks_declare() {
    for n in [0, 1, 6, 7, 50] {
        let mut data = line(n, |i| i as i64);
        halves(&mut data);
        let changed = |i: usize| i % 6 < (n - i / 6 * 6).min(6) / 2;
        let expected = (0..n).map(|i| i as i64 + if changed(i) { 1000 } else { 0 });
        assert_eq!(data.to_all().elements(), expected.collect::<Vec<_>>());
        let mut to = Object::zeroed([n]);
        permuted(&line(n, |i| n - 1 - i), &data, &mut to);
        assert!((0..n).all(|i| to.to_all()[[n - 1 - i]] == 7 * data.to_all()[[i]]));
    }
}

fn declared() {
    ranges_of_planes();
    ranges_that_the_data_choose();
    changes_that_tasks_declare();
}

#[forall::test]
fn declared_access_on_this_launch() {
    declared();
}

#[forall::test(ranks = 2)]
fn declared_access_on_two_ranks() {
    declared();
}

#[forall::test(ranks = 7)]
fn declared_access_on_seven_ranks() {
    assert_eq!(ranks(), 7);
    declared();
}

mod forms {
    use super::*;

    /// Some iterations end before the cut; others get ranges in branches, closures and macros.
    #[foreach]
    fn branches(links: &Object<usize, 1>, data: &Object<i64, 1>, out: &mut Object<i64, 1>) {
        for i in 0..links.len() {
            let at = links[[i]];
            if at % 3 == 0 {
                continue;
            }
            let one = data.get(at..at + 1);
            let sum = if at % 2 == 0 { data.get(0..at).elements().iter().sum() } else { one[[at]] };
            assert!(data.get(i..i + 1).ranges() == [i..i + 1], "{:?}", data.get(i..i + 1));
            let of = |k: usize| data.get(k..k + 1)[[k]];
            out[[i]] = sum + of(i) + of((i + at) % 5 % data.len());
        }
    }

    #[foreach]
    fn in_one_expression(links: &Object<usize, 2>, out: &mut Object<i64, 2>) {
        let [ny, nx] = links.shape();
        for y in 0..ny {
            for x in 0..nx {
                out[[y, x]] = links[[y, x]] as i64;
            }
            let rows = [links.get([y..y + 1, 0..nx]), links.get([ny - 1 - y..ny - y, 0..nx])];
            let at = rows[0].elements().iter().sum::<usize>() % ny;
            let [one, two] = [links.get([at..at + 1, 0..nx]), links.get([0..at, 0..1])];
            out[[y, 0]] = (one.elements()[nx - 1] + two.elements().iter().sum::<usize>()) as i64;
        }
    }

    /// Values that borrow from others, on both sides of a cut.
    #[foreach]
    fn lent(links: &Object<usize, 1>, data: &Object<i64, 1>, out: &mut Object<i64, 1>) {
        let n = data.len();
        for tile in out.tiles([4]) {
            let first = links[[tile.indices().start]];
            let near = data.get(first..(first + 4).min(n));
            let row = near.elements();
            let (head, rest) = row.split_at(1);
            let own = |i: usize| links[[i]] + row.len();
            let mut most = row.iter().copied().max().unwrap_or(0);
            let at = most as usize % n;
            for value in data.get(at..(at + 2).min(n)).elements() {
                most += value;
            }
            if data.get(at..at + 1)[[at]] % 2 == 0 {
                most += head[0];
            }
            for i in tile.indices() {
                out[[i]] = most + own(i) as i64 + rest.iter().sum::<i64>() + near[[first]];
            }
        }
    }

    /// An iterator that goes on behind the statement that gets a range.
    #[foreach]
    fn advanced(links: &Object<usize, 1>, data: &Object<i64, 1>, out: &mut Object<i64, 1>) {
        for tile in out.tiles([4]) {
            let mut starts = Vec::new();
            for i in tile.indices() {
                starts.push(links[[i]]);
            }
            let mut next = starts.iter();
            let first = next.next().copied().unwrap_or(0);
            let view = data.get(first..first + 1);
            for i in tile.indices() {
                out[[i]] = view[[first]] + next.next().copied().unwrap_or(0) as i64;
            }
        }
    }

    /// The copy of before the barrier.
    #[foreach]
    fn copied(data: &mut Object<i64, 1>) {
        for tile in data.tiles([3]) {
            let old = data.get(tile.grown([2]));
            let first = old.elements()[0];
            let all = old.elements();
            barrier();
            for i in tile.indices() {
                data[[i]] = first + old[[i]] + all.len() as i64;
            }
        }
    }

    /// Changes of a copy stay with the task.
    #[foreach]
    fn private(data: &Object<i64, 1>, out: &mut Object<i64, 1>) {
        for tile in out.tiles([3]) {
            let mut own = data.get(tile.ranges()).into_elements();
            for value in own.iter_mut() {
                *value += 1;
            }
            for (k, i) in tile.indices().enumerate() {
                out[[i]] = own[k] + data[[i]];
            }
        }
    }

    struct Graph {
        links: Object<usize, 1>,
        ranks: Object<f64, 1>,
    }

    impl Graph {
        #[foreach]
        fn step(&mut self) {
            let links: &Object<usize, 1> = &self.links;
            let ranks: &mut Object<f64, 1> = &mut self.ranks;
            for i in 0..links.len() {
                let to = links[[i]];
                let from = ranks.get(to..to + 1)[[to]];
                barrier();
                ranks[[i]] = 0.5 * ranks[[i]] + 0.5 * from;
            }
        }
    }

    #[foreach]
    fn generic<T: forall::Element + bytemuck::Zeroable + std::ops::Add<Output = T>>(
        links: &Object<usize, 1>,
        data: &Object<T, 1>,
        out: &mut Object<T, 1>,
    ) {
        for tile in out.tiles([4]) {
            let mut views = Vec::new();
            for i in tile.indices() {
                let at = links[[i]];
                views.push((at, data.fetch(at..at + 1)));
            }
            let parts: Vec<(usize, T)> = views.into_iter().map(|(at, view)| (at, view.wait()[[at]])).collect();
            let first = tile.indices().start;
            for i in tile.indices() {
                out[[i]] = data[[i]] + parts[i - first].1;
            }
        }
    }

    #[foreach]
    fn volume(links: &Object<usize, 3>, out: &mut Object<usize, 3>) {
        for tile in out.tiles([2, 3, 2]) {
            let [planes, rows, columns] = tile.ranges();
            let at = links[[planes.start, rows.start, columns.start]];
            let view = links.get([at..at + 1, rows.clone(), columns.clone()]);
            for z in planes {
                for y in rows.clone() {
                    for x in columns.clone() {
                        out[[z, y, x]] = 10 * view[[at, y, x]] + z;
                    }
                }
            }
        }
    }

    fn forms() {
        for n in [1, 5, 40] {
            let (links, data) = (line(n, link(n)), line(n, |i| (i * i % 17) as i64));
            let value = |i: usize| (i * i % 17) as i64;
            let mut out = Object::zeroed([n]);
            branches(&links, &data, &mut out);
            for i in 0..n {
                let at = link(n)(i);
                let sum = if at % 2 == 0 { (0..at).map(value).sum() } else { value(at) };
                let expected = if at % 3 == 0 { 0 } else { sum + value(i) + value((i + at) % 5 % n) };
                assert_eq!(out.to_all()[[i]], expected, "{n} {i}");
            }
            lent(&links, &data, &mut out);
            let next = link(n);
            for i in 0..n {
                let first = next(i / 4 * 4);
                let row: Vec<i64> = (first..(first + 4).min(n)).map(value).collect();
                let mut most = row.iter().copied().max().unwrap_or(0);
                let at = most as usize % n;
                most += (at..(at + 2).min(n)).map(value).sum::<i64>();
                most += if value(at) % 2 == 0 { row[0] } else { 0 };
                let own = (next(i) + row.len()) as i64;
                assert_eq!(out.to_all()[[i]], most + own + row.iter().sum::<i64>(), "{n} {i}");
            }
            advanced(&links, &data, &mut out);
            for i in 0..n {
                let own = if i % 4 < 3 && i + 1 < n { next(i + 1) } else { 0 };
                assert_eq!(out.to_all()[[i]], value(next(i / 4 * 4)) + own as i64, "{n} {i}");
            }
            let mut both = line(n, value);
            copied(&mut both);
            for i in 0..n {
                let near = (i / 3 * 3).saturating_sub(2)..(i / 3 * 3 + 5).min(n);
                assert_eq!(both.to_all()[[i]], value(near.start) + value(i) + near.len() as i64, "{n} {i}");
            }
            private(&data, &mut out);
            assert!(out.to_all().elements().iter().enumerate().all(|(i, own)| *own == 2 * value(i) + 1));
            let mut graph = Graph { links: line(n, link(n)), ranks: line(n, |i| i as f64) };
            graph.step();
            assert!((0..n).all(|i| graph.ranks.to_all()[[i]] == 0.5 * i as f64 + 0.5 * link(n)(i) as f64));
            let mut sums = Object::zeroed([n]);
            generic(&links, &line(n, |i| i as f32), &mut sums);
            assert!((0..n).all(|i| sums.to_all()[[i]] == (i + link(n)(i)) as f32));
        }
        let [ny, nx] = [6, 4];
        let of = |y: usize, x: usize| (3 * y + 5 * x) % 7;
        let mut out = Object::zeroed([ny, nx]);
        in_one_expression(&Object::from_fn([ny, nx], |[y, x]| of(y, x)), &mut out);
        for y in 0..ny {
            let at = (0..nx).map(|x| of(y, x)).sum::<usize>() % ny;
            let first = of(at, nx - 1) + (0..at).map(|y| of(y, 0)).sum::<usize>();
            let expected = (0..nx).map(|x| if x == 0 { first } else { of(y, x) } as i64);
            assert!(expected.enumerate().all(|(x, expected)| out.to_all()[[y, x]] == expected));
        }
        let of = |[z, y, x]: [usize; 3]| (z + 2 * y + 3 * x) % 5;
        let mut out = Object::zeroed([5, 4, 3]);
        volume(&Object::from_fn([5, 4, 3], of), &mut out);
        for z in 0..5 {
            for y in 0..4 {
                for x in 0..3 {
                    let at = of([z / 2 * 2, y / 3 * 3, x / 2 * 2]);
                    assert_eq!(out.to_all()[[z, y, x]], 10 * of([at, y, x]) + z);
                }
            }
        }
    }

    #[forall::test]
    fn on_this_launch() {
        forms();
    }

    #[forall::test(ranks = 3)]
    fn on_three_ranks() {
        forms();
    }
}

/// A task fetches the elements that it needs, and not all.
#[forall::test(ranks = 4)]
fn few_elements_travel() {
    let n = 4000;
    let (links, data) = (line(n, |i| (i + 1000) % 4000), line(n, |i| i as i64));
    let mut out = Object::zeroed([n]);
    two_ranges(&links, &data, &mut out);
    assert!((0..n).all(|i| i % 1000 != 0 || out.to_all()[[i]] == ((i + 1000) % 4000) as i64));
    let traffic = data.counters();
    assert!(traffic.bytes <= 8 * 40, "{traffic:?}");
    let (now, mut next) = (plane([40, 40]), Object::zeroed([40, 40]));
    neighbours(&now, &mut next, [5, 40]);
    // A row of elements crosses each of three borders in both directions.
    assert!(now.counters().bytes <= 2 * 40 * 8, "{:?}", now.counters());
}

#[foreach]
fn two_ranges(links: &Object<usize, 1>, data: &Object<i64, 1>, out: &mut Object<i64, 1>) {
    for tile in out.tiles([100]) {
        let first = tile.indices().start;
        let at = links[[first]];
        let view = data.get(at..at + 1);
        out[[first]] = view[[at]];
    }
}
