//! The bare side: a plain program of tokio that speaks to the same children over the same pipes.

use std::{path::PathBuf, process::Stdio};

use bytes::Bytes;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use tempfile::TempDir;
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    process::{Child, ChildStdin, ChildStdout, Command},
    sync::mpsc,
};

use crate::{
    Result, child,
    control::{Control, Controls},
};

/// Frames that may wait for a child.
const FRAMES_MAX: usize = 1_024;
/// Bytes that are written at one time, and that are read.
const BATCH_BYTES: usize = 65_536;

/// A message, as it is sent.
#[derive(Debug, Serialize)]
pub(crate) struct Call<'a, P> {
    pub(crate) jsonrpc: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) id: Option<u64>,
    pub(crate) method: &'a str,
    pub(crate) params: P,
}

/// What is read of a message.
#[derive(Debug, Deserialize)]
struct Envelope<'a> {
    #[serde(borrow)]
    id: Option<&'a RawValue>,
    method: Option<&'a str>,
}

#[derive(Debug, Serialize)]
struct Answer<'a> {
    jsonrpc: &'static str,
    id: Option<&'a RawValue>,
    result: NoChannels,
}

#[derive(Debug, Default, Serialize)]
struct NoChannels {
    channels: [u8; 0],
}

/// One child behind its pipes.
#[derive(Debug)]
pub(crate) struct Bare {
    pub(crate) control: Control,
    /// What is to be written.
    pub(crate) frames: mpsc::Sender<Bytes>,
    /// The bytes of each answer.
    pub(crate) answers: mpsc::Receiver<usize>,
    _process: Child,
}

/// Starts so many children, which end when they are dropped.
pub(crate) async fn start(count: usize) -> Result<(TempDir, Vec<Bare>)> {
    let folder = tempfile::tempdir()?;
    let socket: PathBuf = folder.path().join("control.sock");
    let mut controls = Controls::bind(&socket)?;
    let mut started = Vec::new();
    for at in 0..count {
        let name = format!("bare.{at}");
        let mut process = Command::new(std::env::current_exe()?)
            .arg(child::MODE)
            .args([socket.as_os_str(), name.as_ref()])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .kill_on_drop(true)
            .spawn()?;
        let (stdin, stdout) = (process.stdin.take(), process.stdout.take());
        let (frames, queued) = mpsc::channel(FRAMES_MAX);
        let (answered, answers) = mpsc::channel(FRAMES_MAX);
        tokio::spawn(write(stdin.ok_or("no stdin")?, queued));
        tokio::spawn(read(stdout.ok_or("no stdout")?, frames.clone(), answered));
        let control = controls.accept(&name).await?;
        started.push(Bare { control, frames, answers, _process: process });
    }
    Ok((folder, started))
}

/// A frame of what `serde_json` makes of a message.
pub(crate) fn frame(message: &impl Serialize) -> Result<Bytes> {
    Ok(child::framed(&serde_json::to_vec(message)?).into())
}

/// Writes what is queued, until nobody can queue or take anything any more.
async fn write(mut stdin: ChildStdin, mut queued: mpsc::Receiver<Bytes>) {
    let mut batch = Vec::with_capacity(BATCH_BYTES);
    let mut next = queued.recv().await;
    while let Some(first) = next.take() {
        batch.clear();
        if first.len() < BATCH_BYTES / 2 {
            batch.extend_from_slice(&first);
            while let Ok(frame) = queued.try_recv() {
                if batch.len() + frame.len() > BATCH_BYTES {
                    next = Some(frame);
                    break;
                }
                batch.extend_from_slice(&frame);
            }
        }
        let bytes = if batch.is_empty() { &first[..] } else { &batch[..] };
        if stdin.write_all(bytes).await.is_err() {
            return;
        }
        if next.is_none() {
            next = queued.recv().await;
        }
    }
}

/// Reads messages as far as their envelopes: a request is answered, an answer is handed on.
async fn read(mut stdout: ChildStdout, frames: mpsc::Sender<Bytes>, answered: mpsc::Sender<usize>) {
    let mut input = bytes::BytesMut::new();
    loop {
        while let Some((head, body)) = child::frame(&input) {
            let frame = input.split_to(head + body).freeze();
            let Ok(envelope) = serde_json::from_slice::<Envelope>(&frame[head..]) else { return };
            let taken = if envelope.method.is_some() {
                let answer = Answer { jsonrpc: "2.0", id: envelope.id, result: NoChannels::default() };
                let Ok(answer) = self::frame(&answer) else { return };
                frames.send(answer).await.is_ok()
            } else {
                answered.send(body).await.is_ok()
            };
            if !taken {
                return;
            }
        }
        input.reserve(child::lacking(&input).max(BATCH_BYTES));
        if !stdout.read_buf(&mut input).await.is_ok_and(|read| read > 0) {
            return;
        }
    }
}
