//! `hold`, `resume`, `drain`: the show's brakes (ruling MPP 17).

use serde::Serialize;

use crate::{
    cli::{context::Context, error::Error, operator, output::Output},
    ids::QueueName,
    mpp::{Command, Outcome},
    port::{self, Operator, PortError},
    runs,
    words::quoted,
};

/// Which brake.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::cli) enum Brakes {
    Hold,
    /// `resume --keep-drain`.
    Release,
    Resume,
    Drain,
}

/// The output for each queue concerned.
#[derive(Serialize)]
struct Braked {
    queue: QueueName,
    held: bool,
    draining: bool,
}

/// The output about the runs, where everything is concerned.
#[derive(Serialize)]
struct BrakedRuns {
    part: &'static str,
    held: bool,
}

pub(in crate::cli) fn run(
    context: &mut Context,
    brakes: Brakes,
    queue: Option<QueueName>,
) -> Result<(), Error> {
    let Context { settings, out, .. } = context;
    operator::block_on(async {
        let station = operator::connect(settings).await?;
        brake(&station, brakes, queue, out).await
    })
}

async fn brake(
    station: &dyn Operator,
    brakes: Brakes,
    queue: Option<QueueName>,
    out: &mut Output,
) -> Result<(), Error> {
    let is_one = queue.is_some();
    let command = match brakes {
        Brakes::Hold => Command::Hold { queue },
        Brakes::Release => Command::Release { queue },
        Brakes::Resume => Command::Resume { queue },
        Brakes::Drain => Command::Drain { queue },
    };
    let is_all = matches!(
        &command,
        Command::Hold { queue: None } | Command::Release { queue: None } | Command::Resume { queue: None }
    );
    let Outcome::Braked(queues) = operator::mpp(station, command).await? else {
        return Err(Error::UnexpectedAnswer);
    };
    for (queue, brake) in queues {
        let row = Braked { queue, held: brake.held, draining: brake.draining };
        out.row(&row, |row| line(row, is_one))?;
    }
    if is_all {
        let command = if brakes == Brakes::Hold { runs::Command::Hold } else { runs::Command::Release };
        let outcome = match station.command(port::Command::Runs(command)).await {
            // Where none run there is nothing to hold.
            Err(PortError::HostDown { .. }) => return Ok(()),
            answer => answer?,
        };
        let port::Outcome::Runs(runs::Outcome::Braked { held }) = outcome else {
            return Err(Error::UnexpectedAnswer);
        };
        out.row(&BrakedRuns { part: "runs", held }, |row| {
            format!(
                "runs: {}",
                if row.held {
                    "held: no attempt starts until `rl-console resume` or a restart"
                } else {
                    "running"
                }
            )
        })?;
    }
    Ok(())
}

/// How a queue is, with what ends its brakes: those of the one that was named alone.
fn line(row: &Braked, is_one: bool) -> String {
    let resume = if is_one {
        format!("until `rl-console resume {}`", quoted(row.queue.as_str()))
    } else {
        "until `rl-console resume`".to_owned()
    };
    let what = match (row.held, row.draining) {
        (true, true) => format!("draining, and held: nothing is dispatched {resume}"),
        (true, false) => format!("held: nothing is dispatched {resume}"),
        (false, true) => format!("draining: new work is refused {resume}"),
        (false, false) => "running".to_owned(),
    };
    format!("{}: {what}", row.queue)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        cli::{operator::tests::Scripted, output::tests::Printed},
        tap::entry::mpp::Brake,
    };

    #[test]
    fn a_queue_that_drains_while_it_is_held_says_that_nothing_moves() {
        let row = Braked { queue: "boss".into(), held: true, draining: true };
        let says = "boss: draining, and held: nothing is dispatched until `rl-console resume";
        assert_eq!(line(&row, false), format!("{says}`"));
        assert_eq!(line(&row, true), format!("{says} boss`"));
    }

    #[test]
    fn each_queue_concerned_is_told() {
        let braked = vec![
            ("boss".into(), Brake { held: true, draining: false }),
            ("default".into(), Brake::default()),
        ];
        let runs = port::Outcome::Runs(runs::Outcome::Braked { held: true });
        let station = Scripted::outcomes([port::Outcome::Mpp(Outcome::Braked(braked)), runs]);
        let printed = Printed::default();
        operator::block_on(brake(&station, Brakes::Hold, None, &mut printed.output(true))).unwrap();
        assert_eq!(
            printed.text(),
            "{\"queue\":\"boss\",\"held\":true,\"draining\":false}\n{\"queue\":\"default\",\"held\":false,\"draining\":false}\n\
             {\"part\":\"runs\",\"held\":true}\n"
        );
        let hold =
            [port::Command::Mpp(Command::Hold { queue: None }), port::Command::Runs(runs::Command::Hold)];
        assert_eq!(*station.commands.lock().unwrap(), hold);
    }
}
