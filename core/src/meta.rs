//! An annotated function.

/// How a function uses a parameter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Use {
    /// Other iterations use other elements.
    Parts,
    /// All iterations read the same elements, or statements outside of the loops read some.
    Whole,
    /// It is only passed to other functions, or only its length is read.
    Neither,
}

/// The description of an annotated function, made while compiling.
#[derive(Debug)]
pub struct Meta {
    /// Its name, with the module path.
    pub name: &'static str,
    /// The attribute above it.
    pub attribute: &'static str,
    /// The names of its distributed parameters.
    pub parameters: &'static [&'static str],
    /// The use of each of them; empty if the function has no loops.
    pub uses: &'static [Use],
    /// The macro's report, loop by loop.
    pub explain: &'static str,
}
