//! `stop`: ends a running station, whoever started it and wherever its terminal is.

use std::{
    io::{BufRead as _, Read as _},
    path::{Path, PathBuf},
    time::Duration,
};

use serde::Serialize;

use crate::{
    cli::{args::StopArgs, context::Context, error::Error, operator, report},
    macp::SessionState,
    port::{Command, Operator, Outcome, Page, PortError, Query, ShutdownImpact},
    runs::RunState,
    store::holder,
    tap::entry::mpp::RowState,
};

/// How long a station may take to go: longer than its own deadline, and that of plugins that end slowly.
const GONE_MAX: Duration = Duration::from_secs(20);
/// How often it is looked whether it has gone.
const LOOK_EVERY: Duration = Duration::from_millis(50);
/// Rows of one state that are asked for.
const ROWS: u64 = 100;
/// Ids that are named.
const NAMED: usize = 6;
/// Bytes of an answer to the question.
const ANSWER_BYTES_MAX: u64 = 64;

/// The output.
#[derive(Debug, PartialEq, Eq, Serialize)]
struct Stopped {
    pid: u32,
    data: PathBuf,
}

/// What a station has at hand.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Work {
    dispatched: Vec<String>,
    applied: Vec<String>,
    pending: u64,
    parting: ShutdownImpact,
}

pub(in crate::cli) fn run(context: &mut Context, args: &StopArgs) -> Result<(), Error> {
    let can_ask = context.env.terminals.stdin && context.env.terminals.stderr && !context.out.is_json();
    let Context { settings, out, .. } = context;
    let data = settings.data()?;
    let stopped = operator::block_on(async {
        let asked = async {
            let station = operator::connect(settings).await?;
            let hangs = work(&station).await?.describe();
            drop(station);
            if !hangs.is_empty() && !args.yes {
                agreed(can_ask, &hangs)?;
            }
            // Connected to anew: an answer takes its time, and a session that hears nothing ends.
            let station = operator::connect(settings).await?;
            stop(&station).await
        };
        match asked.await {
            Err(error) if is_out_of_reach(&error) => {
                let Some(pid) = holder(&data) else { return Err(error) };
                if !args.force {
                    if matches!(error, Error::Port(PortError::TimedOut { .. } | PortError::Busy { .. })) {
                        return Err(error);
                    }
                    return Err(Error::Unreachable { message: error.to_string(), hint: by_force(pid) });
                }
                if !args.yes {
                    agreed(can_ask, &[error.to_string(), "Its work in flight is unknown.".to_owned()])?;
                }
                terminate(pid)?;
                gone(pid, &data).await.map_err(|error| match error {
                    Error::Port(PortError::TimedOut { ms }) => Error::Unreachable {
                        message: format!("process {pid} is still running {ms} ms after SIGTERM"),
                        hint: format!(
                            "end a hung or stopped process with `kill -KILL {pid}`; accepted work \
                                       is in its store"
                        ),
                    },
                    error => error,
                })
            }
            answered => answered,
        }
    })?;
    out.row(&stopped, |row| format!("stopped station {} (pid {})", row.data.display(), row.pid))
}

/// Whether there is a station that cannot be asked.
fn is_out_of_reach(error: &Error) -> bool {
    matches!(
        error,
        Error::Unreachable { .. }
            | Error::Port(PortError::Unreached { .. } | PortError::TimedOut { .. } | PortError::Busy { .. })
    )
}

fn by_force(pid: u32) -> String {
    format!("`rl-console stop --force` sends SIGTERM to process {pid}")
}

async fn stop(station: &dyn Operator) -> Result<Stopped, Error> {
    let Outcome::Stopping { pid, data } = station.command(Command::Stop).await? else {
        return Err(Error::UnexpectedAnswer);
    };
    gone(pid, &data).await
}

/// Waits until a process holds its data folder no more.
async fn gone(pid: u32, data: &Path) -> Result<Stopped, Error> {
    let is_gone = async {
        while holder(data) == Some(pid) {
            tokio::time::sleep(LOOK_EVERY).await;
        }
    };
    let ms = u64::try_from(GONE_MAX.as_millis()).unwrap_or(u64::MAX);
    tokio::time::timeout(GONE_MAX, is_gone).await.map_err(|_| PortError::TimedOut { ms })?;
    Ok(Stopped { pid, data: data.to_owned() })
}

