//! `invoke`: enqueues one event, or many from a stream.

use std::{
    io::{BufReader, Read},
    path::Path,
};

use super::{event_schemas::EventSchemas, wait};
use crate::{
    cli::{
        args::InvokeArgs,
        config::Settings,
        context::Context,
        error::Error,
        ndjson::{Lines, Numbered},
        operator,
        output::Output,
        report,
    },
    limits::Limits,
    mpp::{Command, EnqueuedRow, NewInvocation, Outcome},
    port::{Operator, PortError},
    schema::JsonText,
};

/// Refused lines that are named; of more it is said how many.
const LISTED_MAX: usize = 20;

/// Bytes read from a file at once; what has come by then is committed together.
const READ_BYTES: usize = 256 << 10;

pub(in crate::cli) fn run(context: &mut Context, args: InvokeArgs) -> Result<(), Error> {
    if let Some(from) = &args.from {
        return many(context, from, args.check);
    }
    let (wanted, timeout, is_checked) = (args.wait, args.timeout, args.check);
    let invocation = invocation(args)?;
    let Context { settings, clock, out, .. } = context;
    operator::block_on(async {
        let station = operator::connect(settings).await?;
        let schemas = EventSchemas::of(&station, is_checked).await?;
        if let Some(unfit) = schemas.judge(&invocation) {
            if is_checked {
                return Err(Error::Unfit(unfit));
            }
            report::print_warning(&unfit.warning(), out.is_json());
        }
        let mut rows = enqueue(&station, vec![invocation]).await?;
        let mut row = rows.pop().ok_or(Error::UnexpectedAnswer)?.map_err(PortError::Refused)?;
        let Some(wanted) = wanted else { return out.row(&row, line) };
        let end = wait::until(&station, row.id, wanted, timeout, *clock).await;
        row.state = end.state.unwrap_or(row.state);
        out.row(&row, line)?;
        end.verdict
    })
}

fn invocation(args: InvokeArgs) -> Result<NewInvocation, Error> {
    let params = args.params.as_deref().map(JsonText::parse).transpose();
    let params = params.map_err(|error| {
        Error::usage(
            format!("--params is not JSON: {error}"),
            "give an object, such as --params '{\"count\":1}'",
        )
    })?;
    Ok(NewInvocation {
        params,
        queue: args.queue.as_deref().map(Into::into),
        source: args.source,
        redemption: args.redemption,
        user: args.user,
        key: args.key,
        ..NewInvocation::new(&args.event.unwrap_or_default())
    })
}

fn many(context: &mut Context, from: &Path, is_checked: bool) -> Result<(), Error> {
    let Context { settings, out, .. } = context;
    let stream: Box<dyn Read> = if from == Path::new("-") {
        Box::new(std::io::stdin().lock())
    } else {
        Box::new(std::fs::File::open(from).map_err(Error::io(from.display().to_string()))?)
    };
    let settings: &Settings = settings;
    operator::block_on(async {
        let station = operator::connect(settings).await?;
        let judge = LineJudge {
            schemas: EventSchemas::of(&station, is_checked).await?,
            is_checked,
            json: out.is_json(),
        };
        pour(&station, BufReader::with_capacity(READ_BYTES, stream), (&settings.limits, &judge), out).await
    })
}

/// What judges the lines of a stream before they are sent.
#[derive(Debug, Default)]
struct LineJudge {
    schemas: EventSchemas,
    /// Whether a line whose params fail is refused, and not just warned of.
    is_checked: bool,
    json: bool,
}

impl LineJudge {
    /// Why a line is refused; a warning is printed.
    fn refuses(&self, row: &Numbered) -> Option<Error> {
        let unfit = self.schemas.judge(&row.invocation)?;
        if self.is_checked {
            return Some(Error::Line { line: row.line, cause: Box::new(Error::Unfit(unfit)), also: 0 });
        }
        let mut warning = unfit.warning();
        warning.message = format!("line {}: {}", row.line, warning.message);
        report::print_warning(&warning, self.json);
        None
    }
}

/// What became of a stream so far.
#[derive(Debug, Default)]
struct Tally {
    recorded: u64,
    refused: Vec<Error>,
    also: usize,
}

impl Tally {
    fn refuse(&mut self, error: Error) {
        if self.refused.len() < LISTED_MAX {
            self.refused.push(error);
        } else {
            self.also += 1;
        }
    }

