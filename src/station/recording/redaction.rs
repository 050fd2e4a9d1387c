//! What is masked in the station's recordings, beyond secrets.
//!
//! All of them share what is known, so that one that is begun later masks what an earlier one found. A state
//! may quote what no recorder has read yet: the tap is looked through before a snapshot is masked.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::{
    dissect::{RedactRules, Redactor},
    ids::Seq,
    port::PortError,
    recording::Redact,
    tap::{EntryRef, Tap},
};

/// Whether rules of `recording.redact` can be read.
///
/// # Errors
/// Which one cannot, why, and what to write.
pub fn check_redact(rules: &[String]) -> Result<(), String> {
    RedactRules::parse(rules).map(drop)
}

/// What masks by the station's rules, made with its first recording.
#[derive(Debug, Default)]
pub(super) struct Redaction(Mutex<Option<(u64, Arc<Mutex<Looked>>)>>);

/// What masks, and up to where the tap was looked through.
#[derive(Debug)]
struct Looked {
    redactor: Redactor,
    next: Seq,
}

impl Redaction {
    /// What masks a recording by these rules, and how many there are; nothing where there is none.
    ///
    /// # Errors
    /// One that cannot be read: nothing is recorded then.
    pub(super) fn of(
        &self,
        rules: &[String],
        tap: &Tap,
    ) -> Result<(Option<Box<dyn Redact>>, u64), PortError> {
        if rules.is_empty() {
            return Ok((None, 0));
        }
        let mut made = lock(&self.0);
        let (count, looked) = if let Some(made) = &*made {
            made.clone()
        } else {
            let rules = RedactRules::parse(rules)
                .map_err(|why| PortError::Recording(format!("recording.redact cannot be read: {why}")))?;
            let (count, looked) =
                (rules.len() as u64, Looked { redactor: Redactor::new(rules), next: Seq(0) });
            made.insert((count, Arc::new(Mutex::new(looked)))).clone()
        };
        Ok((Some(Box::new(Shared { looked, tap: tap.clone() })), count))
    }
}

fn lock<T>(of: &Mutex<T>) -> MutexGuard<'_, T> {
    of.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What one recorder masks by.
struct Shared {
    looked: Arc<Mutex<Looked>>,
    tap: Tap,
}

impl Looked {
    /// Notes what is named in entries that the tap keeps and that were not looked at.
    fn catch_up(&mut self, tap: &Tap) -> Result<(), String> {
        let mut reader = tap.reader_from(self.next).map_err(|error| error.to_string())?;
        let mut left = reader.lag();
        while left > 0 {
            let Some(batch) = reader.read() else { break };
            let entries: Vec<EntryRef<'_>> = batch.iter().collect();
            left = left.saturating_sub(entries.len() as u64 + batch.lost);
            self.redactor.learn(&entries);
            self.next = entries.last().map_or(self.next, |last| last.entry.seq.next());
        }
        Ok(())
    }
}

impl Redact for Shared {
    fn entries(&mut self, entries: &[EntryRef<'_>]) -> Vec<Vec<u8>> {
        let mut looked = lock(&self.looked);
        let recorded = looked.redactor.entries(entries);
        if let (Some(first), Some(last)) = (entries.first(), entries.last())
            && first.entry.seq <= looked.next
        {
            looked.next = looked.next.max(last.entry.seq.next());
        }
        recorded
    }

    fn snapshot(&mut self, recorded: &mut [u8]) -> Result<(), String> {
        let mut looked = lock(&self.looked);
        looked.catch_up(&self.tap)?;
        looked.redactor.snapshot(recorded);
        Ok(())
    }

    fn attachment(&mut self, bytes: &mut [u8]) {
        lock(&self.looked).redactor.text(bytes);
    }
}
