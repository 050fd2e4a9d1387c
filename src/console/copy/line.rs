//! Command lines that show a record or do its work again.

use crate::{
    console::{records::selection::RecordKey, settings::config::CommandHints},
    port::InvocationRow,
};

/// The command line that shows a record, if a subcommand does.
pub(crate) fn list_command(key: &RecordKey, commands: &CommandHints) -> Option<String> {
    let (what, filter) = match key {
        RecordKey::Queue(name) => ("queues", format!("queue={}", operand(name.as_str()))),
        RecordKey::Invocation(id) => ("invocations", format!("id={id}")),
        RecordKey::Refund(id) => ("refunds", format!("id={id}")),
        RecordKey::StateKey(key) => ("state", format!("key={}", operand(key.as_str()))),
        RecordKey::Topic(name) => ("topics", format!("topic={}", operand(name.as_str()))),
        RecordKey::BusPeer(session) => ("peers", format!("session={session}")),
        RecordKey::Subscription(session, sub) => ("subscriptions", format!("session={session} sub={sub}")),
        RecordKey::Run(run) | RecordKey::StoredRun(_, run) | RecordKey::Node(run, _) => {
            return Some(commands.line(&format!("run show {run} --json")));
        }
        RecordKey::Session(session)
        | RecordKey::StoredSession(session)
        | RecordKey::Position(session, _)
        | RecordKey::Statement(session, ..) => {
            return Some(commands.line(&format!("session show {} --json", quoted(&session.id))));
        }
        RecordKey::SessionLine(session, _) => {
            return Some(commands.line(&format!("session show {} --log --json", quoted(&session.id))));
        }
        RecordKey::RunEvent(run, _) => return Some(commands.line(&format!("run events {run} --json"))),
        RecordKey::Artifact(run, _) => return Some(commands.line(&format!("run artifacts {run} --json"))),
        _ => return None,
    };
    Some(commands.line(&format!("ls {what} --filter {} --json", quoted(&filter))))
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
fn operand(text: &str) -> String {
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
        ids::{InvocationId, QueueName},
    };

    fn commands() -> CommandHints {
        CommandHints { globals: "--data './my show'".to_owned(), ..CommandHints::default() }
    }

    #[test]
    fn a_shell_and_the_filter_language_read_a_line_back() {
        let specs: &'static [Spec] = crate::mpp::EndedView::SPECS;
        for name in ["default", "the boss's", "a \"b\" \\ (c)", "x\ny", "$(reboot)"] {
            let line = list_command(&RecordKey::Queue(QueueName::new(name)), &commands()).unwrap();
            let words = shlex::split(&line).unwrap();
            assert_eq!(
                words[..6],
                ["rl-console", "--data", "./my show", "ls", "queues", "--filter"],
                "{line}"
            );
            assert_eq!((words.len(), words[7].as_str()), (8, "--json"));
            assert!(Filter::parse(&words[6], specs).is_ok(), "{line}");
        }
        let line = list_command(&RecordKey::Invocation(InvocationId(123)), &CommandHints::default()).unwrap();
        assert_eq!(
            shlex::split(&line).unwrap(),
            ["rl-console", "ls", "invocations", "--filter", "id=123", "--json"]
        );
        assert_eq!(list_command(&RecordKey::Notice(1), &commands()), None);
    }
}
