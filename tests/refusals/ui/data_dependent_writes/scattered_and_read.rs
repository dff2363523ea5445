use forall::foreach;

/// Nobody knows the element that an earlier iteration has left there.
#[foreach]
fn chained(place: &[usize], #[scatter] out: &mut [f64]) {
    for i in 0..place.len() {
        out[place[i]] = 0.5 * out[place[i] / 2];
    }
}

#[foreach]
fn mixed(place: &[usize], #[scatter] out: &mut [f64]) {
    for i in 0..place.len() {
        if i % 2 == 0 {
            out[place[i]] += 1.0;
        } else {
            out[place[i]] = 0.0;
        }
    }
}

/// The written value is not the compared one.
#[foreach]
fn guarded(place: &[usize], #[scatter] out: &mut [f64]) {
    for i in 0..place.len() {
        if out[place[i]] > 1.0 {
            out[place[i]] = 0.5 * i as f64;
        }
    }
}

/// A function may tell two places.
#[foreach]
fn told(x: &[f64], #[scatter] out: &mut [f64]) {
    for i in 0..x.len() {
        out[place_of(i)] = out[place_of(i)].max(x[i]);
    }
}

/// Two fields of one element.
#[foreach]
fn two_parts(place: &[usize], by: &[f64], #[scatter] out: &mut [Point]) {
    for i in 0..place.len() {
        out[place[i]].x += by[i];
        out[place[i]].y += 1.0;
    }
}

fn place_of(i: usize) -> usize {
    i / 2
}

fn main() {}
