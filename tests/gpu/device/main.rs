//! The node itself: which device it takes, what it runs and moves, and what it does where something is missing.
#![allow(missing_docs)]

#[macro_use]
#[path = "../common/mod.rs"]
mod common;

mod choice;
mod classes;
mod cost;
mod failure;
mod gathers;
mod halo;
mod large;
mod launches;
mod library;
mod objects;
mod outside;
mod programs;
mod quiet;
mod residence;
mod scatters;
mod sorts;
mod tasks;
mod ways;
