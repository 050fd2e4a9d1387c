//! Does what is asked of the workbench, and closes what is idle.

use std::{
    sync::{Arc, Weak},
    time::Duration,
};

use bytes::Bytes;
use tokio::sync::{OwnedSemaphorePermit, mpsc, oneshot};

use super::{
    batch::Batch,
    connect,
    door::{Door, Leads, origin},
    doors::Doors,
    put,
    stream::StreamDoor,
    told::Watch,
};
use crate::{
    ids::Seq,
    port::{
        AnswerRow, DoorSpec, PIECES_MAX, PageBytes, PortError, SentFrame, WorkbenchCommand, WorkbenchError,
        WorkbenchOutcome,
    },
    station::{local::Inner, ticks::Ticks},
    tap::{Reader, entry::station::OperatedBy},
    words::format::age,
};

/// How often it is looked for doors that are idle.
const CHECK_INTERVAL: Duration = Duration::from_millis(500);
/// Frames that are sent at one time.
const FRAMES_MAX: usize = 1_024;
/// How long a verdict is waited for at most.
const WAIT_MAX: Duration = Duration::from_secs(30);

/// A command, who gives it, and where its answer goes.
#[derive(Debug)]
pub(super) struct Job {
    pub(super) command: WorkbenchCommand,
    pub(super) by: OperatedBy,
    pub(super) answer: oneshot::Sender<Result<WorkbenchOutcome, PortError>>,
    /// Its place among those that are being done.
    pub(super) place: OwnedSemaphorePermit,
}

/// Commands as they come.
pub(super) type Jobs = mpsc::Receiver<Job>;

/// Serves until the station is gone.
pub(in crate::station) async fn serve(inner: Weak<Inner>) {
    let taken = inner.upgrade().and_then(|inner| Some((inner.workbench.take_jobs()?, inner.clock)));
    let Some(((doors, mut jobs), clock)) = taken else { return };
    let mut look = Ticks::every(CHECK_INTERVAL, clock);
    loop {
        tokio::select! {
            job = jobs.recv() => {
                let (Some(job), Some(inner)) = (job, inner.upgrade()) else { return };
                let Job { command, by, answer, place } = job;
                let bench = Bench { inner, doors: Arc::clone(&doors) };
                tokio::spawn(async move {
                    let done = bench.command(command, by).await;
                    let _ = answer.send(done);
                    drop(place);
                });
            }
            () = look.tick() => {
                let Some(inner) = inner.upgrade() else { return };
                close_unused(&inner, &doors);
            }
        }
    }
}

/// Closes what was not used for long, and what leads to a host that is gone.
fn close_unused(inner: &Inner, doors: &Doors) {
    let idle = Duration::from_millis(inner.limits.workbench.idle_ms_max);
    let now = inner.clock.now().mono;
    let idled = || format!("closed as it was not used for {}", age(idle));
    doors.close_where(|door| {
        door.host_gone(&inner.status).or_else(|| (now.since(door.used()) >= idle).then(idled))
    });
}

/// What a command works with.
struct Bench {
    inner: Arc<Inner>,
    doors: Arc<Doors>,
}

impl Bench {
    async fn command(
        &self,
        command: WorkbenchCommand,
        by: OperatedBy,
    ) -> Result<WorkbenchOutcome, PortError> {
        match command {
            WorkbenchCommand::Open { door } => self.open(door, by).await,
            WorkbenchCommand::Send { door, pieces, of, wait_ms, answers, foreseen } => {
                let within = Duration::from_millis(wait_ms).min(WAIT_MAX);
                self.send((door, of), pieces, within, (answers, foreseen)).await.map(WorkbenchOutcome::Sent)
            }
            WorkbenchCommand::SendAll { door, frames, wait_ms, answers } => {
                let within = Duration::from_millis(wait_ms).min(WAIT_MAX);
                self.send_all(door, frames, within, answers).await.map(WorkbenchOutcome::SentAll)
            }
            WorkbenchCommand::Close { door } => self.close(door).await,
        }
    }

    async fn open(&self, spec: DoorSpec, by: OperatedBy) -> Result<WorkbenchOutcome, PortError> {
        let place =
            self.doors.reserve(self.inner.limits.workbench.doors_max).map_err(PortError::Workbench)?;
        let number = place.number;
        self.inner.injected_traces.begin(&self.inner.tap);
        let cell = origin(&spec, number, by);
        // Of a host that is started again meanwhile it is a door that is closed.
        let (host_starts, _) = self.inner.status.host(spec.link());
        let (peer, leads) = connect::connect(&self.inner, &spec, &cell).await?;
        let now = self.inner.clock.now().mono;
        let door = Door::new(cell, spec, (peer.clone(), leads), host_starts, now);
        connect::greet(&self.inner, &door).await?;
        self.doors.insert(place, door).map_err(PortError::Workbench)?;
        Ok(WorkbenchOutcome::Opened { door: number, peer })
    }

