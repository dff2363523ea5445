// FA014: a state is looked at: its method writes what it holds to an output.

use forall::foreach_tls;

#[derive(Clone, Default)]
struct Sum {
    all: u64,
}

impl Sum {
    fn put_all(&mut self, (by, to): (u64, &mut u64)) {
        self.all += by;
        *to = self.all;
    }

    fn put_some(&mut self, to: Option<&mut u64>) {
        self.all += 1;
        to.into_iter().for_each(|to| *to = self.all);
    }

    fn put(&mut self, to: &mut u64) {
        self.all += 1;
        *to = self.all;
    }
}

impl forall::Merge for Sum {
    fn fresh() -> Self {
        Sum::default()
    }

    fn merge(&mut self, later: Self) {
        self.all += later.all;
    }
}

#[foreach_tls]
fn handed_out(o: &mut [u64]) -> u64 {
    let mut s = Sum::default();
    for o in o.iter_mut() {
        s.put(o);
    }
    s.all
}

#[foreach_tls]
fn handed_out_in_a_tuple(o: &mut [u64]) -> u64 {
    let mut s = Sum::default();
    for (i, o) in o.iter_mut().enumerate() {
        s.put_all((i as u64, o));
    }
    s.all
}

#[foreach_tls]
fn handed_out_by_another_name(o: &mut [u64]) -> u64 {
    let mut s = Sum::default();
    for o in o.iter_mut() {
        let to = o;
        s.put(to);
    }
    s.all
}

#[foreach_tls]
fn handed_out_in_an_option(o: &mut [u64]) -> u64 {
    let mut s = Sum::default();
    for o in o.iter_mut() {
        s.put_some(Some(o));
    }
    s.all
}

fn put_into(s: &mut Sum, to: &mut u64) {
    s.put(to);
}

#[foreach_tls]
fn handed_out_by_a_function(o: &mut [u64], x: &[u64]) -> u64 {
    let mut s = Sum::default();
    for (o, x) in o.iter_mut().zip(x) {
        s.all += x;
        put_into(&mut s, o);
    }
    s.all
}

fn main() {}
