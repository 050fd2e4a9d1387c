//! What is looked after once a second.

use std::time::Duration;

use super::board::Board;
use crate::{store::Handle, tap::entry::station::Transition};

const PERIOD: Duration = Duration::from_secs(1);

/// Reports when the store begins to refuse commits, and when it takes them again.
pub(super) async fn run(board: Board, store: Handle) {
    let mut failing: Option<String> = None;
    let mut ticks = tokio::time::interval(PERIOD);
    ticks.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    loop {
        ticks.tick().await;
        let now = store.counters().failing;
        if now == failing {
            continue;
        }
        match &now {
            Some(why) => {
                tracing::error!("store: {why}");
                board.report(Transition::StoreFailing, why);
            }
            None => {
                board.report(Transition::StoreWell, "");
            }
        }
        failing = now;
    }
}
