//! Arguments of other types than those of the parameters.

#[forall::foreach]
fn copy(x: &[f64], out: &mut [f64]) {
    for i in 0..x.len() {
        out[i] = x[i];
    }
}

fn main() {
    let mut out = vec![0.0; 3];
    copy(&vec![1_u32], &mut out);
    copy(&std::sync::Arc::new([1_u32]), &mut out);
    copy(&out, &mut std::rc::Rc::new(vec![0.0; 3]));
}
