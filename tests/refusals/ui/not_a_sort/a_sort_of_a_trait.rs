use forall::distributed_sort;

trait Sorting {
    fn sort(&mut self);
}

impl<T> Sorting for Vec<T> {
    fn sort(&mut self) {
        self.reverse();
    }
}

#[distributed_sort]
fn sorted(x: &mut Vec<u32>) {
    x.sort();
}

fn main() {}
