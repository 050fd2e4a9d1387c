//! What a person should read, of all links, oldest first, bounded.

use crate::words::cut_marked;
use std::{collections::VecDeque, fmt::Write as _, sync::Arc, time::Duration};

use super::bus::journal::{CoalescedNotices, NoticeDraft};
use crate::{
    console::draw::{class::Class, format::many},
    dissect::mpp::describe_close,
    ids::{InvocationId, Peer, Seq},
    limits,
    mpp::LogView,
    tap::{
        EntryRef,
        entry::{
            Direction, Frame, Head, Link, Transition, What, mpp,
            mpp::{HelloReason, RefundStatus},
            station,
            station::Level,
        },
    },
    time::Now,
    words::counted,
};

/// Who says it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Origin {
    Station,
    Bridge,
    Bus,
    Runtime,
    Adapter,
    Console,
    Runs,
}

/// One line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Notice {
    /// Its number in this console, from 1.
    pub(crate) number: u64,
    pub(crate) at: Now,
    pub(crate) level: Level,
    pub(crate) origin: Origin,
    pub(crate) text: Arc<str>,
    /// Whose words are in it.
    pub(crate) class: Class,
    /// The entry that it tells of, or the first of them.
    pub(crate) seq: Option<Seq>,
    /// Why a handshake was refused, where it tells of one.
    pub(crate) refused: Option<HelloReason>,
    /// Refunds of one fate that it tells of together.
    refunds: Option<(RefundStatus, u64)>,
}

impl Notice {
    /// Whether it is of the station itself, not of who speaks with it: of runs, what did not go well.
    fn is_for_station_log(&self) -> bool {
        match self.origin {
            Origin::Station | Origin::Bridge | Origin::Console => true,
            Origin::Runs => self.level >= Level::Warn,
            Origin::Bus | Origin::Runtime | Origin::Adapter => false,
        }
    }

    /// A line that was not kept yet. What the adapter says can hold anything.
    fn new(at: Now, level: Level, origin: Origin, text: Arc<str>) -> Self {
        let class = if origin == Origin::Adapter { Class::Payload } else { Class::Public };
        Self { number: 0, at, level, origin, text, class, seq: None, refused: None, refunds: None }
    }
}

/// The kept lines, at most `limits.console.journal_entries_max`.
#[derive(Clone, Debug)]
pub(crate) struct Journal {
    pub(crate) notices: VecDeque<Notice>,
    /// Lines that came.
    pub(crate) received: u64,
    /// Lines that were cut.
    pub(crate) evicted: u64,
    /// Those of the station, its bridge and this console alone, and of runs what did not go well, as many:
    /// what adapters and peers of the bus say or do does not push them out.
    pub(crate) station: VecDeque<Notice>,
    /// Lines of the station, its bridge and this console that came.
    pub(crate) station_received: u64,
    /// Lines of the station, its bridge and this console that were cut.
    pub(crate) station_evicted: u64,
    /// Lines of level warn or error.
    pub(crate) serious: u64,
    next: u64,
    limit: usize,
    line_bytes_max: usize,
    /// The last notice of a loss: its number, when it was begun, and how many entries it tells of.
    losses: Option<(u64, Now, u64)>,
    /// What connections that are being closed were told, until they are gone.
    close_messages: VecDeque<(Peer, Arc<str>)>,
    /// What the bus says again and again, which is told together.
    coalesced: CoalescedNotices,
    /// The entry that is taken in just now.
    folding_seq: Option<Seq>,
}

/// Losses within so long of the first are one notice.
const LOSSES_COALESCE_WITHIN: Duration = Duration::from_secs(10);
/// Connections whose last words are remembered.
const CLOSE_MESSAGES_MAX: usize = 16;
/// Characters that are kept of last words.
const CLOSE_MESSAGE_CHARS_MAX: usize = 200;

impl Journal {
    pub(crate) fn new(limits: &limits::Limits) -> Self {
        Self {
            notices: VecDeque::new(),
            received: 0,
            evicted: 0,
            serious: 0,
            next: 1,
            limit: usize::try_from(limits.console.journal_entries_max).unwrap_or(usize::MAX),
            line_bytes_max: usize::try_from(limits.mpp.log_line_bytes_max).unwrap_or(usize::MAX),
            losses: None,
            station: VecDeque::new(),
            station_received: 0,
            station_evicted: 0,
            close_messages: VecDeque::new(),
            coalesced: CoalescedNotices::default(),
            folding_seq: None,
        }
    }

