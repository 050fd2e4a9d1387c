//! Command lines that show a record or do its work again.

use crate::{console::settings::config::CommandHints, port::InvocationRow};

/// The subcommand that lists the records that a filter lets through.
pub(crate) fn list_command(list: &str, filter: &str) -> String {
    format!("ls {list} --filter {} --json", quoted(filter))
}

/// The command line that gives the same work again.
pub(crate) fn invoke_command(row: &InvocationRow, commands: &CommandHints) -> String {
    let mut words = format!("invoke {} --params {}", quoted(row.event.as_str()), quoted(row.params.as_str()));
    if let Some(user) = &row.source.user {
        words.push_str(" --user ");
        words.push_str(&quoted(user));
    }
    commands.line(&words)
}

/// A text as the filter language takes it whole.
pub(crate) fn operand(text: &str) -> String {
    let is_plain =
        !text.is_empty() && text.chars().all(|letter| letter.is_alphanumeric() || "_-.".contains(letter));
    if is_plain {
        text.to_owned()
    } else {
        format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
    }
}

/// A word as a shell reads it back. A NUL, which no command line can carry, is left out.
pub(crate) fn quoted(word: &str) -> String {
    let word = word.replace('\0', "");
    shlex::try_quote(&word).map_or_else(|_| "''".to_owned(), std::borrow::Cow::into_owned)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        field::{Fields as _, Spec},
        filter::Filter,
    };

    fn commands() -> CommandHints {
        CommandHints { globals: "--data './my show'".to_owned(), ..CommandHints::default() }
    }

    #[test]
    fn a_shell_and_the_filter_language_read_a_line_back() {
        let specs: &'static [Spec] = crate::mpp::EndedView::SPECS;
        for name in ["default", "the boss's", "a \"b\" \\ (c)", "x\ny", "$(reboot)"] {
            let line = commands().line(&list_command("queues", &format!("queue={}", operand(name))));
            let words = shlex::split(&line).unwrap();
            assert_eq!(
                words[..6],
                ["rl-console", "--data", "./my show", "ls", "queues", "--filter"],
                "{line}"
            );
            assert_eq!((words.len(), words[7].as_str()), (8, "--json"));
            assert!(Filter::parse(&words[6], specs).is_ok(), "{line}");
        }
        let line = CommandHints::default().line(&list_command("invocations", "id=123"));
        assert_eq!(
            shlex::split(&line).unwrap(),
            ["rl-console", "ls", "invocations", "--filter", "id=123", "--json"]
        );
    }
}
