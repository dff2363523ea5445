//! Documents that flock: the application of Zhang, Mueller, Cui and Potok (2010), section 5.2.
//!
//! | module | is |
//! |---|---|
//! | [`read`] | readers of folders of text, mbox files, Maildir folders and JSON lines |
//! | [`labels`] | labels that a user gives to documents |
//! | [`terms`] | term vectors by tf-icf: annotated loops over bundles of documents |

pub mod labels;
pub mod read;
pub mod terms;
