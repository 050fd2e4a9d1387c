//! Core NATS, over TCP, in its own protocol.

use std::{io::Write, path::Path, process::Command, time::Duration};

use color_eyre::eyre::{Result, bail};
use rl_console_benches::server::{self, Server, Start, Tree};

use crate::{
    library::Library,
    stream::{Place, Stream},
    system::{Cut, Publisher, Subscriber, System, TOPIC, Tally, Template, Window},
};

const WINDOWS: &[Window] = &[Some(256), Some(1_024), Some(4_096), Some(16_384), None];
const START_MAX: Duration = Duration::from_secs(20);
const CONNECT: &str =
    r#"CONNECT {"verbose":false,"pedantic":false,"lang":"bench","version":"0","protocol":1}"#;

/// A NATS server.
pub(crate) struct Nats {
    server: Server,
    place: Place,
}

impl Nats {
    /// Starts `nats-server` as it comes.
    ///
    /// # Errors
    /// It is there but does not start.
    pub(crate) fn start(folder: &Path) -> Result<Start<Self>> {
        let Some(program) = server::find("nats-server", &["/usr/sbin/nats-server"]) else {
            return Ok(Start::Missing("nats-server".to_owned()));
        };
        let addr = server::spare_addr()?;
        let mut command = Command::new(program);
        command.args(["--addr", "127.0.0.1", "--port", &addr.port().to_string()]);
        let mut server = Server::start(&mut command, &folder.join("nats.log"))?;
        server.wait_for(addr, START_MAX)?;
        Ok(Start::Running(Self { server, place: Place::Tcp(addr) }))
    }

    /// Where it listens, as its client crate takes it.
    pub(crate) fn url(&self) -> String {
        match &self.place {
            Place::Tcp(addr) => addr.to_string(),
            Place::Unix(path) => path.display().to_string(),
        }
    }

    /// Connects, says `then`, and waits until the server has taken it.
    fn connect(&self, then: &str) -> Result<Stream> {
        let mut stream = Stream::connect(&self.place)?;
        stream.read_until(|read| read.ends_with(b"\r\n"))?;
        stream.write_all(format!("{CONNECT}\r\n{then}PING\r\n").as_bytes())?;
        let answer = stream.read_until(|read| read.ends_with(b"PONG\r\n") || read.starts_with(b"-ERR"))?;
        if answer.starts_with(b"-ERR") {
            bail!("the server answered {}", String::from_utf8_lossy(&answer).trim());
        }
        Ok(stream)
    }
}

impl System for Nats {
    fn name(&self) -> &'static str {
        "nats"
    }

    fn tree(&self) -> Tree {
        self.server.tree()
    }

    fn windows(&self) -> &'static [Window] {
        WINDOWS
    }

    fn library(&self) -> Option<&dyn Library> {
        Some(self)
    }

    fn publisher(&self, body_bytes: usize) -> Result<Publisher> {
        let mut unit = format!("PUB {TOPIC} {body_bytes}\r\n").into_bytes();
        let body_at = unit.len();
        unit.resize(body_at + body_bytes, b'x');
        unit.extend_from_slice(b"\r\n");
        let template = Template { unit, body_at, ..Template::default() };
        Ok(Publisher { stream: self.connect("")?, template, cut: Box::new(Lines) })
    }

    fn subscriber(&self, topic: &str, _: usize) -> Result<Subscriber> {
        Ok(Subscriber { stream: self.connect(&format!("SUB {topic} 1\r\n"))?, cut: Box::new(Lines) })
    }
}

/// `MSG topic sid bytes` and the body, each with a line's end.
struct Lines;

impl Cut for Lines {
    fn cut(&mut self, bytes: &[u8], tally: &mut Tally) -> Result<usize> {
        let mut done = 0;
        while let Some(line) = bytes[done..].iter().position(|byte| *byte == b'\n') {
            let body_at = done + line + 1;
            let line = bytes[done..body_at].trim_ascii_end();
            if !line.starts_with(b"MSG ") {
                if line.starts_with(b"-ERR") {
                    bail!("the server said {}", String::from_utf8_lossy(line));
                }
                // INFO, or a PING: a round ends long before the server would miss the answer.
                done = body_at;
                continue;
            }
            let digits = line.iter().rev().take_while(|byte| byte.is_ascii_digit()).count();
            let len =
                line[line.len() - digits..].iter().fold(0, |len, digit| len * 10 + usize::from(digit - b'0'));
            let Some(body) = bytes.get(body_at..body_at + len) else { break };
            let end = body_at + len + 2;
            if bytes.len() < end {
                break;
            }
            tally.take(body);
            done = end;
        }
        Ok(done)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_messages_are_cut_and_a_part_is_left() {
        let mut bytes = b"INFO {}\r\nPING\r\nMSG bench 1 16\r\n".to_vec();
        bytes.extend_from_slice(&[3, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
        bytes.extend_from_slice(b"\r\nMSG bench 1 16\r\nxx");
        let mut tally = Tally::from(3);
        assert_eq!(Lines.cut(&bytes, &mut tally).unwrap(), bytes.len() - 18);
        assert_eq!((tally.next, tally.amiss), (4, 0));
        assert!(Lines.cut(b"-ERR 'Slow Consumer'\r\n", &mut tally).is_err());
    }
}
