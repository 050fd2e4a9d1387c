//! What is kept with a recording beside its entries.

use std::sync::Arc;

use crate::{
    recording::{Attachment, AttachmentsFuture},
    station::local::Inner,
    tap::Tap,
};

/// What is known at once: how the station was started.
pub(super) fn of(inner: &Inner) -> Vec<Attachment> {
    inner.recording.settings.attachments.iter().map(|it| without_tokens(&inner.tap, it.clone())).collect()
}

/// What the station reports of itself. It is made on a thread of its own.
pub(super) fn report(inner: &Arc<Inner>) -> AttachmentsFuture {
    let (report, tap) = (inner.recording.settings.report.clone(), inner.tap.clone());
    let (tell, told) = tokio::sync::oneshot::channel();
    let make = move || {
        let made = report.make().map(|it| without_tokens(&tap, it));
        let _ = tell.send(made.into_iter().collect());
    };
    let spawned = std::thread::Builder::new().name("report".to_owned()).spawn(make);
    if let Err(error) = spawned {
        tracing::warn!("the recording has no report: {error}");
    }
    Box::pin(async move { told.await.unwrap_or_default() })
}

fn without_tokens(tap: &Tap, it: Attachment) -> Attachment {
    Attachment { bytes: tap.without_tokens(it.bytes), ..it }
}
