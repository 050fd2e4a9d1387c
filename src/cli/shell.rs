//! What the console's palette runs: subcommands in processes of their own, and the lines that are kept for
//! the next start.

use std::{
    ffi::OsString,
    fs::DirBuilder,
    io::{self, Read as _, Write as _},
    os::unix::{fs::DirBuilderExt as _, process::CommandExt as _},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    sync::{
        Arc, Mutex, PoisonError,
        mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel},
    },
    time::Duration,
};

use clap::CommandFactory as _;
use tokio::sync::oneshot;

use super::{
    args::{Cli, Global},
    asked,
    context::Context,
    debounced_file::{self, DebouncedFile},
    frame_files::FrameFiles,
    help,
    opening_files::Folders,
    snippet_files::OwnSnippets,
    state_files::StateFiles,
};
use crate::{
    console::{
        settings::{
            BookmarkKeeper, DeferredText, ReplayedMoment, Runnable, Runner, RunningSubcommand,
            SavedBookmarks, SavedLayout, Shell, Subcommand, SubcommandEnd, SubcommandResult,
        },
        worker::{OpeningFiles, SnippetFolder},
    },
    limits::Limits,
    manual::LazyManual,
    private_files,
};

/// How long a subcommand may run.
const RUN_S_MAX: u64 = 10;
/// Bytes that are kept of what it prints.
const OUTPUT_BYTES_MAX: usize = 64 << 10;
/// Lines that wait to be kept; one more is let go.
const WAITING_LINES_MAX: usize = 64;
/// Bytes that are read of the kept layout.
const LAYOUT_BYTES_MAX: u64 = 64 << 10;
/// Bytes that are read of the kept lines.
const HISTORY_BYTES_MAX: u64 = 1 << 20;
/// Bytes of a bookmark in a file at most: a label of 128, of which a character can take six times its bytes.
const BOOKMARK_BYTES_MAX: u64 = 1 << 10;

/// What the palette of this station's console offers.
pub(crate) fn shell(context: &Context) -> Shell {
    let max = usize::try_from(context.settings.limits.console.history_lines_max).unwrap_or(usize::MAX);
    let files = StateFiles::of(context);
    let kept = |name: &str| {
        let read = |files: &StateFiles| read_history(&files.readable(name), max);
        let lines = files.as_ref().map_or_else(Vec::new, read);
        (lines, files.as_ref().and_then(|files| spawn_history_writer(files.path(name), max)))
    };
    let (history, keep) = kept("palette.history");
    let (filters, keep_filters) = kept("filter.history");
    let layout = files.as_ref().map(|files| files.readable("layout.toml"));
    let layout = layout.map(|file| SavedLayout { text: debounced_file::read(&file, LAYOUT_BYTES_MAX), file });
    let keeper = files.as_ref().and_then(|files| DebouncedFile::spawn(files.path("layout.toml")));
    let limits = &context.settings.limits;
    // A text is written as JSON, in which a character can take six times its bytes.
    let bytes_max = limits
        .console
        .recent_openings_bytes_max
        .max(limits.console.sent_frames_bytes_max)
        .max(limits.console.form_bytes_max)
        .saturating_mul(6)
        .saturating_add(1 << 20);
    let kept = |name: &str| {
        let text = files.as_ref().map(|files| debounced_file::read(&files.readable(name), bytes_max));
        let text = text.and_then(|text| {
            text.inspect_err(|why| tracing::warn!("cannot read {name}: {why}")).ok().flatten()
        });
        (text, files.as_ref().and_then(|files| DebouncedFile::spawn(files.path(name))))
    };
    let (draft, drafts) = kept("opening.draft.json");
    let (recent, recents) = kept("openings.json");
    let (frames, frame_files) = FrameFiles::open(files.as_ref(), bytes_max);
    let openings = context.settings.openings().ok();
    let working = std::env::current_dir().ok();
    let shelf = openings.map(|openings| {
        Folders::new(&openings, working, limits.runs.yaml_bytes_max, limits.console.openings_max)
    });
    let children = Children {
        globals: globals(&context.flags),
        history: keep,
        filter_history: keep_filters,
        layout: keeper,
        drafts,
        recents,
        frame_files,
    };
    Shell {
        // The console has the manual itself.
        subcommands: subcommands().into_iter().filter(|it| it.name != "help").collect(),
        manual: LazyManual::new(help::manual),
        history,
        filters,
        layout,
        draft,
        recent,
        frames,
        bookmarks: None,
        recordings: None,
        opening_files: shelf.map(|shelf| Arc::new(shelf) as Arc<dyn OpeningFiles>),
        snippets: OwnSnippets::new(&context.env).map(|own| Arc::new(own) as Arc<dyn SnippetFolder>),
        runner: Some(Arc::new(children)),
        is_for_recording: false,
    }
}

