//! `submit`.

use std::{path::Path, time::Duration};

use serde::Serialize;

use super::{
    control::{ANSWER_MS, ask},
    follow::{Follower, Unfinished},
    local,
};
use crate::{
    cli::{
        args::SubmitArgs,
        commands::{opening, params::fitting},
        context::Context,
        error::Error,
        output::Output,
        run_error::RunError,
        signals::Signals,
        socket::{self, ClientIdentity},
        table::visible,
    },
    ids::{OpeningId, TraceId},
    rmp::{
        Kind,
        client::{Client, Subscription},
    },
    runs::{
        openings::{bundle, merge_params},
        payload::{ControlRequest, ControlResponse},
    },
    station::runs::Folder,
    w3c::GivenTraceParent,
};

/// An accepted run, as scripts read it.
#[derive(Serialize)]
#[serde(tag = "event", rename = "accepted")]
struct Accepted {
    run: TraceId,
    opening: OpeningId,
    name: String,
}

pub(in crate::cli) fn run(context: &mut Context, args: &SubmitArgs) -> Result<(), Error> {
    let is_followed = args.follow || args.wait;
    if args.timeout.is_some() && !is_followed && !args.local {
        return Err(Error::usage(
            "--timeout requires --follow or --wait",
            "without them `submit` returns once the run is accepted",
        ));
    }
    if is_followed && args.peer.kind == Kind::Cue {
        return Err(Error::usage(
            "--as cue can submit but not follow a run",
            "remove --follow and --wait, or --as cue",
        ));
    }
    if args.local {
        return local::run(context, args);
    }
    let yaml = text(context, args)?;
    let said = ClientIdentity::of(&context.settings);
    let hello = socket::hello(&context.settings, &args.peer, "submit")?;
    // Whoever reads stdout slowly holds this thread up, not the one that reads from the bus.
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(1)
        .enable_all()
        .build()
        .map_err(Error::io("the runtime"))?;
    runtime.block_on(async {
        let mut signals = Signals::listen()?;
        let limits = context.settings.limits.client;
        let sent = async {
            let client = socket::connect(&said, hello, limits).await.map_err(or_local)?;
            let sent = send(&client, &mut context.out, (yaml, args.traceparent.clone()), is_followed).await;
            Ok::<_, Error>((client, sent))
        };
        // A station that takes connections and says nothing is none.
        let sent = tokio::time::timeout(Duration::from_millis(ANSWER_MS), sent).await;
        let (client, sent) = sent.map_err(|_| RunError::NotAnswered { ms: ANSWER_MS, is_submit: true })??;
        let done = match sent {
            Ok((run, Some(events))) => follow(context, args, run, events, &mut signals).await,
            Ok((_, None)) => Ok(()),
            Err(Error::Run(RunError::Rejected { reason, is_opening })) => {
                Err(RunError::Rejected { reason: in_file(&args.file, &reason), is_opening }.into())
            }
            Err(error) => Err(error),
        };
        client.close().await;
        done
    })
}

/// Where no station answers, what can be done besides (rmp-v0 §9).
fn or_local(error: Error) -> Error {
    match error {
        Error::Unreachable { message, hint } => Error::Unreachable {
            message,
            hint: format!("{hint}; or run it without a station: `rl-console submit FILE --local`"),
        },
        error => error,
    }
}

/// Faults with the file that they are in; those behind the first are set in.
fn in_file(file: &str, reason: &str) -> String {
    let is_place =
        |line: &str| line.starts_with(|letter: char| letter.is_ascii_digit()) && line.contains(": ");
    let line =
        |line: &str| if file != "-" && is_place(line) { format!("{file}:{line}") } else { line.to_owned() };
    reason.lines().map(line).collect::<Vec<_>>().join("\n  ")
}

/// The opening with the params that flags set (rmp-v0 §9), and with those that it nests and that lie beside
/// it (ruling RMP 14): the station need not be able to read them. Where there is neither it is sent as it is,
/// and the station judges it.
pub(super) fn text(context: &Context, args: &SubmitArgs) -> Result<String, Error> {
    let limits = &context.settings.limits.runs;
    let rejected = |reason: String| {
        Error::from(RunError::Rejected { reason: in_file(&args.file, &reason), is_opening: true })
    };
    let mut text = opening::read(&args.file, limits.yaml_bytes_max)?;
    let params = fitting(&text, &args.params, limits)?;
    if !params.is_empty() {
        text = merge_params(&text, &params, limits).map_err(|faults| rejected(faults.to_string()))?;
    }
    if args.file == "-" {
        return Ok(text);
    }
    let file = Path::new(&args.file).canonicalize().map_err(Error::io(args.file.as_str()))?;
    let folder = file.parent().unwrap_or(Path::new("/"));
    let library = Folder::new(folder, limits.yaml_bytes_max);
    let beside = |name: &str| Ok(library.within(folder, name)?.map(|(text, _)| text));
    bundle(&text, beside, limits).map_err(|error| rejected(error.to_string()))
}

/// Submits an opening and prints that it was accepted: its run, and the subscription to its events where it
/// is to be followed.
pub(super) async fn send(
    client: &Client,
    out: &mut Output,
    (opening_yaml, traceparent): (String, Option<GivenTraceParent>),
    is_followed: bool,
) -> Result<(TraceId, Option<Subscription>), Error> {
    let run = TraceId(uuid::Uuid::now_v7());
    // The run's name is the request's: its events can be listened to before there are any.
    let events =
        if is_followed { Some(client.subscribe(&format!("rlp/runs/{run}/events")).await?) } else { None };
    let request = ControlRequest::RunSubmit { request_id: run, opening_yaml, traceparent };
    let answer = ask(client, run, &request).await?;
    let ControlResponse::RunAccepted { trace_id, opening_id, opening_name, .. } = answer else {
        return Err(Error::UnexpectedAnswer);
    };
    let accepted = Accepted { run: trace_id, opening: opening_id, name: opening_name };
    out.row(&accepted, |it| visible(&format!("{}  {}  accepted", it.run, it.name)))?;
    out.flush()?;
    Ok((run, events))
}

async fn follow(
    context: &mut Context,
    args: &SubmitArgs,
    run: TraceId,
    events: Subscription,
    signals: &mut Signals,
) -> Result<(), Error> {
    let clock = context.local_clock();
    let mut follower = Follower::new(run, args.follow, clock, &context.settings, &mut context.out);
    let timeout = async {
        match args.timeout {
            Some(ms) => tokio::time::sleep(Duration::from_millis(ms)).await,
            None => std::future::pending().await,
        }
    };
    let left = tokio::select! {
        ended = follower.follow(events) => return follower.end(ended?),
        () = signals.end() => Unfinished::Interrupted,
        () = timeout => Unfinished::TimedOut(args.timeout.unwrap_or_default()),
    };
    Err(left.error(run).into())
}
