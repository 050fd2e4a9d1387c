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
        Brakes::Resume => Command::Resume { queue },
        Brakes::Drain => Command::Drain { queue },
    };
    let Outcome::Braked(queues) = operator::mpp(station, command).await? else { return Err(Error::StrangeAnswer) };
    for (queue, brake) in queues {
        out.row(&Braked { queue, held: brake.held, draining: brake.draining }, |row| {
            let what = match (row.held, row.draining) {
                (true, true) => "held and draining",
                (true, false) => "held",
                (false, true) => "draining",
                (false, false) => "running",
            };
            format!("{}: {what}", row.queue)
        })?;
    }
    Ok(())
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