    async fn send(
        &self,
        (number, of): (u64, Option<Seq>),
        pieces: Vec<PageBytes>,
        within: Duration,
        (answers, foreseen): (Option<u64>, Vec<AnswerRow>),
    ) -> Result<SentFrame, PortError> {
        let door = self.inner.workbench.door(&self.inner.status, number).map_err(PortError::Workbench)?;
        let bytes: u64 = pieces.iter().map(|piece| piece.0.len() as u64).sum();
        let limits = &self.inner.limits.workbench;
        self.check_length(bytes)?;
        if pieces.len() > PIECES_MAX {
            let why = format!("{} pieces: at most {PIECES_MAX} at once", pieces.len());
            return Err(PortError::BadRequest(why));
        }
        let _turn = self.turn(&door)?;
        door.origin.set_of(of);
        let watch = Watch::new(self.reader()?, &door, limits.told_bytes_max);
        let mut watch = watch.for_answers(answers).compared_with(foreseen);
        let pieces: Vec<Bytes> = pieces.into_iter().map(|piece| Bytes::from(piece.0)).collect();
        match &door.leads {
            Leads::Stream(stream) => {
                self.write(&door, stream, &pieces).await?;
                watch.until(within).await;
                if let Some(ended) = &watch.ended {
                    door.close(ended);
                }
                let sent: Vec<u8> = pieces.concat();
                door.note_sent(&sent, watch.own_bytes, limits.send_bytes_max);
            }
            Leads::Call(call) => {
                // The tap tells of the call at once, and of its answer when there is one.
                let sent = tokio::time::timeout(within, call.send(Bytes::from(pieces.concat())));
                let (sent, ()) = tokio::join!(sent, watch.until(within));
                if let Ok(Err(why)) = sent {
                    door.close(&why);
                }
            }
            Leads::Place => {
                put::put(&self.inner, &door, Bytes::from(pieces.concat())).await?;
                watch.until(within).await;
            }
        }
        door.touch(self.inner.clock.now().mono);
        let Watch { told, more, lost, ended, .. } = watch;
        Ok(SentFrame { door: number, bytes, told, more, lost, closed: door.closed().or(ended) })
    }

    /// Sends many frames through a connection of its own.
    async fn send_all(
        &self,
        number: u64,
        frames: Vec<PageBytes>,
        within: Duration,
        answers: Option<u64>,
    ) -> Result<Vec<SentFrame>, PortError> {
        let door = self.inner.workbench.door(&self.inner.status, number).map_err(PortError::Workbench)?;
        let Leads::Stream(stream) = &door.leads else {
            return Err(PortError::BadRequest("only a connection of its own takes many frames".to_owned()));
        };
        if frames.len() > FRAMES_MAX {
            let why = format!("{} frames: at most {FRAMES_MAX} at once", frames.len());
            return Err(PortError::BadRequest(why));
        }
        let lengths: Vec<usize> = frames.iter().map(|frame| frame.0.len()).collect();
        self.check_length(lengths.iter().sum::<usize>() as u64)?;
        let _turn = self.turn(&door)?;
        door.origin.set_of(None);
        let reader = self.reader()?;
        let limits = &self.inner.limits.workbench;
        let mut batch = Batch::new(reader, &door, &lengths, limits.told_bytes_max).for_answers(answers);
        let frames = Bytes::from(frames.into_iter().map(|frame| frame.0).collect::<Vec<_>>().concat());
        let pieces = [frames.clone()];
        let (written, ()) = tokio::join!(self.write(&door, stream, &pieces), batch.until(within));
        written?;
        if let Some(ended) = batch.ended() {
            door.close(ended);
        }
        door.note_sent(&frames, batch.own_bytes(), limits.send_bytes_max);
        door.touch(self.inner.clock.now().mono);
        Ok(batch.finish())
    }

    fn reader(&self) -> Result<Reader, PortError> {
        self.inner.tap.reader().map_err(|error| PortError::Busy { what: error.to_string() })
    }

    fn check_length(&self, bytes: u64) -> Result<(), PortError> {
        let max = self.inner.limits.workbench.send_bytes_max;
        if bytes > max { Err(PortError::Workbench(WorkbenchError::TooLong { bytes, max })) } else { Ok(()) }
    }

    /// The turn of who sends through a door that is open.
    fn turn<'a>(&self, door: &'a Door) -> Result<tokio::sync::MutexGuard<'a, ()>, PortError> {
        let busy = |_| PortError::Busy { what: format!("workbench connection {}", door.number) };
        let turn = door.sending.try_lock().map_err(busy)?;
        if door.closed().is_some() {
            return Err(PortError::Workbench(door.gone()));
        }
        door.touch(self.inner.clock.now().mono);
        Ok(turn)
    }

    /// Writes the pieces, each by itself.
    async fn write(&self, door: &Door, stream: &StreamDoor, pieces: &[Bytes]) -> Result<(), PortError> {
        for piece in pieces {
            let piece = connect::with_token(&self.inner, door, piece.clone()).await?;
            if let Err(why) = stream.write(&piece).await {
                door.close(&why);
                break;
            }
        }
        Ok(())
    }

    async fn close(&self, number: u64) -> Result<WorkbenchOutcome, PortError> {
        let door = self.doors.take(number).map_err(PortError::Workbench)?;
        match &door.leads {
            Leads::Stream(stream) => stream.shut().await,
            Leads::Call(call) => call.shut(),
            Leads::Place => {}
        }
        Ok(WorkbenchOutcome::Closed { door: number })
    }
}
