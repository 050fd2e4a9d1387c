//! Which subcommand of `snippet` it is.

use super::{check, list};
use crate::cli::{args::SnippetAction, context::Context, error::Error};

pub(in crate::cli) fn run(context: &mut Context, action: &SnippetAction) -> Result<(), Error> {
    match action {
        SnippetAction::Ls => list::ls(context),
        SnippetAction::Show(args) => list::show(context, args),
        SnippetAction::Check(args) => check::run(context, args),
    }
}
