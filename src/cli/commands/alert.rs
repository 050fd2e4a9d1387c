//! `alert ack`: acknowledges alerts, for every console.

use serde::Serialize;

use crate::{
    cli::{args::AlertWhat, context::Context, error::Error, operator},
    port::{Command, Operator, Outcome},
    words::counted,
};

/// What was acknowledged.
#[derive(Serialize)]
struct Acknowledged {
    acknowledged: Vec<u64>,
}

pub(in crate::cli) fn run(context: &mut Context, what: AlertWhat) -> Result<(), Error> {
    // All that are active have no ids.
    let AlertWhat::Ack { ids, all: _ } = what;
    let outcome = operator::block_on(async {
        let station = operator::connect(&context.settings).await?;
        Ok(station.command(Command::AcknowledgeAlerts { ids }).await?)
    })?;
    let Outcome::AlertsAcknowledged { ids: acknowledged } = outcome else {
        return Err(Error::UnexpectedAnswer);
    };
    context.out.row(&Acknowledged { acknowledged }, |row| match &row.acknowledged[..] {
        [] => "nothing to acknowledge: none of these alerts is active".to_owned(),
        ids => {
            let numbers: Vec<String> = ids.iter().map(u64::to_string).collect();
            format!("acknowledged {}: {}", counted(ids.len() as u64, "alert"), numbers.join(", "))
        }
    })
}