fn terminate(pid: u32) -> Result<(), Error> {
    use rustix::process::{Pid, Signal, kill_process};
    let Some(process) = i32::try_from(pid).ok().and_then(Pid::from_raw) else {
        return Err(Error::UnexpectedAnswer);
    };
    kill_process(process, Signal::TERM)
        .map_err(|errno| Error::io(format!("ending process {pid}"))(errno.into()))
}

/// The work in flight at a station. A part that is down has nothing that could be asked for.
async fn work(station: &dyn Operator) -> Result<Work, Error> {
    let mut work = Work { parting: shutdown_impact(station).await?, ..Work::default() };
    for state in [RowState::Dispatched, RowState::Applied] {
        let rows = Query::Invocations {
            state: Some(state),
            queue: None,
            beyond: None,
            oldest_first: true,
            other_manifest: false,
            filter: None,
            limit: ROWS,
        };
        let Some(page) = of_part(station.query(rows).await)? else { return Ok(work) };
        let Page::Invocations { rows, .. } = page else { return Err(Error::UnexpectedAnswer) };
        let ids = rows.iter().map(|row| row.id.to_string()).collect();
        *if state == RowState::Dispatched { &mut work.dispatched } else { &mut work.applied } = ids;
    }
    if let Ok(Page::Queues(rows)) = station.query(Query::Queues).await {
        work.pending = rows.iter().map(|row| row.pending + row.other_manifest).sum();
    }
    Ok(work)
}

/// Runs, questions and sessions that go on there.
async fn shutdown_impact(station: &dyn Operator) -> Result<ShutdownImpact, Error> {
    let mut parting = ShutdownImpact::default();
    for state in [RunState::Running, RunState::Cancelling] {
        let mut beyond = None;
        loop {
            let runs = Query::Runs {
                state: Some(state),
                name: None,
                since_ms: None,
                beyond,
                oldest_first: false,
                filter: None,
                limit: ROWS,
            };
            let Some(page) = of_part(station.query(runs).await)? else { break };
            let Page::Runs { rows, more, .. } = page else { return Err(Error::UnexpectedAnswer) };
            parting.runs.extend(rows.iter().map(|row| format!("{} {}", row.name, row.run.short())));
            beyond = rows.last().map(|row| row.number);
            if !more || rows.is_empty() {
                break;
            }
        }
    }
    match of_part(station.query(Query::Confirmations).await)? {
        Some(Page::Confirmations(rows)) => parting.questions = rows.len() as u64,
        Some(_) => return Err(Error::UnexpectedAnswer),
        None => {}
    }
    let mut beyond = None;
    loop {
        let open = Some(SessionState::Open);
        let sessions = Query::Sessions {
            state: open,
            mode: None,
            since_ms: None,
            beyond,
            oldest_first: false,
            filter: None,
            limit: ROWS,
        };
        let Some(page) = of_part(station.query(sessions).await)? else { break };
        let Page::Sessions { rows, more, .. } = page else { return Err(Error::UnexpectedAnswer) };
        parting.sessions += rows.len() as u64;
        beyond = rows.last().map(|row| row.number);
        if !more || rows.is_empty() {
            break;
        }
    }
    Ok(parting)
}

