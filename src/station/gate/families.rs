//! The gate's metrics.

use crate::{
    gate::Gate,
    station::metrics::{
        Family,
        Kind::{Counter, Gauge},
    },
    tap::entry::gate::Passing,
    time::Now,
};

/// What it counts.
pub(in crate::station) fn families(gate: &Gate, now: Now) -> Vec<Family> {
    let (left_counts, passed_full) = gate.left_counts();
    let left = Passing::ALL.iter().zip(left_counts).map(|(how, count)| (how.name().to_owned(), count));
    vec![
        Family::new("rl_console_gate_rules", Gauge, "Rules armed at the gate.")
            .of(gate.rules(now).len() as u64),
        Family::new("rl_console_gate_held_frames", Gauge, "Frames held at the gate.")
            .of(gate.held().len() as u64),
        Family::new("rl_console_gate_frames_total", Counter, "Frames that left the gate, by how they left.")
            .by("how", left),
        Family::new(
            "rl_console_gate_full_frames_total",
            Counter,
            "Frames that passed because the gate was full (limits.gate.intercepted_max, intercepted_bytes_max).",
        )
        .of(passed_full),
    ]
}
