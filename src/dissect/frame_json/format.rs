//! Which codec reads what.

use super::{
    codec::Codec, json_dialect::JsonDialect, macp::MacpCodec, mpp::MppCodec, plugin::PluginCodec,
    rmp::RmpCodec,
};
use crate::{
    limits::Limits,
    macp::Rpc,
    rmp::{Dialect, Registry},
    tap::entry::{Direction, Frame, Head},
};

/// The frames of a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Format {
    /// Lines of the bridge and its adapter.
    Mpp,
    /// What goes over the bus.
    Rmp(RmpUnits),
    /// The request of one call.
    Macp(Rpc),
    /// Messages of a plugin and its host.
    Plugin,
}

impl Format {
    /// How a frame that crossed the tap is written; nothing of an answer of the runtime, which has no JSON of
    /// its own.
    pub(crate) fn of_frame(frame: &Frame) -> Option<Self> {
        Some(match (&frame.head, frame.direction) {
            (Head::Mpp(_), _) => Self::Mpp,
            (Head::Rmp(unit), _) if unit.dialect == Dialect::Json => Self::Rmp(RmpUnits::Json),
            (Head::Rmp(_), _) => Self::Rmp(RmpUnits::Session),
            (Head::Macp(call), Direction::Inbound) => Self::Macp(call.rpc),
            (Head::Macp(_), Direction::Outbound) => return None,
            (Head::Plugin(_), _) => Self::Plugin,
        })
    }
}

/// What a stream of the bus consists of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RmpUnits {
    /// Frames, each by itself.
    Frames,
    /// The frames of a session: control frames, and messages behind those that announce one.
    Session,
    /// Units of the JSON dialect.
    Json,
}

/// What frames are judged by.
#[derive(Clone, Copy)]
pub(crate) struct Setup<'a> {
    /// The schemas there are.
    pub(crate) registry: &'a Registry,
    pub(crate) limits: &'a Limits,
    /// The moment at which expiry is judged, in milliseconds since the Unix epoch, when it is.
    pub(crate) now_ms: Option<&'a dyn Fn() -> u64>,
}

impl std::fmt::Debug for Setup<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Setup").field("now_ms", &self.now_ms.is_some()).finish_non_exhaustive()
    }
}

/// The codec of a format.
pub(crate) fn codec<'a>(format: Format, setup: Setup<'a>) -> Box<dyn Codec + 'a> {
    match format {
        Format::Mpp => Box::new(MppCodec),
        Format::Rmp(RmpUnits::Json) => Box::new(JsonDialect { setup }),
        Format::Rmp(units) => Box::new(RmpCodec { setup, is_session: units == RmpUnits::Session }),
        Format::Macp(rpc) => Box::new(MacpCodec { limits: &setup.limits.macp, rpc }),
        Format::Plugin => Box::new(PluginCodec),
    }
}
