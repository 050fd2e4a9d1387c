//! The thread that writes the logs of plugins: a disk that takes its time delays nothing but their lines.

use std::{
    collections::{HashMap, VecDeque},
    io,
    path::PathBuf,
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError},
    thread::JoinHandle,
};

use tokio::sync::oneshot;

use super::log_file::{Line, LogFile};
use crate::{
    ids::PluginId,
    limits,
    plugin::{Level, LogSource},
    time::Wall,
};

/// Lines that may wait for the disk.
const LINES_MAX: usize = 8_192;
/// Their bytes.
const BYTES_MAX: usize = 8_388_608;

/// A line to be written.
#[derive(Debug)]
pub(super) struct Entry {
    pub(super) plugin: PluginId,
    pub(super) at: Wall,
    pub(super) level: Level,
    pub(super) source: LogSource,
    pub(super) line: Line,
}

#[derive(Debug)]
enum Job {
    Write { log_dir: PathBuf, entry: Entry },
    Close { plugin: PluginId, closed: oneshot::Sender<()> },
}

/// What waits for the thread.
#[derive(Debug, Default)]
struct Queue {
    jobs: VecDeque<Job>,
    lines: usize,
    bytes: usize,
    is_over: bool,
}

#[derive(Debug, Default)]
struct Shared {
    queue: Mutex<Queue>,
    /// Told when there is something to do.
    wake: Condvar,
}

/// The way to the thread. When it is dropped, what waits is written.
#[derive(Debug)]
pub(super) struct LogThread {
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
}

impl Shared {
    fn queue(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The next that is to be done; nothing at the end.
    fn next(&self) -> Option<Job> {
        let mut queue = self.queue();
        loop {
            if let Some(job) = queue.jobs.pop_front() {
                if let Job::Write { entry, .. } = &job {
                    queue.lines -= 1;
                    queue.bytes -= entry.line.text.len();
                }
                return Some(job);
            }
            if queue.is_over {
                return None;
            }
            queue = self.wake.wait(queue).unwrap_or_else(PoisonError::into_inner);
        }
    }
}

impl LogThread {
    /// Starts it.
    ///
    /// # Errors
    /// Why there is no thread.
    pub(super) fn start(limits: limits::Plugin) -> io::Result<Self> {
        let shared = Arc::<Shared>::default();
        let of_thread = Arc::clone(&shared);
        let builder = std::thread::Builder::new().name("plugin logs".to_owned());
        let thread = builder.spawn(move || serve(&of_thread, &limits))?;
        Ok(Self { shared, thread: Some(thread) })
    }

    /// Has a line written; not where too many wait for the disk, and the line is given back then.
    pub(super) fn write(&self, log_dir: PathBuf, entry: Entry) -> Result<(), Line> {
        let mut queue = self.shared.queue();
        let bytes = queue.bytes + entry.line.text.len();
        if queue.lines >= LINES_MAX || bytes > BYTES_MAX {
            return Err(entry.line);
        }
        queue.lines += 1;
        queue.bytes = bytes;
        queue.jobs.push_back(Job::Write { log_dir, entry });
        drop(queue);
        self.shared.wake.notify_one();
        Ok(())
    }

