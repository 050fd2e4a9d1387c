//! Reports on stderr: one object for scripts, lines for people.

use std::io;

use serde::Serialize;

use super::{config::ConfigError, error::Error, reach::Reach, run_error::RunError, table::visible};
use crate::words::escaped_json;

/// What goes to stderr with `--json`.
#[derive(Serialize)]
struct Report<'a> {
    error: Body<'a>,
}

#[derive(Serialize)]
struct Body<'a> {
    code: &'a str,
    message: String,
    hint: String,
    /// The bytes of a filter that are meant.
    #[serde(skip_serializing_if = "Option::is_none")]
    at: Option<[usize; 2]>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    lines: Vec<Line<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    findings: Vec<Finding<'a>>,
}

/// One of the lines of a stream that were refused.
#[derive(Serialize)]
struct Line<'a> {
    #[serde(rename = "line")]
    number: u64,
    code: &'a str,
    message: String,
}

/// One of several faults of a configuration.
#[derive(Serialize)]
struct Finding<'a> {
    place: &'a str,
    message: &'a str,
    hint: &'a str,
}

impl Error {
    /// The lines that were refused.
    fn lines(&self) -> Vec<Line<'_>> {
        let Self::Lines { refused, .. } = self else { return Vec::new() };
        let line = |error: &'_ Self| match error {
            Self::Line { line, cause, .. } => Some((*line, cause.code(), cause.to_string())),
            _ => None,
        };
        refused
            .iter()
            .filter_map(line)
            .map(|(number, code, message)| Line { number, code, message })
            .collect()
    }

    /// Where a filter cannot be read.
    fn at(&self) -> Option<[usize; 2]> {
        match self {
            Self::Filter(error) => Some([error.fault.at.start, error.fault.at.end]),
            _ => None,
        }
    }

    /// The faults of a configuration that has more than one.
    fn findings(&self) -> Vec<Finding<'_>> {
        match self {
            Self::Config(ConfigError { faults }) if faults.len() > 1 => faults
                .iter()
                .map(|fault| Finding { place: &fault.location, message: &fault.what, hint: &fault.hint })
                .collect(),
            _ => Vec::new(),
        }
    }
}

/// The error as it goes to stderr, without the last line break.
pub(crate) fn rendered(error: &Error, json: bool, reach: &Reach) -> String {
    let (message, hint) = (error.to_string(), reach.text(&error.hint()).into_owned());
    let message = reach.text(&message).into_owned();
    if json {
        let body = Body {
            code: error.code(),
            message,
            hint,
            at: error.at(),
            lines: error.lines(),
            findings: error.findings(),
        };
        return escaped_json(serde_json::to_string(&Report { error: body }).unwrap_or_default());
    }
    // A filter and a configuration are the user's own, and are told of in several lines, as an opening is
    // that may be an agent's. Texts of peers can be a part of all other messages too: a line break in one
    // begins no line that looks like ours.
    let shown = |text: &str| match error {
        Error::Filter(_) | Error::Config(_) => visible_lines(text, ""),
        Error::Run(RunError::Rejected { .. }) => visible_lines(text, CONTINUED),
        _ => visible(text),
    };
    let hint = if hint.is_empty() { hint } else { format!("\n  hint: {}", shown(&hint)) };
    format!("error: {}{hint}", shown(&message))
}

/// What stands before further lines with texts of peers: more than before a hint.
const CONTINUED: &str = "    ";

/// Line breaks stay, other control characters are made visible; further lines are indented at least so far.
fn visible_lines(text: &str, indent: &str) -> String {
    let mut lines = text.split('\n').map(visible);
    let first = lines.next().unwrap_or_default();
    lines.fold(first, |all, line| {
        let missing = indent.get(line.len() - line.trim_start_matches(' ').len()..).unwrap_or_default();
        format!("{all}\n{missing}{line}")
    })
}

/// Something that is done all the same, and may not be what was meant.
#[derive(Debug, Serialize)]
pub(crate) struct Warning {
    /// The machine-readable code.
    pub(crate) code: &'static str,
    /// What it is.
    pub(crate) message: String,
    /// What to do about it.
    pub(crate) hint: String,
}

