//! The time of rules and of held frames.

use crate::{gate::Gate, time::Clock};

/// Disarms rules and releases frames whose time is up, as long as there is a runtime.
pub(in crate::station) async fn serve(gate: Gate, clock: Clock) {
    loop {
        let due = gate.expire(clock.now().mono);
        let wait = async {
            match due {
                Some(due) => tokio::time::sleep(clock.until(due)).await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            () = wait => {}
            () = gate.changed() => {}
        }
    }
}
