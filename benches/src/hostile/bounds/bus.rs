//! Readers of the bus and who publishes to them.

use std::{
    io::{ErrorKind, Read as _, Write as _},
    os::unix::net::UnixStream,
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

use color_eyre::eyre::{Result, ensure, eyre};
use rl_console_benches::rmp::{self, OBSERVATION, Value, control, frame, is, read};

/// As the station has them when nothing is configured.
pub(super) const CONNECTIONS_MAX: usize = 1_024;
const TOPICS_MAX: usize = 16_384;

const ANSWER_MAX: Duration = Duration::from_secs(20);
/// A turn over all readers in which nothing came.
const LOOK_EVERY: Duration = Duration::from_millis(1);
/// Messages of one write.
const MESSAGES: usize = 64;
const BODY: &[u8] = &[b'x'; 128];

/// A session of an agent.
///
/// # Errors
/// It is not taken.
pub(super) fn greeted(path: &Path, client: &str) -> Result<UnixStream> {
    Ok(rmp::greeted(path, client, ANSWER_MAX)?)
}

/// Subscribes, and waits for the `Ok`s.
///
/// # Errors
/// One is refused.
pub(super) fn subscribe(stream: &mut UnixStream, topics: impl Iterator<Item = String>) -> Result<()> {
    let (mut asked, mut count) = (Vec::new(), 0);
    for (sub, topic) in (1..).zip(topics) {
        let fields = [("sub", Value::Number(sub)), ("topic", Value::Text(&topic))];
        asked.extend(control("Subscribe", &fields, 1 + sub));
        count = sub;
    }
    stream.write_all(&asked)?;
    for _ in 0..count {
        let answer = read(stream)?;
        ensure!(is(&answer, "Ok"), "the bus answered {:?}", String::from_utf8_lossy(&answer));
    }
    Ok(())
}

/// Tries one connection more than there may be.
///
/// # Errors
/// It is taken: the bus was not full.
pub(super) fn is_refused(rmp: &Path) -> Result<()> {
    ensure!(greeted(rmp, "one more").is_err(), "the bus took one connection more: it was not full");
    Ok(())
}

fn topic(number: usize) -> String {
    format!("bounds/{}", number % TOPICS_MAX)
}

/// Connections that read whatever comes, in a thread of their own.
pub(super) struct Readers {
    is_over: Arc<AtomicBool>,
    thread: JoinHandle<Result<u64>>,
}

impl Readers {
    /// # Errors
    /// One is not taken, or one of its subscriptions.
    pub(super) fn connect(rmp: &Path, connections: usize, each: usize) -> Result<Self> {
        let streams = (0..connections).map(|number| {
            let mut stream = greeted(rmp, "reader")?;
            subscribe(&mut stream, (0..each).map(|at| topic(number * each + at)))?;
            stream.set_nonblocking(true)?;
            Ok(stream)
        });
        let streams: Vec<UnixStream> = streams.collect::<Result<_>>()?;
        let is_over = Arc::new(AtomicBool::new(false));
        let thread = {
            let is_over = Arc::clone(&is_over);
            thread::spawn(move || read_all(streams, &is_over))
        };
        Ok(Self { is_over, thread })
    }

    /// They leave; the bytes that they have read.
    ///
    /// # Errors
    /// The station has ended one of them before, or nothing came.
    pub(super) fn leave(self) -> Result<u64> {
        self.is_over.store(true, Ordering::Relaxed);
        let bytes = self.thread.join().map_err(|_| eyre!("the readers panicked"))??;
        ensure!(bytes > 0, "nothing came to the readers");
        Ok(bytes)
    }
}

fn read_all(mut streams: Vec<UnixStream>, is_over: &AtomicBool) -> Result<u64> {
    let (mut all, mut buffer) = (0, vec![0; 256 << 10]);
    while !is_over.load(Ordering::Relaxed) {
        let before = all;
        for stream in &mut streams {
            match stream.read(&mut buffer) {
                Ok(0) => return Err(eyre!("the bus closed a connection that reads")),
                Ok(bytes) => all += bytes as u64,
                Err(error) if error.kind() == ErrorKind::WouldBlock => {}
                Err(error) => return Err(error.into()),
            }
        }
        if all == before {
            thread::sleep(LOOK_EVERY);
        }
    }
    Ok(all)
}

/// Publishes on all topics, one after the other.
pub(super) struct Publisher {
    stream: UnixStream,
    /// No message is a duplicate.
    msg_id: u64,
}

impl Publisher {
    /// # Errors
    /// It is not taken.
    pub(super) fn connect(rmp: &Path, cycle: usize) -> Result<Self> {
        Ok(Self { stream: greeted(rmp, "publisher")?, msg_id: (cycle as u64 + 1) << 40 })
    }

    /// # Errors
    /// The station takes no more.
    pub(super) fn publish_for(&mut self, time: Duration) -> Result<()> {
        let from = Instant::now();
        let mut number = 0;
        while from.elapsed() < time || number < TOPICS_MAX {
            let mut bytes = Vec::new();
            for at in number..number + MESSAGES {
                let (topic, is_last) = (topic(at), at + 1 == number + MESSAGES);
                let fields = [("topic", Value::Text(&topic)), ("ack", Value::Bool(is_last))];
                self.msg_id += 1;
                bytes.extend(control("Publish", &fields, self.msg_id));
                bytes.extend(frame(OBSERVATION, "observation.generic.v1", Value::Bytes(BODY), self.msg_id));
            }
            number += MESSAGES;
            self.stream.write_all(&bytes)?;
            let answer = read(&mut self.stream)?;
            ensure!(is(&answer, "Ok"), "the bus answered {:?}", String::from_utf8_lossy(&answer));
        }
        Ok(())
    }
}
