//! An annotated function.

/// What is known of an annotated function when it is compiled.
#[derive(Debug)]
pub struct Meta {
    /// Its name, with the module path.
    pub name: &'static str,
    /// The attribute above it.
    pub attribute: &'static str,
    /// The names of its distributed parameters.
    pub parameters: &'static [&'static str],
    /// What the macro found, loop by loop.
    pub explain: &'static str,
}
