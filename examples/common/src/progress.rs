//! The output of a running example for a person: bars and lines, on one rank.

use indicatif::{ProgressBar, ProgressStyle};
use std::fmt;
use std::io::{self, Write};

/// Prints a line, on one rank.
#[macro_export]
macro_rules! say {
    ($($what:tt)*) => {
        $crate::progress::line(format_args!($($what)*))
    };
}

/// The function that [`say!`](crate::say) calls. A reader that has gone away, as `head` does, is no failure.
pub fn line(text: fmt::Arguments<'_>) {
    if forall::rank() == 0 {
        let _ = writeln!(io::stdout(), "{text}");
    }
}

/// A bar for so many steps; nothing is shown where there is no terminal.
pub fn steps(count: u64, message: &'static str) -> ProgressBar {
    bar(count, "{msg} {bar:40} {pos}/{len}", message)
}

/// Shows the part of the work that is done, from 0 to 1, as `work` tells it.
pub fn part<R>(message: &'static str, work: impl FnOnce(&mut dyn FnMut(f64)) -> R) -> R {
    let bar = bar(1000, "{msg} {bar:40} {percent} %", message);
    let result = work(&mut |done| bar.set_position((1000.0 * done) as u64));
    bar.finish_and_clear();
    result
}

fn bar(length: u64, template: &str, message: &'static str) -> ProgressBar {
    let bar = if forall::rank() == 0 { ProgressBar::new(length) } else { ProgressBar::hidden() };
    bar.set_style(ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar()));
    bar.set_message(message);
    bar
}

/// A number of things: "1 document", "2,000 documents".
pub fn counted(number: usize, thing: &str) -> String {
    format!("{} {thing}{}", grouped(number as u64), if number == 1 { "" } else { "s" })
}

/// A number with its thousands apart.
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let groups: Vec<_> = digits.as_bytes().rchunks(3).rev().map(String::from_utf8_lossy).collect();
    groups.join(",")
}
