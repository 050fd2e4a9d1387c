//! One publisher and its subscribers in one thread: so what drives a broker takes one core at most, and the
//! broker has the other.
//!
//! The publisher writes when a quarter of its window is free, as much as is free, at most [`WRITE_BYTES_MAX`]
//! at once; a window is what may be on its way beyond what the slowest subscriber has received. Every system
//! is driven by this loop.

use std::{
    io::{ErrorKind, Read, Write},
    os::fd::OwnedFd,
    time::{Duration, Instant},
};

use color_eyre::eyre::{Result, bail};
use rustix::{
    buffer::spare_capacity,
    event::{
        Timespec,
        epoll::{self, CreateFlags, Event, EventData, EventFlags},
    },
};

use crate::{
    stream::Stream,
    system::{Cut, Publisher, Subscriber, Tally, Window, next_number, numbers},
};

/// Bytes that are written at once.
const WRITE_BYTES_MAX: usize = 65_536;
/// Bytes that are read at once.
const READ_BYTES_MAX: usize = 262_144;
/// How long the loop sleeps when nothing comes, before it looks at the time.
const LOOK_EVERY: Timespec = Timespec { tv_sec: 0, tv_nsec: 50_000_000 };
const AT_ONCE: Timespec = Timespec { tv_sec: 0, tv_nsec: 0 };
/// How long nothing may arrive while messages are on their way before they count as lost.
const SILENCE_MAX: Duration = Duration::from_secs(3);
/// The publisher's mark among the events; a subscriber has its position.
const PUBLISHER: u64 = u64::MAX;

/// A connection that is read.
struct Reader {
    stream: Stream,
    cut: Box<dyn Cut>,
    tally: Tally,
    buffer: Vec<u8>,
    filled: usize,
}

impl Reader {
    fn new(subscriber: Subscriber, first: u64) -> Result<Self> {
        subscriber.stream.never_block()?;
        let (stream, cut) = (subscriber.stream, subscriber.cut);
        Ok(Self { stream, cut, tally: Tally::from(first), buffer: vec![0; READ_BYTES_MAX], filled: 0 })
    }

    /// Reads once and counts what came.
    fn read(&mut self) -> Result<()> {
        match self.stream.read(&mut self.buffer[self.filled..]) {
            Ok(0) => bail!("the broker closed a connection"),
            Ok(count) => self.filled += count,
            Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::Interrupted) => {
                return Ok(());
            }
            Err(error) => return Err(error.into()),
        }
        let done = self.cut.cut(&self.buffer[..self.filled], &mut self.tally)?;
        self.buffer.copy_within(done..self.filled, 0);
        self.filled -= done;
        Ok(())
    }
}

/// One publisher and its subscribers.
pub(crate) struct Drive {
    epoll: OwnedFd,
    events: Vec<Event>,
    writer: Reader,
    template: crate::system::Template,
    out: Vec<u8>,
    /// How much of `out` has left.
    left: usize,
    writable: bool,
    readers: Vec<Reader>,
    window: u64,
    batch_max: u64,
    first: u64,
    sent: u64,
    heard: (u64, Instant),
}

impl Drive {
    /// Takes the connections over.
    ///
    /// # Errors
    /// The system refuses.
    pub(crate) fn new(publisher: Publisher, subscribers: Vec<Subscriber>, window: Window) -> Result<Self> {
        let first = next_number();
        let epoll = epoll::create(CreateFlags::CLOEXEC)?;
        let readers = subscribers.into_iter().map(|it| Reader::new(it, first)).collect::<Result<Vec<_>>>()?;
        for (at, reader) in (0..).zip(&readers) {
            epoll::add(&epoll, &reader.stream, EventData::new_u64(at), EventFlags::IN)?;
        }
        let writer = Reader::new(Subscriber { stream: publisher.stream, cut: publisher.cut }, u64::MAX)?;
        epoll::add(
            &epoll,
            &writer.stream,
            EventData::new_u64(PUBLISHER),
            EventFlags::IN | EventFlags::OUT | EventFlags::ET,
        )?;
        let unit = publisher.template.unit.len();
        Ok(Self {
            epoll,
            events: Vec::with_capacity(readers.len() + 1),
            writer,
            template: publisher.template,
            out: Vec::with_capacity(WRITE_BYTES_MAX + unit),
            left: 0,
            writable: true,
            readers,
            window: window.unwrap_or(u64::MAX),
            batch_max: (WRITE_BYTES_MAX / unit).max(1) as u64,
            first,
            sent: 0,
            heard: (0, Instant::now()),
        })
    }