    /// Takes the adapter's log as a snapshot has it, before what was read already.
    pub(crate) fn seed(&mut self, logs: &VecDeque<LogView>) {
        let read = std::mem::take(&mut self.notices);
        let first = read.front().map(|notice| notice.at.mono);
        self.serious = 0;
        // They are kept again below.
        self.received -= read.len() as u64;
        // What an adapter's lines pushed out of the one list stays in the other.
        let known = read.front().map_or(self.next, |notice| notice.number);
        let held = self.station.len();
        self.station.retain(|notice| notice.number < known);
        self.station_received -= (held - self.station.len()) as u64;
        for log in logs.iter().filter(|log| first.is_none_or(|first| log.at.mono < first)) {
            self.push(log.at, log.level, Origin::Adapter, Arc::clone(&log.text));
        }
        for notice in read {
            self.append(notice);
        }
    }

    /// Notes that entries were lost; a console that falls behind again and again says so in one line.
    pub(crate) fn record_loss(&mut self, count: u64, at: Now) {
        let known = self.losses.filter(|(_, from, _)| at.mono.since(from.mono) < LOSSES_COALESCE_WITHIN);
        let all = known.map_or(0, |(_, _, all)| all).saturating_add(count);
        let text = format!(
            "this console fell behind and lost {}; the state was taken anew (limits.tap.ring_bytes_max)",
            counted(all, "entry")
        );
        if let Some((number, from, _)) = known
            && let Some(notice) = self.notice_mut(number)
        {
            notice.text = text.into();
            let told = notice.clone();
            self.copy(&told);
            self.losses = Some((number, from, all));
            return;
        }
        self.losses = Some((self.next, at, all));
        self.push(at, Level::Warn, Origin::Console, text.into());
    }

    /// Says something of this console itself.
    pub(crate) fn note(&mut self, level: Level, words: &str, at: Now) {
        self.push(at, level, Origin::Console, words.into());
    }

    /// What the lines hold, in bytes. A text that is in both lists is one.
    pub(crate) fn memory_bytes(&self) -> usize {
        let texts: usize = self.notices.iter().map(|notice| notice.text.len()).sum();
        (self.notices.len() + self.station.len()) * size_of::<Notice>() + texts
    }

    /// The notice of a number, while it is kept: numbers follow each other.
    fn notice_mut(&mut self, number: u64) -> Option<&mut Notice> {
        let first = self.notices.front()?.number;
        self.notices.get_mut(usize::try_from(number.checked_sub(first)?).ok()?)
    }

    /// Takes a notice that was told anew into the station's lines.
    fn copy(&mut self, told: &Notice) {
        if let Some(notice) = self.station.iter_mut().rev().find(|notice| notice.number == told.number) {
            notice.clone_from(told);
        }
    }

    /// Takes one entry. `line` is a line of the adapter's log that is kept elsewhere already, `said` what the
    /// bus or the runs say with it. Gives what a peer was told, if it was.
    pub(crate) fn fold(
        &mut self,
        entry: EntryRef<'_>,
        line: Option<Arc<str>>,
        said: Option<NoticeDraft>,
    ) -> Option<(&Peer, &Arc<str>)> {
        self.folding_seq = Some(entry.entry.seq);
        if let Some(said) = said {
            self.push_coalesced(entry.entry.at, said);
        }
        self.note_entry(entry, line);
        self.folding_seq = None;
        match &entry.entry.what {
            What::Frame(frame) if frame.direction == Direction::Outbound => {
                self.record_close_message(frame, entry.bytes)
            }
            _ => None,
        }
    }

