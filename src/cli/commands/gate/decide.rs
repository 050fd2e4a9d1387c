//! `gate pass` and `gate drop`.

use serde::Serialize;

use crate::{
    cli::{
        context::Context,
        error::Error,
        operator,
        report::{Warning, print_warning},
    },
    port::{Command, GateCommand, GateError, GateOutcome, Operator, Outcome, PortError},
    words::counted,
};

/// Frames that were decided on.
#[derive(Serialize)]
#[serde(rename_all = "snake_case")]
enum Decided {
    Passed(Vec<u64>),
    Dropped(Vec<u64>),
}

/// Decides on frames; on all that are held where none is named.
pub(super) fn run(context: &mut Context, named: &[u64], decision: GateCommand) -> Result<(), Error> {
    let is_drop = matches!(decision, GateCommand::Drop { .. });
    let Context { settings, out, .. } = context;
    operator::block_on(async {
        let station = operator::connect(settings).await?;
        let GateOutcome::Released { frames } = command(&station, decision).await? else {
            return Err(Error::UnexpectedAnswer);
        };
        let mut gone = named.iter().filter(|frame| !frames.contains(frame));
        let not_held = |frame: u64| GateError::NotIntercepted { frame };
        match gone.next() {
            Some(first) if frames.is_empty() => return Err(PortError::Gate(not_held(*first)).into()),
            None | Some(_) => {}
        }
        for frame in named.iter().filter(|frame| !frames.contains(frame)) {
            let error = not_held(*frame);
            let (code, message) = (error.code(), error.to_string());
            let warning = Warning { code, message, hint: error.hint().to_owned() };
            print_warning(&warning, out.is_json());
        }
        let decided = if is_drop { Decided::Dropped(frames) } else { Decided::Passed(frames) };
        out.row(&decided, line)
    })
}

fn line(decided: &Decided) -> String {
    let (frames, how) = match decided {
        Decided::Passed(frames) => (frames, "passed"),
        Decided::Dropped(frames) => (frames, "dropped"),
    };
    match &frames[..] {
        [] => "no frame is held".to_owned(),
        [frame] => format!("frame {frame} {how}"),
        frames => format!("{} {how}", counted(frames.len() as u64, "frame")),
    }
}

/// Has the gate do something.
pub(super) async fn command(station: &dyn Operator, command: GateCommand) -> Result<GateOutcome, PortError> {
    match station.command(Command::Gate(command)).await? {
        Outcome::Gate(outcome) => Ok(outcome),
        _ => Err(PortError::BadRequest("unexpected answer from the station".to_owned())),
    }
}