    /// Messages that all subscribers together have received.
    pub(crate) fn delivered(&self) -> u64 {
        self.readers.iter().map(|reader| reader.tally.received()).sum()
    }

    /// Messages published.
    pub(crate) fn published(&self) -> u64 {
        self.sent
    }

    /// What did not come, or came again.
    pub(crate) fn amiss(&self) -> u64 {
        self.readers.iter().map(|reader| reader.tally.amiss).sum()
    }

    /// How many of those sent the slowest subscriber has seen, or seen later ones than.
    fn slowest(&self) -> u64 {
        self.readers.iter().map(|reader| reader.tally.next - self.first).min().unwrap_or(self.sent)
    }

    /// Publishes and reads until `until`.
    ///
    /// # Errors
    /// A connection fails, or nothing arrives any longer.
    pub(crate) fn run(&mut self, until: Instant) -> Result<()> {
        while Instant::now() < until {
            self.turn(true)?;
        }
        Ok(())
    }

    /// Reads until everything that was sent is there.
    ///
    /// # Errors
    /// A connection fails, or nothing arrives any longer.
    pub(crate) fn drain(&mut self) -> Result<()> {
        while self.slowest() < self.sent || self.left < self.out.len() {
            self.turn(false)?;
        }
        Ok(())
    }

    fn turn(&mut self, publish: bool) -> Result<()> {
        let free = self.window.saturating_sub(self.sent - self.slowest());
        let may = publish && free >= (self.window / 4).max(1);
        if self.writable && (may || self.left < self.out.len()) {
            self.write(if may { free } else { 0 })?;
        }
        let more = self.writable
            && publish
            && self.window.saturating_sub(self.sent - self.slowest()) >= (self.window / 4).max(1);
        self.events.clear();
        epoll::wait(
            &self.epoll,
            spare_capacity(&mut self.events),
            Some(if more { &AT_ONCE } else { &LOOK_EVERY }),
        )?;
        for event in &self.events {
            let (at, flags) = (event.data.u64(), event.flags);
            if at == PUBLISHER {
                self.writable |= flags.contains(EventFlags::OUT);
                if flags.contains(EventFlags::IN) {
                    self.writer.read()?;
                }
            } else if let Some(reader) = usize::try_from(at).ok().and_then(|at| self.readers.get_mut(at)) {
                reader.read()?;
            }
        }
        if self.events.is_empty() && !more {
            self.silence()?;
        }
        Ok(())
    }

    fn write(&mut self, free: u64) -> Result<()> {
        if self.left == self.out.len() {
            self.out.clear();
            self.left = 0;
            let count = free.min(self.batch_max);
            self.template.put(&mut self.out, numbers(count), count, 0);
            self.sent += count;
        }
        match self.writer.stream.write(&self.out[self.left..]) {
            Ok(count) => self.left += count,
            Err(error) if error.kind() == ErrorKind::WouldBlock => self.writable = false,
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(error.into()),
        }
        Ok(())
    }

    fn silence(&mut self) -> Result<()> {
        let (received, since) = self.heard;
        let now = self.delivered();
        if now != received {
            self.heard = (now, Instant::now());
        } else if since.elapsed() > SILENCE_MAX && self.slowest() < self.sent {
            bail!(
                "{} of {} messages did not come within {} s",
                self.sent - self.slowest(),
                self.sent,
                SILENCE_MAX.as_secs()
            );
        }
        Ok(())
    }
}
