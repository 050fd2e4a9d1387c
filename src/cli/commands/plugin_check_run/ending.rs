//! The end of a process: `shutdown`, `exit`, and what is left (streamnook-plugin-v1, Shutdown).

use std::{fs, sync::PoisonError, time::Duration};

use serde_json::json;

use super::{
    clause::Clause,
    findings::{Findings, Kept},
    run::Patience,
    serve::TOKEN,
    subject::Subject,
};
use crate::plugin::{ExitStatus, host::process::Ending, rpc};

/// How long stdout may take to close behind the process.
const CLOSE: Duration = Duration::from_secs(2);

/// Ends a process in order, and says what was seen of all its life.
pub(super) async fn end(subject: &mut Subject, patience: &Patience, grant: &str, findings: &mut Findings) {
    processes(subject, findings);
    if runs(subject, grant, findings) {
        shutdown(subject, patience, findings).await;
        exit(subject, patience, findings).await;
    }
    subject.end().await;
    let (bytes, has_token) = {
        let stderr = subject.stderr.lock().unwrap_or_else(PoisonError::into_inner);
        (stderr.bytes, stderr.has(TOKEN))
    };
    if has_token {
        subject.seen.token.add("it repeated the token on stderr");
    }
    findings.judge(Clause::Stderr, true, format!("{bytes} bytes"));
    subject.seen.judge(grant, findings);
}

/// Whether it still runs, and says so.
fn runs(subject: &Subject, grant: &str, findings: &mut Findings) -> bool {
    let seen = match subject.ending {
        Some(ending) => format!("the process ended: {}, {grant} grant", ending.status()),
        None if subject.is_stdout_closed => format!("stdout was closed, {grant} grant"),
        None if subject.seen.broken.is_some() => return false,
        None => String::new(),
    };
    findings.judge(Clause::Runs, seen.is_empty(), seen.clone());
    seen.is_empty()
}

/// Looks for processes that are no longer below the plugin's first one.
fn processes(subject: &Subject, findings: &mut Findings) {
    let guard = subject.guard.pid();
    let Ok(children) = fs::read_to_string(format!("/proc/{guard}/task/{guard}/children")) else {
        return findings.add(Clause::Processes, Kept::Skipped, "this system does not list processes");
    };
    let count = children.split_whitespace().count();
    let left = count.saturating_sub(1);
    let seen = if left == 0 { String::new() } else { format!("{left} processes left it") };
    findings.judge(Clause::Processes, left == 0, seen);
}

async fn shutdown(subject: &mut Subject, patience: &Patience, findings: &mut Findings) {
    let id = subject.next_id();
    subject.write(rpc::request(id, "shutdown", &json!({})).unwrap_or_default().to_vec());
    subject.until(patience.end, |it| it.answers.contains_key(&id)).await;
    let (is_kept, seen) = match subject.answers.get(&id) {
        Some(Ok(result)) if result.is_null() => (true, String::new()),
        Some(Ok(result)) => (false, format!("answered with {}", result.text())),
        Some(Err(error)) => (false, format!("answered with error {}: {}", error.code, error.message)),
        None => (false, "no answer".to_owned()),
    };
    findings.judge(Clause::Shutdown, is_kept, seen);
}

async fn exit(subject: &mut Subject, patience: &Patience, findings: &mut Findings) {
    subject.write(rpc::notification("exit", &json!({})).unwrap_or_default().to_vec());
    subject.until(patience.end, |it| it.ending.is_some()).await;
    match subject.ending {
        Some(Ending::Plugin(ExitStatus::Code(0))) => findings.judge(Clause::Exit, true, ""),
        Some(ending) => findings.judge(Clause::Exit, false, ending.status().to_string()),
        None => return findings.judge(Clause::Exit, false, "the process still ran"),
    }
    let is_closed = subject.until(CLOSE, |it| it.is_stdout_closed).await;
    findings.judge(Clause::Gone, is_closed, if is_closed { "" } else { "stdout was still open" });
}
