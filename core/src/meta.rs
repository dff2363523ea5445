//! An annotated function.

/// How a function uses a parameter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Use {
    /// Other iterations use other elements.
    Parts,
    /// All iterations read the same elements, or statements outside of the loops read some.
    Whole,
    /// It is only passed on, or asked for its length.
    Neither,
}

/// What is known of an annotated function when it is compiled.
#[derive(Debug)]
pub struct Meta {
    /// Its name, with the module path.
    pub name: &'static str,
    /// The attribute above it.
    pub attribute: &'static str,
    /// The names of its distributed parameters.
    pub parameters: &'static [&'static str],
    /// How the function uses each of them; empty if it has no loops.
    pub uses: &'static [Use],
    /// What the macro found, loop by loop.
    pub explain: &'static str,
}
