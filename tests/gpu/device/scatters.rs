//! Writes at places that only the data know.

use crate::common::annotated::on_ranks;
use forall::{DistVec, foreach};
use std::panic::{AssertUnwindSafe, catch_unwind};

const SIZES: [usize; 5] = [0, 1, 2, 1000, 65_537];

/// Places among the elements of `out`, many of them several times.
fn places(count: usize, among: usize) -> Vec<u32> {
    (0..count).map(|i| (i * 7919 % 104_729 * 31 % among.max(1)) as u32).collect()
}

#[foreach]
fn set(x: &[f32], place: &[u32], #[scatter] out: &mut [f32]) {
    for i in 0..x.len() {
        out[place[i] as usize] = x[i] * 2.0;
    }
}

#[foreach]
fn added(x: &[f32], place: &[u32], #[scatter] out: &mut [f32]) {
    for i in 0..x.len() {
        if x[i] > 3.0 {
            out[place[i] as usize] += x[i];
        }
    }
}

#[foreach]
fn counted(place: &[u32], #[scatter] count: &mut [i64], #[scatter] most: &mut [u32]) {
    for i in 0..place.len() {
        let at = place[i] as usize;
        count[at] -= 3;
        most[at] = most[at].max(place[i] % 97);
        count[at % count.len()] -= 1;
    }
}

#[foreach]
fn rows(place: &[u32], #[scatter] out: &mut [[f64; 2]], squares: &mut [u32]) {
    for i in 0..place.len() {
        squares[i] = place[i].wrapping_mul(place[i]);
        for k in 0..2 {
            out[place[i] as usize] = [i as f64, k as f64];
        }
    }
}

#[test]
fn the_device_computes_what_is_scattered() {
    for count in SIZES {
        let among = count / 2 + 1;
        let place = places(count, among);
        let x: Vec<f32> = (0..count).map(|i| i as f32 * 0.37 % 11.0).collect();
        same!(set(&x, &place) => vec![-1.0_f32; among]);
        // Sums of floats have the bits of the sequential ones.
        same!(added(&x, &place) => vec![0.25_f32; among]);
        let found = on_ranks(1, || {
            let (mut counts, mut most) = (vec![0; among], vec![0; among]);
            counted(&place, &mut counts, &mut most);
            let (mut out, mut squares) = (vec![[0.0; 2]; among], vec![0; count]);
            rows(&place, &mut out, &mut squares);
            (counts, most, out, squares)
        });
        let Some(found) = found else { return };
        let (mut counts, mut most) = (vec![0; among], vec![0; among]);
        counted::sequential(&place, &mut counts, &mut most);
        let (mut out, mut squares) = (vec![[0.0; 2]; among], vec![0; count]);
        rows::sequential(&place, &mut out, &mut squares);
        assert!(found == Ok((counts, most, out, squares)), "{count}");
    }
}

#[test]
fn the_owners_of_the_elements_write() {
    for ranks in [2, 3, 7] {
        for count in [0, 1, ranks - 1, ranks + 1, 5003] {
            let among = count + 3;
            let place = places(count, among);
            let x: Vec<f32> = (0..count).map(|i| i as f32 * 0.37 % 11.0).collect();
            let found = on_ranks(ranks, || {
                let (x, place) = (DistVec::from_global(&x), DistVec::from_global(&place));
                let mut out = DistVec::from_fn(among, |i| i as f32);
                set(&x, &place, &mut out);
                added(&x, &place, &mut out);
                added(&x, &place, &mut out);
                out.to_all()
            });
            let Some(found) = found else { return };
            let mut out: Vec<f32> = (0..among).map(|i| i as f32).collect();
            set::sequential(&x, &place, &mut out);
            added::sequential(&x, &place, &mut out);
            added::sequential(&x, &place, &mut out);
            assert!(found == Ok(out), "{ranks} ranks, {count}");
        }
    }
}

#[test]
fn a_place_that_is_not_there_panics_as_in_rust() {
    let (x, mut place) = (vec![1.0; 100], places(100, 50));
    place[77] = 50;
    let Some(found) = on_ranks(1, || set(&x, &place, &mut vec![0.0; 50])) else { return };
    let plain = catch_unwind(AssertUnwindSafe(|| set::sequential(&x, &place, &mut [0.0; 50])));
    let plain = *plain.unwrap_err().downcast::<String>().unwrap();
    let found = found.unwrap_err();
    assert!(found.contains(&plain), "{found}; {plain}");
}

#[test]
fn of_several_ranks_the_first_such_place_is_told() {
    let (x, mut place) = (vec![1.0; 100], places(100, 50));
    (place[20], place[77]) = (60, 50);
    let plain = catch_unwind(AssertUnwindSafe(|| set::sequential(&x, &place, &mut [0.0; 50])));
    let plain = *plain.unwrap_err().downcast::<String>().unwrap();
    for ranks in [2, 3] {
        let found = on_ranks(ranks, || {
            set(&DistVec::from_global(&x), &DistVec::from_global(&place), &mut DistVec::from_global(&[0.0; 50]))
        });
        let Some(found) = found else { return };
        let found = found.unwrap_err();
        assert!(found.contains(&plain), "{found}; {plain}");
    }
}
