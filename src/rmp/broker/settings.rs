//! What a broker is made of.

use std::{fmt, sync::Arc};

use sha2::{Digest, Sha256};

use crate::{admission::Tally, limits, rmp::Registry, tap::entry::rmp::Kind};

/// What a broker is made of.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Every bound.
    pub limits: limits::Rmp,
    /// The schemas there are.
    pub registry: Registry,
    /// What sessions show for more than an agent's rights.
    pub tokens: Tokens,
    /// What the broker calls itself in `Welcome`.
    pub server: Arc<str>,
    /// Whether the station runs a control plane: it takes requests, decisions and what agents answer (see
    /// `topic::Class::is_heard`).
    pub has_station_inbox: bool,
    /// The counters of who is turned away; they outlive the broker.
    pub tally: Tally,
}

/// The SHA-256 of the three tokens; one that is absent is nobody's (ruling RMP 6).
#[derive(Clone, Default)]
pub struct Tokens {
    /// Makes `ui` or `tui`, as its session asks.
    pub operator: Option<[u8; 32]>,
    /// Makes `viewer`.
    pub viewer: Option<[u8; 32]>,
    /// Makes `cue`.
    pub cue: Option<[u8; 32]>,
}

impl Tokens {
    /// The hash that a token is compared by.
    #[must_use]
    pub fn hash(token: &str) -> [u8; 32] {
        Sha256::digest(token.as_bytes()).into()
    }

    /// The kind of a session that asks for `asked` by its name. Without a token it is an agent whatever it
    /// asks for; a token that is none of ours gives nothing.
    #[must_use]
    pub fn kind(&self, asked: &str, token: Option<&str>) -> Option<Kind> {
        let Some(token) = token else { return Some(Kind::Agent) };
        let presented = Self::hash(token);
        let is = |ours: &Option<[u8; 32]>| ours.as_ref().is_some_and(|ours| same(ours, &presented));
        // All three are compared, so that the time taken tells nothing.
        let (operator, viewer, cue) = (is(&self.operator), is(&self.viewer), is(&self.cue));
        match Kind::from_name(asked) {
            Some(kind) if operator && kind.is_operator() => Some(kind),
            _ if operator => Some(Kind::Agent),
            _ if viewer => Some(Kind::Viewer),
            _ if cue => Some(Kind::Cue),
            _ => None,
        }
    }
}

impl fmt::Debug for Tokens {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Tokens(…)")
    }
}

/// Compares in a time that does not depend on where they differ.
fn same(a: &[u8; 32], b: &[u8; 32]) -> bool {
    a.iter().zip(b).fold(0, |differ, (a, b)| differ | (a ^ b)) == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_makes_the_kind_and_not_what_is_asked_for() {
        let tokens = Tokens {
            operator: Some(Tokens::hash("o")),
            viewer: Some(Tokens::hash("v")),
            cue: Some(Tokens::hash("c")),
        };
        let cases = [
            ("ui", None, Some(Kind::Agent)),
            ("station", None, Some(Kind::Agent)),
            ("ui", Some("o"), Some(Kind::Ui)),
            ("tui", Some("o"), Some(Kind::Tui)),
            ("agent", Some("o"), Some(Kind::Agent)),
            ("station", Some("o"), Some(Kind::Agent)),
            ("tui", Some("v"), Some(Kind::Viewer)),
            ("tui", Some("c"), Some(Kind::Cue)),
            ("tui", Some("x"), None),
            ("agent", Some(""), None),
        ];
        for (asked, token, kind) in cases {
            assert_eq!(tokens.kind(asked, token), kind, "{asked} {token:?}");
        }
        assert_eq!(Tokens::default().kind("ui", Some("")), None);
    }
}
