//! Pack state: what adapters wrote, and what of it is replayed (mpp-v2, `state_write`, `persisted[]`; rulings
//! MPP 4 and 13).

use std::{borrow::Cow, collections::BTreeMap, sync::Arc};

use super::{
    core::Bridge,
    decide::{Action, Breach},
    view::WrittenBy,
};
use crate::{
    ids::{SessionId, StateKey},
    limits::MPP_FRAME_BYTES_MAX,
    mpp::{
        connection::shared,
        frame::{Persisted, encode},
        manifest::{Pack, Writer},
    },
    schema::JsonText,
    store::{
        op::{Class, Op},
        state::StateRow,
    },
    tap::entry::mpp::{Transition, Violation},
    time::{Now, Wall},
    words::cut_marked,
};

/// Bytes of a schema's finding that are kept.
const FINDING_BYTES_MAX: u64 = 512;

/// One value.
#[derive(Debug)]
pub(super) struct StateEntry {
    pub(super) json: JsonText,
    pub(super) scope: Option<String>,
    pub(super) persist: bool,
    pub(super) written_by: WrittenBy,
    pub(super) at: Wall,
}

/// The values by key, keys that the manifest declares only.
#[derive(Debug, Default)]
pub(super) struct PackState {
    pub(super) values: BTreeMap<StateKey, StateEntry>,
    /// Stored values that are not replayed, and why.
    left_out: Vec<(StateKey, Arc<str>)>,
}

impl PackState {
    /// What the store kept, revalidated against the manifest in force (ruling MPP 13).
    pub(super) fn restore(pack: &Pack, rows: Vec<StateRow>) -> Self {
        let mut state = Self::default();
        for row in rows {
            match usable(pack, &row) {
                Ok(()) => {
                    let (written_by, at) = (WrittenBy::Stored, row.at_ms);
                    state.values.insert(
                        row.key,
                        StateEntry { json: row.value, scope: row.scope, persist: true, written_by, at },
                    );
                }
                Err(why) => state.left_out.push((row.key, shared(&cut_marked(&why, FINDING_BYTES_MAX)))),
            }
        }
        state
    }

    /// The rows of `persisted[]`, and what is left out of it and why. What does not fit one frame is left out
    /// too, so that no adapter is locked out.
    pub(super) fn replay(
        &self,
        login: &str,
        session_id: SessionId,
    ) -> (Vec<Persisted<'_>>, Vec<(StateKey, Arc<str>)>) {
        let mut left_out = self.left_out.clone();
        let (rows, too_much) = fitting(self.rows(), login, session_id);
        left_out.extend(
            too_much
                .into_iter()
                .map(|row| (StateKey::new(&row.key), shared("hello_ack would exceed one frame"))),
        );
        (rows, left_out)
    }

    /// An adapter was given what was stored, but for these.
    pub(super) fn note_replayed(&mut self, left_out: &[(StateKey, Arc<str>)]) {
        for (key, kept) in &mut self.values {
            if kept.written_by == WrittenBy::Stored && !left_out.iter().any(|(known, _)| known == key) {
                kept.written_by = WrittenBy::Replayed;
            }
        }
    }

    fn rows(&self) -> impl Iterator<Item = Persisted<'_>> {
        let kept = self.values.iter().filter(|(_, value)| value.persist);
        kept.map(|(key, value)| persisted(key.as_str(), &value.json, value.scope.as_deref()))
    }

    /// Whether the next `hello_ack` holds this value and leaves nothing out for it that would be in it
    /// otherwise (ruling MPP 4). Any later session's id counts with all its digits.
    fn fits(&self, login: &str, key: &str, value: &JsonText, scope: Option<&str>) -> bool {
        let session_id = SessionId(u64::MAX);
        let mut rows: Vec<Persisted<'_>> = self.rows().filter(|row| row.key != key).collect();
        let place = rows.partition_point(|row| *row.key < *key);
        rows.insert(place, persisted(key, value, scope));
        let (_, after) = fitting(rows.into_iter(), login, session_id);
        if after.is_empty() {
            return true;
        }
        let (_, before) = fitting(self.rows(), login, session_id);
        after.iter().all(|row| row.key != key && before.iter().any(|earlier| earlier.key == row.key))
    }
}

