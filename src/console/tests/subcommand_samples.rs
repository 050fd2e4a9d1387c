//! Subcommands that a palette offers.

use std::sync::Arc;

use crate::console::settings::shell::{Runnable, Subcommand};

/// Subcommands as the palette offers them.
pub(super) fn subcommands() -> Arc<[Subcommand]> {
    let subcommand = |name: &str, about: &str, usage: &str, needs_more, runs| Subcommand {
        name: name.to_owned(),
        about: about.to_owned(),
        usage: usage.to_owned(),
        needs_more,
        runnable: runs,
        is_earlier: false,
    };
    Arc::new([
        subcommand(
            "serve",
            "Run a station without a screen",
            "serve [OPTIONS]",
            false,
            Runnable::Elsewhere("it needs a terminal of its own"),
        ),
        subcommand(
            "pair",
            "Make the token that adapters connect with",
            "pair [OPTIONS]",
            false,
            Runnable::HereWith("--out", "it prints the token"),
        ),
        subcommand(
            "invocation cancel",
            "Make pending invocations failed",
            "invocation cancel [OPTIONS] <ID>...",
            true,
            Runnable::Here,
        ),
        subcommand(
            "invocation settle",
            "Mark an invocation done or failed by hand",
            "invocation settle [OPTIONS] <ID> <TO>",
            true,
            Runnable::Here,
        ),
        subcommand("doctor", "Check everything a station needs", "doctor [OPTIONS]", false, Runnable::Here),
    ])
}
