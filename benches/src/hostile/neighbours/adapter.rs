//! An MPP adapter that works on one queue: pull, invocation, `applied` and `done`.

use std::{
    io::{BufRead, BufReader, Write},
    net::{SocketAddr, TcpStream},
    time::Duration,
};

use color_eyre::eyre::{Result, bail, ensure, eyre};
use rl_console_benches::paired::{Files, PACK_ID, QUEUES};
use serde_json::{Value, json};

use super::{ANSWER_MAX, Client};

pub(super) const EVERY: Duration = Duration::from_millis(20);
/// Rows that it takes at most.
pub(crate) const ROWS_PER_S: usize = 50;

pub(super) struct Adapter {
    addr: SocketAddr,
    hello: Value,
    stream: Option<BufReader<TcpStream>>,
    /// The last invocation: an id may come again only when it is this one.
    last: u64,
    applied: u64,
}

impl Adapter {
    pub(super) fn new(files: &Files, addr: SocketAddr) -> impl FnOnce() -> Result<Self> + use<> {
        let hello = json!({
            "mpp": 2, "type": "hello", "pack_id": PACK_ID,
            "manifest_hash": files.manifest_hash, "bridge_token": files.token,
        });
        move || Ok(Self { addr, hello, stream: None, last: 0, applied: 0 })
    }

    fn stream(&mut self) -> Result<&mut BufReader<TcpStream>> {
        self.stream.as_mut().ok_or_else(|| eyre!("the adapter is not connected"))
    }

    fn send(&mut self, lines: &str) -> Result<()> {
        Ok(self.stream()?.get_mut().write_all(lines.as_bytes())?)
    }

    fn receive(&mut self) -> Result<Value> {
        let mut line = String::new();
        ensure!(self.stream()?.read_line(&mut line)? > 0, "the bridge closed the connection");
        Ok(serde_json::from_str(&line)?)
    }
}

impl Client for Adapter {
    fn connect(&mut self) -> Result<()> {
        let stream = TcpStream::connect_timeout(&self.addr, ANSWER_MAX)?;
        stream.set_nodelay(true)?;
        stream.set_read_timeout(Some(ANSWER_MAX))?;
        stream.set_write_timeout(Some(ANSWER_MAX))?;
        self.stream = Some(BufReader::new(stream));
        self.send(&format!("{}\n", self.hello))?;
        let ack = self.receive()?;
        ensure!(ack["ok"] == true, "the bridge answered {ack}");
        Ok(())
    }

    fn turn(&mut self) -> Result<()> {
        self.send(&format!("{{\"mpp\":2,\"type\":\"pull\",\"queue\":\"{}\"}}\n", QUEUES[0]))?;
        loop {
            let frame = self.receive()?;
            match frame["type"].as_str() {
                Some("heartbeat") => {}
                Some("invocation") => {
                    let id = frame["id"].as_u64().ok_or_else(|| eyre!("an invocation without an id"))?;
                    // Rows are numbered one after the other, and nobody else takes any.
                    let is_next = self.last == 0 || id == self.last + 1;
                    let is_again = id == self.last && self.applied < id;
                    ensure!(is_next || is_again, "invocation {id} came after {}", self.last);
                    self.last = id;
                    return Ok(());
                }
                _ => bail!("the bridge sent {frame}"),
            }
        }
    }

    fn settle(&mut self) -> Result<()> {
        let id = self.last;
        self.send(&format!(
            "{{\"mpp\":2,\"type\":\"applied\",\"id\":{id},\"result\":null}}\n{{\"mpp\":2,\"type\":\"done\",\"id\":{id}}}\n"
        ))?;
        self.applied = id;
        Ok(())
    }
}
