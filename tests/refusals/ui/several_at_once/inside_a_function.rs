// FA012: a function inside of a function is checked as any other.

pub fn outer(out: &mut [f64], place: &[usize]) {
    #[forall::foreach]
    fn set(out: &mut [f64], place: &[usize]) {
        for i in 0..place.len() {
            out[place[i]] = 1.0;
        }
    }
    set(out, place);
}

fn main() {}
