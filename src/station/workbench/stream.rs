//! A connection of the workbench's own: bytes go out as they are, and what comes in is read away, for the tap
//! has it.

use std::{
    net::SocketAddr,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
};

use tokio::{
    io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt},
    sync::Mutex as AsyncMutex,
    task::JoinHandle,
};

use crate::time::{Clock, Mono};

/// Bytes that are read at once.
const READ_BYTES: usize = 16 << 10;
/// How long a piece may take to leave.
const WRITE_MAX: std::time::Duration = std::time::Duration::from_secs(5);

type Writer = Box<dyn AsyncWrite + Send + Unpin>;

/// A connection.
pub(super) struct StreamDoor {
    /// The address that a token is lent to; nothing where none is.
    pub(super) lent_to: Option<SocketAddr>,
    /// Nothing once it is closed.
    writer: AsyncMutex<Option<Writer>>,
    ended: Arc<Mutex<Option<String>>>,
    /// When something came in last, in nanoseconds.
    heard: Arc<AtomicU64>,
    reading: JoinHandle<()>,
}

impl std::fmt::Debug for StreamDoor {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("StreamDoor").field("ended", &self.ended()).finish_non_exhaustive()
    }
}

impl StreamDoor {
    pub(super) fn new(
        clock: Clock,
        reader: impl AsyncRead + Send + Unpin + 'static,
        writer: impl AsyncWrite + Send + Unpin + 'static,
        lent_to: Option<SocketAddr>,
    ) -> Self {
        let ended = Arc::new(Mutex::new(None));
        let heard = Arc::new(AtomicU64::new(clock.now().mono.0));
        let reading = tokio::spawn(read_away(clock, reader, Arc::clone(&heard), Arc::clone(&ended)));
        Self { lent_to, writer: AsyncMutex::new(Some(Box::new(writer))), ended, heard, reading }
    }

    /// When something came in last.
    pub(super) fn heard(&self) -> Mono {
        Mono(self.heard.load(Ordering::Relaxed))
    }

    /// Why nothing comes any more, if that is so.
    pub(super) fn ended(&self) -> Option<String> {
        self.ended.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Writes bytes as they are, so that they leave by themselves; why that was not possible.
    pub(super) async fn write(&self, bytes: &[u8]) -> Result<(), String> {
        let mut writer = self.writer.lock().await;
        let Some(open) = writer.as_mut() else { return Err("closed here".to_owned()) };
        let written = async {
            open.write_all(bytes).await?;
            open.flush().await
        };
        let why = match tokio::time::timeout(WRITE_MAX, written).await {
            Ok(Ok(())) => return Ok(()),
            Ok(Err(error)) => error.to_string(),
            Err(_) => "the host does not read".to_owned(),
        };
        *writer = None;
        Err(why)
    }

    /// Sends the end of the stream.
    pub(super) async fn shut(&self) {
        if let Some(mut writer) = self.writer.lock().await.take() {
            let _ = writer.shutdown().await;
        }
    }
}

impl Drop for StreamDoor {
    fn drop(&mut self) {
        self.reading.abort();
    }
}

async fn read_away(
    clock: Clock,
    mut reader: impl AsyncRead + Unpin,
    heard: Arc<AtomicU64>,
    ended: Arc<Mutex<Option<String>>>,
) {
    let mut scratch = vec![0; READ_BYTES];
    let why = loop {
        match reader.read(&mut scratch).await {
            Ok(0) => break "closed by the host".to_owned(),
            Ok(_) => heard.store(clock.now().mono.0, Ordering::Relaxed),
            Err(error) => break error.to_string(),
        }
    };
    *ended.lock().unwrap_or_else(PoisonError::into_inner) = Some(why);
}
