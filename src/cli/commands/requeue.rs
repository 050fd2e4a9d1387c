//! `invocation requeue`: records ended rows once more.

use super::{cancel::in_batches, invoke::line};
use crate::{
    cli::{args::RequeueArgs, context::Context, error::Error, operator, output::Output},
    mpp::{Command, Outcome},
    port::Operator,
};

pub(in crate::cli) fn run(context: &mut Context, args: &RequeueArgs) -> Result<(), Error> {
    let Context { settings, out, .. } = context;
    let batch_rows = usize::try_from(settings.limits.mpp.command_rows_max).unwrap_or(usize::MAX);
    operator::block_on(async {
        let station = operator::connect(settings).await?;
        requeue(&station, args, batch_rows, out).await
    })
}

async fn requeue(
    station: &dyn Operator,
    args: &RequeueArgs,
    batch_rows: usize,
    out: &mut Output,
) -> Result<(), Error> {
    let RequeueArgs { ids, even_if_refunded } = args;
    let command = |ids| Command::Requeue { ids, even_if_refunded: *even_if_refunded };
    let rows = |outcome| match outcome {
        Outcome::Requeued(rows) => Some(rows),
        _ => None,
    };
    in_batches(station, ids, batch_rows, (command, rows), (line, out)).await
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        cli::{operator::tests::Scripted, output::tests::Printed},
        ids::InvocationId,
        mpp::{EnqueuedRow, Refusal},
        port,
        tap::entry::mpp::{RefundStatus, RowState},
    };

    #[test]
    fn each_new_row_is_printed_and_the_refused_are_counted() {
        let row = EnqueuedRow {
            id: InvocationId(8),
            queue: "boss".into(),
            event: "spawn".into(),
            state: RowState::Pending,
            trace_id: "0191d3c2-7a41-7f00-8000-00000000a41f".parse().unwrap(),
            repeated: false,
            requeued_from: Some(InvocationId(1)),
        };
        let refund = RefundStatus::Requested;
        let refunded = |id| Err(Refusal::RefundRequested { id: InvocationId(id), refund });
        let station = || {
            Scripted::outcomes([
                port::Outcome::Mpp(Outcome::Requeued(vec![Ok(row.clone()), refunded(2)])),
                port::Outcome::Mpp(Outcome::Requeued(vec![refunded(3)])),
            ])
        };
        let args = RequeueArgs { ids: [1, 2, 3].map(InvocationId).to_vec(), even_if_refunded: false };
        for (json, text) in [
            (
                true,
                "{\"id\":8,\"queue\":\"boss\",\"event\":\"spawn\",\"state\":\"pending\",\"trace_id\":\"trace:0191d3c2-7a41-7f00-8000-00000000a41f\",\"requeued_from\":1}\n",
            ),
            (
                false,
                "8  boss  spawn  pending  trace:0191d3c2-7a41-7f00-8000-00000000a41f  (requeued from 1)\n",
            ),
        ] {
            let (station, printed) = (station(), Printed::default());
            let mut out = printed.output(json);
            let error = operator::block_on(requeue(&station, &args, 2, &mut out)).unwrap_err();
            assert_eq!(error.to_string(), "invocation 2 has a refund (requested) (and 1 more refused)");
            assert_eq!(printed.text(), text);
        }
    }
}
