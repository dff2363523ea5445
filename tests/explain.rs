//! `EXPLAIN` tells what the macro found, in words that the documentation uses.

// The tests read the explanations of most functions, and call none of these.
#![allow(dead_code)]

use forall::{Object, distributed_scan, foreach, foreach_tls, kary_reduce};

/// The lines of an explanation that begin with one of these words.
fn lines<'a>(explain: &'a str, words: &[&str]) -> Vec<&'a str> {
    explain.lines().map(str::trim).filter(|line| words.iter().any(|word| line.starts_with(word))).collect()
}

#[foreach]
fn smooth(x: &[f64], out: &mut [f64]) {
    for i in 1..x.len() - 1 {
        out[i] = (x[i - 1] + x[i] + x[i + 1]) / 3.0;
    }
}

#[test]
fn a_map_with_its_halo() {
    assert_eq!(
        lines(smooth::EXPLAIN, &["map", "input", "halo"]),
        [
            "map: `out`, writes `out[i]`",
            "input: `x`, reads `x[i - 1]`, `x[i]`, `x[i + 1]`",
            "halo: 1 element before and 1 element after the iteration's own",
        ]
    );
    assert_eq!(smooth::PLAN, "foreach: 1 loop: map");
}

#[kary_reduce]
fn spread(x: &[f64]) -> (f64, usize) {
    let (mut sum, mut best, mut place) = (0.0, f64::MIN, 0);
    for i in 0..x.len() {
        sum += x[i];
        if x[i] > best {
            best = x[i];
            place = i;
        }
    }
    (sum - best, place)
}

#[test]
fn reductions_with_their_operators() {
    assert_eq!(
        lines(spread::EXPLAIN, &["reduce"]),
        ["reduce (best value and place): `best`, with `best`, `place`", "reduce: `sum` by `+`"]
    );
    assert_eq!(spread::PLAN, "kary_reduce: 1 loop: reduce (best value and place), reduce by `+`");
}

#[foreach]
fn columns(n: usize, x: &[f64], #[gather] at: &[usize], #[halo(n)] near: &[f32], out: &mut [f64], row: &mut [f32]) {
    for i in 0..n {
        for k in 0..n {
            out[k * n + i] = 2.0 * x[k * n + i];
        }
    }
    for i in 0..n {
        row[i] = near[at[at[i]]];
    }
    for i in 0..n {
        row[i] *= 3.0;
    }
    out.copy_from_slice(x);
    out[0] = x.iter().sum();
}

/// The report states the moves of each array, and names none that does not move.
#[test]
fn what_moves_between_ranks() {
    assert_eq!(
        lines(smooth::EXPLAIN, &["moves"]),
        ["moves: `x`, 2 elements for each rank, from beside its share (halo); an element takes size_of::<f64>() bytes"]
    );
    assert_eq!(
        lines(columns::EXPLAIN, &["moves", "between", "halo"]),
        [
            "halo: from the footprints, at each call",
            "moves: `out`, the elements of other shares that a rank's iterations access; an element takes size_of::<f64>() bytes",
            "moves: `x`, the elements of other shares that a rank's iterations access; an element takes size_of::<f64>() bytes",
            "halo: from the footprints, at each call",
            "moves: `at`, all of it to every rank; an element takes size_of::<usize>() bytes",
            "moves: `near`, n elements on both sides of each share; an element takes size_of::<f32>() bytes",
            "halo: none, no slice is read",
            "moves: no elements, if the slices are cut alike",
            "between loops (line 68): `out.copy_from_slice(x)` moves nothing if both are cut alike, else each element once",
            "between loops (line 69): `x.iter()` fetches all of `x` on every rank",
        ]
    );
    assert_eq!(
        lines(product::EXPLAIN, &["moves"])[..2],
        [
            "moves: `column`, the requested elements of other ranks, each of them once; an element takes \
             size_of::<u32>() bytes",
            "moves: `start`, 1 element for each rank, from beside its share (halo); an element takes size_of::<usize>() bytes",
        ]
    );
    assert_eq!(
        lines(placed::EXPLAIN, &["moves"]),
        [
            "moves: `last`, what is written to elements of other ranks, to these; an element takes size_of::<usize>() bytes",
            "moves: `out`, what is written to elements of other ranks, to these; an element takes size_of::<f64>() bytes",
        ]
    );
}

#[foreach]
fn placed(place: &[usize], x: &[f64], #[scatter] out: &mut [f64], #[scatter] last: &mut [usize]) {
    for i in 0..x.len() {
        out[place[i]] += x[i];
        last[place[i]] = i;
    }
}

