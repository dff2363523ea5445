// What a variable gives that holds an iterator is not known; a range is, where it is one and the same.
use forall::foreach;
use std::ops::RangeInclusive;

#[foreach]
fn any_iterator(places: impl Iterator<Item = usize>, x: &[f64], out: &mut [f64]) {
    for i in places {
        out[i] = x[i];
    }
}

#[foreach]
fn of_a_type<I>(places: I, x: &[f64], out: &mut [f64])
where
    I: IntoIterator<Item = usize>,
{
    for i in places {
        out[i] = x[i];
    }
}

#[foreach]
fn behind_a_reference(places: &mut dyn Iterator<Item = usize>, out: &mut [usize]) {
    for (i, o) in places.zip(out.iter_mut()) {
        *o = i;
    }
}

#[foreach]
fn half_gone(r: RangeInclusive<usize>, x: &[f64], out: &mut [f64]) {
    for i in r {
        out[i] = x[i];
    }
}

#[foreach]
fn kept_first(x: &[f64], out: &mut [f64]) {
    let even = (0..x.len()).step_by(2);
    for i in even {
        out[i] = x[i];
    }
}

fn main() {}
