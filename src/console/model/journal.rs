//! What a person should read, of all links, oldest first, bounded.

use std::{
    collections::{BTreeMap, VecDeque},
    sync::Arc,
    time::Duration,
};

use super::coalesced::CoalescedNotices;
use crate::{
    console::draw::{class::Class, format::many},
    ids::Seq,
    limits,
    tap::entry::{Link, mpp::HelloReason, station::Level},
    time::Now,
    words::counted,
};

/// Who says it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Origin {
    /// A system, by its link.
    System(Link),
    Adapter,
    Console,
}

/// One line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Notice {
    /// Its number in this console: the one behind it has the next.
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
    /// What it tells of together, where that follows each other, and how many.
    following: Option<(&'static str, u64)>,
}

/// A line that was not kept yet.
#[derive(Clone, Debug)]
pub(crate) struct NoticeDraft {
    pub(crate) level: Level,
    pub(crate) origin: Origin,
    pub(crate) text: Arc<str>,
    /// Whose words are in it.
    pub(crate) class: Class,
    pub(crate) grouping: Grouping,
    /// Why a handshake was refused, where it tells of one.
    pub(crate) refused: Option<HelloReason>,
}

/// Which drafts become one line.
#[derive(Clone, Debug)]
pub(crate) enum Grouping {
    /// Each is a line.
    Apart,
    /// What is said of the same thing again within some seconds, so that who does nothing else hides nothing.
    Repeated(String),
    /// Those of a kind that follow each other without another line between them.
    Following(&'static str),
    /// All of a kind, however much lies between them: one line, where the last of them came.
    Folded(&'static str),
}

impl NoticeDraft {
    /// A line of its own that anybody may read.
    pub(crate) fn new(level: Level, origin: Origin, text: impl Into<Arc<str>>) -> Self {
        let (class, grouping) = (Class::Public, Grouping::Apart);
        Self { level, origin, text: text.into(), class, grouping, refused: None }
    }

    /// The line in which somebody else's words are.
    pub(crate) fn quoting(self) -> Self {
        Self { class: Class::Payload, ..self }
    }

    /// The line that is counted with those like it.
    pub(crate) fn grouped(self, grouping: Grouping) -> Self {
        Self { grouping, ..self }
    }

    /// What a connection lost that closed.
    pub(crate) fn unsent(level: Level, origin: Origin, frames: u64, bytes: u64) -> Self {
        let (frames, bytes) = (many(frames, "frame"), many(bytes, "byte"));
        let text = format!("{frames} ({bytes}) could not be sent before the connection closed");
        Self::new(level, origin, text)
    }

    fn into_notice(self, at: Now, seq: Option<Seq>) -> Notice {
        let Self { level, origin, text, class, grouping, refused } = self;
        let following = match grouping {
            Grouping::Following(kind) | Grouping::Folded(kind) => Some((kind, 1)),
            Grouping::Apart | Grouping::Repeated(_) => None,
        };
        Notice { number: 0, at, level, origin, text, class, seq, refused, following }
    }
}

impl Notice {
    /// What it has a share of the room by.
    const fn source(&self) -> (Origin, Level) {
        (self.origin, self.level)
    }

    /// Whether it is of the station itself, not of who speaks with it.
    fn is_for_station_log(&self) -> bool {
        match self.origin {
            Origin::System(link) => link.station_log().is_some_and(|least| self.level >= least),
            Origin::Adapter => false,
            Origin::Console => true,
        }
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
    /// The numbers of the lines that are kept, by source and level.
    kept: BTreeMap<(Origin, Level), VecDeque<u64>>,
    next: u64,
    limit: usize,
    /// The last notice of a loss: its number, when it was begun, and how many entries it tells of.
    losses: Option<(u64, Now, u64)>,
    /// What systems say again and again, which is told together.
    coalesced: CoalescedNotices,
}

/// The number of the first line: those of before the console came up have room before it.
const FIRST_NUMBER: u64 = 1 << 32;
/// A source's lines of one level may be one part of so many of all lines, before others make it leave.
const QUOTA_SHARES: usize = 4;
/// Losses within so long of the first are one notice.
const LOSSES_COALESCE_WITHIN: Duration = Duration::from_secs(10);
impl Journal {
    pub(crate) fn new(limits: &limits::Limits) -> Self {
        Self {
            notices: VecDeque::new(),
            received: 0,
            evicted: 0,
            serious: 0,
            kept: BTreeMap::new(),
            next: FIRST_NUMBER,
            limit: usize::try_from(limits.console.journal_entries_max).unwrap_or(usize::MAX),
            losses: None,
            station: VecDeque::new(),
            station_received: 0,
            station_evicted: 0,
            coalesced: CoalescedNotices::default(),
        }
    }

    /// Takes lines from before the console came up, oldest first, before what was read already.
    pub(crate) fn seed(&mut self, earlier: impl Iterator<Item = (Now, NoticeDraft)>) {
        let read = std::mem::take(&mut self.notices);
        let first = read.front().map(|notice| notice.at.mono);
        self.serious = 0;
        self.kept.clear();
        // They are kept again below.
        self.received -= read.len() as u64;
        // What an adapter's lines pushed out of the one list stays in the other.
        let known = read.front().map_or(self.next, |notice| notice.number);
        let held = self.station.len();
        self.station.retain(|notice| notice.number < known);
        self.station_received -= (held - self.station.len()) as u64;
        for (at, draft) in earlier.filter(|(at, _)| first.is_none_or(|first| at.mono < first)) {
            self.append(draft.into_notice(at, None));
        }
        for notice in read {
            self.append(notice);
        }
    }

    /// Takes over from the lines of the present those of this console itself, and their numbers: the last of
    /// both is the same.
    pub(crate) fn adopt(&mut self, live: &Self) {
        let mut lines: Vec<Notice> = self.notices.drain(..).collect();
        self.kept.clear();
        let first = lines.first().map_or(self.next, |notice| notice.number);
        self.received -= lines.len() as u64;
        let held = self.station.len();
        self.station.retain(|notice| notice.number < first);
        self.station_received -= (held - self.station.len()) as u64;
        // They are in the one list alone: any number will do that no other line has.
        self.station.iter_mut().for_each(|notice| notice.number -= FIRST_NUMBER);
        let is_own = |notice: &Notice| notice.origin == Origin::Console && notice.seq.is_none();
        for own in live.notices.iter().filter(|notice| is_own(notice)) {
            let place = lines.iter().rposition(|known| known.at.mono <= own.at.mono);
            lines.insert(place.map_or(0, |place| place + 1), own.clone());
        }
        self.serious = 0;
        self.next = live.next - lines.len() as u64;
        let mut renumbered = BTreeMap::new();
        for notice in lines {
            renumbered.insert((is_own(&notice), notice.number), self.next);
            self.append(notice);
        }
        // What may still grow grows on.
        self.coalesced.renumber(|number| renumbered.get(&(false, number)).copied());
        self.losses =
            live.losses.and_then(|(number, from, all)| Some((*renumbered.get(&(true, number))?, from, all)));
    }

    /// Notes that entries were lost; a console that falls behind again and again says so in one line.
    pub(crate) fn record_loss(&mut self, count: u64, at: Now) {
        let known = self.losses.filter(|(_, from, _)| at.mono.since(from.mono) < LOSSES_COALESCE_WITHIN);
        let all = known.map_or(0, |(_, _, all)| all).saturating_add(count);
        let text = format!(
            "this console fell behind and lost {}; state resynchronised (limits.tap.ring_bytes_max)",
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
        self.push(at, None, NoticeDraft::new(Level::Warn, Origin::Console, text));
    }

    /// Says something of this console itself.
    pub(crate) fn note(&mut self, level: Level, words: &str, at: Now) {
        self.push(at, None, NoticeDraft::new(level, Origin::Console, words));
    }

    /// What the lines hold, in bytes. A text that is in both lists is one.
    pub(crate) fn memory_bytes(&self) -> usize {
        let texts: usize = self.notices.iter().map(|notice| notice.text.len()).sum();
        (self.notices.len() + self.station.len()) * size_of::<Notice>() + texts
    }

    /// The notice of a number, while it is kept: numbers grow.
    fn notice_mut(&mut self, number: u64) -> Option<&mut Notice> {
        let place = self.place_of(number)?;
        self.notices.get_mut(place)
    }

    fn place_of(&self, number: u64) -> Option<usize> {
        self.notices.binary_search_by_key(&number, |notice| notice.number).ok()
    }

    /// Takes a notice that was told anew into the station's lines.
    fn copy(&mut self, told: &Notice) {
        if let Some(notice) = self.station.iter_mut().rev().find(|notice| notice.number == told.number) {
            notice.clone_from(told);
        }
    }

    /// Takes what a system says with an entry.
    pub(crate) fn push(&mut self, at: Now, seq: Option<Seq>, draft: NoticeDraft) {
        match &draft.grouping {
            Grouping::Apart => self.append(draft.into_notice(at, seq)),
            Grouping::Repeated(key) => {
                let (number, count) = self.coalesced.count(key, at, self.next);
                let text = if count > 1 {
                    format!("×{count} {}", draft.text).into()
                } else {
                    Arc::clone(&draft.text)
                };
                match number.map(|number| self.notice_mut(number)) {
                    Some(Some(notice)) => {
                        (notice.text, notice.at) = (text, at);
                        let told = notice.clone();
                        self.copy(&told);
                    }
                    // It was evicted meanwhile: the next is begun when its time is over.
                    Some(None) => {}
                    None => self.append(draft.into_notice(at, seq)),
                }
            }
            Grouping::Following(kind) => {
                let last = self.notices.back().map(|last| last.number);
                self.fold_or_append(last, kind, (at, seq), &draft);
            }
            Grouping::Folded(kind) => {
                let is_of_kind =
                    |notice: &&Notice| matches!(notice.following, Some((known, _)) if known == *kind);
                let known = self.notices.iter().rev().find(is_of_kind).map(|notice| notice.number);
                self.fold_or_append(known, kind, (at, seq), &draft);
            }
        }
    }

    /// Counts a line in the notice of this number, where that is of its kind, or keeps it as one of its own.
    fn fold_or_append(
        &mut self,
        known: Option<u64>,
        kind: &str,
        (at, seq): (Now, Option<Seq>),
        draft: &NoticeDraft,
    ) {
        if let Some(notice) = known.and_then(|number| self.notice_mut(number))
            && let Some((of, count)) = &mut notice.following
            && *of == kind
        {
            *count = count.saturating_add(1);
            notice.text = format!("{} (×{count})", draft.text).into();
            notice.at = at;
            let told = notice.clone();
            self.copy(&told);
        } else {
            self.append(draft.clone().into_notice(at, seq));
        }
    }

    /// Makes room for a line that came: of a source and level with more than its quota, its oldest line goes;
    /// without such a one, the oldest of all. So who says much pushes out what it said itself.
    fn evict(&mut self) {
        let quota = self.limit.div_ceil(QUOTA_SHARES);
        let noisy = self.kept.values().filter(|numbers| numbers.len() > quota);
        let oldest = noisy.max_by_key(|numbers| numbers.len()).and_then(VecDeque::front);
        let place = oldest.and_then(|oldest| self.place_of(*oldest)).unwrap_or_default();
        if let Some(numbers) = self.notices.remove(place).and_then(|gone| self.kept.get_mut(&gone.source())) {
            numbers.pop_front();
        }
        self.evicted = self.evicted.saturating_add(1);
    }

    /// Gives a notice its number and keeps it.
    fn append(&mut self, notice: Notice) {
        self.serious += u64::from(notice.level >= Level::Warn);
        let notice = Notice { number: self.next, ..notice };
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
        self.kept.entry(notice.source()).or_default().push_back(notice.number);
        self.notices.push_back(notice);
        while self.notices.len() > self.limit {
            self.evict();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn journal() -> Journal {
        let mut limits = limits::Limits::default();
        limits.console.journal_entries_max = 100;
        Journal::new(&limits)
    }

    fn texts(journal: &Journal) -> Vec<&str> {
        journal.notices.iter().map(|notice| &*notice.text).collect()
    }

    #[test]
    fn who_says_much_pushes_out_what_it_said_itself() {
        let mut journal = journal();
        let say = |journal: &mut Journal, n: u64, level, origin| {
            journal.push(
                Now::at_ms(n),
                None,
                NoticeDraft::new(level, origin, format!("{} {n}", level.name())),
            );
        };
        say(&mut journal, 1, Level::Warn, Origin::System(Link::Station));
        say(&mut journal, 2, Level::Error, Origin::Adapter);
        for n in 3..1_000 {
            say(&mut journal, n, Level::Info, Origin::Adapter);
        }
        assert_eq!(journal.notices.len(), 100);
        assert_eq!(texts(&journal)[..3], ["warn 1", "error 2", "info 902"]);
        assert_eq!((journal.received, journal.evicted), (999, 899), "received = kept + cut");
        // As its lines grow old without a noisy source, the oldest of all goes.
        for n in 1_000..2_000 {
            let origin =
                [Origin::Adapter, Origin::Console, Origin::System(Link::Rmp), Origin::System(Link::Mpp)];
            say(&mut journal, n, Level::Info, origin[usize::try_from(n % 4).unwrap()]);
        }
        assert_eq!(texts(&journal)[0], "info 1900");
    }

    #[test]
    fn what_folds_away_is_one_line_where_the_last_of_it_came() {
        let mut journal = journal();
        let operator = |n| NoticeDraft::new(Level::Info, Origin::System(Link::Rmp), format!("ls {n} came"));
        for n in 0..50 {
            let draft = operator(n).grouped(Grouping::Folded("operator clients"));
            journal.push(Now::at_ms(60_000 * n), None, draft);
            journal.push(Now::at_ms(60_000 * n), None, operator(n));
        }
        assert_eq!(journal.notices.len(), 51);
        let folded = &journal.notices[0];
        assert_eq!((&*folded.text, folded.at), ("ls 49 came (×50)", Now::at_ms(60_000 * 49)));
    }
}
