//! Judgements of messages, and what is looked up for them.

use std::sync::{Arc, Mutex};

use bytes::Bytes;
use tokio::sync::mpsc;

use super::request::Question;
use crate::{
    limits,
    runs::{
        JudgedControl,
        engine::{ControlLookups, ControlNeed, Engine},
        openings::{Library, Map, Opening},
    },
    store,
    time::Now,
};

/// Judgements that look into the store at one time; one more is given without.
pub(super) const LOOKS_MAX: usize = 4;

/// Bytes of an opening that is loaded for a judgement: nothing else goes on meanwhile.
const OPENING_BYTES_MAX: usize = 65_536;

/// A question with how the store says that it was answered before.
pub(super) type Looked = (Question, Option<Bytes>);

/// The judgement, with the opening where it hangs on that, and what is still to be looked up.
pub(super) fn judge(
    engine: &Engine,
    now: Now,
    question: &Question,
    mut lookups: ControlLookups,
    (library, limits): (&dyn Library, &limits::Runs),
) -> (JudgedControl, Option<ControlNeed>) {
    let (judged, need) = engine.judge(now, &question.stand, &question.body, &lookups);
    let Some(ControlNeed::Opening(yaml)) = need else { return (judged, need) };
    if yaml.len() > OPENING_BYTES_MAX {
        return (judged, None);
    }
    let loaded = Opening::load(&yaml, None, &Map::new(), library, limits);
    lookups.opening = Some(loaded.map(Arc::new).map_err(|faults| faults.to_string()));
    engine.judge(now, &question.stand, &question.body, &lookups)
}

/// Has the store read how a request was answered before; the question again where it cannot be asked now.
pub(super) fn look_up(
    store: Option<&store::Handle>,
    looked: &mpsc::Sender<Looked>,
    need: &ControlNeed,
    question: Question,
) -> Option<Question> {
    let (ControlNeed::Answer { request, variant }, Some(store)) = (need, store) else {
        return Some(question);
    };
    let Ok(room) = looked.clone().try_reserve_owned() else { return Some(question) };
    // Who takes it first has it: the store's answer, or we where the store takes no question.
    let held = Arc::new(Mutex::new(Some(question)));
    let take = |held: &Mutex<Option<Question>>| held.lock().ok().and_then(|mut held| held.take());
    let given = Arc::clone(&held);
    let done = Box::new(move |found: Result<Option<Bytes>, store::op::CommitError>| {
        if let Some(question) = take(&given) {
            drop(room.send((question, found.ok().flatten())));
        }
    });
    if store.control_answer(*request, variant, done).is_ok() { None } else { take(&held) }
}
