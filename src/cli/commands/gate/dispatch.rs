//! Which subcommand of `gate` it is.

use super::{arm, decide, edit, watch};
use crate::{
    cli::{args::GateAction, commands::ls, context::Context, error::Error},
    port::{GateCommand, List, Query},
};

/// What `gate ls` lists.
const LISTS: [(List, Query); 2] =
    [(List::GateRules, Query::GateRules), (List::Intercepted, Query::Intercepted)];

pub(in crate::cli) fn run(context: &mut Context, action: &GateAction) -> Result<(), Error> {
    match action {
        GateAction::Arm(args) => arm::arm(context, args),
        GateAction::Ls => ls::all(context, &LISTS, "no rules; nothing is held"),
        GateAction::Pass(args) => {
            decide::run(context, &args.frames, GateCommand::Pass { frames: args.frames.clone() })
        }
        GateAction::Drop(args) => {
            decide::run(context, &args.frames, GateCommand::Drop { frames: args.frames.clone() })
        }
        GateAction::Edit(args) => edit::run(context, args),
        GateAction::Disarm(args) => arm::disarm(context, args),
        GateAction::Watch => watch::run(context),
    }
}