    /// Has a log closed; told when that is done, and nothing is written to it any more.
    pub(super) fn close(&self, plugin: PluginId) -> oneshot::Receiver<()> {
        let (closed, is_closed) = oneshot::channel();
        self.shared.queue().jobs.push_back(Job::Close { plugin, closed });
        self.shared.wake.notify_one();
        is_closed
    }
}

impl Drop for LogThread {
    fn drop(&mut self) {
        self.shared.queue().is_over = true;
        self.shared.wake.notify_one();
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// A log's files, and whether the last line could not be written.
struct Written {
    file: LogFile,
    is_failing: bool,
}

impl Written {
    /// Writes a line. That it cannot be written is said when that begins and when it is over.
    fn write(&mut self, Entry { plugin, at, level, source, line }: &Entry) {
        let written = self.file.write(*at, *level, *source, line);
        match (written, std::mem::replace(&mut self.is_failing, false)) {
            (Ok(()), false) => {}
            (Ok(()), true) => tracing::info!("the log of {plugin} is written again"),
            (Err(error), was_failing) => {
                self.is_failing = true;
                if !was_failing {
                    tracing::warn!("the log of {plugin} cannot be written: {error}");
                }
            }
        }
    }
}

fn serve(shared: &Shared, limits: &limits::Plugin) {
    let mut files: HashMap<PluginId, Written> = HashMap::new();
    while let Some(job) = shared.next() {
        match job {
            Job::Write { log_dir, entry } => {
                let new = || Written { file: LogFile::new(&log_dir, limits), is_failing: false };
                files.entry(entry.plugin.clone()).or_insert_with(new).write(&entry);
            }
            Job::Close { plugin, closed } => {
                files.remove(&plugin);
                // Whoever has asked may have gone.
                let _ = closed.send(());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::private_files;

    fn entry(text: &str) -> Entry {
        Entry {
            plugin: PluginId::new("p"),
            at: Wall(1_000),
            level: Level::Info,
            source: LogSource::Stderr,
            line: Line { text: text.to_owned(), cut_bytes: 0 },
        }
    }

    #[test]
    fn what_waits_is_written_in_order_before_the_end() {
        let folder = tempfile::tempdir().unwrap();
        let thread = LogThread::start(limits::Plugin::default()).unwrap();
        for at in 0..100 {
            thread.write(folder.path().to_owned(), entry(&at.to_string())).unwrap();
        }
        drop(thread);
        let text = fs::read_to_string(folder.path().join("plugin.log")).unwrap();
        let numbers: Vec<usize> =
            text.lines().map(|line| line.rsplit(' ').next().unwrap().parse().unwrap()).collect();
        assert_eq!(numbers, (0..100).collect::<Vec<_>>());
    }

    #[test]
    fn after_it_was_closed_nothing_is_written() {
        let folder = tempfile::tempdir().unwrap();
        let thread = LogThread::start(limits::Plugin::default()).unwrap();
        thread.write(folder.path().to_owned(), entry("last")).unwrap();
        thread.close(PluginId::new("p")).blocking_recv().unwrap();
        assert!(fs::read_to_string(folder.path().join("plugin.log")).unwrap().ends_with("last\n"));
        fs::remove_file(folder.path().join("plugin.log")).unwrap();
        drop(thread);
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
    }

    #[derive(Clone, Default)]
    struct Told(Arc<Mutex<Vec<u8>>>);

    impl io::Write for Told {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.lock().unwrap().write(bytes)
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn a_log_that_cannot_be_written_is_told_once_and_that_it_works_again() {
        let data = tempfile::tempdir().unwrap();
        let folder = data.path().join("log");
        fs::write(&folder, "").unwrap();
        let told = Told::default();
        let writer = told.clone();
        let subscriber = tracing_subscriber::fmt().with_writer(move || writer.clone()).finish();
        tracing::subscriber::with_default(subscriber, || {
            let file = LogFile::new(&folder, &limits::Plugin::default());
            let mut log = Written { file, is_failing: false };
            (0..3).for_each(|_| log.write(&entry("a line")));
            fs::remove_file(&folder).unwrap();
            private_files::make_folder(&folder).unwrap();
            (0..2).for_each(|_| log.write(&entry("a line")));
        });
        let told = String::from_utf8(told.0.lock().unwrap().clone()).unwrap();
        assert_eq!(told.matches("cannot be written").count(), 1, "{told}");
        assert_eq!(told.matches("is written again").count(), 1, "{told}");
    }

    #[test]
    fn a_disk_that_takes_nothing_delays_nobody_and_bounds_what_waits() {
        // Without a thread, as if the disk never answered.
        let thread = LogThread { shared: Arc::default(), thread: None };
        let refused = |text: &str, most: usize| {
            (0..=most).find_map(|at| thread.write(PathBuf::new(), entry(text)).err().map(|line| (at, line)))
        };
        assert_eq!(refused("x", LINES_MAX).unwrap(), (LINES_MAX, entry("x").line));
        *thread.shared.queue() = Queue::default();
        let long = "x".repeat(65_536);
        assert_eq!(refused(&long, LINES_MAX).unwrap().0, BYTES_MAX / long.len());
        assert!(thread.write(PathBuf::new(), entry("")).is_ok());
    }
}
