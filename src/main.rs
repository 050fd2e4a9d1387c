//! Hands over to [`rl_console::cli`].

use std::process::ExitCode;

fn main() -> ExitCode {
    // Without it a panic is told as the standard library tells it.
    color_eyre::install().unwrap_or_default();
    rl_console::cli::run()
}
