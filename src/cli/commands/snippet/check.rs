//! `snippet check`: whether a file is a snippet, and what frames it makes.

use serde::Serialize;

use crate::{
    cli::{
        args::SnippetCheckArgs,
        context::Context,
        error::Error,
        inject_error::InjectError,
        snippet_files::{self, NamedSnippet, SnippetFiles},
    },
    dissect::{
        frame_json::{Fill, Setup, codec},
        snippets::{SnippetFault, SnippetFrame, Stage},
    },
    ids::TraceId,
    words::counted,
};

/// Milliseconds that a message is worth delivering when nothing is said.
const TTL_MS: u64 = 30_000;

/// A snippet that was checked.
#[derive(Serialize)]
struct Row {
    snippet: String,
    frames: usize,
    /// Bytes of the last frame, broken where it is to be.
    bytes: usize,
    /// The fault that its codec finds in the last frame, before anything is broken in it.
    #[serde(skip_serializing_if = "Option::is_none")]
    fault: Option<String>,
    stage: Vec<Stage>,
}

pub(super) fn run(context: &mut Context, args: &SnippetCheckArgs) -> Result<(), Error> {
    let files = match &args.file {
        Some(path) => {
            let read = snippet_files::read(path, None);
            let mut files = SnippetFiles::default();
            match read {
                Ok(it) => files.all.push(it),
                Err(fault) => files.faults.push(fault),
            }
            files
        }
        None => SnippetFiles::own(&context.env),
    };
    let mut faults = files.faults;
    for it in &files.all {
        match check(context, it) {
            Ok(row) => context.out.row(&row, line)?,
            Err(fault) => faults.push(fault),
        }
    }
    context.out.flush()?;
    let mut faults = faults.into_iter();
    match (faults.next(), faults.len()) {
        (None, _) => Ok(()),
        (Some(fault), 0) => Err(InjectError::BadSnippet(fault).into()),
        (Some(fault), more) => {
            let file = format!("{} (and {more} more)", fault.file);
            Err(InjectError::BadSnippet(SnippetFault { file, ..fault }).into())
        }
    }
}

fn check(context: &Context, it: &NamedSnippet) -> Result<Row, SnippetFault> {
    let Context { settings, clock, .. } = context;
    let snippet = &it.snippet;
    let format = snippet.format();
    let codec = codec(format, Setup { registry: &settings.registry, limits: &settings.limits, now_ms: None });
    let wrong = |what: String, hint: String| {
        let file = it.path.as_ref().map_or_else(|| it.name.clone(), |path| path.display().to_string());
        SnippetFault { file, line: None, what, hint }
    };
    let now = clock.now().wall.0;
    let (mut wire, mut fault) = (Vec::new(), None);
    for (place, frame) in snippet.frames.iter().enumerate() {
        let fill = Fill {
            created_at_ms: now,
            ttl_ms: TTL_MS,
            msg_id: now.saturating_add(place as u64),
            trace_id: TraceId(uuid::Uuid::now_v7()),
        };
        (wire, fault) = match frame {
            SnippetFrame::Bytes(bytes) => (bytes.clone(), None),
            SnippetFrame::Json(json) => {
                let made = codec.encode(&json.to_text(), &fill).map_err(|why| {
                    let hint = format!("give an object such as {}", codec.example());
                    wrong(format!("the JSON of frame {}: {why}", place + 1), hint)
                })?;
                (made.wire, made.fault.map(|fault| fault.name.into_owned()))
            }
        };
    }
    for breakage in &snippet.breakages {
        wire = breakage.apply(format, &wire).ok_or_else(|| {
            let what = format!("its last frame has nothing to break by `{}`", breakage.name());
            wrong(what, "remove it, or break something else".to_owned())
        })?;
    }
    Ok(Row {
        snippet: it.name.clone(),
        frames: snippet.frames.len(),
        bytes: wire.len(),
        fault,
        stage: snippet.stage.clone(),
    })
}

fn line(row: &Row) -> String {
    let fault = row.fault.as_ref().map_or_else(String::new, |fault| format!(", {fault}"));
    let Row { snippet, frames, bytes, .. } = row;
    format!("{snippet} OK: {}, last {}{fault}", counted(*frames, "frame"), counted(*bytes, "byte"))
}
