//! A pack: what its manifest declares.

use std::{collections::BTreeMap, sync::Arc};

use super::{ManifestError, read};
use crate::{
    ids::{EventName, ManifestHash, PackId, QueueName, StateKey},
    mpp::{PackFacts, ReadyAfter},
    schema::{JsonText, Schema},
    words::nearest,
};

/// A pack whose manifest has no fault.
#[derive(Clone, Debug, PartialEq)]
pub struct Pack {
    /// Its reverse-DNS identifier.
    pub id: PackId,
    /// Its name for people.
    pub name: Arc<str>,
    /// Its version.
    pub version: Arc<str>,
    /// `sha256:` and the hex digits over the manifest's exact bytes. Schemas in files of their own are not
    /// part of it.
    pub hash: ManifestHash,
    /// Every queue.
    pub queues: BTreeMap<QueueName, Queue>,
    /// Every event; each one's queue is among [`queues`](Self::queues).
    pub events: BTreeMap<EventName, Event>,
    /// Every pack-state key.
    pub state: BTreeMap<StateKey, StateDecl>,
    /// Whether it is the embedded sample.
    pub is_sample: bool,
}

/// `[queues.<name>]`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Queue {
    /// When its slot is freed.
    pub ready_after: ReadyAfter,
}

/// `[events.<name>]`.
#[derive(Clone, Debug, PartialEq)]
pub struct Event {
    /// Where its invocations go unless another queue is asked for.
    pub queue: QueueName,
    /// Its name for people.
    pub title: Option<Arc<str>>,
    /// What its parameters must be, beside an object.
    pub schema: Option<Schema>,
}

/// `[state.<key>]`.
#[derive(Clone, Debug, PartialEq)]
pub struct StateDecl {
    /// Who may write it.
    pub writer: Writer,
    /// Whether its value is stored and replayed in `hello_ack`.
    pub persist: bool,
    /// What its value must be.
    pub schema: Option<Schema>,
}

/// Who writes a pack-state key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Writer {
    /// The adapter, by `state_write`.
    Adapter,
    /// The platform; a `state_write` to it is refused.
    Platform,
}

impl Pack {
    /// Reads a manifest. `files` yields the bytes of a schema by its path relative to the manifest's folder;
    /// it is asked once for each path.
    ///
    /// # Errors
    /// Every fault there is, in the order of their places.
    pub fn parse(
        text: &[u8],
        files: &mut dyn FnMut(&str) -> Result<Vec<u8>, String>,
    ) -> Result<Self, Vec<ManifestError>> {
        read::pack(text, files)
    }

    /// The embedded sample: two queues, five events and three state keys to try things out with.
    ///
    /// # Panics
    /// Never: a test reads the same bytes.
    #[must_use]
    pub fn sample() -> Self {
        let parsed =
            Self::parse(Self::SAMPLE_TOML, &mut |path| Err(format!("the sample has no file `{path}`")));
        let mut sample = parsed.expect("the sample that is compiled in was read by a test");
        sample.is_sample = true;
        sample
    }

    /// The manifest of [`sample`](Self::sample), byte for byte.
    pub const SAMPLE_TOML: &'static [u8] = include_bytes!("../sample/pack.toml");

    /// The facts shown of it.
    #[must_use]
    pub fn facts(&self) -> PackFacts {
        PackFacts {
            id: self.id.clone(),
            name: Arc::clone(&self.name),
            version: Arc::clone(&self.version),
            hash: self.hash.clone(),
            is_sample: self.is_sample,
        }
    }

    /// Judges the parameters of an event (mpp-v2, invocation: an object that its schema takes).
    ///
    /// # Errors
    /// The fault and where it is, as `<what> at <JSON pointer>`; or that there is no such event.
    pub fn check_params(&self, event: &EventName, params: &JsonText) -> Result<(), String> {
        match self.events.get(event) {
            Some(event) => event.check(params.as_str()),
            None => Err(format!("the pack has no event `{event}`")),
        }
    }

    /// The event whose name comes nearest to one that does not exist.
    #[must_use]
    pub fn nearest_event(&self, name: &str) -> Option<&EventName> {
        let near = nearest(name, self.events.keys().map(EventName::as_str))?;
        self.events.get_key_value(near).map(|(name, _)| name)
    }
}

impl Event {
    /// Judges parameters, given as JSON text.
    ///
    /// # Errors
    /// The fault and where it is.
    pub fn check(&self, params: &str) -> Result<(), String> {
        if !params.starts_with('{') {
            return Err("not an object at /".to_owned());
        }
        check(self.schema.as_ref(), params)
    }
}

impl StateDecl {
    /// Judges a value, given as JSON text.
    ///
    /// # Errors
    /// The fault and where it is.
    pub fn check(&self, value: &str) -> Result<(), String> {
        check(self.schema.as_ref(), value)
    }
}

/// Without a schema any JSON is taken. With one, JSON that is nested too deeply or has numbers that are too
/// large to be judged is not.
fn check(schema: Option<&Schema>, json: &str) -> Result<(), String> {
    let Some(schema) = schema else { return Ok(()) };
    let value =
        serde_json::from_str(json).map_err(|error| format!("it cannot be judged: {error} of the text"))?;
    schema.check(&value)
}
