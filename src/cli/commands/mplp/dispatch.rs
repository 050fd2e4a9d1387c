//! Which subcommand of `mplp` it is.

use super::{lists, station, validate};
use crate::cli::{args::MplpAction, context::Context, error::Error};

pub(in crate::cli) fn run(context: &mut Context, action: &MplpAction) -> Result<(), Error> {
    match action {
        MplpAction::Validate(args) => validate::run(&context.settings, args, &mut context.out),
        MplpAction::Schemas => lists::schemas(&mut context.out),
        MplpAction::Schema { schema } => context.out.text(schema.text()),
        MplpAction::Invariants => lists::invariants(&mut context.out),
        MplpAction::Station(args) => station::run(context, args),
    }
}
