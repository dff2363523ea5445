//! Wrong loops must not compile, and must say why: `ui/<kind of mistake>/<case>.rs`, with the messages beside it.
//!
//! After a change of messages, `TRYBUILD=overwrite cargo test -p forall-tests --test ui` writes them anew: read them as
//! somebody who has just made that mistake.

#[test]
fn wrong_loops_are_refused_with_the_reason() {
    trybuild::TestCases::new().compile_fail("ui/*/*.rs");
}
