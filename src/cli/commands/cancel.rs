//! `invocation cancel`: ends pending rows (ruling MPP 10).

use serde::Serialize;

use crate::{
    cli::{args::CancelInvocationsArgs, context::Context, error::Error, operator, output::Output},
    ids::InvocationId,
    mpp::{CancelledRow, Command, Outcome, Refusal},
    port::{Operator, PortError},
};

pub(in crate::cli) fn run(context: &mut Context, args: &CancelInvocationsArgs) -> Result<(), Error> {
    let CancelInvocationsArgs { ids, reason, refund } = args;
    let Context { settings, out, .. } = context;
    let batch_rows = usize::try_from(settings.limits.mpp.command_rows_max).unwrap_or(usize::MAX);
    operator::block_on(async {
        let station = operator::connect(settings).await?;
        cancel(&station, ids, batch_rows, (reason, *refund), out).await
    })
}

async fn cancel(
    station: &dyn Operator,
    ids: &[InvocationId],
    batch_rows: usize,
    (reason, refund): (&str, bool),
    out: &mut Output,
) -> Result<(), Error> {
    let command = |ids| Command::Cancel { ids, reason: reason.to_owned(), refund };
    let rows = |outcome| match outcome {
        Outcome::Cancelled(rows) => Some(rows),
        _ => None,
    };
    in_batches(station, ids, batch_rows, (command, rows), (line, out)).await
}

/// Gives the station a command for many invocations, as many at a time as one may have; prints each row that
/// comes of it, and counts what is refused.
pub(super) async fn in_batches<R: Serialize>(
    station: &dyn Operator,
    ids: &[InvocationId],
    batch_rows: usize,
    (command, rows): (
        impl Fn(Vec<InvocationId>) -> Command,
        impl Fn(Outcome) -> Option<Vec<Result<R, Refusal>>>,
    ),
    (line, out): (fn(&R) -> String, &mut Output),
) -> Result<(), Error> {
    let mut refused: Vec<PortError> = Vec::new();
    for batch in ids.chunks(batch_rows.max(1)) {
        let outcome = operator::mpp(station, command(batch.to_vec())).await?;
        for row in rows(outcome).ok_or(Error::UnexpectedAnswer)? {
            match row {
                Ok(row) => out.row(&row, line)?,
                Err(refusal) => refused.push(PortError::Refused(refusal)),
            }
        }
    }
    none_of(refused)
}

/// The error of the rows that were refused, the first of them named.
fn none_of(refused: Vec<PortError>) -> Result<(), Error> {
    let also = refused.len().saturating_sub(1);
    match refused.into_iter().next() {
        Some(first) => Err(Error::Some { first, also }),
        None => Ok(()),
    }
}

fn line(row: &CancelledRow) -> String {
    let refund = row.refund.map(|refund| format!(", refund {} {}", refund.id, refund.status.name()));
    format!("{} cancelled on {}{}", row.id, row.queue, refund.unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        cli::{operator::tests::Scripted, output::tests::Printed},
        ids::RefundId,
        mpp::RefundRef,
        port,
        tap::entry::mpp::{RefundStatus, RowState},
    };

    #[test]
    fn many_are_cancelled_in_batches_and_the_refused_are_counted() {
        let row = |id, refund| Ok(CancelledRow { id: InvocationId(id), queue: "boss".into(), refund });
        let gone = |id| Err(Refusal::WrongState { id: InvocationId(id), state: RowState::Done });
        let refund = Some(RefundRef { id: RefundId(9), status: RefundStatus::Manual });
        let station = Scripted::outcomes([
            port::Outcome::Mpp(Outcome::Cancelled(vec![row(1, refund), gone(2)])),
            port::Outcome::Mpp(Outcome::Cancelled(vec![gone(3)])),
        ]);
        let printed = Printed::default();
        let ids = [1, 2, 3].map(InvocationId);
        let error = operator::block_on(cancel(&station, &ids, 2, ("late", true), &mut printed.output(true)))
            .unwrap_err();
        assert_eq!(error.to_string(), "invocation 2 is done (and 1 more refused)");
        assert_eq!(
            printed.text(),
            "{\"id\":1,\"queue\":\"boss\",\"refund\":{\"id\":9,\"status\":\"manual\"}}\n"
        );
        assert_eq!(station.commands.lock().unwrap().len(), 2);
    }
}
