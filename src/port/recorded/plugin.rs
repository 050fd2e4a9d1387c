//! The plugin host.

use std::sync::Arc;

use crate::{
    ids::PluginId,
    plugin::{
        AuditKind, PluginView, Snapshot,
        snapshot::{
            ActionView, AskedView, AuditView, Counts, DisabledView, LogView, PanelView, ReasonView,
            SessionView, SlotView, State, StreamView, Totals, UpView, WaitingView,
        },
    },
    tap::recorded::{DecodeError, Recorded, RecordedRow, recorded, wire},
    time::ClockShift,
};

recorded! {
    default struct Snapshot = PluginsView "plugin" { plugins, stream, totals }
    row PluginView by plugin: PluginId = PluginView "plugin" {
        about, installed_at, granted, state, process, pings, misses, restarts, last, memory_bytes,
        cpu_permille, panel, slots, log, asked, audit, actions, throttled_since, counts,
    }
    enum State = plugin_state::Kind, "plugin.state" in PluginState.kind {
        Stopped = Stopped,
        Starting = Starting,
        Up(up) = Up(up),
        Stopping = Stopping,
        Waiting(waiting) = Waiting(waiting),
        Disabled(disabled) = Disabled(disabled),
    }
    struct UpView = PluginUpView "up" { version, hooks, since, pid }
    struct WaitingView { until, nth } = PluginWaitingView "waiting" { until_ms: until, nth }
    struct DisabledView = PluginDisabledView "disabled" { cause, text }
    struct ReasonView = PluginReasonView "reason" { cause, text, at }
    struct PanelView = PluginPanelView "panel" { title, fields }
    row SlotView by slot: Arc<str> = PluginSlotView "slot" { value, at }
    struct LogView = PluginLogView "log" { number, at, level, source, text }
    struct AskedView { plugin, kind, at, until } = PluginAskedView "asked" {
        plugin, credential: kind, at, until_ms: until
    }
    struct AuditView = PluginAuditView "audit" { number, at, what, text }
    codes AuditKind = PluginAuditKind {
        Installed, Granted, Revoked, Asked, Decided, Handed, ValueSet, Enabled, Disabled,
    }
    row ActionView by call: u64 = PluginActionView "action" { action, at, trace }
    default struct StreamView = PluginStreamView "stream" { channel, live, sessions }
    row SessionView by id: Arc<str> = PluginSessionView "session" { by, upstream }
    default struct Totals = PluginTotals "totals" { chat_messages, ticks }
    default struct Counts = PluginCounts "counts" {
        frames_in, frames_out, bytes_in, bytes_out, requests, refused, lints, events_dropped, restarts,
        pings_missed, log_lines, audit_rows, notices, actions, events_sent, called, pings_answered, ping_us,
        throttled_us, lines_cut, lines_dropped,
    }
}

/// A ping that is shown: what is missing was missed.
impl Recorded<wire::PluginPingView> for Option<u64> {
    fn recorded(&self) -> wire::PluginPingView {
        wire::PluginPingView { us: *self }
    }

    fn live(it: wire::PluginPingView, _: &'static str, _: ClockShift) -> Result<Self, DecodeError> {
        Ok(it.us)
    }
}

/// What is counted by an index, such as that of a code; what a later version counts beyond is left out.
impl<const N: usize> Recorded<Vec<u64>> for [u64; N] {
    fn recorded(&self) -> Vec<u64> {
        self.to_vec()
    }

    fn live(it: Vec<u64>, _: &'static str, _: ClockShift) -> Result<Self, DecodeError> {
        let mut counts = [0; N];
        counts.iter_mut().zip(it).for_each(|(count, of)| *count = of);
        Ok(counts)
    }
}