    fn note_entry(&mut self, entry: EntryRef<'_>, line: Option<Arc<str>>) {
        let at = entry.entry.at;
        match &entry.entry.what {
            What::Transition(Transition::Station(transition)) => {
                if let Some((level, words)) = describe_station(*transition, &entry.text()) {
                    self.push(at, level, Origin::Station, words.into());
                }
            }
            What::Transition(Transition::Mpp(mpp::Transition::Logged { level })) => {
                let text = line
                    .unwrap_or_else(|| cut_marked(&entry.text(), self.line_bytes_max as u64).as_ref().into());
                self.push(at, *level, Origin::Adapter, text);
            }
            What::Transition(Transition::Mpp(mpp::Transition::RefundRecorded { id, status, .. })) => {
                self.refund(at, *id, *status)
            }
            What::Transition(Transition::Mpp(mpp::Transition::Disconnected { peer, active, cause })) => {
                let told = self
                    .close_messages
                    .iter()
                    .position(|(known, _)| known == peer)
                    .and_then(|at| self.close_messages.remove(at));
                if let Some((level, words)) =
                    close_notice(peer, *active, *cause, told.as_ref().map(|(_, words)| words.as_ref()))
                {
                    let refused = match cause {
                        mpp::CloseCause::Fault(mpp::Fault::Hello(reason)) => Some(*reason),
                        _ => None,
                    };
                    // What a peer was told can quote what it sent.
                    let class = if told.is_some() { Class::Payload } else { Class::Public };
                    self.append(Notice {
                        class,
                        refused,
                        ..Notice::new(at, level, Origin::Bridge, words.into())
                    });
                }
            }
            What::Transition(Transition::Mpp(transition)) => {
                if let Some((level, words)) = describe_bridge(transition, &entry.text()) {
                    // Why a value is left out quotes it.
                    let class = if matches!(transition, mpp::Transition::PersistedLeftOut { .. }) {
                        Class::Payload
                    } else {
                        Class::Public
                    };
                    self.append(Notice { class, ..Notice::new(at, level, Origin::Bridge, words.into()) });
                }
            }
            What::Unsent { frames, bytes } => {
                let words = format!(
                    "{} ({}) could not be sent before the connection closed",
                    many(*frames, "frame"),
                    many(*bytes, "byte")
                );
                // Who left the bus of its own wants it no more; an adapter that is gone may miss it.
                let (level, origin) = if entry.entry.link == Link::Rmp {
                    (Level::Info, Origin::Bus)
                } else {
                    (Level::Warn, Origin::Bridge)
                };
                self.push(at, level, origin, words.into());
            }
            What::Transition(Transition::Rmp(_) | Transition::Runs(_) | Transition::Macp(_))
            | What::Frame(_)
            | What::Committed { .. }
            | What::Loss { .. } => {}
        }
    }

    /// Remembers what a `protocol_error` of ours says.
    fn record_close_message(&mut self, frame: &Frame, bytes: &[u8]) -> Option<(&Peer, &Arc<str>)> {
        #[derive(serde::Deserialize)]
        struct CloseMessage {
            message: String,
        }
        let Head::Mpp(head) = &frame.head else { return None };
        if head.kind != Some(mpp::FrameType::ProtocolError) {
            return None;
        }
        let CloseMessage { message } = serde_json::from_slice(bytes).ok()?;
        let words: String = message.chars().take(CLOSE_MESSAGE_CHARS_MAX).collect();
        self.close_messages.push_back((frame.peer.clone(), words.into()));
        while self.close_messages.len() > CLOSE_MESSAGES_MAX {
            self.close_messages.pop_front();
        }
        self.close_messages.back().map(|(peer, words)| (peer, words))
    }

    /// What the bus or the runs say. The same said again for some seconds is one line, so that who does
    /// nothing else hides nothing.
    fn push_coalesced(&mut self, at: Now, said: NoticeDraft) {
        let (number, count) = self.coalesced.count(&said.key, at, self.next);
        let words = if count > 1 { format!("×{count} {}", said.text) } else { said.text };
        match number.map(|number| self.notice_mut(number)) {
            Some(Some(notice)) => {
                (notice.text, notice.at) = (words.into(), at);
                let told = notice.clone();
                self.copy(&told);
            }
            // It was evicted meanwhile: the next is begun when its time is over.
            Some(None) => {}
            None => self.append(Notice {
                class: said.class,
                ..Notice::new(at, said.level, said.origin, words.into())
            }),
        }
    }

    /// Refunds of one fate that follow each other are one line.
    fn refund(&mut self, at: Now, id: InvocationId, status: RefundStatus) {
        if let Some(last) = self.notices.back_mut()
            && let Some((known, count)) = &mut last.refunds
            && *known == status
        {
            *count = count.saturating_add(1);
            last.text = format!("{} (×{count})", describe_refund(id, status).1).into();
            last.at = at;
            let told = last.clone();
            self.copy(&told);
            return;
        }
        let (level, words) = describe_refund(id, status);
        let refunds = Some((status, 1));
        self.append(Notice { refunds, ..Notice::new(at, level, Origin::Bridge, words.into()) });
    }

    fn push(&mut self, at: Now, level: Level, origin: Origin, text: Arc<str>) {
        self.append(Notice::new(at, level, origin, text));
    }

    /// Gives a notice its number and keeps it.
    fn append(&mut self, notice: Notice) {
        self.serious += u64::from(notice.level >= Level::Warn);
        let notice = Notice { number: self.next, seq: self.folding_seq.or(notice.seq), ..notice };
        self.next += 1;
        self.received += 1;
        if notice.is_for_station_log() {
            self.station_received += 1;
            self.station.push_back(notice.clone());
            while self.station.len() > self.limit {
                self.station.pop_front();
                self.station_evicted = self.station_evicted.saturating_add(1);
            }
        }
        self.notices.push_back(notice);
        while self.notices.len() > self.limit {
            self.notices.pop_front();
            self.evicted = self.evicted.saturating_add(1);
        }
    }
}

