//! The plugin: this program again, as the child of both sides. It counts events by the headers of their
//! frames, answers what must be answered, and makes requests when it is told to.

use std::{
    io::{Read as _, Write as _},
    os::unix::net::UnixStream,
};

use memchr::memmem;
use rl_console::time::Clock;
use rustix::{
    event::{PollFd, PollFlags, poll},
    stdio::{stdin, stdout},
};

use crate::Result;

/// The first argument of a child.
pub(crate) const MODE: &str = "--child";
/// Events between two reports of how many there were.
pub(crate) const REPORT_EVERY: u64 = 256;
/// What is set in a count of events, and not in the nanoseconds of a request.
pub(crate) const COUNT: u64 = 1 << 63;

const READ_BYTES: usize = 65_536;
const EVENT: &[u8] = br#"{"jsonrpc":"2.0","method":"on_chat_message""#;
const REQUEST: &[u8] = br#"{"jsonrpc":"2.0","id":"#;
const TRIP: &[u8] = br#"{"jsonrpc":"2.0","id":"trip","method":"get_followed_live","params":{}}"#;
const TRIP_ANSWER: &[u8] = br#"{"jsonrpc":"2.0","id":"trip""#;

/// What came.
enum Frame {
    Event,
    Answer,
    Other,
}

struct Child {
    control: UnixStream,
    clock: Clock,
    /// What was read and not looked at.
    input: Vec<u8>,
    events: u64,
    reported: u64,
    is_over: bool,
}

/// Is the child of this name until it is asked to exit, or its stdin ends.
pub(crate) fn run(socket: &str, name: &str) -> Result<()> {
    let mut control = UnixStream::connect(socket)?;
    control.write_all(format!("{name} {}\n", std::process::id()).as_bytes())?;
    let mut child =
        Child { control, clock: Clock::start(), input: Vec::new(), events: 0, reported: 0, is_over: false };
    while !child.is_over {
        let (pipe, socket) = {
            let mut ends = [
                PollFd::from_borrowed_fd(stdin(), PollFlags::IN),
                PollFd::new(&child.control, PollFlags::IN),
            ];
            poll(&mut ends, None)?;
            (!ends[0].revents().is_empty(), !ends[1].revents().is_empty())
        };
        if pipe {
            child.read()?;
            child.take_all()?;
        }
        if socket {
            let mut count = [0; 8];
            if child.control.read_exact(&mut count).is_err() {
                // The benchmark needs it no more.
                return Ok(());
            }
            child.trips(u64::from_le_bytes(count))?;
        }
    }
    Ok(())
}

impl Child {
    fn read(&mut self) -> Result<()> {
        let before = self.input.len();
        self.input.resize(before + READ_BYTES, 0);
        let read = rustix::io::read(stdin(), &mut self.input[before..])?;
        self.input.truncate(before + read);
        self.is_over |= read == 0;
        Ok(())
    }

    /// Looks at the frames that are here whole; whether the answer to a request of its own was among them.
    fn take_all(&mut self) -> Result<bool> {
        let input = std::mem::take(&mut self.input);
        let (mut start, mut is_answered) = (0, false);
        while let Some((head, body)) = frame(&input[start..]) {
            match self.take(&input[start + head..start + head + body])? {
                Frame::Event => self.events += 1,
                Frame::Answer => is_answered = true,
                Frame::Other => {}
            }
            start += head + body;
        }
        self.input = input;
        self.input.drain(..start);
        if self.events / REPORT_EVERY > self.reported / REPORT_EVERY {
            self.reported = self.events;
            self.control.write_all(&(self.events | COUNT).to_le_bytes())?;
        }
        Ok(is_answered)
    }

    fn take(&mut self, body: &[u8]) -> Result<Frame> {
        if body.starts_with(EVENT) {
            return Ok(Frame::Event);
        }
        if body.starts_with(TRIP_ANSWER) {
            return Ok(Frame::Answer);
        }
        if let Some(rest) = body.strip_prefix(REQUEST) {
            let end = rest.iter().position(|byte| *byte == b',').unwrap_or_default();
            let (id, rest) = rest.split_at(end);
            answer(id, rest)?;
        } else {
            self.is_over |= memmem::find(body, br#""method":"exit""#).is_some();
        }
        Ok(Frame::Other)
    }

    /// Makes so many requests, one behind the other.
    fn trips(&mut self, count: u64) -> Result<()> {
        let request = framed(TRIP);
        for _ in 0..count {
            let began = self.clock.mono();
            write_all(&request)?;
            while !self.is_over {
                self.read()?;
                if self.take_all()? {
                    break;
                }
            }
            let took = u64::try_from(self.clock.mono().since(began).as_nanos()).unwrap_or(u64::MAX);
            self.control.write_all(&took.to_le_bytes())?;
        }
        Ok(())
    }
}

/// Answers a request of the host; a long one with as many bytes.
fn answer(id: &[u8], rest: &[u8]) -> Result<()> {
    let result = if rest.len() > READ_BYTES {
        format!(r#"{{"pad":"{}"}}"#, "y".repeat(rest.len() - 100)).into_bytes()
    } else if memmem::find(rest, br#""method":"initialize""#).is_some() {
        br#"{"plugin_version":"1.0.0","hooks":["on_chat_message"]}"#.to_vec()
    } else {
        b"{}".to_vec()
    };
    write_all(&framed(&[REQUEST, id, br#","result":"#, &result, b"}"].concat()))
}

/// Bytes of the headers and of the body of the first frame, where it is here whole.
pub(crate) fn frame(input: &[u8]) -> Option<(usize, usize)> {
    announced(input).filter(|(head, body)| input.len() >= head + body)
}

/// Bytes that the first frame lacks.
pub(crate) fn lacking(input: &[u8]) -> usize {
    announced(input).map_or(0, |(head, body)| (head + body).saturating_sub(input.len()))
}

fn announced(input: &[u8]) -> Option<(usize, usize)> {
    let end = memmem::find(input, b"\r\n\r\n")?;
    let length = input[..end].strip_prefix(b"Content-Length: ")?;
    let length = length.iter().fold(0, |sum, digit| sum * 10 + usize::from(digit - b'0'));
    Some((end + 4, length))
}

/// A body behind its headers.
pub(crate) fn framed(body: &[u8]) -> Vec<u8> {
    let mut frame = Vec::with_capacity(body.len() + 32);
    let _ = write!(frame, "Content-Length: {}\r\n\r\n", body.len());
    frame.extend_from_slice(body);
    frame
}

fn write_all(mut bytes: &[u8]) -> Result<()> {
    while !bytes.is_empty() {
        let written = rustix::io::write(stdout(), bytes)?;
        bytes = &bytes[written..];
    }
    Ok(())
}
