//! A credential that is handed to plugins.

use std::fmt;

use serde::Deserialize;

/// A credential, as `get_credential` hands it over. Its token is never printed.
#[derive(Clone, PartialEq, Eq, Deserialize)]
pub struct Credential {
    /// The secret.
    pub token: String,
    /// The client that it was issued to.
    #[serde(default)]
    pub client_id: Option<String>,
    /// Whose it is.
    #[serde(default)]
    pub user_id: Option<String>,
    /// The device that it was issued to.
    #[serde(default)]
    pub device_id: Option<String>,
    /// When it expires, as its source says.
    #[serde(default)]
    pub expires_at: Option<serde_json::Value>,
}

impl fmt::Debug for Credential {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Credential").finish_non_exhaustive()
    }
}