    /// What ends the stream is named, however many were refused before.
    fn cut_short(mut self, error: Error) -> Result<(), Error> {
        self.refused.push(error);
        self.verdict(true)
    }

    fn verdict(self, is_cut_short: bool) -> Result<(), Error> {
        let Self { recorded, refused, also } = self;
        if refused.is_empty() { Ok(()) } else { Err(Error::Lines { recorded, refused, also, is_cut_short }) }
    }
}

/// Commits what has come, batch by batch, until the end: a line that is refused, or is no invocation, holds
/// up no other. A batch ends where nothing more has come yet, so that a slow stream is not held back.
async fn pour<R: Read>(
    station: &dyn Operator,
    stream: BufReader<R>,
    (limits, judge): (&Limits, &LineJudge),
    out: &mut Output,
) -> Result<(), Error> {
    let rows_max = usize::try_from(limits.mpp.command_rows_max).unwrap_or(usize::MAX);
    // A row grows little on its way, and never to more than four times its length.
    let bytes_max = usize::try_from(limits.rmp.body_bytes_max / 4).unwrap_or(usize::MAX);
    let mut lines = Lines::new(stream);
    let mut batch: Vec<Numbered> = Vec::new();
    let mut tally = Tally::default();
    let mut bytes = 0;
    loop {
        let next = lines.next();
        let mut fatal = None;
        let is_end = matches!(next, Ok(None));
        let is_fatal = matches!(&next, Err(error) if !error.is_of_one_line());
        match next {
            Ok(Some(row)) => {
                if let Some(error) = judge.refuses(&row) {
                    tally.refuse(error);
                } else {
                    bytes += row.bytes;
                    batch.push(row);
                }
            }
            Ok(None) => {}
            Err(error) if is_fatal => fatal = Some(error),
            Err(error) => tally.refuse(error),
        }
        let is_over = is_end || is_fatal;
        if is_over || batch.len() >= rows_max || bytes >= bytes_max || lines.stream().buffer().is_empty() {
            let sent = commit(station, std::mem::take(&mut batch), &mut tally, out).await;
            bytes = 0;
            if let Err(error) = sent {
                return tally.cut_short(error);
            }
        }
        if let Some(error) = fatal {
            return tally.cut_short(error);
        }
        if is_end {
            return tally.verdict(false);
        }
    }
}

async fn commit(
    station: &dyn Operator,
    batch: Vec<Numbered>,
    tally: &mut Tally,
    out: &mut Output,
) -> Result<(), Error> {
    if batch.is_empty() {
        return Ok(());
    }
    let (lines, rows): (Vec<u64>, Vec<NewInvocation>) =
        batch.into_iter().map(|row| (row.line, row.invocation)).unzip();
    let first_line = lines.first().copied().unwrap_or_default();
    let rows = enqueue(station, rows).await.map_err(|cause| Error::Line {
        line: first_line,
        cause: Box::new(cause),
        also: 0,
    })?;
    for (line_number, row) in lines.into_iter().zip(rows) {
        match row {
            Ok(row) => {
                tally.recorded += 1;
                out.row(&row, line)?;
            }
            Err(refusal) => {
                tally.refuse(Error::Line {
                    line: line_number,
                    cause: Box::new(PortError::Refused(refusal).into()),
                    also: 0,
                });
            }
        }
    }
    out.flush()
}

async fn enqueue(
    station: &dyn Operator,
    rows: Vec<NewInvocation>,
) -> Result<Vec<Result<EnqueuedRow, crate::mpp::Refusal>>, Error> {
    match operator::mpp(station, Command::Enqueue { rows }).await? {
        Outcome::Enqueued(rows) => Ok(rows),
        _ => Err(Error::UnexpectedAnswer),
    }
}

