//! Frames over stdin and stdout (streamnook-plugin-v1, Transport), from the plugin's side.

use std::{collections::VecDeque, io, time::Duration};

use rustix::{
    event::{PollFd, PollFlags, Timespec, poll},
    io::{Errno, read, write},
    stdio::{stdin, stdout},
};
use serde_json::Value;

/// What a pipe takes without waiting, once it says that it has room.
const WRITE_BYTES: usize = 4_096;
/// Bytes that are read at one time.
const READ_BYTES: usize = 65_536;

/// Both pipes. One thread serves them, and waits for whichever is ready.
#[derive(Debug, Default)]
pub(super) struct Wire {
    incoming: Vec<u8>,
    outgoing: VecDeque<u8>,
    /// Whether the host has closed stdin.
    pub(super) is_at_end: bool,
    /// Whether stdout was closed, here or there.
    pub(super) is_closed: bool,
    /// Whether stdin is left alone.
    pub(super) is_deaf: bool,
}

impl Wire {
    /// Queues a message.
    pub(super) fn send(&mut self, message: &Value) {
        let body = message.to_string();
        self.send_bytes(format!("Content-Length: {}\r\n\r\n{body}", body.len()).as_bytes());
    }

    /// Queues bytes as they are.
    pub(super) fn send_bytes(&mut self, bytes: &[u8]) {
        if !self.is_closed {
            self.outgoing.extend(bytes);
        }
    }

    /// Bytes that wait to be written.
    pub(super) fn waiting(&self) -> usize {
        self.outgoing.len()
    }

    /// Reads and writes what can be, after waiting for at most so long; nothing waits for ever.
    pub(super) fn turn(&mut self, wait: Option<Duration>) -> io::Result<()> {
        let (reads, writes) = (!self.is_deaf && !self.is_at_end, !self.outgoing.is_empty());
        let wait = wait.map(|wait| Timespec {
            tv_sec: i64::try_from(wait.as_secs()).unwrap_or(i64::MAX),
            tv_nsec: i64::from(wait.subsec_nanos()),
        });
        // One without an interest would be reported at its end, again and again.
        let mut ends = Vec::with_capacity(2);
        ends.extend(reads.then(|| PollFd::from_borrowed_fd(stdin(), PollFlags::IN)));
        ends.extend(writes.then(|| PollFd::from_borrowed_fd(stdout(), PollFlags::OUT)));
        match poll(&mut ends, wait.as_ref()) {
            Ok(_) | Err(Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
        let mut states = ends.iter().map(|end| !end.revents().is_empty());
        let (can_read, can_write) =
            (reads && states.next().unwrap_or(false), writes && states.next().unwrap_or(false));
        drop(states);
        if can_read {
            self.read()?;
        }
        if can_write {
            self.write()?;
        }
        Ok(())
    }

    fn read(&mut self) -> io::Result<()> {
        let mut bytes = vec![0; READ_BYTES];
        match read(stdin(), &mut bytes) {
            Ok(0) => self.is_at_end = true,
            Ok(count) => self.incoming.extend_from_slice(bytes.get(..count).unwrap_or_default()),
            Err(Errno::INTR | Errno::AGAIN) => {}
            Err(error) => return Err(error.into()),
        }
        Ok(())
    }

    fn write(&mut self) -> io::Result<()> {
        let (front, _) = self.outgoing.as_slices();
        match write(stdout(), front.get(..WRITE_BYTES).unwrap_or(front)) {
            Ok(count) => drop(self.outgoing.drain(..count)),
            Err(Errno::INTR | Errno::AGAIN) => {}
            Err(Errno::PIPE) => {
                self.is_closed = true;
                self.outgoing.clear();
            }
            Err(error) => return Err(error.into()),
        }
        Ok(())
    }

    /// Writes all that waits.
    pub(super) fn flush(&mut self) -> io::Result<()> {
        let was_deaf = std::mem::replace(&mut self.is_deaf, true);
        while !self.outgoing.is_empty() {
            self.turn(None)?;
        }
        self.is_deaf = was_deaf;
        Ok(())
    }

    /// Closes stdout for whom reads it.
    pub(super) fn close_stdout(&mut self) -> io::Result<()> {
        self.flush()?;
        let null = std::fs::File::create("/dev/null")?;
        rustix::stdio::dup2_stdout(&null)?;
        self.is_closed = true;
        Ok(())
    }

    /// The next message that is here whole.
    pub(super) fn receive(&mut self) -> io::Result<Option<Value>> {
        let end = self.incoming.windows(4).position(|bytes| bytes == b"\r\n\r\n");
        let Some(end) = end else { return Ok(None) };
        let bad = |what: &str| io::Error::new(io::ErrorKind::InvalidData, what.to_owned());
        let headers = String::from_utf8_lossy(self.incoming.get(..end).unwrap_or_default()).into_owned();
        let mut length = None;
        for line in headers.split("\r\n") {
            let (name, value) = line.split_once(':').ok_or_else(|| bad("a header without a colon"))?;
            if name.eq_ignore_ascii_case("content-length") {
                length =
                    Some(value.trim().parse::<usize>().map_err(|_| bad("a length that is not a number"))?);
            }
        }
        let length = length.ok_or_else(|| bad("a frame without a length"))?;
        let (start, end) = (end + 4, end + 4 + length);
        let Some(body) = self.incoming.get(start..end) else { return Ok(None) };
        let message = serde_json::from_slice(body).map_err(io::Error::from)?;
        self.incoming.drain(..end);
        Ok(Some(message))
    }
}
