//! `invocation settle`: ends by hand what a vanished adapter left in `applied` (ruling MPP 9).

use serde::Serialize;

use crate::{
    cli::{
        args::{SettleArgs, SettleTo},
        context::Context,
        error::Error,
        operator,
    },
    ids::InvocationId,
    mpp::{Command, Outcome, Settlement},
    tap::entry::mpp::RowState,
};

/// The output.
#[derive(Serialize)]
struct Settled {
    id: InvocationId,
    state: RowState,
}

pub(in crate::cli) fn run(context: &mut Context, args: &SettleArgs) -> Result<(), Error> {
    let to = match args.to {
        SettleTo::Done => Settlement::Done,
        SettleTo::Failed => Settlement::Failed,
    };
    let outcome = operator::block_on(async {
        let station = operator::connect(&context.settings).await?;
        operator::mpp(&station, Command::Settle { id: args.id, to }).await
    })?;
    let Outcome::Settled { id, state } = outcome else { return Err(Error::UnexpectedAnswer) };
    context.out.row(&Settled { id, state }, |row| format!("{} {}", row.id, row.state.name()))
}
