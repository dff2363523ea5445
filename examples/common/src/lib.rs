//! Code that the examples share, without annotated loops: an example then holds its algorithm and its documentation.
//!
//! | module | is |
//! |---|---|
//! | [`program`] | the options of every example (`--backend --threads --report`), and how a program starts and ends |
//! | [`report`] | figures as JSON: who ran the loops, with how much memory |
//! | [`progress`] | progress bars, and lines of text, on one rank |
//! | [`volume`] | the options of examples that read a volume (`--input` and its kin), and the volume in shares |
//! | [`read`], [`grid`] | readers of volumes, a slab of planes at a time, and where the points of a volume lie |
//! | [`cells`] | meshes of cells of any kind, which every rank has as a whole |
//! | [`points`] | readers of points |
//! | [`random`](mod@random) | numbers that look random, the same on any number of ranks |
//! | [`mesh`], [`write`](mod@write) | triangle meshes in shares, and files that ParaView opens; each is complete or not there |
//! | [`chart`] | line charts, as SVG files |
//! | [`picture`] | the options of examples that draw (`--image --camera`), and PNG files |
//! | [`camera`], [`colours`], [`pixel`] | where points lie in a picture, their colours, and what is seen of two pixels; loops call these, also on a GPU |

pub mod camera;
pub mod cells;
pub mod chart;
pub mod colours;
pub mod field;
pub mod grid;
pub mod mesh;
pub mod picture;
pub mod pixel;
pub mod points;
pub mod program;
pub mod progress;
pub mod random;
pub mod read;
pub mod report;
pub mod volume;
pub mod write;
