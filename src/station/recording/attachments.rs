//! What is kept with a recording beside its entries.

use std::sync::Arc;

use crate::{
    recording::{Attachment, AttachmentsFuture},
    station::local::Inner,
};

/// What the station reports of itself, without tokens and secrets. It is made on a thread of its own.
pub(super) fn of(inner: &Arc<Inner>) -> AttachmentsFuture {
    let (report, tap) = (inner.recording.settings.report.clone(), inner.tap.clone());
    let (tell, told) = tokio::sync::oneshot::channel();
    let make = move || {
        let without_tokens = |it: Attachment| Attachment { bytes: tap.without_tokens(it.bytes), ..it };
        let _ = tell.send(report.make().into_iter().map(without_tokens).collect());
    };
    let spawned = std::thread::Builder::new().name("report".to_owned()).spawn(make);
    if let Err(error) = spawned {
        tracing::warn!("the recording has no report: {error}");
    }
    Box::pin(async move { told.await.unwrap_or_default() })
}
