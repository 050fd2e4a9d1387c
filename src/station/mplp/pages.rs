//! Records as they are asked for.

use crate::{
    port::{Page, PortError, Query},
    station::host::{Asking, misdirected},
    tap::entry::Link,
};

#[expect(clippy::unused_async, reason = "of the shape of the others")]
pub(super) async fn answer(_: Asking<'_>, _: Query) -> Result<Page, PortError> {
    Err(misdirected(Link::Mplp))
}
