//! Each benchmark's small class gives the published results. Under a launcher it runs on shares.

use nas::{Class, Outcome, cg, ep, ft, is, mg};

fn holds(run: fn(Class) -> Outcome) {
    let outcome = run(Class::S);
    assert!(outcome.is_verified(), "{outcome:?}");
}

#[forall::test(ranks = 3)]
fn conjugate_gradients() {
    holds(cg::run);
}

#[forall::test(ranks = 3)]
fn multigrid() {
    holds(mg::run);
}

#[forall::test(ranks = 3)]
fn integer_sort() {
    holds(is::run);
}

#[forall::test(ranks = 3)]
fn gaussian_deviates() {
    holds(ep::run);
}

#[forall::test(ranks = 3)]
fn fourier_transforms() {
    holds(ft::run);
}
