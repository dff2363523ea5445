//! `cargo forall`: see the library.

use std::process::ExitCode;

fn main() -> ExitCode {
    match cargo_forall::run(std::env::args_os()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}
