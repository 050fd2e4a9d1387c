//! `hold`, `resume`, `drain`: the show's brakes (ruling MPP 17).

use serde::Serialize;

use crate::{
    cli::{context::Context, error::Error, operator, output::Output},
    ids::QueueName,
    mpp::{Command, Outcome},
    port::Operator,
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

/// What is printed for each queue concerned.
#[derive(Serialize)]
struct Braked {
    queue: QueueName,
    held: bool,
    draining: bool,
}

pub(in crate::cli) fn run(context: &mut Context, brakes: Brakes, queue: Option<QueueName>) -> Result<(), Error> {
    let Context { settings, out, .. } = context;
    operator::block_on(async {
        let station = operator::connect(settings).await?;
        brake(&station, brakes, queue, out).await
    })
}

async fn brake(station: &dyn Operator, brakes: Brakes, queue: Option<QueueName>, out: &mut Output) -> Result<(), Error> {
    let command = match brakes {
        Brakes::Hold => Command::Hold { queue },
        Brakes::Release => Command::Release { queue },
        Brakes::Resume => Command::Resume { queue },
        Brakes::Drain => Command::Drain { queue },
    };
    let Outcome::Braked(queues) = operator::mpp(station, command).await? else { return Err(Error::StrangeAnswer) };
    for (queue, brake) in queues {
        out.row(&Braked { queue, held: brake.held, draining: brake.draining }, line)?;
    }
    Ok(())
}

fn line(row: &Braked) -> String {
    let what = match (row.held, row.draining) {
        (true, true) => "draining, and held: nothing is dispatched until `resume`",
        (true, false) => "held: nothing is dispatched until `resume`",
        (false, true) => "draining: new work is refused until `resume`",
        (false, false) => "running",
    };
    format!("{}: {what}", row.queue)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        cli::{operator::tests::Scripted, output::tests::Printed},
        port,
        tap::entry::mpp::Brake,
    };

    #[test]
    fn a_queue_that_drains_while_it_is_held_says_that_nothing_moves() {
        let row = Braked { queue: "boss".into(), held: true, draining: true };
        assert_eq!(line(&row), "boss: draining, and held: nothing is dispatched until `resume`");
    }

    #[test]
    fn each_queue_concerned_is_told() {
        let braked = vec![("boss".into(), Brake { held: true, draining: false }), ("default".into(), Brake::default())];
        let station = Scripted::outcomes([port::Outcome::Mpp(Outcome::Braked(braked))]);
        let printed = Printed::default();
        operator::block_on(brake(&station, Brakes::Hold, None, &mut printed.output(true))).unwrap();
        assert_eq!(
            printed.text(),
            "{\"queue\":\"boss\",\"held\":true,\"draining\":false}\n{\"queue\":\"default\",\"held\":false,\"draining\":false}\n"
        );
        assert_eq!(*station.commands.lock().unwrap(), [port::Command::Mpp(Command::Hold { queue: None })]);
    }
}
