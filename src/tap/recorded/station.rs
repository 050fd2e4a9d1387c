//! The station's transitions.

use std::sync::Arc;

use super::{
    error::DecodeError,
    form::{Recorded, recorded},
    wire,
};
use crate::{
    admission::TurnedAway,
    tap::entry::{
        alerts::{Alert, AlertChange, AlertManner},
        station::{OperatedBy, Transition},
    },
    time::ClockShift,
};

recorded! {
    codes TurnedAway = TurnedAway {
        MadeRoom, TableFull, PeerShare, FirstFrame, NoToken, FrameTime, ReceivingBytes,
    }
    codes AlertChange = AlertChange { Raised, Updated, Acknowledged, Resolved }
    codes AlertManner = AlertManner { Lasting, Once, Question }
    struct Alert = StationAlert "alert" {
        id, name, link, subject, manner, since, text, last, is_quiet, raised_at, acknowledged_at, resolved_at,
    }
    struct OperatedBy = StationOperator "operated by" { kind, client, session }
    enum Transition = station_transition::Kind, "station" in StationTransition.kind {
        Started = Started,
        HostUp { link } = HostUp(link),
        HostDown { link } = HostDown(link),
        StoreOk = StoreWell,
        StoreFailing = StoreFailing,
        RecordingStarted = RecordingStarted,
        RecordingGrew { bytes } = RecordingGrewBytes(bytes),
        RecordingStopped { bytes } = RecordingStoppedBytes(bytes),
        RecordingFailed { is_always } = RecordingFailed(wire::StationRecordingFailed { is_always }),
        AlwaysRecording = AlwaysRecording,
        DiskLow { free_bytes } = DiskLowFreeBytes(free_bytes),
        DiskFree { free_bytes } = DiskFreeBytes(free_bytes),
        DiskOk { free_bytes } = DiskWellFreeBytes(free_bytes),
        Operated { by, command } = Operated(wire::StationOperated { by, command }),
        OperationEnded { outcome } = OperationEndedOutcome(outcome),
        Marked { by, entry } = Marked(wire::StationMarked { by, entry }),
        Triggered { name, entry, coalesced, is_alert } =
            Triggered(wire::StationTriggered { name, entry, coalesced, is_alert }),
        Notice { level } = Notice(level),
        TurnedAway { why, count } = TurnedAway(wire::StationTurnedAway { why, count }),
        TokenShown { plugin } = TokenShown(wire::StationTokenShown { plugin }),
        Alert { change, alert } = Alert(wire::StationAlertChange { change, alert }),
        Restarted = Restarted,
        Stopping { by } = Stopping(wire::StationStopping { by }),
    }
}

impl<W> Recorded<W> for Arc<Alert>
where
    Alert: Recorded<W>,
{
    fn recorded(&self) -> W {
        (**self).recorded()
    }

    fn live(it: W, field: &'static str, shift: ClockShift) -> Result<Self, DecodeError> {
        Alert::live(it, field, shift).map(Self::new)
    }
}

/// What an attached console of an older version says where its station was started again.
const RESTARTED_NOTICE: &[u8] = b"the station was started again: what follows is of the new start";

/// Carries a transition over into the present form; `text` is what lies beside its entry.
pub(super) fn renew(it: &mut wire::StationTransition, text: &[u8]) {
    use wire::station_transition::Kind;
    if matches!(it.kind, Some(Kind::Notice(_))) && text == RESTARTED_NOTICE {
        it.kind = Some(Kind::Restarted(wire::Nothing {}));
    }
}
