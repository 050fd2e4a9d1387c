//! What peers break: the clause, its text in short, what was wrong, and what their authors do about it.

use super::{
    mpp::{refusal_remedy as refusal_remedy_of_hello, violation_remedy},
    plugin,
    rmp::refusal_remedy,
    table::CLAUSES,
};
use crate::{
    rmp::{Code, Refusal},
    tap::entry::{
        mpp::{ErrorCode, Fault, HelloReason, Violation},
        plugin::{Lint, Violation as PluginViolation},
    },
};

/// A breach by a peer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Breach {
    /// Its connection was ended by `protocol_error`.
    Protocol(ErrorCode, Violation),
    /// Its `hello` was refused.
    Hello(HelloReason),
    /// It sent no `hello` in time.
    HelloTimeout,
    /// It ended its connection by `protocol_error` itself.
    ByAdapter,
    /// A frame of it on the bus was refused.
    Bus(Refusal),
    /// It connected to the bus and said no `Hello` in time.
    BusHelloTimeout,
    /// A frame of a plugin ended its process.
    Plugin(PluginViolation),
    /// A plugin departed from the specification, and goes on.
    PluginLint(Lint),
}

const HELLO: &str = "mpp-v2, hello";
const VERSION: &str = "mpp-v2, version";
const REASONS: &str = "mpp-v2, hello_ack reasons";
const BY_ADAPTER: &str = "mpp-v2, protocol_error";

impl From<Fault> for Breach {
    fn from(fault: Fault) -> Self {
        match fault {
            Fault::Hello(reason) => Self::Hello(reason),
            Fault::Protocol { code, violation } => Self::Protocol(code, violation),
            Fault::ByAdapter => Self::ByAdapter,
        }
    }
}

impl Breach {
    /// All of them, by link; that of a field names `id`.
    pub(crate) fn all() -> impl Iterator<Item = Self> {
        let of_violation = |violation: Violation| Self::Protocol(violation.code(), violation);
        let of_bus = Code::ALL.into_iter().map(Refusal::Fault).chain(Refusal::OF_SESSION).map(Self::Bus);
        let of_handshake = HelloReason::ALL.map(Self::Hello).into_iter().chain([Self::HelloTimeout]);
        let of_bridge = of_handshake.chain(Violation::ALL.map(of_violation)).chain([Self::ByAdapter]);
        let of_plugins = PluginViolation::ALL.map(Self::Plugin).into_iter();
        let of_plugins = of_plugins.chain(Lint::ALL.map(Self::PluginLint));
        of_bridge.chain(of_bus).chain([Self::BusHelloTimeout]).chain(of_plugins)
    }

    /// The clause.
    pub(crate) const fn clause(self) -> &'static str {
        match self {
            Self::Protocol(_, violation) => violation.clause(),
            Self::Hello(HelloReason::UnsupportedMppVersion) => VERSION,
            Self::Hello(_) => REASONS,
            Self::HelloTimeout => HELLO,
            Self::ByAdapter => BY_ADAPTER,
            Self::Bus(refusal) => refusal.clause(),
            Self::BusHelloTimeout => Refusal::Unauthorized.clause(),
            Self::Plugin(violation) => plugin::violation_clause(violation),
            Self::PluginLint(lint) => plugin::lint_clause(lint),
        }
    }

    /// What was wrong.
    pub(crate) fn text(self) -> String {
        match self {
            Self::Protocol(code, violation) => format!("{}: {violation}", code.code()),
            Self::Hello(reason) => format!("hello refused: {}", reason.code()),
            Self::HelloTimeout => "no hello within 10 s".to_owned(),
            Self::BusHelloTimeout => "no Hello within 10 s".to_owned(),
            Self::Bus(Refusal::Fault(code)) => {
                format!("{}: {}", code.name(), code.says().trim_end_matches('.'))
            }
            Self::Bus(refusal) => refusal.name().to_owned(),
            Self::ByAdapter => "the adapter closed it with protocol_error".to_owned(),
            Self::Plugin(violation) => violation.text().to_owned(),
            Self::PluginLint(lint) => lint.text().to_owned(),
        }
    }

    /// What the author of the peer does about it; refused handshakes have remedies of their own.
    pub(crate) const fn remedy(self) -> Option<&'static str> {
        Some(match self {
            Self::Hello(_) => return None,
            Self::Bus(refusal) => refusal_remedy(refusal),
            Self::BusHelloTimeout => refusal_remedy(Refusal::Unauthorized),
            Self::HelloTimeout => "send hello as the first line, immediately after connecting, ended by LF",
            Self::ByAdapter => "read the adapter's log: the adapter itself gave up",
            Self::Protocol(_, violation) => violation_remedy(violation),
            Self::Plugin(violation) => plugin::violation_remedy(violation),
            Self::PluginLint(lint) => plugin::lint_remedy(lint),
        })
    }
}

impl Breach {
    /// Its heading in the list of [all](Self::all), without marks: one of a field names `id` there.
    pub(crate) fn heading(self) -> String {
        let named = match self {
            Self::Protocol(code, Violation::Missing(_)) => Self::Protocol(code, Violation::Missing("id")),
            Self::Protocol(code, Violation::Mistyped(_)) => Self::Protocol(code, Violation::Mistyped("id")),
            other => other,
        };
        named.text().replace('`', "")
    }

    /// What the author of the peer does about it, in a sentence.
    pub(crate) fn remedy_text(self) -> String {
        match (self, self.remedy()) {
            (_, Some(remedy)) => remedy.to_owned(),
            (Self::Hello(reason), None) => match refusal_remedy_of_hello(reason) {
                (text, Some(subcommand)) => format!("{text} `rl-console {subcommand}`"),
                (text, None) => text.to_owned(),
            },
            (_, None) => String::new(),
        }
    }
}

/// A clause and its text. A ruling is known to this program alone: its text is all there is.
pub(crate) fn clause_with_text(clause: &str) -> String {
    if clause.starts_with("ruling ") {
        clause_text(clause).to_owned()
    } else {
        format!("{clause}: {}", clause_text(clause))
    }
}

/// What a clause is called where there is no room for its text.
pub(crate) fn clause_name(clause: &str) -> &str {
    match clause.split_once(", ruling ") {
        Some((specified, _)) => specified,
        None if clause.starts_with("ruling RMP") => "the bus's rules",
        None if clause.starts_with("ruling Plugins") => "the plugin host's rules",
        None if clause.starts_with("ruling ") => "the bridge's rules",
        None => clause,
    }
}

/// The text of a clause, in short.
pub(crate) fn clause_text(clause: &str) -> &'static str {
    CLAUSES.into_iter().find_map(|text_of| text_of(clause)).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_clause_has_a_text_and_every_breach_a_remedy() {
        for breach in Breach::all() {
            assert!(!clause_text(breach.clause()).is_empty(), "{}", breach.clause());
            assert!(breach.remedy().is_some() || matches!(breach, Breach::Hello(_)));
        }
    }
}
