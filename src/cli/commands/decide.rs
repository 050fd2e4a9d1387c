//! `run approve` and `run reject`: the answer to a node that waits for a person (ruling RMP 13).

use serde::Serialize;

use crate::{
    cli::{
        args::{ActionName, DecideArgs},
        context::Context,
        error::Error,
        operator,
        run_error::RunError,
        table::visible,
    },
    ids::ActionId,
    port::{Command, Operator, Outcome, Page, Query},
    runs,
};

/// The output.
#[derive(Serialize)]
struct Decided {
    action: ActionId,
    approved: bool,
}

pub(in crate::cli) fn run(context: &mut Context, args: &DecideArgs, approved: bool) -> Result<(), Error> {
    let Context { settings, out, .. } = context;
    let action = operator::block_on(async {
        let station = operator::connect(settings).await?;
        decide(&station, &args.action, approved, args.note.clone()).await
    })?;
    out.row(&Decided { action, approved }, |row| {
        format!("{} {}", row.action, if row.approved { "approved" } else { "rejected" })
    })
}

async fn decide(
    station: &dyn Operator,
    name: &ActionName,
    approved: bool,
    note: Option<String>,
) -> Result<ActionId, Error> {
    let action = resolve(station, name).await?;
    let command = Command::Runs(runs::Command::Decide { action, approved, note });
    match station.command(command).await? {
        Outcome::Runs(runs::Outcome::Decided) => Ok(action),
        _ => Err(Error::UnexpectedAnswer),
    }
}

/// The question's whole name. One that is given whole is not looked for; digits are those of a question, or
/// of a run that asks.
async fn resolve(station: &dyn Operator, name: &ActionName) -> Result<ActionId, Error> {
    let tail = match name {
        ActionName::Whole(action) => return Ok(*action),
        ActionName::Tail(tail) => tail,
    };
    let Page::Confirmations(rows) = operator::query(station, Query::Confirmations).await? else {
        return Err(Error::UnexpectedAnswer);
    };
    let ends_so = |id: uuid::Uuid| id.simple().to_string().ends_with(tail.as_str());
    let mut found: Vec<_> = rows.iter().filter(|row| ends_so(row.action.0)).collect();
    if found.is_empty() {
        found = rows.iter().filter(|row| ends_so(row.run.0)).collect();
    }
    match found.as_slice() {
        [row] => Ok(row.action),
        [] => Err(RunError::NoQuestion { tail: tail.clone() }.into()),
        several => {
            let told = several
                .iter()
                .take(5)
                .map(|row| visible(&format!("{} ({})", row.action, row.summary)))
                .collect();
            Err(RunError::SeveralQuestions { tail: tail.clone(), told }.into())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{cli::operator::tests::Scripted, ids::TraceId, port::ConfirmationRow, time::Wall};

    fn row(action: u128) -> ConfirmationRow {
        ConfirmationRow {
            action: ActionId(uuid::Uuid::from_u128(action)),
            run: TraceId(uuid::Uuid::from_u128(7)),
            node: "send".to_owned(),
            summary: "send it?".to_owned(),
            takes: None,
            asked_at_ms: Wall(0),
            expires_at_ms: Wall(9),
        }
    }

    fn decided(name: &str) -> Result<u128, String> {
        let station = Scripted::pages([Page::Confirmations(vec![row(0xa_beef), row(0xb_beef)])]);
        station.outcomes.lock().unwrap().push_back(Ok(Outcome::Runs(runs::Outcome::Decided)));
        let name: ActionName = name.parse().unwrap();
        let done = operator::block_on(async { decide(&station, &name, true, None).await });
        done.map(|action| action.0.as_u128()).map_err(|error| error.to_string())
    }

    #[test]
    fn the_digits_of_a_run_are_those_of_its_question() {
        let of_run = |action| ConfirmationRow { run: TraceId(uuid::Uuid::from_u128(0x22c3)), ..row(action) };
        let found = |rows: &[ConfirmationRow], name: &str| {
            let station = Scripted::pages([Page::Confirmations(rows.to_vec())]);
            let name: ActionName = name.parse().unwrap();
            let found = operator::block_on(async { resolve(&station, &name).await });
            found.map(|action| action.0.as_u128()).map_err(|error| error.to_string())
        };
        for name in ["22c3", "trace:22c3", "trace:00000000-0000-0000-0000-0000000022c3"] {
            assert_eq!(found(&[row(4), of_run(5)], name), Ok(5), "{name}");
        }
        let several = found(&[of_run(5), of_run(6)], "22c3").unwrap_err();
        assert!(several.starts_with("several pending approvals end in 22c3: action:"), "{several}");
        assert_eq!(found(&[of_run(0x22c3), of_run(6)], "22c3"), Ok(0x22c3), "a question's own come first");
    }

    #[test]
    fn a_question_is_named_whole_or_by_its_last_digits() {
        assert_eq!(decided("abeef"), Ok(0xa_beef));
        assert_eq!(
            decided("action:00000000-0000-0000-0000-0000000a41f0"),
            Ok(0xa_41f0),
            "a whole name is not looked for"
        );
        assert_eq!(decided("dead").unwrap_err(), "no pending approval ends in dead");
        assert!(decided("beef").unwrap_err().starts_with(
            "several pending approvals end in beef: action:00000000-0000-0000-0000-0000000abeef (send it?), "
        ));
    }
}
