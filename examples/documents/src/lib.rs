//! Documents that flock: the application of Zhang, Mueller, Cui and Potok (2010), section 5.2.
//!
//! | module | is |
//! |---|---|
//! | [`read`], [`labels`] | readers of folders of text, mbox files, Maildir folders and JSON lines, and labels that a user gives to documents |
//! | [`terms`] | step 1: term vectors by tf-icf. Bundles of documents are blocks, and annotated loops count and weigh their terms |
//! | [`rows`] | the heaviest terms of each document, in a fixed width, and how similar two documents usually are |
//! | [`flock`] | step 2: documents fly in a plane. Rows are elements of an object, which ranks fetch when boids may meet |
//! | [`clusters`] | clusters, read off the flock, with their terms; how well they agree with labels |
//! | [`picture`], [`output`] | pictures of the flock, and files of results |

pub mod clusters;
pub mod flock;
pub mod labels;
pub mod output;
pub mod picture;
pub mod read;
pub mod rows;
pub mod terms;
