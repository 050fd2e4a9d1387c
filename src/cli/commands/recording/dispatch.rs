//! Which subcommand of `recording` it is.

use super::{info, repair, verify};
use crate::cli::{args::RecordingAction, context::Context, error::Error};

pub(in crate::cli) fn run(context: &mut Context, action: &RecordingAction) -> Result<(), Error> {
    match action {
        RecordingAction::Info(args) => info::run(context, &args.file),
        RecordingAction::Verify(args) => verify::run(context, &args.file),
        RecordingAction::Repair(args) => repair::run(context, &args.file, &args.out),
    }
}
