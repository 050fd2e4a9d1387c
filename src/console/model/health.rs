//! What a report of a system is made of: how it is, why, and what to do.

use std::borrow::Cow;

use crate::console::{draw::class::Class, input::action::Action};

/// How a system is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Condition {
    Healthy,
    Degraded,
    Down,
}

/// One line of a report.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum ReportLine {
    /// A figure or fact: its name, its value, and who may see that.
    Detail(&'static str, String, Class),
    /// Why it is not well.
    Reason(String),
    /// What to do about it.
    Instruction(String),
    /// A key to press, and what it does.
    KeyHint(Action, Cow<'static, str>),
    /// A subcommand to type.
    Command(Cow<'static, str>),
}

/// How a system is, and everything a person would ask next.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Report {
    pub(crate) condition: Condition,
    pub(crate) lines: Vec<ReportLine>,
}

impl Report {
    pub(crate) fn new() -> Self {
        Self { condition: Condition::Healthy, lines: Vec::new() }
    }

    pub(crate) fn degrade(&mut self, condition: Condition, why: String, mut remedy: Vec<ReportLine>) {
        self.condition = self.condition.max(condition);
        self.lines.push(ReportLine::Reason(why));
        self.lines.append(&mut remedy);
    }

    pub(crate) fn detail(&mut self, name: &'static str, value: impl Into<String>) {
        self.lines.push(ReportLine::Detail(name, value.into(), Class::Public));
    }
}

pub(crate) fn instruction(words: &str) -> ReportLine {
    ReportLine::Instruction(words.to_owned())
}

pub(crate) fn key_hint(action: Action, words: &'static str) -> ReportLine {
    ReportLine::KeyHint(action, Cow::Borrowed(words))
}

pub(crate) fn command(subcommand: impl Into<Cow<'static, str>>) -> ReportLine {
    ReportLine::Command(subcommand.into())
}
