//! The socket between the benchmark and its children: what a child is told, and how far it is.

use std::{collections::HashMap, io, path::Path, time::Duration};

use tokio::{
    io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader},
    net::{UnixListener, UnixStream},
};

use crate::{Result, child::COUNT};

/// How long a child may take for anything.
const PATIENCE: Duration = Duration::from_secs(60);

/// Where children say who they are.
#[derive(Debug)]
pub(crate) struct Controls {
    listener: UnixListener,
    /// Those that were there before they were waited for.
    early: HashMap<String, Control>,
}

impl Controls {
    pub(crate) fn bind(path: &Path) -> io::Result<Self> {
        Ok(Self { listener: UnixListener::bind(path)?, early: HashMap::new() })
    }

    /// The child of a name, once it is there.
    pub(crate) async fn accept(&mut self, name: &str) -> Result<Control> {
        loop {
            if let Some(control) = self.early.remove(name) {
                return Ok(control);
            }
            let (stream, _) = tokio::time::timeout(PATIENCE, self.listener.accept()).await??;
            let mut stream = BufReader::new(stream);
            let mut line = String::new();
            stream.read_line(&mut line).await?;
            let (of, pid) = line.trim().rsplit_once(' ').ok_or("no hello")?;
            self.early.insert(of.to_owned(), Control { pid: pid.parse()?, stream, events: 0 });
        }
    }
}

/// One child.
#[derive(Debug)]
pub(crate) struct Control {
    /// Its process.
    pub(crate) pid: u32,
    stream: BufReader<UnixStream>,
    /// Events that it has counted.
    pub(crate) events: u64,
}

impl Control {
    /// How long a request took; nothing where it was a count of events.
    async fn read(&mut self) -> Result<Option<Duration>> {
        let said = tokio::time::timeout(PATIENCE, self.stream.read_u64_le()).await??;
        if said & COUNT == 0 {
            return Ok(Some(Duration::from_nanos(said)));
        }
        self.events = said & !COUNT;
        Ok(None)
    }

    /// Waits until it has counted so many events.
    pub(crate) async fn counted(&mut self, events: u64) -> Result<()> {
        while self.events < events {
            self.read().await?;
        }
        Ok(())
    }

    /// Has it make so many requests, one behind the other; how long each took, sorted.
    pub(crate) async fn trips(&mut self, count: u64) -> Result<Vec<Duration>> {
        self.stream.write_u64_le(count).await?;
        let mut took = Vec::new();
        while (took.len() as u64) < count {
            took.extend(self.read().await?);
        }
        took.sort();
        Ok(took)
    }
}
