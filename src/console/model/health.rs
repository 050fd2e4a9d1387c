//! What a report of a system is made of: how it is, why, and what to do.

use std::borrow::Cow;

use crate::{
    console::{draw::class::Class, input::action::Action},
    port::health::Problem,
};

pub(crate) use crate::port::HealthStatus as Condition;

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
    /// Why, in two or three words: those of the first reason of that condition. Empty while it is healthy.
    pub(crate) word: String,
    pub(crate) lines: Vec<ReportLine>,
}

impl Report {
    pub(crate) fn new() -> Self {
        Self { condition: Condition::Ok, word: String::new(), lines: Vec::new() }
    }

    /// That of a system of which nothing is known yet.
    pub(crate) fn starting() -> Self {
        let mut report = Self::new();
        report.degrade(Condition::Degraded, "starting", "the station is starting".to_owned(), Vec::new());
        report
    }

    pub(crate) fn degrade(
        &mut self,
        condition: Condition,
        word: impl Into<String>,
        why: String,
        mut remedy: Vec<ReportLine>,
    ) {
        if condition > self.condition {
            (self.condition, self.word) = (condition, word.into());
        }
        self.lines.push(ReportLine::Reason(why));
        self.lines.append(&mut remedy);
    }

    /// Adds something that is amiss, with what to do about it.
    pub(crate) fn add<C>(&mut self, problem: Problem<C>, remedy: Vec<ReportLine>) {
        let Problem { status, word, reason, .. } = problem;
        self.degrade(status, word, reason, remedy);
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
