//! A server under test: started here on a spare loopback port with a folder to throw away, measured through
//! `/proc`, always stopped.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs::{self, File},
    io::{self, Read},
    net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream},
    os::unix::process::CommandExt,
    path::{Path, PathBuf},
    process::{self, Child, ChildStdout, Command, ExitStatus, Stdio},
    sync::{Mutex, MutexGuard, PoisonError},
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

use color_eyre::eyre::{Result, WrapErr, bail, eyre};
use rustix::process::{Pid, Resource, Rlimit, Signal, getrlimit, kill_process, setrlimit};

/// How long a server may take to end by itself before it is killed.
const STOP_MAX: Duration = Duration::from_secs(10);
/// How often a condition is looked at while waiting for it.
const LOOK_EVERY: Duration = Duration::from_millis(20);
/// A server is quiet when it uses less than [`QUIET_CPU`] in so long.
const QUIET_WINDOW: Duration = Duration::from_millis(250);
/// Processor time that all servers together may use in a [`QUIET_WINDOW`].
const QUIET_CPU: Duration = Duration::from_millis(5);
/// How long the servers may take to become quiet.
const QUIET_MAX: Duration = Duration::from_secs(10);
/// Files that a process may have open, for thousands of connections on either side.
const FILES: u64 = 8_192;
/// How many lines of a server's own words are shown when it does not start.
const WORDS_LINES_MAX: usize = 5;

/// The servers that run, so that an interrupt can stop them.
static RUNNING: Mutex<BTreeSet<u32>> = Mutex::new(BTreeSet::new());

fn running() -> MutexGuard<'static, BTreeSet<u32>> {
    RUNNING.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Kills every server that still runs. For an interrupt: in order they end with their [`Server`].
pub fn kill_all() {
    for root in running().iter() {
        Tree(*root).signal(Signal::KILL);
    }
}

/// One process and all below it.
#[derive(Clone, Copy, Debug)]
pub struct Tree(u32);

impl Tree {
    /// The number of the root process.
    #[must_use]
    pub const fn root(self) -> u32 {
        self.0
    }

    /// The root and every process below it, parents first.
    fn members(self) -> Vec<u32> {
        let mut children: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
        for pid in numbers(Path::new("/proc")) {
            if let Some(parent) = parent_of(pid) {
                children.entry(parent).or_default().push(pid);
            }
        }
        let mut members = vec![self.0];
        let mut next = 0;
        while let Some(pid) = members.get(next) {
            members.extend(children.remove(pid).unwrap_or_default());
            next += 1;
        }
        members
    }

    /// The processor time that all threads of the tree have used so far, user and system together.
    ///
    /// It is the sum of `/proc/PID/task/TID/schedstat`, in nanoseconds, where the kernel keeps it: `utime`
    /// and `stime` of `/proc/PID/stat` count in ticks of 10 ms. A thread that ends takes its time with
    /// it.
    #[must_use]
    pub fn cpu(self) -> Duration {
        let nanos = self.members().into_iter().flat_map(|pid| {
            let tasks = PathBuf::from(format!("/proc/{pid}/task"));
            numbers(&tasks).into_iter().map(move |tid| on_cpu_ns(&tasks.join(tid.to_string())))
        });
        Duration::from_nanos(nanos.sum())
    }

    /// Resident memory of the root process, in KiB (`VmRSS`).
    #[must_use]
    pub fn resident_kib(self) -> Option<u64> {
        let status = fs::read_to_string(format!("/proc/{}/status", self.0)).ok()?;
        status.lines().find_map(|line| line.strip_prefix("VmRSS:")?.trim().strip_suffix(" kB")?.parse().ok())
    }

    fn signal(self, signal: Signal) {
        for pid in self.members() {
            if let Some(pid) = i32::try_from(pid).ok().and_then(Pid::from_raw) {
                // A process that is gone already is what we want.
                let _ = kill_process(pid, signal);
            }
        }
    }
}

fn numbers(folder: &Path) -> Vec<u32> {
    let names = fs::read_dir(folder).into_iter().flatten().flatten();
    names.filter_map(|entry| entry.file_name().to_str()?.parse().ok()).collect()
}

fn parent_of(pid: u32) -> Option<u32> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // The name stands in parentheses and may hold anything, so the fields are counted behind its end: state,
    // then the parent.
    stat.rsplit_once(')')?.1.split_whitespace().nth(1)?.parse().ok()
}

