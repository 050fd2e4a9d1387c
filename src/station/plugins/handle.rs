//! The way to the plugin host: what is asked of it.

use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::Notify;

use crate::{
    ids::Seq,
    plugin::{
        self,
        host::{AskError, Guards, PluginHandle},
    },
    port::PortError,
    station::host::host_down,
    tap::entry::Link,
};

/// The way to the plugin host of a station.
#[derive(Debug, Default)]
pub(in crate::station) struct Plugins {
    state: Mutex<HostState>,
    /// The guards of the plugins that run.
    pub(in crate::station) guards: Guards,
    /// Told when plugins are to end at once.
    pub(in crate::station) kill: Arc<Notify>,
}

#[derive(Debug, Default)]
pub(super) enum HostState {
    #[default]
    Starting,
    Up(PluginHandle),
    Down(String),
}

impl Plugins {
    pub(super) fn set(&self, state: HostState) {
        *self.state.lock().unwrap_or_else(PoisonError::into_inner) = state;
    }

    /// The way to it, where it is up.
    pub(in crate::station) fn handle(&self) -> Result<PluginHandle, PortError> {
        let down = |why: &str| host_down(Link::Plugin, why);
        match &*self.state.lock().unwrap_or_else(PoisonError::into_inner) {
            HostState::Starting => Err(down("it has not started yet")),
            HostState::Up(handle) => Ok(handle.clone()),
            HostState::Down(why) => Err(down(why)),
        }
    }

    /// What holds of it, and the last entry that this includes. Where it is down there is nothing.
    pub(in crate::station) fn snapshot(&self) -> (Seq, plugin::Snapshot) {
        self.handle().ok().and_then(|handle| handle.snapshot()).unwrap_or_default()
    }
}

/// Why the host did not answer, as the port has it.
pub(in crate::station) fn not_asked(error: AskError) -> PortError {
    match error {
        AskError::Busy => PortError::Busy { what: "the request queue of the plugin host".to_owned() },
        AskError::Ended => host_down(Link::Plugin, &error.to_string()),
    }
}
