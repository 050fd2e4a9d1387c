//! Tells what happens at a station of this process, line by line, and once a second what must not be missed.
//! Whoever reads it slowly, or not at all, holds nothing up.

use std::{collections::BTreeSet, net::SocketAddr, time::Duration};

use super::{
    console::hints,
    events::{Coalescer, Detail, Event, EventLine},
};
use crate::{
    cli::{context::Context, error::Error, service::Notifier, table::LocalClock},
    console::model::station::{StationMonitor, Summary},
    port::StationPort,
    tap,
    time::Now,
};

/// How often the tap is read. A reader that is always at its heels would cut its segments short.
const READ_EVERY: Duration = Duration::from_millis(50);
/// How often it is looked how everything is.
const JUDGE_EVERY: Duration = Duration::from_secs(1);
/// How long a snapshot may take; without one, the last is judged by.
const SNAPSHOT_MAX: Duration = Duration::from_millis(500);

/// Prints what happens. When nobody reads stdout any more the show goes on without.
pub(super) struct EventPrinter<'a> {
    port: &'a dyn StationPort,
    reader: tap::Reader,
    context: &'a mut Context,
    clock: LocalClock,
    detail: Detail,
    notifier: &'a Notifier,
    watch: StationMonitor,
    coalescer: Coalescer,
    /// What was said last of how everything is.
    summary: Option<Summary>,
    /// Where the bus answers.
    rmp: Option<String>,
    macp: Option<SocketAddr>,
    /// Where the metrics are read.
    metrics: Option<SocketAddr>,
    was_ready: bool,
    /// The hosts of which it was said that they do not answer.
    down: BTreeSet<&'static str>,
    is_stdout_open: bool,
    /// Events that found no room since the last that did.
    dropped: u64,
}

impl<'a> EventPrinter<'a> {
    pub(super) fn new(
        port: &'a dyn StationPort,
        context: &'a mut Context,
        detail: Detail,
        notifier: &'a Notifier,
    ) -> Result<Self, Error> {
        let watch = StationMonitor::new(hints(context));
        Ok(Self {
            port,
            reader: port.entries()?,
            clock: context.local_clock(),
            context,
            detail,
            notifier,
            watch,
            coalescer: Coalescer::default(),
            summary: None,
            rmp: None,
            macp: None,
            metrics: None,
            was_ready: false,
            down: BTreeSet::new(),
            is_stdout_open: true,
            dropped: 0,
        })
    }

    /// Where the metrics are read, if they are. Said with the ready line.
    pub(super) fn set_metrics(&mut self, metrics: Option<SocketAddr>) {
        self.metrics = metrics;
    }

    /// Where the MACP runtime listens. Said with the ready line.
    pub(super) fn set_macp(&mut self, macp: SocketAddr) {
        self.macp = Some(macp);
    }

    /// Where the bus answers. Said with the ready line.
    pub(super) fn set_rmp(&mut self, path: String) {
        self.rmp = Some(path);
    }

    /// How the hosts came up was told as of then: what was reported of that on the way is not told again.
    pub(super) fn came_up(&mut self, as_of: Now) {
        self.read_and(|at, event| {
            at.mono > as_of.mono || !matches!(event, Event::Up { .. } | Event::Down { .. })
        });
    }

    /// The station is up, and its port is not.
    pub(super) fn ready_without_port(&mut self, why: String) {
        self.emit_now(Event::Down { host: "mpp", why });
        self.emit_ready(None);
    }

    /// The port answers. That it answers again is only said after it did not.
    pub(super) fn ready(&mut self, addr: SocketAddr) {
        let was_down = self.down.remove("mpp");
        if !self.was_ready {
            self.emit_ready(Some(addr));
        } else if was_down {
            self.emit_now(Event::Up { host: "mpp" });
        }
    }

    fn emit_ready(&mut self, addr: Option<SocketAddr>) {
        self.was_ready = true;
        // Scripts compare the line, and people want to know when.
        let at_ms = (self.detail == Detail::Everything && !self.context.out.is_json())
            .then(|| self.context.clock.now().wall);
        self.emit(EventLine { at_ms, ..EventLine::ready(addr, self.rmp.clone(), self.macp, self.metrics) });
    }

    /// Tells until it is dropped.
    pub(super) async fn run(&mut self) {
        let mut seconds = tokio::time::interval(JUDGE_EVERY);
        seconds.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
        loop {
            tokio::select! {
                _ = seconds.tick() => self.judge().await,
                () = self.reader.ready() => {
                    tokio::time::sleep(READ_EVERY).await;
                    self.read();
                }
            }
        }
    }

    /// Tells what is notable among the entries that have come.
    fn read(&mut self) {
        self.read_and(|_, _| true);
    }