fn describe_refund(id: InvocationId, status: RefundStatus) -> (Level, String) {
    match status {
        RefundStatus::Requested => (Level::Info, format!("refund of {id} is requested")),
        RefundStatus::Skipped => {
            (Level::Warn, format!("refund of {id}: bits cannot be refunded; tell the viewer"))
        }
        RefundStatus::Manual => (Level::Warn, format!("refund of {id} is to be made by hand")),
    }
}

fn close_notice(
    peer: &Peer,
    active: bool,
    cause: mpp::CloseCause,
    told: Option<&str>,
) -> Option<(Level, String)> {
    match (active, cause) {
        (true, _) => Some((Level::Warn, format!("adapter {peer} left: {}", describe_close(cause, told)))),
        (false, mpp::CloseCause::Fault(_) | mpp::CloseCause::TooManyConnections) => {
            Some((Level::Warn, format!("refused {peer}: {}", describe_close(cause, told))))
        }
        (false, _) => None,
    }
}

fn describe_station(transition: station::Transition, text: &str) -> Option<(Level, String)> {
    use station::Transition as T;
    Some(match transition {
        T::Started => (Level::Info, "the station is up".to_owned()),
        T::HostUp { link } => (Level::Info, format!("{} is up", link.name())),
        T::HostDown { link } => (Level::Error, format!("{} is down: {text}", link.name())),
        T::StoreOk => (Level::Info, "the store takes commits again".to_owned()),
        T::StoreFailing => (Level::Error, format!("the store refuses commits: {text}")),
        T::RecordingStarted => (Level::Info, format!("recording to {text}")),
        T::RecordingStopped { bytes } => {
            (Level::Info, format!("recorded {}: {text}", counted(bytes, "byte")))
        }
        T::RecordingFailed => (Level::Error, format!("not recorded: {text}")),
        T::DiskLow { free_bytes } => (
            Level::Warn,
            format!(
                "the data folder's disk is nearly full: {} are free",
                crate::console::draw::format::bytes(free_bytes)
            ),
        ),
        T::DiskOk { free_bytes } => (
            Level::Info,
            format!(
                "the data folder's disk has room again: {}",
                crate::console::draw::format::bytes(free_bytes)
            ),
        ),
        T::Operated => (Level::Info, text.to_owned()),
        T::Notice { level } => (level, text.to_owned()),
        T::Stopping => (Level::Warn, "the station is going down".to_owned()),
        T::RecordingGrew { .. } => return None,
    })
}

fn describe_bridge(transition: &mpp::Transition, text: &str) -> Option<(Level, String)> {
    use mpp::Transition as T;
    Some(match transition {
        T::Listening { addr } => (Level::Info, format!("listening on {addr}")),
        T::NotListening => (Level::Error, format!("not listening: {text}")),
        T::Paired => (Level::Info, "paired: a new token is in force".to_owned()),
        T::Handshaken { peer, persisted, .. } => {
            let mut words = format!("adapter connected from {peer}");
            if *persisted > 0 {
                let _ = write!(words, ", {} replayed", counted(*persisted, "state value"));
            }
            (Level::Info, words)
        }
        T::Stale { silent_s } => {
            (Level::Warn, format!("the adapter has sent nothing for {silent_s} s; K drops it"))
        }
        T::Requeued { id, queue } => (Level::Warn, format!("{id} went back to the head of {queue}")),
        T::Orphaned { id, queue } => (
            Level::Warn,
            format!("{id} on {queue} was left in applied: `settle {id} done` or `failed` ends it"),
        ),
        T::Migrated { queue, rows, failed } => (
            Level::Info,
            format!("{queue}: {} took the manifest in force, {failed} failed", counted(*rows, "row")),
        ),
        T::Braked { queue, brake } => {
            let words = match (brake.held, brake.draining) {
                (false, false) => "runs",
                (true, false) => "is held",
                (false, true) => "drains",
                (true, true) => "is held and refuses new work",
            };
            (Level::Info, format!("{queue} {words}"))
        }
        T::Drained { queue } => (Level::Info, format!("{queue} is empty: drained")),
        T::PersistedLeftOut { key } => (Level::Warn, format!("state `{key}` was not replayed: {text}")),
        T::CommitsFailing => (Level::Error, format!("commits fail: {text}")),
        T::CommitsOk => (Level::Info, "commits succeed again".to_owned()),
        T::PackLoaded { pack_id, .. } => (Level::Info, format!("pack {pack_id} is in force")),
        _ => return None,
    })
}
