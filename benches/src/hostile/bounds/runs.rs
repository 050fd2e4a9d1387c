//! Runs that wait for an agent that takes every request and answers none.

use std::{io::Write as _, os::unix::net::UnixStream, path::Path, time::Instant};

use color_eyre::eyre::{Result, ensure};
use rl_console_benches::rmp::{Value, control, frame_of, is, read};

use super::bus::{greeted, subscribe};

/// As the station has it when nothing is configured.
pub(super) const OPEN_MAX: usize = 256;
const CTRL_REQ: u16 = 2_001;
const AGENT_TOPIC: &str = "agent/sleeper";

/// Submits as many as are worked on at one time, all of which end at one moment; the
/// connection of their agent.
///
/// # Errors
/// One is rejected, or one more is not.
pub(super) fn submit(rmp: &Path, cycle: usize, ends_at: Instant) -> Result<UnixStream> {
    let mut stream = greeted(rmp, "runs")?;
    subscribe(&mut stream, ["rlp/ctrl", AGENT_TOPIC].map(str::to_owned).into_iter())?;
    for number in 0..=OPEN_MAX {
        let left_ms = ends_at.saturating_duration_since(Instant::now()).as_millis();
        let opening = format!(
            "version: 0\nname: bounds\npolicy: {{timeout_ms: {left_ms}}}\nnodes:\n  \
             - {{id: a, use: 'agent:sleeper', timeout_ms: {left_ms}}}\nedges: []\n"
        );
        let trace = fastrand::u128(..);
        let id = ((cycle as u64 + 1) << 32) + number as u64;
        let request =
            [("request_id", Value::Bytes(&trace.to_be_bytes())), ("opening_yaml", Value::Text(&opening))];
        let payload = [("RunSubmit", Value::Map(&request))];
        let mut unit =
            control("Publish", &[("topic", Value::Text("rlp/ctrl")), ("ack", Value::Bool(false))], id);
        unit.extend(frame_of(CTRL_REQ, "intent.ctrl.request.v1", Value::Map(&payload), id, trace));
        stream.write_all(&unit)?;
        let is_accepted = loop {
            let answer = read(&mut stream)?;
            if is(&answer, "RunAccepted") || is(&answer, "RunRejected") {
                break is(&answer, "RunAccepted");
            }
            ensure!(!is(&answer, "Error"), "the bus answered {:?}", String::from_utf8_lossy(&answer));
        };
        ensure!(is_accepted == (number < OPEN_MAX), "run {number}: accepted {is_accepted}");
    }
    Ok(stream)
}
