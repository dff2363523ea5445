// E0277, at the body: an `Rc` is not `Sync`.

use forall::foreach;

#[foreach]
fn scaled_by_shared(factor: std::rc::Rc<f64>, x: &mut [f64]) {
    for i in 0..x.len() {
        x[i] *= *factor;
    }
}

fn main() {}