/// What was kept of the bookmarks of a recording, and who keeps them.
pub(super) fn bookmarks(file: &Path, limits: &Limits) -> SavedBookmarks {
    let bytes_max = limits.console.bookmarks_max.saturating_add(4).saturating_mul(BOOKMARK_BYTES_MAX);
    let keeper = DebouncedFile::spawn(file.to_owned());
    SavedBookmarks {
        file: file.to_owned(),
        text: debounced_file::read(file, bytes_max),
        keeper: keeper.map(|keeper| Arc::new(keeper) as Arc<dyn BookmarkKeeper>),
    }
}

impl BookmarkKeeper for DebouncedFile {
    fn save(&self, text: &str) {
        self.write_later(text);
    }
}

/// Every subcommand of the grammar that does something.
pub(super) fn subcommands() -> Vec<Subcommand> {
    let mut cli = Cli::command();
    cli.build();
    let mut all = Vec::new();
    for command in cli.get_subcommands_mut() {
        let is_earlier = command.is_hide_set();
        gather("", command, is_earlier, &mut all);
    }
    all
}

fn gather(prefix: &str, command: &mut clap::Command, is_earlier: bool, all: &mut Vec<Subcommand>) {
    let name = if prefix.is_empty() {
        command.get_name().to_owned()
    } else {
        format!("{prefix} {}", command.get_name())
    };
    // What stands between a subcommand and those below it is not known here: one that takes anything itself,
    // as `ls` does, is offered whole.
    let takes_own = command.get_arguments().any(|arg| !arg.is_global_set() && arg.get_id() != "help");
    if command.has_subcommands() && !takes_own {
        for command in command.get_subcommands_mut() {
            gather(&name, command, is_earlier, all);
        }
        return;
    }
    let usage = command.render_usage().to_string();
    let usage = usage.trim().trim_start_matches("Usage: ").trim_start_matches("rl-console ").to_owned();
    let needs_more = command.get_positionals().any(clap::Arg::is_required_set)
        || command.is_subcommand_required_set()
        || matches!(name.as_str(), "invoke" | "decode" | "encode" | "publish");
    let about = command.get_about().map(ToString::to_string).unwrap_or_default();
    all.push(Subcommand { runnable: runs(&name), name, about, usage, needs_more, is_earlier });
}

/// Whether a subcommand can run without a terminal of its own and come to an end.
fn runs(name: &str) -> Runnable {
    match name {
        "stop" => Runnable::HereWith(
            "--yes",
            "it stops the station for every attached console: confirm with --yes, or",
        ),
        "serve" => Runnable::Elsewhere(
            "this console's station is already running; another one needs its own folder and terminal",
        ),
        "sim adapter" | "sim agent" | "sim session" => Runnable::Elsewhere("it runs until it is stopped"),
        "session stream" => Runnable::Elsewhere("it reads messages from a terminal"),
        "tail" | "gate watch" => Runnable::Elsewhere("it prints until Ctrl-C"),
        "record" => Runnable::Elsewhere("it records until Ctrl-C"),
        "replay" => Runnable::Over { or_with: "--plain" },
        "completions" => Runnable::Elsewhere("its output is for a shell"),
        "help" | "man" => Runnable::Elsewhere("its output is for a pager"),
        "pair" => Runnable::HereWith(
            "--out",
            "it prints the token, which the console never shows: use --out FILE, or",
        ),
        _ => Runnable::Here,
    }
}