    fn read_and(&mut self, is_told: impl Fn(Now, &Event) -> bool) {
        while let Some(batch) = self.reader.read() {
            if batch.lost > 0 {
                self.watch.lose();
                self.emit_now(Event::Loss { count: batch.lost });
            }
            for entry in batch.iter() {
                self.watch.fold(entry);
                match EventLine::of(entry, self.detail).filter(|told| is_told(entry.entry.at, &told.event)) {
                    Some(EventLine { event: Event::Ready { mpp: Some(mpp), .. }, .. }) => self.ready(mpp),
                    // A port that is bound anew answers again only after it did not.
                    Some(EventLine { event: Event::Up { host: host @ ("rmp" | "macp") }, .. })
                        if !self.down.contains(host) => {}
                    // Its host says so too.
                    Some(EventLine { event: Event::Down { host: "macp", .. }, .. })
                        if self.down.contains("macp") => {}
                    Some(told) => {
                        let event = told.event.named(|run| self.watch.run_name(run));
                        self.emit(EventLine { event, ..told });
                    }
                    None => {}
                }
            }
        }
    }

    /// Tells what must not be missed, what was left out, and how everything is when that has changed.
    async fn judge(&mut self) {
        if self.watch.is_stale()
            && let Ok(Ok(snapshot)) = tokio::time::timeout(SNAPSHOT_MAX, self.port.snapshot()).await
        {
            self.watch.take(snapshot);
        }
        let now = self.context.clock.now();
        for news in self.watch.take_alerts(now) {
            self.emit(EventLine::now(now, Event::of_alert(news)));
        }
        if self.notifier.is_enabled()
            && let Some((summary, figures)) = self.watch.summary()
        {
            self.notifier.status(Event::of_state(summary, figures).text());
        }
        for told in self.coalescer.close(now) {
            self.print_or_count(&told);
        }
        if self.detail == Detail::Notable {
            return;
        }
        if let Some((summary, figures)) = self.watch.summary()
            && self.summary.as_ref() != Some(&summary)
        {
            self.summary = Some(summary.clone());
            self.emit(EventLine::now(now, Event::of_state(summary, figures)));
        }
    }

    /// The last line.
    pub(super) fn stopping(&mut self) {
        self.read();
        for told in self.coalescer.close(self.context.clock.now()) {
            self.print_or_count(&told);
        }
        self.emit_now(Event::Stopping);
    }

    pub(super) fn emit_now(&mut self, event: Event) {
        self.emit(EventLine::now(self.context.clock.now(), event));
    }

    fn emit(&mut self, told: EventLine) {
        match told.event {
            Event::Down { host, .. } => drop(self.down.insert(host)),
            // That the port answers is told by itself.
            Event::Up { host } if host != "mpp" => drop(self.down.remove(host)),
            _ => {}
        }
        // What is notable is rare, but for frames at a gate that a rule may stop all of.
        if self.detail == Detail::Notable && !matches!(told.event, Event::Gate(_)) {
            self.print_or_count(&told);
            return;
        }
        for told in self.coalescer.admit(told) {
            self.print_or_count(&told);
        }
    }

    fn print_or_count(&mut self, told: &EventLine) {
        if self.dropped > 0 {
            let loss = EventLine::now(self.context.clock.now(), Event::Loss { count: self.dropped });
            if self.print(&loss) {
                self.dropped = 0;
            }
        }
        if !self.print(told) {
            self.dropped += 1;
        }
    }

    /// Whether it was taken.
    fn print(&mut self, told: &EventLine) -> bool {
        if !self.is_stdout_open {
            return true;
        }
        let (clock, detail, ascii, on_air) =
            (&self.clock, self.detail, self.context.settings.ascii, self.context.settings.on_air);
        let line = |told: &EventLine| {
            let line =
                if on_air { told.clone().masked().line(clock, detail) } else { told.line(clock, detail) };
            if ascii { in_ascii(&line) } else { line }
        };
        match self.context.out.row(told, line).and_then(|()| self.context.out.flush()) {
            Ok(()) => true,
            Err(Error::Output(error)) if error.kind() == std::io::ErrorKind::WouldBlock => false,
            Err(_) => {
                self.is_stdout_open = false;
                true
            }
        }
    }
}

/// The line with nothing in it but ASCII.
fn in_ascii(line: &str) -> String {
    let mut plain = String::with_capacity(line.len());
    for letter in line.replace('…', "...").chars() {
        match letter {
            _ if letter.is_ascii() => plain.push(letter),
            // The picture of a control character.
            '\u{2400}'..='\u{241f}' => {
                plain.extend(['^', char::from_u32(u32::from(letter) - 0x2400 + 0x40).unwrap_or('?')]);
            }
            _ => plain.extend(letter.escape_unicode()),
        }
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::words;

    #[test]
    fn ascii_lines_lose_nothing() {
        assert_eq!(in_ascii("… żółw"), "... \\u{17c}\\u{f3}\\u{142}w");
        for (text, _) in words::HOSTILE_TEXTS {
            assert!(
                in_ascii(&words::visible(text, false)).bytes().all(|it| (b' '..=b'~').contains(&it)),
                "{text:?}"
            );
        }
        assert_eq!(in_ascii("a␛[2Jb␊"), "a^[[2Jb^J");
    }
}