fn on_cpu_ns(task: &Path) -> u64 {
    let stat = fs::read_to_string(task.join("schedstat")).unwrap_or_default();
    stat.split_whitespace().next().and_then(|ns| ns.parse().ok()).unwrap_or(0)
}

/// What came of starting something.
pub enum Start<S> {
    /// It runs.
    Running(S),
    /// It is not installed: what is missing.
    Missing(String),
}

/// The processor time that the calling thread has used so far.
#[must_use]
pub fn own_cpu() -> Duration {
    Duration::from_nanos(on_cpu_ns(Path::new("/proc/thread-self")))
}

/// A server that runs until this is dropped.
#[derive(Debug)]
pub struct Server {
    child: Child,
    log: PathBuf,
}

impl Server {
    /// Starts `command`; what it says goes to `log`, its standard output too unless the command pipes it.
    ///
    /// # Errors
    /// The program cannot be started, or the log cannot be written.
    pub fn start(command: &mut Command, log: &Path) -> Result<Self> {
        let words = File::create(log).wrap_err_with(|| format!("creating {}", log.display()))?;
        let out = words.try_clone()?;
        Self::spawn(command.stdout(out).stderr(words), log)
    }

    /// Starts `command` with its standard output piped here; what else it says goes to `log`.
    ///
    /// # Errors
    /// The program cannot be started, or the log cannot be written.
    pub fn start_piped(command: &mut Command, log: &Path) -> Result<(Self, ChildStdout)> {
        let words = File::create(log).wrap_err_with(|| format!("creating {}", log.display()))?;
        let mut server = Self::spawn(command.stdout(Stdio::piped()).stderr(words), log)?;
        let out = server.child.stdout.take().ok_or_else(|| eyre!("no pipe from the server"))?;
        Ok((server, out))
    }

    fn spawn(command: &mut Command, log: &Path) -> Result<Self> {
        let name = command.get_program().to_string_lossy().into_owned();
        // A group of its own: an interrupt typed at the terminal reaches this process first, which then stops
        // the servers.
        let child = command
            .stdin(Stdio::null())
            .process_group(0)
            .spawn()
            .wrap_err_with(|| format!("starting {name}"))?;
        running().insert(child.id());
        Ok(Self { child, log: log.to_owned() })
    }

    /// The processes it consists of.
    #[must_use]
    pub fn tree(&self) -> Tree {
        Tree(self.child.id())
    }

    /// Waits until something listens at `addr`.
    ///
    /// # Errors
    /// The server ended, or `limit` passed.
    pub fn wait_for(&mut self, addr: SocketAddr, limit: Duration) -> Result<()> {
        let from = Instant::now();
        while TcpStream::connect(addr).is_err() {
            if let Some(status) = self.child.try_wait()? {
                bail!("it ended with {status}: {}", self.words());
            }
            if from.elapsed() > limit {
                bail!("nothing listens after {} s: {}", limit.as_secs(), self.words());
            }
            thread::sleep(LOOK_EVERY);
        }
        Ok(())
    }

    /// Whether it has ended.
    ///
    /// # Errors
    /// The system does not say.
    pub fn has_ended(&mut self) -> Result<bool> {
        Ok(self.child.try_wait()?.is_some())
    }

    /// Kills it, and waits until it is gone.
    ///
    /// # Errors
    /// The system refuses.
    pub fn kill(&mut self) -> Result<()> {
        self.child.kill()?;
        self.child.wait()?;
        Ok(())
    }

    /// The last lines of what it said.
    #[must_use]
    pub fn words(&self) -> String {
        let said = fs::read(&self.log).unwrap_or_default();
        let said = String::from_utf8_lossy(&said);
        let lines: Vec<&str> = said.lines().filter(|line| !line.trim().is_empty()).collect();
        lines[lines.len().saturating_sub(WORDS_LINES_MAX)..].join(" / ")
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let tree = self.tree();
        tree.signal(Signal::TERM);
        if !matches!(wait(&mut self.child, STOP_MAX), Ok(Some(_))) {
            tree.signal(Signal::KILL);
            let _ = self.child.wait();
        }
        running().remove(&tree.0);
    }
}

fn wait(child: &mut Child, limit: Duration) -> io::Result<Option<ExitStatus>> {
    let from = Instant::now();
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(Some(status));
        }
        if from.elapsed() > limit {
            return Ok(None);
        }
        thread::sleep(LOOK_EVERY);
    }
}