/// The global flags that this process was given.
fn globals(flags: &Global) -> Vec<OsString> {
    let mut words: Vec<OsString> = Vec::new();
    let mut flag = |name: &str, value: Option<OsString>| {
        words.extend(value.into_iter().flat_map(|value| [OsString::from(name), value]));
    };
    flag("--data", flags.data.clone().map(PathBuf::into_os_string));
    flag("--socket", flags.socket.clone().map(PathBuf::into_os_string));
    flag("--pack", flags.pack.clone().map(PathBuf::into_os_string));
    flag("--port", flags.port.map(|port| port.to_string().into()));
    flag("--bind", flags.bind.map(|bind| bind.to_string().into()));
    flag("--grpc", flags.grpc.map(|grpc| grpc.to_string().into()));
    // What is run from a console has its rights.
    flag("--token-file", flags.token_file.clone().map(PathBuf::into_os_string));
    words
}

/// Runs this executable again.
#[derive(Debug)]
struct Children {
    globals: Vec<OsString>,
    history: Option<SyncSender<String>>,
    filter_history: Option<SyncSender<String>>,
    /// Keeps how panes are looked at.
    layout: Option<DebouncedFile>,
    /// Keeps the opening that is being written.
    drafts: Option<DebouncedFile>,
    /// Keeps the openings that were submitted lately.
    recents: Option<DebouncedFile>,
    /// Keeps what the workbench has.
    frame_files: FrameFiles,
}

/// Dropped, it says that nobody waits any more.
struct RunGuard(SyncSender<ShellEvent>);

impl Drop for RunGuard {
    fn drop(&mut self) {
        // It has ended by itself when nobody takes this.
        drop(self.0.try_send(ShellEvent::Dropped));
    }
}

/// What the thread that waits for a child is told.
enum ShellEvent {
    /// Both ends of what it prints are closed.
    Silent,
    /// Nobody waits for it any more.
    Dropped,
}

/// What a child has printed so far.
#[derive(Default)]
struct ChildOutput {
    bytes: Vec<u8>,
    cut: bool,
}

impl Runner for Children {
    fn run(&self, words: &[String], replayed: Option<&ReplayedMoment>) -> RunningSubcommand {
        let (tell, told) = sync_channel(2);
        let (done, end) = oneshot::channel();
        let asked = replayed.map_or_else(Vec::new, |replayed| asked::flags(replayed, words));
        let flags = self.globals.iter().cloned().chain(asked);
        let words: Vec<OsString> = flags.chain(words.iter().map(OsString::from)).collect();
        let silent = tell.clone();
        let wait = move || drop(done.send(run(&words, silent, &told, Duration::from_secs(RUN_S_MAX))));
        let failed =
            |why| SubcommandResult { output: String::new(), cut: false, end: SubcommandEnd::Failed(why) };
        let spawned = std::thread::Builder::new().name("palette".to_owned()).spawn(wait);
        RunningSubcommand {
            end: Box::pin(async move {
                match spawned {
                    Ok(_) => end.await.unwrap_or_else(|_| failed("its thread has ended".to_owned())),
                    Err(error) => failed(error.to_string()),
                }
            }),
            kill_guard: Box::new(RunGuard(tell)),
        }
    }

    fn remember(&self, line: &str) {
        if let Some(keep) = &self.history {
            // A line is let go where the disk does not keep up: the screen never waits for it.
            drop(keep.try_send(line.to_owned()));
        }
    }

    fn remember_filter(&self, text: &str) {
        if let Some(keep) = &self.filter_history {
            // What finds no room, or nobody who keeps it, is let go.
            drop(keep.try_send(text.to_owned()));
        }
    }

    fn save_layout(&self, text: &str) {
        if let Some(keeper) = &self.layout {
            keeper.write_later(text);
        }
    }

    fn save_draft(&self, text: &str) {
        if let Some(drafts) = &self.drafts {
            drafts.write_later(text);
        }
    }

    fn save_recent(&self, text: &str) {
        if let Some(recents) = &self.recents {
            recents.write_later(text);
        }
    }