/// The rows that one `hello_ack` holds, in their order, and those that it does not.
fn fitting<'a>(
    rows: impl Iterator<Item = Persisted<'a>>,
    login: &str,
    session_id: SessionId,
) -> (Vec<Persisted<'a>>, Vec<Persisted<'a>>) {
    let mut bytes = encode::hello_ack_len(login, session_id, &[]) + encode::PERSISTED_BYTES;
    rows.partition(|row| {
        let more = encode::persisted_row_len(row);
        let fits = bytes + more <= MPP_FRAME_BYTES_MAX;
        bytes += if fits { more } else { 0 };
        fits
    })
}

fn persisted<'a>(key: &'a str, value: &'a JsonText, scope: Option<&'a str>) -> Persisted<'a> {
    Persisted {
        key: Cow::Borrowed(key),
        value: Cow::Borrowed(value.as_str()),
        scope: scope.map(Cow::Borrowed),
    }
}

fn usable(pack: &Pack, row: &StateRow) -> Result<(), String> {
    let declared = pack.state.get(&row.key).ok_or("the manifest no longer declares it")?;
    if !declared.persist {
        return Err("it is no longer persistent".to_owned());
    }
    declared.check(row.value.as_str())
}

impl Bridge {
    /// The three checks in their order, then the size (mpp-v2, `state_write`; ruling MPP 4). What a breach
    /// says is not masked and not cut yet.
    pub(super) fn decide_write(
        &self,
        key: &str,
        value: JsonText,
        scope: Option<String>,
    ) -> Result<Action, Breach> {
        let Some((name, declared)) = self.settings.pack.state.get_key_value(key) else {
            let message = format!("the manifest declares no state key '{key}'");
            return Err(Breach { violation: Violation::UndeclaredKey, message });
        };
        if declared.writer != Writer::Adapter {
            return Err(Breach {
                violation: Violation::NotTheWriter,
                message: format!("'{name}' is written by the platform"),
            });
        }
        declared.check(value.as_str()).map_err(|finding| Breach {
            violation: Violation::StateSchema,
            message: format!("'{name}': {finding}"),
        })?;
        if declared.persist
            && !self.pack_state.fits(&self.settings.broadcaster_login, key, &value, scope.as_deref())
        {
            return Err(Violation::StateTooLarge.into());
        }
        Ok(Action::Write { key: name.clone(), value, scope })
    }

    pub(super) fn write_state(&mut self, now: Now, key: StateKey, value: JsonText, scope: Option<String>) {
        let persist = self.settings.pack.state.get(&key).is_some_and(|declared| declared.persist);
        // The tag is stored for a key that persists and ignored for others.
        let scope = scope.filter(|_| persist);
        if persist {
            let op = Op::WriteState {
                pack_id: self.settings.pack.id.clone(),
                key: key.clone(),
                value: value.clone(),
                scope: scope.clone(),
                at: now.wall,
            };
            self.persist(Class::WriteBehind, op, None);
            self.pack_state.left_out.retain(|(left_out, _)| *left_out != key);
        }
        let text = shared(value.as_str());
        let written_by = self.active.as_ref().map_or(WrittenBy::Stored, |active| WrittenBy::Adapter {
            peer: active.peer.clone(),
            session_id: self.settings.session_id,
        });
        self.pack_state
            .values
            .insert(key.clone(), StateEntry { json: value, scope, persist, written_by, at: now.wall });
        self.emit_transition(Transition::StateWritten { key, persist }, Some(text), None);
    }
}
