//! `completions`: a script for a shell, made from the grammar.

use clap::CommandFactory as _;
use serde::Serialize;

use crate::cli::{
    args::{Cli, CompletionsArgs},
    error::Error,
    output::Output,
};

/// What is printed with `--json`.
#[derive(Serialize)]
struct Script {
    shell: String,
    script: String,
}

pub(in crate::cli) fn run(args: &CompletionsArgs, out: &mut Output) -> Result<(), Error> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "rl-console", &mut script);
    let script = String::from_utf8_lossy(&script).into_owned();
    if out.is_json() {
        return out.row(&Script { shell: args.shell.to_string(), script }, |_| String::new());
    }
    out.text(&script)
}
