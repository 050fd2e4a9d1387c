//! Keeps a small text in a file, written on a thread of its own: the last one given is what stands there in
//! the end.

use std::{
    fs::{self, DirBuilder},
    io::{self, Read as _},
    os::unix::fs::DirBuilderExt as _,
    path::{Path, PathBuf},
    sync::{
        Arc, Mutex, PoisonError,
        mpsc::{Receiver, SyncSender, sync_channel},
    },
    thread::JoinHandle,
};

use crate::{console::settings::DeferredText, private_files};

/// What is to be written next.
type Next = Mutex<Option<Waiting>>;

/// A text, and the one that it took the place of, which is written where it turns out to be none.
struct Waiting {
    text: DeferredText,
    before: Option<DeferredText>,
}

impl Waiting {
    fn make(self) -> Option<String> {
        (self.text)().or_else(|| self.before.and_then(|before| before()))
    }
}

/// Writes a text as often as it changes, without anybody waiting for the disk. Dropped, it ends when the last
/// one is written.
pub(crate) struct DebouncedFile {
    next: Arc<Next>,
    wake: Option<SyncSender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl DebouncedFile {
    /// Begins to keep texts in a file; nothing where no thread can be had.
    pub(crate) fn spawn(path: PathBuf) -> Option<Self> {
        let next = Arc::new(Next::default());
        let (wake, woken) = sync_channel(1);
        let taken = Arc::clone(&next);
        let thread = std::thread::Builder::new()
            .name("keeper".to_owned())
            .spawn(move || write_all(&path, &woken, &taken))
            .ok()?;
        Some(Self { next, wake: Some(wake), thread: Some(thread) })
    }

    /// Keeps a text in place of the one before.
    pub(crate) fn write_later(&self, text: &str) {
        let text = text.to_owned();
        self.make_later(Box::new(|| Some(text)));
    }

    /// Keeps a text that is made on the thread which writes it, in place of the one before; where there turns
    /// out to be none, the file stays as it is.
    pub(crate) fn make_later(&self, text: DeferredText) {
        let mut next = self.next.lock().unwrap_or_else(PoisonError::into_inner);
        let before = next.take().map(|waiting| waiting.text);
        *next = Some(Waiting { text, before });
        drop(next);
        if let Some(wake) = &self.wake {
            // Where it is full the thread is woken already, and finds this text.
            let _ = wake.try_send(());
        }
    }
}

impl Drop for DebouncedFile {
    fn drop(&mut self) {
        self.wake = None;
        if let Some(thread) = self.thread.take() {
            drop(thread.join());
        }
    }
}

impl std::fmt::Debug for DebouncedFile {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("DebouncedFile").finish_non_exhaustive()
    }
}

fn write_all(path: &Path, woken: &Receiver<()>, next: &Next) {
    let mut written = None;
    for () in woken {
        let waiting = next.lock().unwrap_or_else(PoisonError::into_inner).take();
        let Some(text) = waiting.and_then(Waiting::make).filter(|text| written.as_ref() != Some(text)) else {
            continue;
        };
        match write(path, &text) {
            Ok(()) => written = Some(text),
            Err(error) => tracing::warn!("cannot save {}: {error}", path.display()),
        }
    }
}

/// Writes it whole, or leaves what is there.
fn write(path: &Path, text: &str) -> io::Result<()> {
    if let Some(folder) = path.parent() {
        DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
    }
    private_files::replace(path, text.as_bytes())
}

/// The text that was kept, of at most `bytes_max` bytes; none where there is no file yet.
///
/// # Errors
/// Why it cannot be read, for people.
pub(crate) fn read(path: &Path, bytes_max: u64) -> Result<Option<String>, String> {
    let file = match private_files::open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error.to_string()),
    };
    let mut text = String::new();
    let bytes = file
        .take(bytes_max.saturating_add(1))
        .read_to_string(&mut text)
        .map_err(|error| error.to_string())?;
    if bytes as u64 > bytes_max {
        return Err(format!("larger than {bytes_max} bytes"));
    }
    Ok(Some(text))
}

/// The text that was kept, of at most `bytes_max` bytes, where it passes a check; none where there is no file
/// yet. A file that cannot be read, or does not pass, is set aside under another name: what is written next
/// does not overwrite it.
///
/// # Errors
/// Why it cannot be read, and what became of it, for people.
pub(crate) fn read_or_set_aside(
    path: &Path,
    bytes_max: u64,
    check: fn(&str) -> Result<(), String>,
) -> Result<Option<String>, String> {
    let text = read(path, bytes_max);
    let why = match text.and_then(|text| text.as_deref().map_or(Ok(()), check).map(|()| text)) {
        Ok(text) => return Ok(text),
        Err(why) => why,
    };
    let aside = path.with_extension("unreadable");
    let moved = match fs::rename(path, &aside) {
        Ok(()) => format!("moved to {}", aside.display()),
        Err(error) => format!("not moved away ({error}); the next change overwrites it"),
    };
    Err(format!("{}: {why}; {moved}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_text_given_is_what_is_read_again() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("state/layout.toml");
        assert_eq!(read(&path, 65_536), Ok(None));
        let keeper = DebouncedFile::spawn(path.clone()).unwrap();
        for number in 0..1_000 {
            keeper.write_later(&format!("version = {number}"));
        }
        drop(keeper);
        assert_eq!(read(&path, 65_536), Ok(Some("version = 999".to_owned())));
        let keeper = DebouncedFile::spawn(path.clone()).unwrap();
        keeper.write_later("version = 1000");
        keeper.make_later(Box::new(|| None));
        drop(keeper);
        let kept = read(&path, 65_536);
        assert_eq!(kept, Ok(Some("version = 1000".to_owned())), "there was nothing to take its place");
    }

    #[test]
    fn what_is_no_small_text_is_not_read() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("layout.toml");
        std::fs::write(&path, vec![b' '; 70_000]).unwrap();
        assert_eq!(read(&path, 65_536), Err("larger than 65536 bytes".to_owned()));
        std::fs::write(&path, [0xff, 0xfe]).unwrap();
        assert!(read(&path, 65_536).is_err());
    }

    #[test]
    fn a_file_that_cannot_be_read_is_set_aside_and_the_reason_is_given() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("frames.json");
        let check = |text: &str| if text == "{}" { Ok(()) } else { Err("no frames".to_owned()) };
        assert_eq!(read_or_set_aside(&path, 10, check), Ok(None));
        for (text, why) in [("[]", "no frames"), ("01234567890", "larger than 10 bytes")] {
            std::fs::write(&path, text).unwrap();
            let aside = folder.path().join("frames.unreadable");
            let said = format!("{}: {why}; moved to {}", path.display(), aside.display());
            assert_eq!(read_or_set_aside(&path, 10, check), Err(said));
            assert_eq!((path.exists(), std::fs::read_to_string(aside).unwrap()), (false, text.to_owned()));
        }
        std::fs::write(&path, "{}").unwrap();
        assert_eq!(read_or_set_aside(&path, 10, check), Ok(Some("{}".to_owned())));
    }
}
