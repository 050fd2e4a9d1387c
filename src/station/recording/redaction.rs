//! What is masked in the station's recordings, beyond secrets.
//!
//! All of them share what is known, so that one that is begun later masks what an earlier one found. A state
//! may quote what no recorder has read, and what the tap no longer keeps: it is looked through all the time,
//! and before a snapshot is masked.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::current::Recording;
use crate::{
    dissect::{RedactRules, Redactor},
    ids::Seq,
    port::PortError,
    recording::Redact,
    tap::{EntryRef, Reader, Tap},
};

/// Whether rules of `recording.redact` can be read.
///
/// # Errors
/// Which one cannot, why, and what to write.
pub fn check_redact(rules: &[String]) -> Result<(), String> {
    RedactRules::parse(rules).map(drop)
}

/// The redactor of all recordings of a station, made when it is first needed.
#[derive(Debug, Default)]
pub(super) struct Redaction(Mutex<Option<SharedRedactor>>);

type SharedRedactor = Arc<Mutex<TapRedactor>>;

/// A redactor that learns what rules name from the entries of the tap.
#[derive(Debug)]
struct TapRedactor {
    redactor: Redactor,
    /// The one place in the tap from which it is looked through for all recordings.
    reader: Reader,
    /// All that the tap kept in front of this one was looked at.
    next: Seq,
    /// Whether an entry left the tap before it was looked at. A state may quote it for as long as it likes.
    has_missed: bool,
}

impl Recording {
    /// Whether anything is masked beyond secrets.
    pub(in crate::station) fn has_rules(&self) -> bool {
        !self.settings.redact.is_empty()
    }

    /// Notes what rules name in new entries, before these leave the tap. It may take a while.
    pub(in crate::station) fn look_through(&self, tap: &Tap) {
        // Rules that cannot be read are refused at the start; for want of a reader it is tried again.
        if let Ok(Some(redactor)) = self.redaction.redactor(&self.settings.redact, tap) {
            lock(&redactor).catch_up();
        }
    }
}

impl Redaction {
    /// What masks a recording by these rules, and how many there are; nothing where there are none.
    ///
    /// # Errors
    /// One that cannot be read: nothing is recorded then.
    pub(super) fn of(
        &self,
        rules: &[String],
        tap: &Tap,
    ) -> Result<(Option<Box<dyn Redact>>, u64), PortError> {
        let redactor = self.redactor(rules, tap)?;
        Ok((redactor.map(|it| Box::new(it) as Box<dyn Redact>), rules.len() as u64))
    }

    /// The redactor by these rules, made if it was not; nothing where there are none.
    fn redactor(&self, rules: &[String], tap: &Tap) -> Result<Option<SharedRedactor>, PortError> {
        if rules.is_empty() {
            return Ok(None);
        }
        let mut made = lock(&self.0);
        if made.is_some() {
            return Ok(made.clone());
        }
        let rules = RedactRules::parse(rules)
            .map_err(|why| PortError::Recording(format!("recording.redact cannot be read: {why}")))?;
        let reader = tap.reader_from_oldest();
        let reader = reader.map_err(|error| PortError::Busy { what: error.to_string() })?;
        let (next, has_missed) = (reader.next(), tap.counters().evicted > 0);
        let redactor = TapRedactor { redactor: Redactor::new(rules), reader, next, has_missed };
        Ok(Some(made.insert(Arc::new(Mutex::new(redactor))).clone()))
    }
}

fn lock<T>(of: &Mutex<T>) -> MutexGuard<'_, T> {
    of.lock().unwrap_or_else(PoisonError::into_inner)
}

impl TapRedactor {
    /// Notes what is named in entries that the tap keeps and that were not looked at.
    fn catch_up(&mut self) {
        let end = Seq(self.reader.next().0.saturating_add(self.reader.lag()));
        while self.reader.next() < end {
            let Some(batch) = self.reader.read() else { break };
            let first = batch.get(0).map(|first| first.entry.seq);
            self.has_missed |= batch.lost > 0 && first > Some(self.next);
            let is_new = |entry: &EntryRef<'_>| entry.entry.seq >= self.next;
            let entries: Vec<EntryRef<'_>> = batch.iter().filter(is_new).collect();
            self.redactor.learn(&entries);
            self.next = self.next.max(self.reader.next());
        }
    }

    fn entries(&mut self, entries: &[EntryRef<'_>]) -> Vec<Vec<u8>> {
        let recorded = self.redactor.entries(entries);
        if let (Some(first), Some(last)) = (entries.first(), entries.last())
            && first.entry.seq <= self.next
        {
            self.next = self.next.max(last.entry.seq.next());
        }
        recorded
    }
}

impl Redact for SharedRedactor {
    fn entries(&mut self, entries: &[EntryRef<'_>]) -> Vec<Vec<u8>> {
        lock(self).entries(entries)
    }

    fn snapshot(&mut self, recorded: &mut [u8]) -> Result<(), String> {
        let mut shared = lock(self);
        shared.catch_up();
        if shared.has_missed {
            Redactor::whole_snapshot(recorded);
        } else {
            shared.redactor.snapshot(recorded);
        }
        Ok(())
    }

    fn attachment(&mut self, bytes: &mut [u8]) {
        lock(self).redactor.text(bytes);
    }
}

#[cfg(test)]
mod tests {
    use prost::Message as _;

