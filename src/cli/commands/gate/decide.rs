//! `gate pass` and `gate drop`.

use serde::Serialize;

use crate::{
    cli::{
        context::Context,
        error::Error,
        operator,
        report::{Warning, print_warning},
        table::visible,
    },
    port::{
        Command, GateCommand, GateError, GateOutcome, InterceptedRow, Operator, Outcome, Page, PortError,
        Query, frame_words,
    },
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
        // Afterwards nobody knows what they were.
        let rows = if is_drop { held(&station).await? } else { Vec::new() };
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
        out.row(&decided, |decided| line(decided, &rows))
    })
}

/// What is held.
async fn held(station: &dyn Operator) -> Result<Vec<InterceptedRow>, Error> {
    match operator::query(station, Query::Intercepted).await? {
        Page::Intercepted(rows) => Ok(rows),
        _ => Err(Error::UnexpectedAnswer),
    }
}

/// What became of frames; of those among the rows, what they were.
fn line(decided: &Decided, rows: &[InterceptedRow]) -> String {
    let what = |frame: u64| {
        let row = rows.iter().find(|row| row.frame == frame)?;
        Some(visible(&frame_words(&row.kind, row.way, &row.peer)))
    };
    let (frames, how) = match decided {
        Decided::Passed(frames) => (frames, "passed"),
        Decided::Dropped(frames) => (frames, "dropped"),
    };
    match &frames[..] {
        [] => "no frame is held".to_owned(),
        [frame] => {
            let what = what(*frame).map_or_else(String::new, |what| format!(": {what}"));
            format!("frame {frame} {how}{what}")
        }
        frames => {
            let each = |frame: &u64| what(*frame).map(|what| format!("{frame} {what}"));
            let each: Vec<String> = frames.iter().filter_map(each).collect();
            let each = if each.is_empty() { String::new() } else { format!(": {}", each.join(", ")) };
            format!("{} {how}{each}", counted(frames.len() as u64, "frame"))
        }
    }
}

/// Has the gate do something.
pub(super) async fn command(station: &dyn Operator, command: GateCommand) -> Result<GateOutcome, PortError> {
    match station.command(Command::Gate(command)).await? {
        Outcome::Gate(outcome) => Ok(outcome),
        _ => Err(PortError::BadRequest("unexpected answer from the station".to_owned())),
    }
}
