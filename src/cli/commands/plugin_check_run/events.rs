//! The events, as the table has them (streamnook-host, Events).

use serde_json::{Value, json};

use super::{serve, subject::Subject};
use crate::plugin::capability::Hook;

/// Plausible params of an event.
pub(super) fn params(hook: Hook, subject: &Subject) -> Value {
    match hook {
        Hook::OnStreamStart => json!({"channel": serve::channel()}),
        Hook::OnStreamStop => json!({"channel_id": "1"}),
        Hook::OnChannelChange => json!({"channel_id": "1", "login": "ada"}),
        Hook::OnWatchTick => json!({"active_channel_id": null, "ts": "2026-01-01T00:01:00Z"}),
        Hook::OnFollowedLive => json!({"channels": [serve::channel()]}),
        Hook::OnChatMessage => json!({"channel": "ada", "message": {"id": "m1", "user_id": "2",
            "login": "bob", "display_name": "Bob", "color": null,
            "badges": [{"name": "subscriber", "version": "1"}], "text": "hello \u{1f600}",
            "is_action": false, "msg_type": null, "system_message": null, "bits": null,
            "ts": "2026-01-01T00:00:30Z"}}),
        Hook::OnSettingsChange => json!({"keys": []}),
        Hook::OnPanelChange => json!({"values": serve::values(subject)}),
    }
}