#[test]
fn scattered_arrays_with_their_operators() {
    assert_eq!(
        lines(placed::EXPLAIN, &["scatter", "mpi"]),
        [
            "scatter: `last`, at places that only the data know, in the order of the iterations",
            "scatter: `out` by `+`, at places that only the data know, in the order of the iterations",
            "mpi: yes, each rank runs the iterations of its share; remote writes go to the owners of the \
             elements, without their indices if these are the same as in the last call",
        ]
    );
    assert_eq!(placed::PLAN, "foreach: 1 loop: scatter, scatter by `+`");
    assert!(
        placed::EXPLAIN.contains("; what it scatters comes back as places and values, which threads write in order")
    );
}

#[distributed_scan]
fn total(x: &[u64], out: &mut [u64]) {
    let mut sum = 0;
    for i in 0..x.len() {
        sum += x[i];
        out[i] = sum;
    }
}

#[foreach_tls]
fn kept(x: &[u64], out: &mut Vec<u64>) {
    for &v in x {
        if v > 3 {
            out.push(v);
        }
    }
}

#[test]
fn scans_and_pushes() {
    assert_eq!(lines(total::EXPLAIN, &["scan", "reduce"]), ["scan: `sum` by `+`"]);
    assert_eq!(lines(kept::EXPLAIN, &["push"]), ["push: `out`, in the order of the iterations"]);
    assert_eq!(total::PLAN, "distributed_scan: 1 loop: map, scan by `+`");
    assert_eq!(kept::PLAN, "foreach_tls: 1 loop: push");
}

#[foreach]
fn product(#[gather] column: &[u32], #[gather] value: &[f64], #[gather] x: &[f64], start: &[usize], y: &mut [f64]) {
    for i in 0..y.len() {
        let mut sum = 0.0;
        for k in start[i]..start[i + 1] {
            sum += value[k] * x[column[k] as usize];
        }
        y[i] = sum;
    }
}

#[foreach]
fn roots(#[gather] parent: &[usize], out: &mut [usize]) {
    for i in 0..out.len() {
        let mut p = parent[i];
        while p != parent[p] {
            p = parent[p];
        }
        out[i] = p;
    }
}

#[foreach]
fn walks(#[gather] next: &[usize], at: &mut [usize]) {
    for a in at.iter_mut() {
        *a = next[*a];
    }
}

#[kary_reduce]
fn statistics(x: &[i64], bins: &mut [u64], squares: &mut [i64]) -> i64 {
    let mut largest = i64::MIN;
    for (square, &v) in squares.iter_mut().zip(x) {
        *square = v * v;
    }
    for &v in x {
        bins[v.rem_euclid(bins.len() as i64) as usize] += 1;
        largest = largest.max(v);
    }
    largest
}

#[test]
fn a_plan_names_the_classes_of_each_loop() {
    assert_eq!(statistics::PLAN, "kary_reduce: 2 loops: map; histogram by `+`, reduce by `max`");
    assert_eq!(product::PLAN, "foreach: 1 loop: map, gather");
}

/// Only where an index depends on the slice itself, or on what the loop writes, all of it is fetched.
#[test]
fn gathers_ask_for_elements_where_they_can() {
    assert_eq!(
        lines(product::EXPLAIN, &["gather"]),
        [
            "gather: `column`, the requested elements `column[k]`",
            "gather: `value`, the requested elements `value[k]`",
            "gather: `x`, the requested elements `x[column[k] as usize]`",
        ]
    );
    for explain in [roots::EXPLAIN, walks::EXPLAIN] {
        assert!(lines(explain, &["gather"]).is_empty() && explain.contains("`#[gather]`: all of it"), "{explain}");
    }
}

#[foreach]
fn relaxed(now: &Object<f64, 2>, next: &mut Object<f64, 2>) {
    for tile in next.tiles([64, 64]) {
        let [rows, columns] = tile.inside([1, 0]);
        for y in rows {
            for x in columns.clone() {
                next[[y, x]] = 0.5 * (now[[y - 1, x]] + now[[y + 1, x]]);
            }
        }
    }
}

#[test]
fn tasks_with_their_boxes() {
    assert_eq!(
        lines(relaxed::EXPLAIN, &["map", "input", "tasks", "mpi"]),
        [
            "map: `next`, a box for each task, writes `next[[y, x]]`",
            "input: `now`, a box for each task, reads `now[[y - 1, x]]`, `now[[y + 1, x]]`",
            "tasks: one for each tile",
            "mpi: yes, each rank runs the tasks for which it has most of the input; it fetches the elements that they lack before; it then \
             owns the elements that they write",
        ]
    );
    assert_eq!(relaxed::PLAN, "foreach: 1 loop: map");
}
