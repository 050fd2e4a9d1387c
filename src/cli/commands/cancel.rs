//! `invocation cancel`: ends pending rows (ruling MPP 10).

use crate::{
    cli::{args::CancelInvocationsArgs, context::Context, error::Error, operator, output::Output},
    ids::InvocationId,
    mpp::{CancelledRow, Command, Outcome},
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
    let mut refused: Vec<PortError> = Vec::new();
    for batch in ids.chunks(batch_rows.max(1)) {
        let command = Command::Cancel { ids: batch.to_vec(), reason: reason.to_owned(), refund };
        let Outcome::Cancelled(rows) = operator::mpp(station, command).await? else {
            return Err(Error::UnexpectedAnswer);
        };
        for row in rows {
            match row {
                Ok(row) => out.row(&row, line)?,
                Err(refusal) => refused.push(PortError::Refused(refusal)),
            }
        }
    }
    none_of(refused)
}

/// The error of the rows that were refused, the first of them named.
pub(super) fn none_of(refused: Vec<PortError>) -> Result<(), Error> {
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
        mpp::{RefundRef, Refusal},
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
        assert_eq!(error.to_string(), "invocation 2 is done (and 1 more was refused)");
        assert_eq!(
            printed.text(),
            "{\"id\":1,\"queue\":\"boss\",\"refund\":{\"id\":9,\"status\":\"manual\"}}\n"
        );
        assert_eq!(station.commands.lock().unwrap().len(), 2);
    }
}
