// FA001: a function of a trait has no body to rewrite.

use forall::foreach;

trait Field {
    #[foreach]
    fn double(&self, x: &mut [f64]);
}

fn main() {}
