//! Which parts of the plugins' heads and transitions are texts.

use super::{About, Head, StreamChange, Transition};
use crate::tap::entry::texts::{Texts, texts};

texts! {
    Head {
        Self { plugin, method, id, code: _, is_answer: _ } => [plugin method id],
    }
    Transition {
        Self::Installed { plugin, about } => [plugin about],
        Self::Removed { plugin } | Self::Enabled { plugin } | Self::Stopping { plugin }
            | Self::Starting { plugin, process: _, restarts: _ } | Self::Pinged { plugin, us: _ }
            | Self::Missed { plugin, misses: _ } | Self::Unhealthy { plugin, cause: _ }
            | Self::Waiting { plugin, until: _, nth: _ } | Self::Disabled { plugin, cause: _ }
            | Self::Stopped { plugin, status: _ } | Self::Linted { plugin, lint: _ }
            | Self::Notified { plugin, level: _ } | Self::Logged { plugin, level: _, source: _ }
            | Self::Panel { plugin, fields: _ } | Self::EventsDropped { plugin, events: _ }
            | Self::Throttled { plugin, on: _ } | Self::LinesCut { plugin, cut: _, dropped: _ }
            | Self::Sampled { plugin, memory_bytes: _, cpu_permille: _ } => [plugin],
        Self::Granted { plugin, capabilities } => [plugin capabilities],
        Self::Revoked { plugin, capability } => [plugin capability],
        Self::Up { plugin, pid: _, version, hooks, start_us: _ } => [plugin version hooks],
        Self::Status { plugin, slot } => [plugin slot],
        Self::ValueSet { plugin, key } => [plugin key],
        Self::Asked { plugin, kind, until: _ } | Self::Decided { plugin, kind, decision: _ }
            | Self::Handed { plugin, kind } => [plugin kind],
        Self::ActionBegun { plugin, action, call: _ }
            | Self::ActionEnded { plugin, action, call: _, end: _, us: _ } => [plugin action],
        Self::Stream { change } => [change],
    }
    About {
        Self {
            name, version, author, description, folder, command, asks, is_networked: _, actions, slots,
            provides,
        } => [name version author description folder command asks actions slots provides],
    }
    StreamChange {
        Self::Channel { login } => [login],
        Self::Live { channels: _ } | Self::Chat { receivers: _ }
            | Self::ChatBatch { messages: _, receivers: _ } | Self::Tick => [],
        Self::Session { id, is_there: _ } => [id],
        Self::Upstream { plugin, id } => [plugin id],
    }
}

impl Texts for std::sync::Arc<About> {
    fn has_text(&self, is: impl Fn(&str) -> bool + Copy) -> bool {
        (**self).has_text(is)
    }

    fn mask_texts(&mut self, mask: &mut impl FnMut(&str) -> Option<String>) {
        std::sync::Arc::make_mut(self).mask_texts(mask);
    }
}
