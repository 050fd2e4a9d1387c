//! Which subcommand of `mplp` it is.

use super::{lists, station, validate};
use crate::cli::{args::MplpAction, context::Context, error::Error};

pub(in crate::cli) fn run(context: &mut Context, action: &MplpAction) -> Result<(), Error> {
    if let MplpAction::Station(args) = action {
        return station::run(context, args);
    }
    let Context { settings, out, .. } = context;
    match action {
        MplpAction::Validate(args) => validate::run(&settings.limits.mplp, args, out),
        MplpAction::Schemas => lists::schemas(out),
        MplpAction::Schema { schema } => out.text(schema.text()),
        MplpAction::Invariants => lists::invariants(out),
        // It asks the station.
        MplpAction::Station(_) => Ok(()),
    }
}
