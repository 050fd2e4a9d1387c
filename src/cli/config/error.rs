//! Why a configuration is refused.

use std::fmt;

/// One thing that is wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ConfigFault {
    /// `file:line:column`, the flag, or the variable.
    pub(crate) location: String,
    /// The fault there.
    pub(crate) what: String,
    /// What to do.
    pub(crate) hint: String,
}

/// Why the configuration cannot be used: every fault that was found, one at least.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ConfigError {
    pub(crate) faults: Vec<ConfigFault>,
}

impl ConfigError {
    /// What to do; where several things are wrong each says it itself.
    pub(crate) fn hint(&self) -> String {
        match self.faults.as_slice() {
            [only] => only.hint.clone(),
            _ => LISTED.to_owned(),
        }
    }
}

/// Where every key is told; it reads no file that could be wrong.
pub(super) const LISTED: &str = "`rl-console config show --defaults` lists every key";

impl From<ConfigFault> for ConfigError {
    fn from(fault: ConfigFault) -> Self {
        Self { faults: vec![fault] }
    }
}

impl std::error::Error for ConfigError {}

impl fmt::Display for ConfigError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let [only] = self.faults.as_slice() {
            return only.fmt(f);
        }
        write!(f, "the configuration has {} errors", self.faults.len())?;
        self.faults.iter().try_for_each(|fault| write!(f, "\n  {fault} ({})", fault.hint))
    }
}

impl fmt::Display for ConfigFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.location, self.what)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn several_faults_are_counted_and_each_is_told() {
        let fault = |place: &str| ConfigFault {
            location: place.to_owned(),
            what: "no".to_owned(),
            hint: "mend it".to_owned(),
        };
        assert_eq!(ConfigError::from(fault("a")).to_string(), "a: no");
        let both = ConfigError { faults: vec![fault("a"), fault("b")] };
        assert_eq!(both.to_string(), "the configuration has 2 errors\n  a: no (mend it)\n  b: no (mend it)");
    }
}
