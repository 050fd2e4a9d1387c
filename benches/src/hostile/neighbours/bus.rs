//! A publisher and a subscriber of the bus: each message is to arrive.

use std::{
    io::Write,
    os::unix::net::UnixStream,
    path::{Path, PathBuf},
    time::Duration,
};

use color_eyre::eyre::{Result, bail, ensure, eyre};
use rl_console_benches::rmp::{MSG_ID, OBSERVATION, Value, control, frame, is, read};

use super::{ANSWER_MAX, Client};

pub(super) const EVERY: Duration = Duration::from_millis(5);
const TOPIC: &str = "neighbour/work";
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

    fn greeted(&self, client: &str) -> Result<UnixStream> {
        let mut stream = UnixStream::connect(&self.path)?;
        stream.set_read_timeout(Some(ANSWER_MAX))?;
        stream.set_write_timeout(Some(ANSWER_MAX))?;
        let hello =
            [("v", Value::Number(1)), ("client", Value::Text(client)), ("kind", Value::Text("agent"))];
        stream.write_all(&control("Hello", &hello, 1))?;
        let answer = read(&mut stream)?;
        ensure!(is(&answer, "Welcome"), "the bus answered {:?}", String::from_utf8_lossy(&answer));
        Ok(stream)
    }
}

impl Client for Bus {
    fn connect(&mut self) -> Result<()> {
        let (publisher, mut subscriber) = (self.greeted("publisher")?, self.greeted("subscriber")?);
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
