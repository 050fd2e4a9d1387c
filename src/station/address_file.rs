//! Where hosts answer, noted in the data folder for those who are given that folder (ruling RMP 15), for as
//! long as they are served.

use std::{
    fs,
    io::{self, Read as _},
    path::{Path, PathBuf},
    time::Duration,
};

use tokio::{runtime::Runtime, task::AbortHandle};

use crate::{private_files, station::status::StationStatus, tap::entry::station::Level};

/// The file of a data folder that holds the path of its station's socket.
pub(crate) const PATH_FILE: &str = "rmp.path";
/// The file of a data folder that holds the address of its station's MACP port.
pub(crate) const ADDR_FILE: &str = "macp.addr";
/// The file of a data folder that holds the address of its station's MPP port.
pub(crate) const MPP_FILE: &str = "mpp.addr";
/// The file of a data folder that holds the address at which its station's metrics are read.
pub(crate) const METRICS_FILE: &str = "metrics.addr";
/// Bytes that are read of one.
const BYTES_MAX: u64 = 4_096;
/// How often it is asked for what is not known yet.
const KNOWN_SOON: Duration = Duration::from_millis(100);
/// How often it is looked whether it is still there.
const LOOK_EVERY: Duration = Duration::from_secs(2);

/// A note of a data folder.
#[derive(Clone, Debug)]
pub(super) struct AddressFile {
    file: PathBuf,
    /// What stands there, its line's end aside.
    text: Vec<u8>,
    /// Whose clients go by it.
    host: &'static str,
}

/// A note that is kept up, and taken away when this is dropped.
#[derive(Debug)]
pub(super) struct FileGuard {
    file: PathBuf,
    task: AbortHandle,
}

impl Drop for FileGuard {
    fn drop(&mut self) {
        self.task.abort();
        // Gone already, or it leads to where nobody answers.
        let _ = fs::remove_file(&self.file);
    }
}

impl AddressFile {
    pub(super) fn new(data: &Path, name: &str, text: &[u8], host: &'static str) -> Self {
        Self { file: data.join(name), text: text.to_vec(), host }
    }

    /// Writes it, and says where that fails: clients that are told the place find it all the same.
    pub(super) fn write_or_warn(&self, board: &StationStatus) {
        if let Err(error) = self.write() {
            board.notice(Level::Warn, &self.failed(&error));
        }
    }

    /// Writes it and keeps it up, until what is given is dropped.
    pub(super) fn guarded(self, board: &StationStatus, hosts: &Runtime) -> FileGuard {
        self.write_or_warn(board);
        let file = self.file.clone();
        FileGuard { file, task: hosts.spawn(self.maintain(board.clone())).abort_handle() }
    }

    /// The same, from when there is something to note.
    pub(super) fn guarded_when(
        data: &Path,
        name: &str,
        host: &'static str,
        board: &StationStatus,
        hosts: &Runtime,
        mut known: impl FnMut() -> Option<String> + Send + 'static,
    ) -> FileGuard {
        let (data, name, board) = (data.to_owned(), name.to_owned(), board.clone());
        let file = data.join(&name);
        let task = hosts.spawn(async move {
            let mut ticks = tokio::time::interval(KNOWN_SOON);
            let text = loop {
                ticks.tick().await;
                if let Some(text) = known() {
                    break text;
                }
            };
            let this = Self::new(&data, &name, text.as_bytes(), host);
            this.write_or_warn(&board);
            this.maintain(board).await;
        });
        FileGuard { file, task: task.abort_handle() }
    }

    /// Writes it anew where somebody took it away or changed it, until it is dropped.
    pub(super) async fn maintain(self, board: StationStatus) {
        let mut ticks = tokio::time::interval(LOOK_EVERY);
        ticks.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
        let mut told = None;
        loop {
            ticks.tick().await;
            let this = self.clone();
            let Ok(looked) = tokio::task::spawn_blocking(move || this.look()).await else { return };
            let (level, text) = match looked {
                Ok(false) => {
                    told = None;
                    continue;
                }
                Ok(true) => (
                    Level::Info,
                    format!("{} was taken away or changed: it is written anew", self.file.display()),
                ),
                Err(error) => (Level::Warn, self.failed(&error)),
            };
            if told.as_ref() != Some(&text) {
                board.notice(level, &text);
            }
            told = Some(text);
        }
    }

    /// Writes it if it does not stand there; whether it did not.
    fn look(&self) -> io::Result<bool> {
        let mut bytes = Vec::new();
        let read =
            private_files::open(&self.file).and_then(|file| file.take(BYTES_MAX).read_to_end(&mut bytes));
        match read {
            Ok(_) if bytes == self.bytes() => Ok(false),
            _ => self.write().map(|()| true),
        }
    }

    fn write(&self) -> io::Result<()> {
        // Another's folder may be in its place by now.
        self.file.parent().map_or(Ok(()), private_files::check_folder)?;
        private_files::replace(&self.file, &self.bytes())
    }

    fn bytes(&self) -> Vec<u8> {
        [&self.text[..], b"\n"].concat()
    }

    fn failed(&self, error: &io::Error) -> String {
        format!("{}: {error}: --data does not lead to {}", self.file.display(), self.host)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_note_that_is_gone_or_another_is_written_anew_and_one_that_stands_is_left() {
        let data = tempfile::tempdir().unwrap();
        let recorded = AddressFile::new(data.path(), PATH_FILE, b"/run/a b.sock", "the bus");
        let file = data.path().join(PATH_FILE);
        assert!(recorded.look().unwrap(), "it was never written");
        assert!(!recorded.look().unwrap());
        for spoil in [
            |file: &Path| fs::remove_file(file).unwrap(),
            |file: &Path| fs::write(file, "/elsewhere\n").unwrap(),
        ] {
            spoil(&file);
            assert!(recorded.look().unwrap());
            assert_eq!(fs::read_to_string(&file).unwrap(), "/run/a b.sock\n");
        }
        fs::remove_file(&file).unwrap();
        fs::create_dir(&file).unwrap();
        assert!(recorded.look().is_err(), "what cannot be written is said");
    }
}
