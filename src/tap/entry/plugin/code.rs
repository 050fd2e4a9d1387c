//! The codes of JSON-RPC errors that the host answers with (streamnook-plugin-v1, Errors).

use crate::tap::entry::names::names;

names! {
    /// Why the host refuses what a plugin sent.
    Code {
        /// The body is no JSON, or no UTF-8.
        ParseError = "parse_error",
        /// The JSON is no envelope of JSON-RPC 2.0.
        InvalidRequest = "invalid_request",
        /// The host has no such method.
        MethodNotFound = "method_not_found",
        /// The params are not those of the method.
        InvalidParams = "invalid_params",
        /// The host could not do it.
        InternalError = "internal_error",
        /// The method or kind of credential is not granted.
        CapabilityDenied = "capability_denied",
        /// The operator declined, or revoked the grant.
        ConsentDenied = "consent_denied",
        /// No relay session has this id.
        UnknownStream = "unknown_stream",
        /// Too many calls.
        RateLimited = "rate_limited",
        /// The host is shutting down.
        ShuttingDown = "shutting_down",
        /// No credential of that kind can be had.
        CredentialUnavailable = "credential_unavailable",
    }
}

impl Code {
    /// Its number on the wire.
    #[must_use]
    pub const fn number(self) -> i64 {
        match self {
            Self::ParseError => -32_700,
            Self::InvalidRequest => -32_600,
            Self::MethodNotFound => -32_601,
            Self::InvalidParams => -32_602,
            Self::InternalError => -32_603,
            Self::CapabilityDenied => -32_000,
            Self::ConsentDenied => -32_001,
            Self::UnknownStream => -32_002,
            Self::RateLimited => -32_003,
            Self::ShuttingDown => -32_004,
            Self::CredentialUnavailable => -32_005,
        }
    }

    /// The code of this number.
    #[must_use]
    pub fn of_number(number: i64) -> Option<Self> {
        Self::ALL.into_iter().find(|code| code.number() == number)
    }

    /// Whether the host defines it: its error carries `data {name, retry_after_ms}` (ruling Plugins 5).
    #[must_use]
    pub const fn is_host_defined(self) -> bool {
        matches!(self.number(), -32_005..=-32_000)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The tables of streamnook-plugin-v1, Errors.
    const TABLE: [(i64, &str); 11] = [
        (-32_700, "parse_error"),
        (-32_600, "invalid_request"),
        (-32_601, "method_not_found"),
        (-32_602, "invalid_params"),
        (-32_603, "internal_error"),
        (-32_000, "capability_denied"),
        (-32_001, "consent_denied"),
        (-32_002, "unknown_stream"),
        (-32_003, "rate_limited"),
        (-32_004, "shutting_down"),
        (-32_005, "credential_unavailable"),
    ];

    #[test]
    fn each_code_has_the_number_of_its_row_and_six_are_the_hosts() {
        let found: Vec<_> = Code::ALL.iter().map(|code| (code.number(), code.name())).collect();
        assert_eq!(found, TABLE);
        assert_eq!(Code::ALL.iter().filter(|code| code.is_host_defined()).count(), 6);
        assert!(Code::ALL.iter().all(|code| Code::of_number(code.number()) == Some(*code)));
        assert_eq!(Code::of_number(-32_006), None);
    }
}
