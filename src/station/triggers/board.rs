//! The triggers there are.

use std::{
    path::PathBuf,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use tokio::sync::Notify;

use super::{Trigger, check::TRIGGERS_MAX, trigger::Fired};
use crate::{
    ids::Seq,
    port::{PortError, TriggerRow, TriggerSpec},
    tap::EntryRef,
};

/// The triggers, for the thread that looks and for operators.
#[derive(Debug)]
pub(in crate::station) struct TriggerBoard {
    all: Mutex<Vec<Trigger>>,
    /// There is one more.
    pub(super) changed: Arc<Notify>,
    /// Held while one is added or removed: from the question whether it may be until that is done.
    pub(in crate::station) changing: tokio::sync::Mutex<()>,
    /// This program, whose subcommands they run.
    pub(super) program: PathBuf,
}

impl TriggerBoard {
    /// Those of the configuration; what is wrong with one was said when it was read.
    pub(in crate::station) fn new(configured: &[TriggerSpec], program: PathBuf) -> Self {
        let all = configured.iter().filter_map(|spec| Trigger::new(spec.clone(), true).ok());
        let all = Mutex::new(all.take(TRIGGERS_MAX).collect());
        Self { all, changed: Arc::default(), changing: tokio::sync::Mutex::new(()), program }
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Trigger>> {
        self.all.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes up those that were added before this start; the configuration goes first.
    pub(in crate::station) fn restore(&self, added: Vec<TriggerSpec>) {
        for spec in added {
            let name = spec.name.clone();
            if let Err(error) = self.add(spec) {
                tracing::warn!("the trigger {name} is left out: {error}");
            }
        }
    }

    /// Adds one.
    ///
    /// # Errors
    /// It is not valid, its name is taken, or there are too many.
    pub(in crate::station) fn add(&self, spec: TriggerSpec) -> Result<(), PortError> {
        let trigger = Trigger::new(spec, false).map_err(PortError::Trigger)?;
        let mut all = self.lock();
        has_room_for(&all, &trigger)?;
        all.push(trigger);
        drop(all);
        self.changed.notify_one();
        Ok(())
    }

    /// Whether one may be added.
    ///
    /// # Errors
    /// As [`Self::add`].
    pub(in crate::station) fn may_add(&self, spec: &TriggerSpec) -> Result<(), PortError> {
        let trigger = Trigger::new(spec.clone(), false).map_err(PortError::Trigger)?;
        has_room_for(&self.lock(), &trigger)
    }

    /// Removes one that was added.
    ///
    /// # Errors
    /// There is none of this name, or the configuration has it.
    pub(in crate::station) fn remove(&self, name: &str) -> Result<(), PortError> {
        let mut all = self.lock();
        let at = position_of(&all, name)?;
        all.remove(at);
        Ok(())
    }

    /// Whether one may be removed.
    ///
    /// # Errors
    /// As [`Self::remove`].
    pub(in crate::station) fn may_remove(&self, name: &str) -> Result<(), PortError> {
        position_of(&self.lock(), name).map(drop)
    }

    /// All, as they are listed.
    pub(in crate::station) fn rows(&self) -> Vec<TriggerRow> {
        self.lock().iter().map(Trigger::row).collect()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.lock().is_empty()
    }

    /// So many entries were lost: none of the triggers there are has looked at them.
    pub(super) fn miss(&self, lost: u64) {
        self.lock().iter_mut().for_each(|trigger| trigger.miss(lost));
    }

    /// Takes entries; what fired, and by which.
    pub(super) fn take<'a>(&self, entries: impl Iterator<Item = EntryRef<'a>>) -> Vec<(Fired, Seq, String)> {
        let (mut all, mut fired) = (self.lock(), Vec::new());
        for entry in entries {
            for trigger in all.iter_mut() {
                if let Some(of) = trigger.take(entry) {
                    let text = crate::dissect::summary_line(entry.entry).into_owned();
                    fired.push((of, entry.entry.seq, text));
                }
            }
        }
        fired
    }
}

fn has_room_for(all: &[Trigger], trigger: &Trigger) -> Result<(), PortError> {
    let name = &trigger.spec().name;
    if all.iter().any(|known| known.spec().name == *name) {
        let why = format!("there is a trigger `{name}` already; remove it first");
        return Err(PortError::Trigger(why));
    }
    if all.len() >= TRIGGERS_MAX {
        return Err(PortError::Busy {
            what: format!("there are {TRIGGERS_MAX} triggers, the most there can be"),
        });
    }
    Ok(())
}

/// The position of one that was added.
fn position_of(all: &[Trigger], name: &str) -> Result<usize, PortError> {
    match all.iter().position(|known| known.spec().name == name) {
        Some(at) if all.get(at).is_some_and(Trigger::is_configured) => Err(PortError::Trigger(format!(
            "the configuration has `{name}`: remove it there, and start the station again"
        ))),
        Some(at) => Ok(at),
        None => Err(PortError::Trigger(format!("no trigger is called `{name}`"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_lost_is_counted_for_the_triggers_that_were_there() {
        let spec = |name| TriggerSpec { mark: true, ..TriggerSpec::new(name, "kind:notice") };
        let board = TriggerBoard::new(&[spec("first")], PathBuf::new());
        board.miss(5);
        board.add(spec("second")).unwrap();
        board.miss(2);
        let missed: Vec<_> = board.rows().into_iter().map(|row| (row.spec.name, row.missed)).collect();
        assert_eq!(missed, [("first".to_owned(), 7), ("second".to_owned(), 2)]);
    }

    #[test]
    fn a_row_of_an_earlier_station_has_missed_nothing() {
        let spec = TriggerSpec { mark: true, ..TriggerSpec::new("first", "kind:notice") };
        let row = Trigger::new(spec, true).unwrap().row();
        let mut json = serde_json::to_value(&row).unwrap();
        assert_eq!(json.as_object_mut().unwrap().remove("missed"), Some(0.into()));
        assert_eq!(serde_json::from_value::<TriggerRow>(json).unwrap(), row);
    }
}
