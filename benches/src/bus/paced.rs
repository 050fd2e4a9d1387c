//! The one-way latency of messages that leave at a steady pace: from just before one is written until the
//! read that brought it returned.
//!
//! Publisher and subscriber are two threads that sleep and block, as two processes would; one clock tells
//! both the time.

use std::{
    io::{Read, Write},
    num::NonZeroU64,
    thread,
    time::{Duration, Instant},
};

use color_eyre::eyre::{Result, ensure, eyre};
use rl_console_benches::stats::{number, percentile_us};
use serde::Serialize;

use crate::system::{Publisher, Subscriber, System, TOPIC, Tally, numbers};

/// Bytes that are read at once.
const READ_BYTES_MAX: usize = 65_536;

/// The messages to send, and how often.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pace {
    /// Messages a second.
    pub(crate) per_s: u32,
    /// Bytes of one body.
    pub(crate) body_bytes: usize,
    /// Messages before those that are measured.
    pub(crate) warm: usize,
    /// Messages that are measured.
    pub(crate) count: usize,
}

/// The figures of one round.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub(crate) struct Latency {
    /// The median, µs.
    pub(crate) p50_us: f64,
    /// What one in a hundred exceeds, µs.
    pub(crate) p99_us: f64,
    /// Messages that left a second.
    pub(crate) per_s: f64,
}

/// One round. The threads run where the calling thread may.
///
/// # Errors
/// A connection fails, or a message is lost.
pub(crate) fn round(system: &dyn System, pace: Pace) -> Result<Latency> {
    let subscriber = system.subscriber(TOPIC, pace.body_bytes)?;
    let publisher = system.publisher(pace.body_bytes)?;
    let all = pace.warm + pace.count;
    let first = numbers(all as u64);
    let clock = Instant::now();
    let (mut took_ns, sent) = thread::scope(|scope| {
        let received = scope.spawn(|| receive(subscriber, first, all, clock));
        let sent = scope.spawn(|| send(publisher, pace, first, clock));
        let sent = sent.join().map_err(|_| eyre!("the publisher panicked"))?;
        let received = received.join().map_err(|_| eyre!("the subscriber panicked"))?;
        Ok::<_, color_eyre::Report>((received?, sent?))
    })?;
    let measured = &mut took_ns[pace.warm..];
    measured.sort_unstable();
    Ok(Latency {
        p50_us: percentile_us(measured, 50),
        p99_us: percentile_us(measured, 99),
        per_s: number(all) / sent.as_secs_f64(),
    })
}

fn ns(since: Instant) -> u64 {
    u64::try_from(since.elapsed().as_nanos()).unwrap_or(u64::MAX)
}

fn receive(mut subscriber: Subscriber, first: u64, count: usize, clock: Instant) -> Result<Vec<u64>> {
    let mut tally = Tally::from(first);
    tally.took_ns.reserve_exact(count);
    let (mut buffer, mut filled) = (vec![0; READ_BYTES_MAX], 0);
    while tally.next < first + count as u64 {
        let read = subscriber.stream.read(&mut buffer[filled..])?;
        tally.now_ns = ns(clock);
        ensure!(read > 0, "the broker closed a connection");
        filled += read;
        let done = subscriber.cut.cut(&buffer[..filled], &mut tally)?;
        buffer.copy_within(done..filled, 0);
        filled -= done;
    }
    ensure!(tally.amiss == 0, "{} messages missing or twice", tally.amiss);
    Ok(tally.took_ns)
}

fn send(mut publisher: Publisher, pace: Pace, first: u64, clock: Instant) -> Result<Duration> {
    // A sleep may end 50 µs late otherwise.
    rustix::thread::set_current_timer_slack(NonZeroU64::new(1))?;
    let mut out = Vec::new();
    let start = Instant::now();
    for (number, at) in (first..).zip(0..u32::try_from(pace.warm + pace.count)?) {
        let due = start + Duration::from_secs(1) * at / pace.per_s;
        thread::sleep(due.saturating_duration_since(Instant::now()));
        out.clear();
        publisher.template.put(&mut out, number, 1, ns(clock));
        publisher.stream.write_all(&out)?;
    }
    Ok(start.elapsed())
}