    use super::*;
    use crate::{
        limits, mpp,
        station::RecordingSettings,
        tap::{
            Draft,
            entry::{Direction, Frame, Head, Link, Verdict, What},
            recorded::{self, wire},
        },
        time::Now,
    };

    fn invoke(tap: &Tap, user: &str) {
        let line =
            format!(r#"{{"mpp":2,"type":"invocation","event":"give_item","params":{{"user":"{user}"}}}}"#);
        let (kind, event) = (Some(mpp::FrameType::Invocation), Some("give_item".into()));
        let what = What::Frame(Frame {
            direction: Direction::Outbound,
            peer: "127.0.0.1:5".into(),
            head: Head::Mpp(mpp::Head { kind, event, ..mpp::Head::default() }),
            verdict: Verdict::Sent,
            wire_bytes: u32::try_from(line.len()).unwrap(),
            redaction: crate::tap::entry::Redaction::None,
            origin: None,
        });
        tap.emit(Draft {
            at: Now::at_ms(1),
            link: Link::Mpp,
            trace: None,
            cause: None,
            what,
            bytes: line.as_bytes(),
        });
    }

    fn attached(redact: &mut dyn Redact, text: &str) -> String {
        let mut bytes = text.as_bytes().to_vec();
        redact.attachment(&mut bytes);
        String::from_utf8(bytes).unwrap()
    }

    #[test]
    fn all_recordings_look_through_the_tap_by_one_reader() {
        let tap = Tap::new(limits::Tap { readers_max: 4, ..limits::Tap::default() });
        invoke(&tap, "before_1");
        let (rules, redaction) = (vec!["event:give_item $.user".to_owned()], Redaction::default());
        assert!(redaction.of(&[], &tap).unwrap().0.is_none());
        let of = || redaction.of(&rules, &tap).unwrap().0.unwrap();
        let mut all: Vec<_> = (0..8).map(|_| of()).collect();
        let held: Vec<_> = std::iter::from_fn(|| tap.reader().ok()).collect();
        assert_eq!(held.len(), 3);
        for (number, one) in all.iter_mut().enumerate() {
            let user = format!("viewer_{number}_x");
            invoke(&tap, &user);
            one.snapshot(&mut []).unwrap();
            assert_eq!(
                attached(&mut **one, &format!("{user} before_1")),
                format!("{} ********", "*".repeat(10))
            );
        }
        drop(all);
        // What a recording of later reads is known to the others, and is not looked at again.
        invoke(&tap, "later_1");
        drop(held);
        let (mut reader, mut one) = (tap.reader_from_oldest().unwrap(), of());
        while let Some(batch) = reader.read() {
            let entries: Vec<EntryRef<'_>> = batch.iter().collect();
            let recorded = one.entries(&entries);
            assert!(recorded.iter().all(|bytes| recorded::decode(bytes).is_ok()));
        }
        assert_eq!(attached(&mut *of(), "later_1"), "*******");
        let redactor = lock(&redaction.0).clone().unwrap();
        assert_eq!(lock(&redactor).next, reader.next());
    }

    /// The log line of a state, as a recording has it.
    fn logged(redact: &mut dyn Redact, text: &str) -> String {
        let logs = vec![wire::LogView { text: text.to_owned(), ..wire::LogView::default() }];
        let mpp = Some(wire::MppView { logs, ..wire::MppView::default() });
        let mut bytes = wire::Snapshot { mpp, ..wire::Snapshot::default() }.encode_to_vec();
        redact.snapshot(&mut bytes).unwrap();
        wire::Snapshot::decode(&*bytes).unwrap().mpp.unwrap().logs.remove(0).text
    }

    #[test]
    fn what_the_tap_no_longer_keeps_is_known_and_where_it_was_missed_states_are_masked_whole() {
        let tap = Tap::new(limits::Tap { ring_entries_max: 1_024, ..limits::Tap::default() });
        let redact = vec!["event:give_item $.user".to_owned()];
        let recording = Recording::new(RecordingSettings { redact, ..RecordingSettings::default() });
        assert!(recording.has_rules() && !Recording::new(RecordingSettings::default()).has_rules());
        let of = || recording.redaction.of(&recording.settings.redact, &tap).unwrap().0.unwrap();
        invoke(&tap, "early_1");
        for _ in 0..64 {
            recording.look_through(&tap);
            (0..64).for_each(|_| invoke(&tap, "viewer_1"));
        }
        assert!(tap.oldest() > Seq(64), "its frame is gone");
        assert_eq!(logged(&mut *of(), "gave early_1 a sword"), "gave ******* a sword");
        invoke(&tap, "missed_1");
        (0..4_096).for_each(|_| invoke(&tap, "viewer_1"));
        assert_eq!(logged(&mut *of(), "gave missed_1 a sword"), "*".repeat(21));
        assert_eq!(logged(&mut *of(), "plain"), "*****", "and so from then on");
    }

    #[test]
    fn what_left_the_tap_before_it_was_first_looked_through_is_missed() {
        let tap = Tap::new(limits::Tap { ring_entries_max: 1_024, ..limits::Tap::default() });
        (0..4_096).for_each(|_| invoke(&tap, "viewer_1"));
        let rules = vec!["event:give_item $.user".to_owned()];
        let mut one = Redaction::default().of(&rules, &tap).unwrap().0.unwrap();
        assert_eq!(logged(&mut *one, "plain"), "*****");
    }
}