/// Runs `command` to its end and returns what it printed, if `out` is a pipe.
///
/// # Errors
/// It cannot be started, fails, or takes longer than `limit` (it is killed then).
pub fn run_to_end(command: &mut Command, out: Stdio, limit: Duration) -> Result<String> {
    let name = command.get_program().to_string_lossy().into_owned();
    let mut child = command
        .stdin(Stdio::null())
        .stdout(out)
        .stderr(Stdio::piped())
        .spawn()
        .wrap_err_with(|| format!("starting {name}"))?;
    // A pipe that is full would hold it up.
    let (out, err) = (read_all(child.stdout.take()), read_all(child.stderr.take()));
    let Some(status) = wait(&mut child, limit)? else {
        child.kill()?;
        child.wait()?;
        bail!("{name} took longer than {} s", limit.as_secs());
    };
    let text = |read: JoinHandle<io::Result<Vec<u8>>>| -> Result<String> {
        let bytes = read.join().map_err(|_| eyre!("reading what {name} printed"))??;
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    };
    let (out, err) = (text(out)?, text(err)?);
    if !status.success() {
        bail!("{name} ended with {status}: {}", err.trim());
    }
    Ok(out)
}

/// Reads a pipe to its end, beside whoever waits for the process behind it.
fn read_all(pipe: Option<impl Read + Send + 'static>) -> JoinHandle<io::Result<Vec<u8>>> {
    thread::spawn(move || {
        let mut bytes = Vec::new();
        if let Some(mut pipe) = pipe {
            pipe.read_to_end(&mut bytes)?;
        }
        Ok(bytes)
    })
}

/// A loopback address that nothing listens on at the moment.
///
/// # Errors
/// The system has no port to give.
pub fn spare_addr() -> Result<SocketAddr> {
    Ok(TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?.local_addr()?)
}

/// Waits until the servers do nothing any longer: what one has left to do in the background would be measured
/// as its neighbour's. Goes on after [`QUIET_MAX`] all the same.
pub fn wait_until_quiet(trees: &[Tree]) {
    let used = || trees.iter().map(|tree| tree.cpu()).sum::<Duration>();
    let from = Instant::now();
    let mut before = used();
    while from.elapsed() < QUIET_MAX {
        thread::sleep(QUIET_WINDOW);
        let now = used();
        if now.saturating_sub(before) < QUIET_CPU {
            return;
        }
        before = now;
    }
}

/// Lets this process and the servers that it starts have [`FILES`] open, or as many as the system allows.
///
/// # Errors
/// The system refuses.
pub fn raise_files_limit() -> Result<()> {
    let now = getrlimit(Resource::Nofile);
    if now.current.is_some_and(|current| current < FILES) {
        let raised = Rlimit {
            current: Some(now.maximum.map_or(FILES, |maximum| maximum.min(FILES))),
            maximum: now.maximum,
        };
        setrlimit(Resource::Nofile, raised).wrap_err("raising the limit of open files")?;
    }
    Ok(())
}

/// Where a program is: the first of `places` that exists, else the first of that name in `PATH`.
#[must_use]
pub fn find(name: &str, places: &[&str]) -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let in_path = std::env::split_paths(&path).map(|folder| folder.join(name));
    places.iter().map(PathBuf::from).chain(in_path).find(|program| program.is_file())
}

/// On SIGINT or SIGTERM: kills the servers, removes their files and ends with the shell's code for an
/// interrupt.
///
/// # Errors
/// The system refuses the handler.
pub fn stop_on_interrupt(folder: PathBuf) -> Result<()> {
    use tokio::signal::unix::{SignalKind, signal};
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let (mut interrupt, mut terminate) = {
        let _inside = runtime.enter();
        (signal(SignalKind::interrupt())?, signal(SignalKind::terminate())?)
    };
    thread::spawn(move || {
        runtime
            .block_on(futures_util::future::select(Box::pin(interrupt.recv()), Box::pin(terminate.recv())));
        kill_all();
        // What cannot be removed stays in the temporary folder.
        let _ = fs::remove_dir_all(folder);
        process::exit(130);
    });
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tree_is_the_process_and_all_below_it() {
        let mut child = Command::new("sh").args(["-c", "sleep 30 & wait"]).process_group(0).spawn().unwrap();
        let tree = Tree(child.id());
        while tree.members().len() < 2 {
            thread::yield_now();
        }
        assert!(tree.resident_kib().unwrap() > 0);
        tree.signal(Signal::KILL);
        child.wait().unwrap();
    }

    #[test]
    fn a_missing_program_is_not_found() {
        assert_eq!(find("no-such-server-anywhere", &["/no/such/place"]), None);
    }
}
