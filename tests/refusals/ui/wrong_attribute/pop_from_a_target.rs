// FA014: a target of pushes is popped, so an iteration sees what others pushed.

use forall::foreach_tls;

#[foreach_tls]
fn stack(x: &[i32], out: &mut Vec<i32>) {
    for i in 0..x.len() {
        if x[i] >= 0 {
            out.push(x[i]);
        } else {
            out.pop();
        }
    }
}

fn main() {}