/// The answer of a part of the station; nothing from one that is down.
fn of_part(answer: Result<Page, PortError>) -> Result<Option<Page>, Error> {
    match answer {
        Ok(page) => Ok(Some(page)),
        Err(PortError::HostDown { .. } | PortError::Stopping) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

impl Work {
    /// What becomes of it; nothing where nothing is in flight.
    fn describe(&self) -> Vec<String> {
        let mut words = self.parting.describe();
        let others = words.len();
        if !self.dispatched.is_empty() {
            words.push(format!(
                "A restart requeues {} dispatched: {}.",
                self.dispatched.len(),
                some(&self.dispatched)
            ));
        }
        if !self.applied.is_empty() {
            let (count, ids) = (self.applied.len(), some(&self.applied));
            words.push(format!(
                "{count} {} applied, to be settled manually: {ids}.",
                if count == 1 { "stays" } else { "stay" }
            ));
        }
        if words.len() > others {
            words.push(format!("{} pending stay as they are.", self.pending));
        }
        words
    }
}

/// The first few of many.
fn some(ids: &[String]) -> String {
    let shown = ids.iter().take(NAMED).map(String::as_str).collect::<Vec<_>>().join(", ");
    if ids.len() > NAMED { format!("{shown} and {} more", ids.len() - NAMED) } else { shown }
}

/// Asks whether it is to be done all the same.
///
/// # Errors
/// That nobody can be asked, or does not want it.
fn agreed(can_ask: bool, hangs: &[String]) -> Result<(), Error> {
    const HINT: &str = "use `rl-console stop --yes` to stop without confirmation";
    if !can_ask {
        let message = format!("{} Refusing to stop without confirmation (no terminal)", hangs.join(" "));
        return Err(Error::Declined { message, hint: HINT.to_owned() });
    }
    for line in hangs {
        report::print_note(line);
    }
    report::print_note("Stop the station? [y/N]");
    let mut answer = String::new();
    std::io::stdin().lock().take(ANSWER_BYTES_MAX).read_line(&mut answer).map_err(Error::io("stdin"))?;
    if matches!(answer.trim(), "y" | "Y" | "yes") {
        Ok(())
    } else {
        Err(Error::Declined {
            message: "not confirmed; the station is still running".to_owned(),
            hint: HINT.to_owned(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::operator::tests::Scripted;

    #[test]
    fn a_station_with_nothing_in_flight_has_nothing_to_be_asked_about() {
        let none = || Page::Invocations { rows: Vec::new(), more: false, beyond: None };
        let runs = || Page::Runs { rows: Vec::new(), more: false, beyond: None };
        let sessions = Page::Sessions { rows: Vec::new(), more: false, beyond: None };
        let others = [runs(), runs(), Page::Confirmations(Vec::new()), sessions];
        let station = Scripted::pages(others.into_iter().chain([none(), none(), Page::Queues(Vec::new())]));
        let work = operator::block_on(work(&station)).unwrap();
        assert_eq!(work, Work::default());
        assert!(work.describe().is_empty());
    }

    #[test]
    fn what_hangs_on_it_is_said_as_the_console_says_it() {
        let ids = |count: u64| (1..=count).map(|id| id.to_string()).collect::<Vec<_>>();
        let work = Work {
            dispatched: ids(8),
            applied: ids(1),
            pending: 3,
            parting: ShutdownImpact { runs: vec!["ask 22c3".to_owned()], questions: 1, sessions: 0 },
        };
        assert_eq!(
            work.describe(),
            [
                "1 run ends as failed and cannot be resumed: ask 22c3.",
                "1 approval is pending, and will be lost.",
                "A restart requeues 8 dispatched: 1, 2, 3, 4, 5, 6 and 2 more.",
                "1 stays applied, to be settled manually: 1.",
                "3 pending stay as they are."
            ]
        );
        let error = agreed(false, &work.describe()).unwrap_err();
        assert_eq!(
            (error.exit() as u8, error.hint()),
            (1, "use `rl-console stop --yes` to stop without confirmation".to_owned())
        );
    }

    #[test]
    fn a_bridge_that_is_down_stops_nobody_from_stopping() {
        let station = Scripted::default();
        assert_eq!(operator::block_on(work(&station)).unwrap(), Work::default());
    }

    #[test]
    fn it_waits_until_the_folder_is_free() {
        let folder = tempfile::tempdir().unwrap();
        let data = folder.path().to_path_buf();
        let station = Scripted::outcomes([Outcome::Stopping { pid: std::process::id(), data: data.clone() }]);
        let stopped = operator::block_on(stop(&station)).unwrap();
        assert_eq!(stopped, Stopped { pid: std::process::id(), data });
        assert_eq!(*station.commands.lock().unwrap(), [Command::Stop]);
    }
}
