// FA014: what goes with the best value is counted up elsewhere.

use forall::distributed_scan;

#[distributed_scan]
fn since_the_record(x: &[i64], out: &mut [i64]) {
    let mut record = i64::MIN;
    let mut since = 0;
    for i in 0..x.len() {
        if x[i] > record {
            record = x[i];
            since = 0;
        }
        since += 1;
        out[i] = since;
    }
}

fn main() {}
