//! A publisher and a subscriber of the bus: each message is to arrive.

use std::{
    io::Write,
    os::unix::net::UnixStream,
    path::{Path, PathBuf},
    time::Duration,
};

use color_eyre::eyre::{Result, bail, ensure, eyre};
use rl_console_benches::rmp::{self, MSG_ID, OBSERVATION, Value, control, frame, is, read};

use super::{ANSWER_MAX, Client};

pub(super) const EVERY: Duration = Duration::from_millis(5);
const TOPIC: &str = "neighbour/work";
/// Nobody subscribes to it.
const TAP_TOPIC: &str = "neighbour/tap";
/// Messages that fill the tap, each of which is two entries, and how many are acknowledged at once.
const TAP_MESSAGES: u64 = 81_920;
const TAP_BATCH: u64 = 64;
const TAP_BODY: &[u8] = &[b'x'; 320];
const BODY: &[u8] = &[b'x'; 128];

pub(super) struct Bus {
    path: PathBuf,
    connections: Option<(UnixStream, UnixStream)>,
    sent: u64,
}

impl Bus {
    pub(super) fn new(path: &Path) -> impl FnOnce() -> Result<Self> + use<> {
        let path = path.to_owned();
        move || Ok(Self { path, connections: None, sent: 0 })
    }
}

fn greeted(path: &Path, client: &str) -> Result<UnixStream> {
    Ok(rmp::greeted(path, client, ANSWER_MAX)?)
}

/// Publishes as much as the station's tap keeps, in bytes (32 MiB) and in entries (131,072).
///
/// # Errors
/// The bus refuses it.
pub(crate) fn fill_tap(path: &Path) -> Result<()> {
    let mut publisher = greeted(path, "publisher")?;
    for batch in 0..TAP_MESSAGES / TAP_BATCH {
        let mut units = Vec::new();
        for id in batch * TAP_BATCH..(batch + 1) * TAP_BATCH {
            let is_last = id + 1 == (batch + 1) * TAP_BATCH;
            units.extend(control(
                "Publish",
                &[("topic", Value::Text(TAP_TOPIC)), ("ack", Value::Bool(is_last))],
                id,
            ));
            units.extend(frame(OBSERVATION, "observation.generic.v1", Value::Bytes(TAP_BODY), 1 << 40 | id));
        }
        publisher.write_all(&units)?;
        let answer = read(&mut publisher)?;
        ensure!(is(&answer, "Ok"), "the bus answered {:?}", String::from_utf8_lossy(&answer));
    }
    Ok(())
}

impl Client for Bus {
    fn connect(&mut self) -> Result<()> {
        let (publisher, mut subscriber) =
            (greeted(&self.path, "publisher")?, greeted(&self.path, "subscriber")?);
        let subscribe = [("sub", Value::Number(1)), ("topic", Value::Text(TOPIC))];
        subscriber.write_all(&control("Subscribe", &subscribe, 2))?;
        let answer = read(&mut subscriber)?;
        ensure!(is(&answer, "Ok"), "the bus answered {:?}", String::from_utf8_lossy(&answer));
        self.connections = Some((publisher, subscriber));
        Ok(())
    }

    fn turn(&mut self) -> Result<()> {
        self.sent += 1;
        let (publisher, subscriber) =
            self.connections.as_mut().ok_or_else(|| eyre!("the bus is not connected"))?;
        let mut unit =
            control("Publish", &[("topic", Value::Text(TOPIC)), ("ack", Value::Bool(false))], self.sent);
        unit.extend(frame(OBSERVATION, "observation.generic.v1", Value::Bytes(BODY), self.sent));
        publisher.write_all(&unit)?;
        let deliver = read(subscriber)?;
        if !is(&deliver, "Deliver") {
            bail!("the bus sent {:?}", String::from_utf8_lossy(&deliver));
        }
        let message = read(subscriber)?;
        let id = message.get(MSG_ID..MSG_ID + 8).unwrap_or_default();
        ensure!(id == self.sent.to_be_bytes(), "message {id:02x?} came in place of {}", self.sent);
        Ok(())
    }
}
