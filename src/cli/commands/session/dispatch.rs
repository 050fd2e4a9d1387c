//! Which of them is asked for.

use super::{cancel_by, export, send, show, stream};
use crate::cli::{
    args::{SessionAction, SessionCancelArgs},
    commands::ls,
    context::Context,
    error::Error,
};

pub(in crate::cli) fn run(context: &mut Context, action: SessionAction) -> Result<(), Error> {
    match action {
        SessionAction::Start(args) => send::start(context, args),
        SessionAction::Send(args) => send::send(context, args),
        SessionAction::Stream(args) => stream::run(context, args),
        SessionAction::Cancel(SessionCancelArgs { by: Some(peer), reason, .. }) => {
            cancel_by::run(context, &peer, &reason)
        }
        SessionAction::Cancel(args) => send::cancel(context, &args),
        SessionAction::Show(args) => show::run(context, &args),
        SessionAction::Export(args) => export::run(context, &args),
        SessionAction::Ls(args) => ls::run(context, &args.0),
    }
}
