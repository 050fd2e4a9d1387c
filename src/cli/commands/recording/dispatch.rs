//! Which subcommand of `recording` it is.

use super::{cut, export, info, repair, verify};
use crate::cli::{args::RecordingAction, context::Context, error::Error};

pub(in crate::cli) fn run(context: &mut Context, action: &RecordingAction) -> Result<(), Error> {
    match action {
        RecordingAction::Info(args) => match &args.attachment {
            Some(name) => info::print_attachment(context, &args.file, name),
            None => info::run(context, &args.file),
        },
        RecordingAction::Verify(args) => verify::run(context, &args.file),
        RecordingAction::Cut(args) => cut::run(context, args),
        RecordingAction::Export(args) => export::run(context, args),
        RecordingAction::Repair(args) => repair::run(context, &args.file, &args.out),
    }
}
