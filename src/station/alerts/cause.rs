//! What an alert is of. Each system declares the kinds of its own.

use std::{borrow::Cow, sync::Arc};

use crate::{
    admission::Port,
    tap::entry::{
        Link,
        alerts::{Alert, AlertManner},
    },
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
    manner: AlertManner,
}

impl CauseKind {
    /// A cause that holds for some time.
    pub(crate) const fn new(name: &'static str, link: Link, part: &'static str) -> Self {
        Self { name, link, part, manner: AlertManner::Lasting }
    }

    /// A host that does not answer.
    pub(crate) const fn host_down(link: Link) -> Self {
        Self::new("host_down", link, link.name())
    }

    /// Connections of a port are turned away, one after another; the subject is the reason's name.
    pub(crate) const fn turned_away(link: Link, port: Port) -> Self {
        Self::new("turned_away", link, port.name())
    }

    /// One that happened, and is over once it was acknowledged.
    pub(crate) const fn once(self) -> Self {
        Self { manner: AlertManner::Once, ..self }
    }

    /// One that asks a person.
    pub(crate) const fn question(self) -> Self {
        Self { manner: AlertManner::Question, ..self }
    }

    /// Such a cause, of no one in particular.
    pub(crate) const fn cause(&'static self) -> Cause {
        Cause { kind: self, subject: Cow::Borrowed(self.part) }
    }

    /// Such a cause, of a peer or a queue.
    pub(crate) fn of(&'static self, subject: &str) -> Cause {
        Cause { kind: self, subject: Cow::Owned(subject.to_owned()) }
    }

    /// Whether an alert is of this kind.
    pub(crate) fn has(&self, alert: &Alert) -> bool {
        alert.link == self.link && *alert.name == *self.name
    }

    /// Its name for scripts, and the system whose it is.
    #[cfg(test)]
    pub(crate) const fn id(&self) -> (Link, &'static str) {
        (self.link, self.name)
    }
}

/// A fault, and whose it is. Two alerts of one cause never hold at the same time.
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

    /// Whether an alert is of it.
    pub(crate) fn is_of(&self, alert: &Alert) -> bool {
        alert.link == self.link() && *alert.name == *self.name() && *alert.subject == *self.subject
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

    /// How it comes and goes.
    pub(crate) const fn manner(&self) -> AlertManner {
        self.kind.manner
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
    /// Whether it is what an operator did.
    pub(crate) is_quiet: bool,
}

impl ActiveCause {
    pub(crate) fn new(cause: Cause, since: Now, text: impl Into<Arc<str>>) -> Self {
        Self { cause, since, text: text.into(), last: None, is_quiet: false }
    }
}