/// A recorded row in a line.
pub(super) fn line(row: &EnqueuedRow) -> String {
    let about = match row.requeued_from {
        Some(from) => format!("  (requeued from {from})"),
        None if row.repeated => "  (duplicate: existing invocation returned)".to_owned(),
        None => String::new(),
    };
    format!("{}  {}  {}  {}  {}{about}", row.id, row.queue, row.event, row.state.name(), row.trace_id)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        cli::{operator::tests::Scripted, output::tests::Printed, reach::Reach},
        ids::{InvocationId, TraceId},
        mpp::Refusal,
        port,
        tap::entry::mpp::RowState,
    };

    fn row(id: u64, repeated: bool) -> EnqueuedRow {
        let trace_id = "0191d3c2-7a41-7f00-8000-00000000a41f".parse::<TraceId>().unwrap();
        EnqueuedRow {
            id: InvocationId(id),
            queue: "default".into(),
            event: "a".into(),
            state: RowState::Pending,
            trace_id,
            repeated,
            requeued_from: None,
        }
    }

    fn enqueued(rows: Vec<Result<EnqueuedRow, Refusal>>) -> port::Outcome {
        port::Outcome::Mpp(Outcome::Enqueued(rows))
    }

    fn poured(text: &str, rows_max: u64, outcomes: Vec<port::Outcome>) -> (Result<(), Error>, String, usize) {
        let station = Scripted::outcomes(outcomes);
        let printed = Printed::default();
        let mut limits = Limits::default();
        limits.mpp.command_rows_max = rows_max;
        let result = operator::block_on(pour(
            &station,
            BufReader::new(text.as_bytes()),
            (&limits, &LineJudge::default()),
            &mut printed.output(true),
        ));
        let commands = station.commands.into_inner().unwrap().len();
        (result, printed.text(), commands)
    }

    #[test]
    fn a_recorded_row_prints_its_five_fields_and_whether_it_was_there() {
        let printed = Printed::default();
        printed.output(true).row(&row(7, false), line).unwrap();
        printed.output(true).row(&row(7, true), line).unwrap();
        let fields = r#"{"id":7,"queue":"default","event":"a","state":"pending","trace_id":"trace:0191d3c2-7a41-7f00-8000-00000000a41f""#;
        assert_eq!(printed.text(), format!("{fields}}}\n{fields},\"repeated\":true}}\n"));
    }

    #[test]
    fn a_stream_is_committed_in_batches() {
        let text = "{\"event\":\"a\"}\n".repeat(5);
        let batch = |ids: &[u64]| enqueued(ids.iter().map(|id| Ok(row(*id, false))).collect());
        let (result, text, commands) = poured(&text, 2, vec![batch(&[1, 2]), batch(&[3, 4]), batch(&[5])]);
        result.unwrap();
        assert_eq!((text.lines().count(), commands), (5, 3));
    }

    #[test]
    fn a_refused_row_names_its_line_and_holds_up_no_other() {
        let text = "{\"event\":\"a\"}\n\n{\"event\":\"b\"}\n{\"event\":\"a\"}\n{\"event\":\"a\"}\n";
        let unknown = Refusal::UnknownEvent { event: "b".into(), nearest: None };
        let outcomes = vec![
            enqueued(vec![Ok(row(1, false)), Err(unknown), Ok(row(2, false))]),
            enqueued(vec![Ok(row(3, false))]),
        ];
        let (result, text, commands) = poured(text, 3, outcomes);
        let error = result.unwrap_err();
        assert_eq!(
            (error.to_string().as_str(), error.code(), error.exit() as u8),
            ("3 rows recorded, 1 line refused: line 3: the pack has no event `b`", "lines_refused", 1)
        );
        let rendered: serde_json::Value =
            serde_json::from_str(&crate::cli::report::rendered(&error, true, &Reach::default())).unwrap();
        assert_eq!(
            (&rendered["error"]["lines"][0]["line"], &rendered["error"]["lines"][0]["code"]),
            (&3.into(), &"unknown_event".into())
        );
        assert_eq!((text.lines().count(), commands), (3, 2));
    }

    #[test]
    fn a_bad_line_leaves_all_others_recorded() {
        let (result, text, commands) = poured(
            "{\"event\":\"a\"}\n{\n{\"event\":\"a\"}\n",
            1_000,
            vec![enqueued(vec![Ok(row(1, false)), Ok(row(2, false))])],
        );
        let message = result.unwrap_err().to_string();
        assert!(
            message.starts_with("2 rows recorded, 1 line refused: line 2: EOF while parsing"),
            "{message}"
        );
        assert_eq!((text.lines().count(), commands), (2, 1));
    }

    #[test]
    fn a_station_that_goes_away_is_told_with_what_was_recorded() {
        let text = "{\"event\":\"a\"}\n".repeat(4);
        let (result, _, _) = poured(&text, 2, vec![enqueued(vec![Ok(row(1, false)), Ok(row(2, false))])]);
        let message = result.unwrap_err().to_string();
        assert!(
            message.starts_with("2 rows recorded, 1 line refused; the rest was not sent: line 3: "),
            "{message}"
        );
    }
}
