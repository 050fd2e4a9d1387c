//! The panel, with all field types.

use serde_json::{Value, json};

/// The params of `register_panel`.
pub(super) fn params() -> Value {
    json!({"schema": {"title": "Simulated plugin", "sections": [
        {"label": "Values", "description": "One field of each type", "fields": [
            {"type": "toggle", "key": "enabled", "label": "Enabled", "default": true},
            {"type": "number", "key": "count", "label": "Count", "min": 0, "max": 10, "step": 1, "default": 3},
            {"type": "select", "key": "quality", "label": "Quality", "default": "best", "options": [
                {"value": "best", "label": "Best"}, {"value": "low", "label": "Low"}
            ]},
            {"type": "text", "key": "greeting", "label": "Greeting", "default": "hello",
                "placeholder": "a greeting"},
            {"type": "slider", "key": "volume", "label": "Volume", "min": 0, "max": 100, "step": 5,
                "default": 50, "unit": "%", "display_divisor": 1}
        ]},
        {"label": "Lists and folders", "fields": [
            {"type": "string_list", "key": "words", "label": "Words", "default": ["one", "two"]},
            {"type": "channel_list", "key": "channels", "label": "Channels", "default": [
                {"channel_id": "1", "channel_login": "ada", "display_name": "Ada"}
            ]},
            {"type": "folder", "key": "folder", "label": "Folder", "default": ""}
        ]}
    ]}})
}
