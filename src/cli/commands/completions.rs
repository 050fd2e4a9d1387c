//! `completions`: a script for a shell, made from the grammar.

use clap::CommandFactory as _;
use serde::Serialize;

use crate::cli::{
    args::{Cli, CompletionsArgs},
    error::Error,
    output::Output,
};

/// The output with `--json`.
#[derive(Serialize)]
struct Script {
    shell: String,
    script: String,
}

pub(in crate::cli) fn run(args: &CompletionsArgs, out: &mut Output) -> Result<(), Error> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "rl-console", &mut script);
    let script = patched(&String::from_utf8_lossy(&script));
    if out.is_json() {
        return out.row(&Script { shell: args.shell.to_string(), script }, |_| String::new());
    }
    out.text(&script)
}

/// In the bash script the labels of subcommands spell a program's name that has a hyphen otherwise than the
/// words that lead to them, so that nothing below the first word would be completed.
fn patched(script: &str) -> String {
    script.replace("rl__subcmd__console", "rl__console")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::output::tests::Printed;

    #[test]
    fn every_state_of_the_bash_script_has_its_label() {
        let printed = Printed::default();
        run(&CompletionsArgs { shell: clap_complete::Shell::Bash }, &mut printed.output(false)).unwrap();
        let script = printed.text();
        let states: Vec<_> =
            script.lines().filter_map(|line| line.trim().strip_prefix("cmd=\"")?.strip_suffix('"')).collect();
        assert!(states.contains(&"rl__console__subcmd__pack__subcmd__check"), "{states:?}");
        for state in states.into_iter().filter(|state| !state.is_empty()) {
            assert!(script.lines().any(|line| line.trim() == format!("{state})")), "{state} has no label");
        }
    }
}
