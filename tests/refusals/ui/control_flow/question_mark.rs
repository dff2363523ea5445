// FA020: `?` may leave the function from inside the loop.

use forall::foreach;

fn checked_root(v: f64) -> Result<f64, String> {
    if v < 0.0 {
        Err(format!("{v} has no root"))
    } else {
        Ok(v.sqrt())
    }
}

#[foreach]
fn roots(x: &[f64], out: &mut [f64]) -> Result<(), String> {
    for i in 0..x.len() {
        out[i] = checked_root(x[i])?;
    }
    Ok(())
}

fn main() {}
