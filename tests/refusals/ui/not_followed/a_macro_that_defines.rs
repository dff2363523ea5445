// FA022: a macro as a statement defines an item that hides a variable.

use forall::foreach;

macro_rules! define {
    () => {
        #[allow(non_upper_case_globals)]
        const k: usize = 0;
    };
}

#[foreach]
fn strided(x: &[f64], out: &mut [f64]) {
    let k = 1;
    for i in 0..x.len() {
        define!();
        out[i * k] = x[i];
    }
}

fn main() {}
