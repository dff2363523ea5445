// FA022: where two things have one name, and neither can have another one, what the name means is not followed.

#[forall::foreach]
fn of_a_type(x: &[f64], out: &mut [f64]) {
    for i in 0..x.len() {
        {
            struct Width;
            impl Width {
                const OF: usize = 0;
            }
            out[i + Width::OF] = x[i];
        }
        out[i + Width::OF] = x[i];
    }
}

#[forall::foreach]
fn of_an_import(x: &[i64], out: &mut [i64]) {
    for i in 0..x.len() {
        out[i] = min(x[i], 3) + {
            use std::cmp::max as min;
            min(x[i], 4)
        };
    }
}

fn main() {}