    fn save_frame_draft(&self, text: DeferredText) {
        self.frame_files.save_draft(text);
    }

    fn save_sent_frames(&self, text: DeferredText) {
        self.frame_files.save_sent(text);
    }
}

fn run(
    words: &[OsString],
    silent: SyncSender<ShellEvent>,
    told: &Receiver<ShellEvent>,
    patience: Duration,
) -> SubcommandResult {
    let printed = Arc::new(Mutex::new(ChildOutput::default()));
    let begun = std::env::current_exe().map(Command::new).and_then(|mut command| {
        command.args(words);
        spawn_child(command, silent, Arc::clone(&printed))
    });
    let end = match begun {
        Ok(child) => watch(child, told, patience),
        Err(error) => SubcommandEnd::Failed(error.to_string()),
    };
    let printed = std::mem::take(&mut *printed.lock().unwrap_or_else(PoisonError::into_inner));
    SubcommandResult { output: String::from_utf8_lossy(&printed.bytes).into_owned(), cut: printed.cut, end }
}

/// Starts a child, and a thread that reads what it prints.
fn spawn_child(
    mut command: Command,
    silent: SyncSender<ShellEvent>,
    printed: Arc<Mutex<ChildOutput>>,
) -> io::Result<Child> {
    let (mut reader, writer) = io::pipe()?;
    command.stdin(Stdio::null()).stdout(writer.try_clone()?).stderr(writer).process_group(0);
    let child = command.spawn()?;
    // The command holds the ends that are written to; only the child may.
    drop(command);
    let read = move || {
        let mut buffer = [0; 4_096];
        while let Ok(bytes @ 1..) = reader.read(&mut buffer) {
            let mut printed = printed.lock().unwrap_or_else(PoisonError::into_inner);
            let kept = bytes.min(OUTPUT_BYTES_MAX - printed.bytes.len());
            printed.bytes.extend_from_slice(&buffer[..kept]);
            printed.cut |= kept < bytes;
        }
        drop(silent.try_send(ShellEvent::Silent));
    };
    std::thread::Builder::new().name("palette-read".to_owned()).spawn(read)?;
    Ok(child)
}

/// Waits until a child has ended, and kills it where that takes too long or is not wanted any more.
fn watch(mut child: Child, told: &Receiver<ShellEvent>, patience: Duration) -> SubcommandEnd {
    let why = match told.recv_timeout(patience) {
        Ok(ShellEvent::Silent) => None,
        Ok(ShellEvent::Dropped) | Err(RecvTimeoutError::Disconnected) => Some(SubcommandEnd::Killed),
        Err(RecvTimeoutError::Timeout) => Some(SubcommandEnd::TimedOut(patience.as_secs())),
    };
    if why.is_some() {
        // One that has just ended needs no killing.
        drop(child.kill());
    }
    match (why, child.wait()) {
        (Some(why), _) => why,
        (None, Ok(status)) => status.code().map_or(SubcommandEnd::Killed, SubcommandEnd::Exited),
        (None, Err(error)) => SubcommandEnd::Failed(error.to_string()),
    }
}

/// The last lines that were kept.
fn read_history(path: &Path, max: usize) -> Vec<String> {
    let read = || -> io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        private_files::open(path)?.take(HISTORY_BYTES_MAX).read_to_end(&mut bytes)?;
        Ok(bytes)
    };
    // The first time there is none.
    let bytes = read().unwrap_or_default();
    let text = String::from_utf8_lossy(&bytes);
    let lines: Vec<String> = text
        .lines()
        .filter(|line| !line.is_empty() && !line.contains(char::is_control))
        .map(str::to_owned)
        .collect();
    lines[lines.len().saturating_sub(max)..].to_vec()
}

/// Begins to keep lines, on a thread that may wait for the disk.
fn spawn_history_writer(path: PathBuf, max: usize) -> Option<SyncSender<String>> {
    let (keep, lines) = sync_channel::<String>(WAITING_LINES_MAX);
    let write = move || {
        for line in lines {
            if let Err(error) = append(&path, &line, max) {
                tracing::warn!("cannot save the command history: {}: {error}", path.display());
                return;
            }
        }
    };
    std::thread::Builder::new().name("history".to_owned()).spawn(write).ok().map(|_| keep)
}

