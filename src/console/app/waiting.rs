//! What the loop waits for.

use std::time::Duration;

use crate::tap;

/// So long, or for ever. What is due already is ready at once: a timer would fire only after the runtime was
/// yielded to.
pub(crate) async fn sleep(duration: Option<Duration>) {
    match duration {
        Some(Duration::ZERO) => {}
        Some(duration) => tokio::time::sleep(duration).await,
        None => std::future::pending().await,
    }
}

/// There is something to read, and it has had so long to gather.
pub(crate) async fn ready(reader: Option<&mut tap::Reader>, patience: Option<Duration>) {
    sleep(patience).await;
    match reader {
        Some(reader) => reader.ready().await,
        None => std::future::pending().await,
    }
}
