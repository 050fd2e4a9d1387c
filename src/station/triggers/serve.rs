//! The thread that looks.

use std::{
    sync::{Arc, Weak},
    time::Duration,
};

use super::actions::Actions;
use crate::station::local::Inner;

/// How long entries gather before they are looked at, so that a busy tap need not wake it for each.
const GATHER: Duration = Duration::from_millis(20);
/// How often it is looked whether the station is still there.
const LOOK: Duration = Duration::from_secs(1);

/// Begins to look, once there is a trigger, for as long as the station runs.
pub(in crate::station) fn start(inner: &Arc<Inner>) {
    let weak = Arc::downgrade(inner);
    let look = move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        match runtime {
            Ok(runtime) => runtime.block_on(run(weak)),
            Err(error) => tracing::error!("triggers are not looked for: {error}"),
        }
    };
    if let Err(error) = std::thread::Builder::new().name("triggers".to_owned()).spawn(look) {
        tracing::error!("triggers are not looked for: {error}");
    }
}

async fn run(inner: Weak<Inner>) {
    let Some(mut reader) = first_reader(&inner).await else { return };
    let actions = Actions::default();
    loop {
        let ready = tokio::time::timeout(LOOK, reader.ready()).await;
        let Some(inner) = inner.upgrade().filter(|inner| !inner.is_stopping()) else { return };
        if ready.is_err() {
            continue;
        }
        while let Some(batch) = reader.read() {
            if batch.lost > 0 {
                tracing::warn!("{} entries were lost: triggers may have missed some", batch.lost);
                inner.triggers.miss(batch.lost);
            }
            for (fired, seq, text) in inner.triggers.take(batch.iter()) {
                actions.act(&inner, &fired, seq, &text);
            }
        }
        drop(inner);
        tokio::time::sleep(GATHER).await;
    }
}

/// A reader, as soon as there is a trigger.
async fn first_reader(inner: &Weak<Inner>) -> Option<crate::tap::Reader> {
    loop {
        let shared = inner.upgrade().filter(|inner| !inner.is_stopping())?;
        let changed = Arc::clone(&shared.triggers.changed);
        if !shared.triggers.is_empty() {
            match shared.tap.reader() {
                Ok(reader) => return Some(reader),
                Err(error) => tracing::warn!("triggers wait: {error}"),
            }
        }
        drop(shared);
        let _ = tokio::time::timeout(LOOK, changed.notified()).await;
    }
}
