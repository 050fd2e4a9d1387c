//! A frame of the workbench as the text of a snippet.

use serde::Serialize;

use crate::{
    dissect::{
        frame_json::{Breakage, may_hold_secret, without_secrets},
        snippets::{Expected, Snippet, SnippetDoor, SnippetLink},
    },
    words::hex,
};

/// A snippet that is to be written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct UnwrittenSnippet {
    pub(crate) about: String,
    pub(crate) link: SnippetLink,
    pub(crate) door: SnippetDoor,
    pub(crate) as_kind: Option<&'static str>,
    pub(crate) topic: Option<String>,
    pub(crate) rpc: Option<&'static str>,
    pub(crate) breakages: Vec<Breakage>,
    pub(crate) frame: UncheckedFrame,
    /// What was foreseen of it.
    pub(crate) expect: Option<Expected>,
}

/// Its frame, of which it is not known yet whether it holds a secret.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum UncheckedFrame {
    Json(String),
    Bytes(Vec<u8>),
}

/// It as it is written.
#[derive(Serialize)]
struct Written<'a> {
    about: &'a str,
    link: &'a str,
    door: &'a str,
    #[serde(rename = "as", skip_serializing_if = "Option::is_none")]
    as_kind: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    topic: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    rpc: Option<&'a str>,
    #[serde(rename = "break", skip_serializing_if = "Vec::is_empty")]
    breakages: Vec<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    json: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    hex: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    expect: Option<&'a Expected>,
}

impl UnwrittenSnippet {
    /// Its text, for the file of a name.
    ///
    /// # Errors
    /// Why there is none, for a person.
    pub(crate) fn text(&self, name: &str) -> Result<String, String> {
        let (json, hex) = match &self.frame {
            UncheckedFrame::Json(text) => {
                let text = without_secrets(text);
                (Some(text.ok_or("it may hold a token, which is never saved")?), None)
            }
            UncheckedFrame::Bytes(bytes) if may_hold_secret(bytes) => {
                return Err("its bytes may hold a token, which is never saved".to_owned());
            }
            UncheckedFrame::Bytes(bytes) => (None, Some(hex(bytes))),
        };
        let written = Written {
            about: &self.about,
            link: self.link.name(),
            door: self.door.name(),
            as_kind: self.as_kind,
            topic: self.topic.as_deref(),
            rpc: self.rpc,
            breakages: self.breakages.iter().map(|it| it.name()).collect(),
            json,
            hex,
            expect: self.expect.as_ref(),
        };
        let text = toml::to_string_pretty(&written).map_err(|error| error.to_string())?;
        // What is saved can be read again.
        Snippet::read(name, &text).map_err(|fault| fault.what)?;
        Ok(text)
    }
}
