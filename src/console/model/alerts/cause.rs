//! What an alert is of. Each system declares the kinds of its own.

use std::{borrow::Cow, sync::Arc};

use crate::{
    admission::{Port, TurnedAway},
    console::model::{
        health::{ReportLine, command, instruction},
        station::StationState,
    },
    tap::entry::Link,
    time::Now,
};

/// A kind of cause, as its system declares it.
#[derive(Debug)]
pub(crate) struct CauseKind {
    /// Its name for scripts.
    name: &'static str,
    /// The system whose chip it lights.
    link: Link,
    /// The part of the station that it concerns, where it is of no one in particular.
    part: &'static str,
    manner: Manner,
    /// Whether the system's report does not know of it otherwise.
    is_news: bool,
    /// Whether what to do about it is of use once it has passed.
    has_lasting_remedy: bool,
    /// The text once it has passed, where that is not what was told before.
    resolved_text: Option<&'static str>,
    remedy: fn(&Cause, &StationState) -> Vec<ReportLine>,
}

/// How a cause comes and goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Manner {
    /// It holds until it holds no more.
    Lasting,
    /// It happened, and is over once it was seen.
    Once,
    /// It asks a person, is listed beside the alerts, and is not put away among them.
    Question,
}

impl CauseKind {
    /// A cause that holds for some time.
    pub(crate) const fn new(
        name: &'static str,
        link: Link,
        part: &'static str,
        remedy: fn(&Cause, &StationState) -> Vec<ReportLine>,
    ) -> Self {
        let (is_news, has_lasting_remedy, resolved_text) = (false, false, None);
        Self { name, link, part, manner: Manner::Lasting, is_news, has_lasting_remedy, resolved_text, remedy }
    }

    /// A host that does not answer.
    pub(crate) const fn host_down(link: Link, remedy: fn(&Cause, &StationState) -> Vec<ReportLine>) -> Self {
        Self::new("host_down", link, link.name(), remedy)
    }

    /// Connections of a port are turned away, one after another; the subject is the reason's name.
    pub(crate) const fn turned_away(link: Link, port: Port) -> Self {
        let remedy = |cause: &Cause, _: &StationState| {
            let why = TurnedAway::from_name(cause.subject()).map(|why| instruction(why.remedy()));
            why.into_iter().chain(["ls clients", "ls health"].map(command)).collect()
        };
        Self::new("turned_away", link, port.name(), remedy).news()
    }

    /// One that happened, and is over once it was seen.
    pub(crate) const fn once(self) -> Self {
        Self { manner: Manner::Once, ..self }
    }

    /// One that asks a person; `resolved_text` is told once nothing is asked, where it is not known how the
    /// last question ended.
    pub(crate) const fn question(self, resolved_text: &'static str) -> Self {
        Self { manner: Manner::Question, resolved_text: Some(resolved_text), ..self }
    }

    /// One that the system's report knows by its alert alone.
    pub(crate) const fn news(self) -> Self {
        Self { is_news: true, ..self }
    }

    /// One whose remedy is of use once it has passed.
    pub(crate) const fn with_lasting_remedy(self) -> Self {
        Self { has_lasting_remedy: true, ..self }
    }

    /// Such a cause, of no one in particular.
    pub(crate) const fn cause(&'static self) -> Cause {
        Cause { kind: self, subject: Cow::Borrowed(self.part) }
    }

    /// Such a cause, of a peer or a queue.
    pub(crate) fn of(&'static self, subject: &str) -> Cause {
        Cause { kind: self, subject: Cow::Owned(subject.to_owned()) }
    }
}

/// A fault, and whose it is. Two alerts of one cause never stand at the same time.
#[derive(Clone, Debug)]
pub(crate) struct Cause {
    kind: &'static CauseKind,
    subject: Cow<'static, str>,
}

impl PartialEq for Cause {
    fn eq(&self, other: &Self) -> bool {
        self.is(other.kind) && self.subject == other.subject
    }
}

impl Eq for Cause {}

impl Cause {
    /// Whether it is of a kind.
    pub(crate) fn is(&self, kind: &'static CauseKind) -> bool {
        std::ptr::eq(self.kind, kind)
    }

    /// Its name for scripts.
    pub(crate) const fn name(&self) -> &'static str {
        self.kind.name
    }

    /// Whom it concerns: a queue, a peer, a part of the station.
    pub(crate) fn subject(&self) -> &str {
        &self.subject
    }

    /// The system whose chip it lights.
    pub(crate) const fn link(&self) -> Link {
        self.kind.link
    }

    /// Whether it asks a person.
    pub(crate) fn is_question(&self) -> bool {
        self.kind.manner == Manner::Question
    }

    /// Whether it is over once it was seen.
    pub(super) fn is_over_when_seen(&self) -> bool {
        self.kind.manner == Manner::Once
    }

    /// Whether the system's report does not know of it otherwise.
    pub(super) const fn is_news(&self) -> bool {
        self.kind.is_news
    }

    /// The text once it has passed, where that is not what was told before.
    pub(super) const fn resolved_text(&self) -> Option<&'static str> {
        self.kind.resolved_text
    }

    /// Whether what to do about it is of use once it has passed.
    pub(crate) const fn has_lasting_remedy(&self) -> bool {
        self.kind.has_lasting_remedy
    }

    /// What to do about it as things are now.
    pub(crate) fn remedy(&self, state: &StationState) -> Vec<ReportLine> {
        (self.kind.remedy)(self, state)
    }
}

/// A cause that holds now.
#[derive(Clone, Debug)]
pub(crate) struct ActiveCause {
    pub(crate) cause: Cause,
    /// Since when; where it names one of several records, since when that one.
    pub(crate) since: Now,
    pub(crate) text: Arc<str>,
    /// The place of the last record, where there may be several.
    pub(crate) last: Option<u64>,
}

impl ActiveCause {
    pub(crate) fn new(cause: Cause, since: Now, text: impl Into<Arc<str>>) -> Self {
        Self { cause, since, text: text.into(), last: None }
    }
}
