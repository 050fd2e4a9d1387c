//! What a peer is told when its frame is refused.

use super::Code;

/// What `Error.code` says: a name of the taxonomy, or one of the session layer (ruling RMP 1).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Refusal {
    /// The frame is at fault (rmp-v0 §7).
    Fault(Code),
    /// Its kind may not do that (rmp-v0 §11; ruling RMP 6).
    Forbidden,
    /// No topic, or no pattern (ruling RMP 5).
    InvalidTopic,
    /// There is no such subscription.
    NotSubscribed,
    /// No `Hello` first, or a token that is none of ours.
    Unauthorized,
    /// A limit is reached.
    Busy,
}

impl Refusal {
    /// Those of the session layer.
    pub const OF_SESSION: [Self; 5] =
        [Self::Forbidden, Self::InvalidTopic, Self::NotSubscribed, Self::Unauthorized, Self::Busy];

    /// The value of `code` on the wire.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Fault(code) => code.name(),
            Self::Forbidden => "Forbidden",
            Self::InvalidTopic => "InvalidTopic",
            Self::NotSubscribed => "NotSubscribed",
            Self::Unauthorized => "Unauthorized",
            Self::Busy => "Busy",
        }
    }

    /// The refusal with this name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Code::ALL.into_iter().map(Self::Fault).chain(Self::OF_SESSION).find(|refusal| refusal.name() == name)
    }

    /// The clause that it stands on.
    #[must_use]
    pub const fn clause(self) -> &'static str {
        match self {
            Self::Fault(code) => code.clause(),
            Self::Forbidden => "rmp-v0 §11, ruling RMP 6",
            Self::InvalidTopic => "ruling RMP 5",
            Self::NotSubscribed | Self::Unauthorized => "ruling RMP 1",
            Self::Busy => "ruling RMP 8",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_is_read_back() {
        for refusal in Code::ALL.into_iter().map(Refusal::Fault).chain(Refusal::OF_SESSION) {
            assert_eq!(Refusal::from_name(refusal.name()), Some(refusal));
        }
        assert_eq!(Refusal::from_name("Closed"), None);
    }
}
