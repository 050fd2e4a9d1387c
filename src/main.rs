//! Hands over to [`rl_console::cli`].

use std::{io::IsTerminal as _, process::ExitCode};

use color_eyre::config::{HookBuilder, Theme};

/// What it has freed it gives back to the system, as [`rl_console::cli`] sets it up.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
#[global_allocator]
static ALLOCATOR: tikv_jemallocator::Jemalloc = tikv_jemallocator::Jemalloc;

fn main() -> ExitCode {
    // The guard of a plugin is as small as it can be.
    if let Some(code) = rl_console::cli::guard() {
        return code;
    }
    let hooks = HookBuilder::default();
    // A panic that goes into a file is told without colours.
    let hooks = if std::io::stderr().is_terminal() { hooks } else { hooks.theme(Theme::new()) };
    // Without the hooks a panic is told as the standard library tells it.
    hooks.install().unwrap_or_default();
    rl_console::cli::run()
}