/// Warns on stderr: people in words, scripts by one object.
pub(crate) fn print_warning(warning: &Warning, json: bool) {
    #[derive(Serialize)]
    struct Line {
        warning: Warning,
    }
    if json {
        let reached = |text: &str| Reach::own().text(text).into_owned();
        let Warning { code, message, hint } = warning;
        let warning = Warning { code, message: reached(message), hint: reached(hint) };
        let text = escaped_json(serde_json::to_string(&Line { warning }).unwrap_or_default());
        write_line(&text);
    } else {
        print_note(&format!("warning: {}", warning.message));
        print_note(&format!("  hint: {}", warning.hint));
    }
}

/// Tells people something on stderr that is no error of the whole.
pub(crate) fn print_note(text: &str) {
    write_line(&Reach::own().text(&visible(text)));
}

/// Tells people something that they must not overlook; in the colour of warnings where the terminal has any.
pub(crate) fn print_marked(text: &str, is_coloured: bool) {
    let text = visible(text);
    write_line(&if is_coloured { format!("\x1b[1;33m{text}\x1b[0m") } else { text });
}

/// Tells people something whose commands have their flags already.
pub(crate) fn print_exact(text: &str) {
    write_line(&visible(text));
}

/// With nobody there to read it, nothing is lost.
fn write_line(text: &str) {
    use io::Write as _;
    writeln!(io::stderr().lock(), "{text}").unwrap_or_default();
}

/// Says on stderr why it did not work; with nobody there to read it, nothing is lost.
pub(crate) fn report(error: &Error, json: bool, reach: &Reach) {
    use io::Write as _;
    let mut stderr = io::stderr().lock();
    writeln!(stderr, "{}", rendered(error, json, reach)).unwrap_or_default();
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{mpp::Refusal, port::PortError};

    #[test]
    fn scripts_get_one_object_and_people_get_a_hint() {
        let error = Error::from(PortError::Refused(Refusal::UnknownEvent {
            event: "give_itme".into(),
            nearest: Some("give_item".into()),
        }));
        assert_eq!(
            rendered(&error, true, &Reach::default()),
            r#"{"error":{"code":"unknown_event","message":"the pack has no event `give_itme`","hint":"did you mean `give_item`?"}}"#
        );
        assert_eq!(
            rendered(&error, false, &Reach::default()),
            "error: the pack has no event `give_itme`\n  hint: did you mean `give_item`?"
        );
    }

    #[test]
    fn a_peers_text_forges_no_line_and_steers_nothing() {
        let error = Error::from(PortError::Refused(Refusal::UnknownEvent {
            event: "x`\n  hint: run this\u{202e}\u{9b}2J".into(),
            nearest: None,
        }));
        let shown = rendered(&error, false, &Reach::default());
        assert!(shown.contains("x`␊  hint: run this<202e><9b>2J"), "{shown}");
        assert_eq!(shown.lines().filter(|line| line.contains("run this")).count(), 1);
        let json = rendered(&error, true, &Reach::default());
        assert!(json.contains(r"x`\n  hint: run this\u202e\u009b2J"), "{json}");
    }

    #[test]
    fn an_agents_opening_forges_no_hint() {
        let reason =
            "the opening has faults:\n  a.yaml:3: `x`\n  hint: run this\nerror: \u{1b}[2Jno\n      deep";
        let error = Error::from(RunError::Rejected { reason: reason.to_owned(), is_opening: true });
        let shown = rendered(&error, false, &Reach::default());
        let lines: Vec<&str> = shown.lines().collect();
        assert_eq!(
            lines[1..5],
            ["    a.yaml:3: `x`", "    hint: run this", "    error: ␛[2Jno", "      deep"]
        );
        assert!(lines[5].starts_with("  hint: check the opening with `rl-console opening check"), "{shown}");
    }

    #[test]
    fn a_hints_commands_reach_the_same_station() {
        let error = Error::usage("no", "`rl-console ls runs` lists them, `rl-console trace ID` draws one");
        let wanted = "`rl-console --data ./friday ls runs` lists them, `rl-console --data ./friday trace ID` draws one";
        let reach = Reach { station: "--data ./friday ".to_owned(), ..Reach::default() };
        assert_eq!(rendered(&error, false, &reach), format!("error: no\n  hint: {wanted}"));
        assert!(rendered(&error, true, &reach).contains(wanted));
    }
}
