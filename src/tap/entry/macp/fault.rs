//! Why a message is rejected (macp-v1, Error Codes).

use crate::tap::entry::names::names;

names! {
    /// What a client is told, in `MACPError.code`.
    Code {
        /// The version is not ours.
        UnsupportedProtocolVersion = "UNSUPPORTED_PROTOCOL_VERSION",
        /// The envelope or its payload is not well.
        InvalidEnvelope = "INVALID_ENVELOPE",
        /// There is no such session.
        SessionNotFound = "SESSION_NOT_FOUND",
        /// The session has ended.
        SessionNotOpen = "SESSION_NOT_OPEN",
        /// There is no such mode.
        ModeNotSupported = "MODE_NOT_SUPPORTED",
        /// It is not permitted.
        Forbidden = "FORBIDDEN",
        /// Who asks is not known.
        Unauthenticated = "UNAUTHENTICATED",
        /// It is an explicit duplicate.
        DuplicateMessage = "DUPLICATE_MESSAGE",
        /// The payload is too long.
        PayloadTooLarge = "PAYLOAD_TOO_LARGE",
        /// There are too many.
        RateLimited = "RATE_LIMITED",
    }
    /// What was found wrong, more finely than a client is told: the internal errors of the specification.
    Fault {
        /// `macp_version` is not "1.0".
        InvalidMacpVersion = "InvalidMacpVersion",
        /// A required field is missing, a payload is no message of its type, or the sender is no participant.
        InvalidEnvelope = "InvalidEnvelope",
        /// A `SessionStart` for a session that exists, with another message id.
        DuplicateSession = "DuplicateSession",
        /// The TTL is negative or longer than 24 h.
        InvalidTtl = "InvalidTtl",
        /// A mode's state cannot be read.
        InvalidModeState = "InvalidModeState",
        /// The payload is not what the mode expects.
        InvalidPayload = "InvalidPayload",
        /// There is no such session.
        UnknownSession = "UnknownSession",
        /// The session is resolved or expired.
        SessionNotOpen = "SessionNotOpen",
        /// The session's TTL has just been found to be over.
        TtlExpired = "TtlExpired",
        /// No mode has this name.
        UnknownMode = "UnknownMode",
        /// The operation is not permitted. Nothing here is (ruling MACP 8).
        Forbidden = "Forbidden",
        /// Authentication is required. It never is (ruling MACP 8).
        Unauthenticated = "Unauthenticated",
        /// An explicit duplicate, apart from the idempotent one. There is none (ruling MACP 8).
        DuplicateMessage = "DuplicateMessage",
        /// The payload is longer than `limits.macp.payload_bytes_max`.
        PayloadTooLarge = "PayloadTooLarge",
        /// Too many requests. There are never (ruling MACP 8).
        RateLimited = "RateLimited",
    }
}

impl Fault {
    /// The code that a client is told.
    #[must_use]
    pub const fn code(self) -> Code {
        match self {
            Self::InvalidMacpVersion => Code::UnsupportedProtocolVersion,
            Self::InvalidEnvelope
            | Self::DuplicateSession
            | Self::InvalidTtl
            | Self::InvalidModeState
            | Self::InvalidPayload => Code::InvalidEnvelope,
            Self::UnknownSession => Code::SessionNotFound,
            Self::SessionNotOpen | Self::TtlExpired => Code::SessionNotOpen,
            Self::UnknownMode => Code::ModeNotSupported,
            Self::Forbidden => Code::Forbidden,
            Self::Unauthenticated => Code::Unauthenticated,
            Self::DuplicateMessage => Code::DuplicateMessage,
            Self::PayloadTooLarge => Code::PayloadTooLarge,
            Self::RateLimited => Code::RateLimited,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The table of macp-v1, Error Codes, row by row.
    const TABLE: [(&str, &str); 15] = [
        ("UNSUPPORTED_PROTOCOL_VERSION", "InvalidMacpVersion"),
        ("INVALID_ENVELOPE", "InvalidEnvelope"),
        ("INVALID_ENVELOPE", "DuplicateSession"),
        ("INVALID_ENVELOPE", "InvalidTtl"),
        ("INVALID_ENVELOPE", "InvalidModeState"),
        ("INVALID_ENVELOPE", "InvalidPayload"),
        ("SESSION_NOT_FOUND", "UnknownSession"),
        ("SESSION_NOT_OPEN", "SessionNotOpen"),
        ("SESSION_NOT_OPEN", "TtlExpired"),
        ("MODE_NOT_SUPPORTED", "UnknownMode"),
        ("FORBIDDEN", "Forbidden"),
        ("UNAUTHENTICATED", "Unauthenticated"),
        ("DUPLICATE_MESSAGE", "DuplicateMessage"),
        ("PAYLOAD_TOO_LARGE", "PayloadTooLarge"),
        ("RATE_LIMITED", "RateLimited"),
    ];

    #[test]
    fn every_internal_error_has_the_code_of_its_row() {
        let found: Vec<_> = Fault::ALL.iter().map(|fault| (fault.code().name(), fault.name())).collect();
        assert_eq!(found, TABLE);
        assert_eq!(
            Code::ALL.len(),
            TABLE.iter().map(|(code, _)| code).collect::<std::collections::BTreeSet<_>>().len()
        );
    }
}
