//! Why a configuration is refused.

/// Why the configuration cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{place}: {what}")]
pub(crate) struct ConfigError {
    /// `file:line:column`, the flag, or the variable.
    pub(crate) place: String,
    /// What is wrong there.
    pub(crate) what: String,
    /// What to do.
    pub(crate) hint: String,
}