/// Adds a line; a file that has grown to twice what is kept is cut to it.
fn append(path: &Path, line: &str, max: usize) -> io::Result<()> {
    if let Some(folder) = path.parent() {
        DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
    }
    let mut file = private_files::open_to_append(path)?;
    file.write_all(format!("{}\n", line.replace(char::is_control, " ")).as_bytes())?;
    if read_history(path, usize::MAX).len() >= max.saturating_mul(2)
        || file.metadata()?.len() >= HISTORY_BYTES_MAX / 2
    {
        let kept = read_history(path, max).join("\n") + "\n";
        private_files::replace(path, kept.as_bytes())?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_subcommand_of_the_grammar_is_offered_with_its_words() {
        let all = subcommands();
        let find = |name: &str| {
            all.iter().find(|it| it.name == name).unwrap_or_else(|| unreachable!("{name}: {all:#?}"))
        };
        assert_eq!(find("pack check").usage, "pack check [OPTIONS] [PATH]");
        assert_eq!(find("pack check").runnable, Runnable::Here);
        assert!(find("invocation settle").needs_more && find("invocation cancel").needs_more);
        assert!(find("ls").needs_more && find("settle").is_earlier && !find("ls").is_earlier);
        assert!(!find("doctor").needs_more && !find("hold").needs_more);
        assert!(
            matches!(find("serve").runnable, Runnable::Elsewhere(_))
                && matches!(find("pair").runnable, Runnable::HereWith(..))
        );
        assert!(all.iter().all(|it| !it.about.is_empty() && !it.usage.contains('\n')), "{all:#?}");
        assert!(find("help").runnable != Runnable::Here);
    }

    #[test]
    fn kept_lines_are_the_last_ones_and_their_file_stays_small() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("state/palette.history");
        assert_eq!(read_history(&path, 3), Vec::<String>::new());
        for number in 0..100 {
            append(&path, &format!("settle {number}\u{1b} done"), 3).unwrap();
        }
        let settled = |number: u32| format!("settle {number}  done");
        assert_eq!(read_history(&path, 3), [settled(97), settled(98), settled(99)]);
        assert!(std::fs::read_to_string(&path).unwrap().lines().count() < 6);
    }

    #[test]
    fn what_a_child_prints_on_both_ends_is_kept_as_it_came_and_up_to_its_bound() {
        let printed = |script: &str| {
            let (tell, told) = sync_channel(2);
            let kept = Arc::new(Mutex::new(ChildOutput::default()));
            let mut command = Command::new("sh");
            command.args(["-c", script]);
            let child = spawn_child(command, tell.clone(), Arc::clone(&kept)).unwrap();
            let end = watch(child, &told, Duration::from_secs(600));
            let kept = std::mem::take(&mut *kept.lock().unwrap());
            (String::from_utf8(kept.bytes).unwrap(), kept.cut, end)
        };
        assert_eq!(
            printed("echo out; echo err >&2; cat; exit 3"),
            ("out\nerr\n".to_owned(), false, SubcommandEnd::Exited(3))
        );
        let (output, cut, end) = printed("head -c 300000 /dev/zero | tr '\\0' x");
        assert_eq!((output.len(), cut, end), (OUTPUT_BYTES_MAX, true, SubcommandEnd::Exited(0)));
    }

    #[test]
    fn a_child_that_nobody_waits_for_is_killed_and_so_is_one_that_takes_too_long() {
        let sleeper = || Command::new("sleep").arg("600").stdin(Stdio::null()).spawn().unwrap();
        let (tell, told) = sync_channel(2);
        drop(RunGuard(tell.clone()));
        assert_eq!(watch(sleeper(), &told, Duration::from_secs(600)), SubcommandEnd::Killed);
        assert_eq!(watch(sleeper(), &told, Duration::from_millis(1)), SubcommandEnd::TimedOut(0));
        drop(tell);
    }
}
