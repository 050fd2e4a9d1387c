//! `cancel run`.

use serde::Serialize;

use super::control::ask;
use crate::{
    cli::{
        args::{CancelRunArgs, RunName},
        commands::short_ids,
        context::Context,
        error::Error,
        operator,
        socket::{self, ClientIdentity},
    },
    ids::TraceId,
    runs::payload::{ControlRequest, ControlResponse},
};

/// The output.
#[derive(Serialize)]
struct Cancelled {
    run: TraceId,
    cancelled: bool,
}

pub(in crate::cli) fn run(context: &mut Context, args: &CancelRunArgs) -> Result<(), Error> {
    let said = ClientIdentity::of(&context.settings);
    let hello = socket::hello(&context.settings, &args.peer, "run cancel")?;
    let Context { settings, out, .. } = context;
    operator::block_on(async {
        let run = match &args.run {
            RunName::Whole(run) => *run,
            tail @ RunName::Tail(_) => short_ids::run(&operator::connect(settings).await?, tail).await?,
        };
        let client = socket::connect(&said, hello, settings.limits.client).await?;
        let trace = TraceId(uuid::Uuid::now_v7());
        let answer = ask(&client, trace, &ControlRequest::RunCancel { trace_id: run }).await;
        client.close().await;
        match answer? {
            ControlResponse::RunCancelled { trace_id, .. } => {
                out.row(&Cancelled { run: trace_id, cancelled: true }, |row| format!("cancelled {}", row.run))
            }
            _ => Err(Error::UnexpectedAnswer),
        }
    })
}
