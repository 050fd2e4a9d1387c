//! Redis publish and subscribe, over TCP and over a Unix socket, in its own protocol. A publisher asks for no
//! answers (`CLIENT REPLY OFF`).

use std::{
    io::Write,
    path::{Path, PathBuf},
    process::Command,
    rc::Rc,
    time::Duration,
};

use color_eyre::eyre::{Result, bail, ensure};
use rl_console_benches::server::{self, Server, Start, Tree};

use crate::{
    stream::{Place, Stream},
    system::{Cut, Publisher, Subscriber, System, TOPIC, Tally, Template, Window},
};

const WINDOWS: &[Window] = &[Some(256), Some(1_024), Some(4_096), Some(16_384), None];
const START_MAX: Duration = Duration::from_secs(20);

/// A Redis server, reached in one of two ways.
pub(crate) struct Redis {
    name: &'static str,
    server: Rc<Server>,
    place: Place,
}

impl Redis {
    /// Starts `redis-server`, which keeps nothing on disk.
    ///
    /// # Errors
    /// It is there but does not start.
    pub(crate) fn start(folder: &Path) -> Result<Start<Self>> {
        let Some(program) = server::find("redis-server", &["/usr/bin/redis-server"]) else {
            return Ok(Start::Missing("redis-server".to_owned()));
        };
        let dir = folder.join("redis");
        std::fs::create_dir(&dir)?;
        let addr = server::spare_addr()?;
        let mut command = Command::new(program);
        command.args([
            "--port",
            &addr.port().to_string(),
            "--bind",
            "127.0.0.1",
            "--save",
            "",
            "--appendonly",
            "no",
        ]);
        command.arg("--dir").arg(&dir).arg("--unixsocket").arg(socket(folder));
        let mut server = Server::start(&mut command, &folder.join("redis.log"))?;
        server.wait_for(addr, START_MAX)?;
        Ok(Start::Running(Self { name: "redis", server: Rc::new(server), place: Place::Tcp(addr) }))
    }

    /// This server over its Unix socket.
    pub(crate) fn over_unix(&self, folder: &Path) -> Self {
        Self { name: "redis-unix", server: Rc::clone(&self.server), place: Place::Unix(socket(folder)) }
    }
}

fn socket(folder: &Path) -> PathBuf {
    folder.join("redis.sock")
}

fn command(words: &[&[u8]]) -> Vec<u8> {
    let mut bytes = format!("*{}\r\n", words.len()).into_bytes();
    for word in words {
        bytes.extend_from_slice(format!("${}\r\n", word.len()).as_bytes());
        bytes.extend_from_slice(word);
        bytes.extend_from_slice(b"\r\n");
    }
    bytes
}

/// What stands before the length of a message's body.
fn head(topic: &str) -> Vec<u8> {
    format!("*3\r\n$7\r\nmessage\r\n${}\r\n{topic}\r\n$", topic.len()).into_bytes()
}

impl System for Redis {
    fn name(&self) -> &'static str {
        self.name
    }

    fn tree(&self) -> Tree {
        self.server.tree()
    }

    fn windows(&self) -> &'static [Window] {
        WINDOWS
    }

    fn publisher(&self, body_bytes: usize) -> Result<Publisher> {
        let mut stream = Stream::connect(&self.place)?;
        stream.write_all(&command(&[b"CLIENT", b"REPLY", b"OFF"]))?;
        let unit = command(&[b"PUBLISH", TOPIC.as_bytes(), &vec![b'x'; body_bytes]]);
        let body_at = unit.len() - body_bytes - 2;
        let template = Template { unit, body_at, ..Template::default() };
        Ok(Publisher { stream, template, cut: Box::new(Replies { head: head(TOPIC) }) })
    }

    fn subscriber(&self, topic: &str, _: usize) -> Result<Subscriber> {
        let mut stream = Stream::connect(&self.place)?;
        stream.write_all(&command(&[b"SUBSCRIBE", topic.as_bytes()]))?;
        let answer = stream.read_until(|read| read.ends_with(b":1\r\n") || read.starts_with(b"-"))?;
        ensure!(!answer.starts_with(b"-"), "the server answered {}", String::from_utf8_lossy(&answer).trim());
        Ok(Subscriber { stream, cut: Box::new(Replies { head: head(topic) }) })
    }
}

/// `message`, topic and body, as an array of three.
struct Replies {
    head: Vec<u8>,
}

impl Cut for Replies {
    fn cut(&mut self, bytes: &[u8], tally: &mut Tally) -> Result<usize> {
        let mut done = 0;
        loop {
            let rest = &bytes[done..];
            let Some(behind) = rest.strip_prefix(&self.head[..]) else {
                if rest.len() >= self.head.len() || rest.starts_with(b"-") {
                    bail!("the server said {:?}", String::from_utf8_lossy(&rest[..rest.len().min(80)]));
                }
                return Ok(done);
            };
            let Some(digits) = behind.iter().position(|byte| *byte == b'\r') else { return Ok(done) };
            let len = behind[..digits]
                .iter()
                .fold(0, |len, digit| len * 10 + usize::from(digit.wrapping_sub(b'0')));
            let body_at = digits + 2;
            if behind.len() < body_at + len + 2 {
                return Ok(done);
            }
            tally.take(&behind[body_at..body_at + len]);
            done += self.head.len() + body_at + len + 2;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_messages_are_cut_and_a_part_is_left() {
        let mut body = [0; 16];
        body[0] = 3;
        let mut bytes = command(&[b"message", b"bench", &body]);
        let whole = bytes.len();
        bytes.extend_from_slice(b"*3\r\n$7\r\nmess");
        let (mut replies, mut tally) = (Replies { head: head("bench") }, Tally::from(3));
        assert_eq!(replies.cut(&bytes, &mut tally).unwrap(), whole);
        assert_eq!((tally.next, tally.amiss), (4, 0));
        assert!(replies.cut(b"-ERR no\r\n", &mut tally).is_err());
    }
}
