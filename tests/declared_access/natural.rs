//! Each loop gives what its sequential function gives on one rank.

use super::*;

mod whole_ranges {
    use forall::Object;
    #[forall::foreach]
    pub fn program(now: &Object<i64, 2>, next: &mut Object<i64, 2>) {
        for tile in next.tiles([3, 3]) {
            let around = tile.grown([1, 1]);
            let near = now.get(around.clone());
            let own = now.get(&tile);
            for y in tile.rows() {
                for x in tile.columns() {
                    next[[y, x]] = near.elements().len() as i64 + own[[y, x]];
                }
            }
        }
    }
}
mod while_loop {
    use forall::Object;
    #[forall::foreach]
    pub fn program(links: &Object<usize, 1>, out: &mut Object<usize, 1>) {
        for i in 0..out.len() {
            let mut at = links[[i]];
            let mut steps = 0;
            while at != i && steps < 10 {
                at = links.get(at..at + 1)[[at]];
                steps += 1;
            }
            out[[i]] = steps;
        }
    }
}
mod fetch_if {
    use forall::Object;
    #[forall::foreach]
    pub fn program(links: &Object<usize, 1>, data: &Object<i64, 1>, out: &mut Object<i64, 1>) {
        for i in 0..out.len() {
            let at = links[[i]];
            let wanted = if at > 3 { Some(data.fetch(at..at + 1)) } else { None };
            let other = i as i64 * 2;
            if let Some(wanted) = wanted {
                out[[i]] = wanted.wait()[[at]] + other;
            }
        }
    }
}
mod mapped {
    use forall::Object;
    #[forall::foreach]
    pub fn program(links: &Object<usize, 1>, data: &Object<i64, 1>, out: &mut Object<i64, 1>) {
        for tile in out.tiles([4]) {
            let wanted: Vec<_> = tile.indices().map(|i| data.fetch(links[[i]]..links[[i]] + 1)).collect();
            let sum: i64 = wanted.into_iter().map(|w| w.wait().elements()[0]).sum();
            for i in tile.indices() {
                out[[i]] = sum;
            }
        }
    }
}
mod helper {
    use forall::Object;
    use forall::objects::View;
    fn mean(view: &View<f64, 1>) -> f64 {
        view.elements().iter().sum::<f64>() / view.elements().len().max(1) as f64
    }
    #[forall::kary_reduce]
    pub fn program(starts: &Object<usize, 1>, data: &Object<f64, 1>) -> f64 {
        let mut best = f64::MIN;
        for tile in starts.tiles([1]) {
            let i = tile.indices().start;
            let first = starts[[i]];
            let view = data.get(first..(first + 8).min(data.len()));
            best = best.max(mean(&view));
        }
        best
    }
}
mod conditional_modified {
    use forall::Object;
    #[forall::foreach]
    pub fn program(flags: &Object<u8, 1>, data: &mut Object<i64, 1>) {
        for tile in data.tiles([4]) {
            if flags[[tile.number()]] > 0 {
                let mut own = data.get_mut(tile.ranges());
                for value in own.elements_mut() {
                    *value += 1;
                }
                drop(own);
                data.modified(tile.ranges());
            }
        }
    }
}

fn all(n: usize, parallel: bool) -> (Vec<i64>, Vec<usize>, f64, Vec<i64>) {
    let (links, numbers) = (line(n, link(n)), line(n, |i| (i * i % 17) as i64));
    let now = Object::from_fn([7, 8], |[y, x]| (3 * y + 5 * x) as i64);
    let mut next = Object::zeroed([7, 8]);
    let [mut fetched, mut summed] = [Object::zeroed([n]), Object::zeroed([n])];
    let (mut steps, mut raised) = (Object::zeroed([n]), line(n, |i| i as i64));
    let (floats, flags) = (line(n, |i| 1.0 / (1 + i) as f64), line(n, |i| (i % 2) as u8));
    let most = match parallel {
        true => {
            whole_ranges::program(&now, &mut next);
            while_loop::program(&links, &mut steps);
            fetch_if::program(&links, &numbers, &mut fetched);
            mapped::program(&links, &numbers, &mut summed);
            conditional_modified::program(&flags, &mut raised);
            helper::program(&links, &floats)
        }
        false => {
            whole_ranges::program::sequential(&now, &mut next);
            while_loop::program::sequential(&links, &mut steps);
            fetch_if::program::sequential(&links, &numbers, &mut fetched);
            mapped::program::sequential(&links, &numbers, &mut summed);
            conditional_modified::program::sequential(&flags, &mut raised);
            helper::program::sequential(&links, &floats)
        }
    };
    let rest = [fetched, summed, raised].iter().flat_map(|object| object.to_all().into_elements()).collect();
    (next.to_all().into_elements(), steps.to_all().into_elements(), most, rest)
}

#[test]
fn loops_give_what_their_sequential_functions_give() {
    for n in [1, 4, 37] {
        let expected = Runtime::builder().ranks(1).run(|| all(n, false)).remove(0);
        for (ranks, threads) in [(1, 1), (1, 3), (2, 1), (3, 2), (7, 1)] {
            for found in Runtime::builder().ranks(ranks).threads(threads).run(|| all(n, true)) {
                assert_eq!(found, expected, "{n} elements on {ranks} ranks");
            }
        }
    }
}
