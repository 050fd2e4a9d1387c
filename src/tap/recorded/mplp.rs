//! The transitions of lifecycle records, and what they name.

use super::{
    error::DecodeError,
    form::{Recorded, recorded},
    wire,
};
use crate::{
    tap::entry::mplp::{RatingVerdict, RecordKind, RecordRef, Transition},
    time::ClockShift,
};

recorded! {
    codes RecordKind = RecordKind { Run, Session, Station }
    codes RatingVerdict = RatingVerdict { Approved, Rejected }
    struct RecordRef = MplpRecord "record" { kind, id }
    enum Transition = mplp_transition::Kind, "mplp" in MplpTransition.kind {
        Withheld { record, schema, rule, path, findings } =
            Withheld(wire::MplpWithheld { record, schema, rule, path, findings }),
        Rated { run, verdict, by } = Rated(wire::MplpRated { run, verdict, by }),
        Exported { record, items, findings } = Exported(wire::MplpExported { record, items, findings }),
    }
}
