//! Every `console` block of the manual and of the README is run, and has the output that it shows.
//!
//! The blocks of a page are run in one empty home folder, top to bottom. `...` on a line of its own is any
//! lines, `…` any signs within a line; times, durations, ids, hashes and process numbers are compared by
//! their form alone. Comments before a block say what goes with it: `<!-- run: COMMAND -->` runs in the
//! background from there on, `<!-- file: NAME -->` writes the next block to a file, `<!-- skip: WHY -->`
//! leaves the next block out.
#![expect(clippy::unwrap_used, clippy::panic, reason = "a test may fail that way")]

use std::{
    collections::BTreeMap,
    fs,
    io::{BufRead as _, BufReader, Read as _},
    os::unix::process::CommandExt as _,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    sync::{Mutex, mpsc},
    time::Duration,
};

use regex::Regex;

/// How long a background program may take to say its first line.
const FIRST_LINE_MAX: Duration = Duration::from_secs(60);
/// How long a command of a block may take.
const COMMAND_MAX: Duration = Duration::from_secs(120);
/// Pages that are tried at one time.
const PAGES_AT_ONCE: usize = 4;

/// What a page has done, in order.
#[derive(Debug, PartialEq)]
enum Step {
    Background(String),
    File { name: String, text: String },
    Console { line: usize, command: String, wanted: Vec<String> },
}

fn steps(page: &str) -> Vec<Step> {
    let mut steps = Vec::new();
    let (mut file, mut skips) = (None, false);
    let mut lines = page.lines().enumerate();
    while let Some((number, line)) = lines.next() {
        let directive = line.trim().strip_prefix("<!--").and_then(|rest| rest.strip_suffix("-->"));
        match directive.and_then(|it| it.trim().split_once(": ")) {
            Some(("run", command)) => steps.push(Step::Background(command.to_owned())),
            Some(("file", name)) => file = Some(name.to_owned()),
            Some(("skip", _)) => skips = true,
            // Words that the search finds.
            Some(("find", _)) | None => {}
            Some(other) => panic!("no such directive: {other:?}"),
        }
        let indent = line.len() - line.trim_start().len();
        let Some(language) = line.trim_start().strip_prefix("```") else { continue };
        let body = lines.by_ref().map(|(_, line)| line).take_while(|line| line.trim() != "```");
        let body: Vec<&str> = body.map(|line| line.get(indent..).unwrap_or_default()).collect();
        if let Some(name) = file.take() {
            steps.push(Step::File { name, text: body.join("\n") + "\n" });
        } else if language == "console" && !std::mem::take(&mut skips) {
            steps.extend(commands(number + 1, &body));
        }
    }
    steps
}

fn commands(first: usize, block: &[&str]) -> Vec<Step> {
    let mut steps: Vec<Step> = Vec::new();
    let mut goes_on = false;
    for (at, text) in block.iter().enumerate() {
        match (steps.last_mut(), text.strip_prefix("$ ")) {
            (_, Some(command)) => {
                steps.push(Step::Console {
                    line: first + at + 1,
                    command: command.to_owned(),
                    wanted: Vec::new(),
                });
                goes_on = command.ends_with('\\');
            }
            (Some(Step::Console { command, .. }), None) if goes_on => {
                command.push('\n');
                command.push_str(text);
                goes_on = text.ends_with('\\');
            }
            (Some(Step::Console { wanted, .. }), None) => wanted.push((*text).to_owned()),
            _ => panic!("line {}: a console block begins with a command", first + at + 1),
        }
    }
    steps
}

/// What differs from run to run, by its form.
struct Forms {
    uuid: Regex,
    all: Vec<(Regex, &'static str)>,
}

impl Forms {
    fn new() -> Self {
        let uuid = "[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}";
        let form = |pattern: &str, name| (Regex::new(pattern).unwrap(), name);
        Self {
            uuid: Regex::new(uuid).unwrap(),
            all: vec![
                form(uuid, "<uuid>"),
                form(r"sha256:[0-9a-f…]+", "<sha256>"),
                form(r"\d{4}-\d\d-\d\d", "<date>"),
                form(r"\d\d:\d\d:\d\d(\.\d+)?Z?", "<time>"),
                form(r"\b\d+(\.\d+)? ?(ms|us|µs|s|m|h)\b", "<span>"),
                form(r"\b(process|pid) \d+", "<process>"),
                form(r"\b\d{10,}\b", "<number>"),
                form(
                    &format!(r"{}/\S+", regex::escape(&std::env::temp_dir().display().to_string())),
                    "<path>",
                ),
                form(r"-{3,}", "-"),
                form(r"\s+", " "),
            ],
        }
    }

    fn of(&self, line: &str) -> String {
        let line = line.trim_end().to_owned();
        self.all.iter().fold(line, |line, (form, name)| form.replace_all(&line, *name).into_owned())
    }

    fn is_alike(&self, wanted: &str, got: &str) -> bool {
        let pattern = self.of(wanted).split('…').map(regex::escape).collect::<Vec<_>>().join(".*");
        Regex::new(&format!("^{pattern}$")).unwrap().is_match(&self.of(got))
    }

    /// Whether the lines are those that are wanted; the pairs of those that are alike.
    fn matches<'a>(&self, wanted: &'a [String], got: &'a [&'a str]) -> Option<Vec<(&'a str, &'a str)>> {
        match (wanted.split_first(), got.split_first()) {
            (None, None) => Some(Vec::new()),
            (Some((first, rest)), _) if first.trim() == "..." => {
                (0..=got.len()).find_map(|skipped| self.matches(rest, &got[skipped..]))
            }
            (Some((first, rest)), Some((line, more))) if self.is_alike(first, line) => {
                let mut pairs = self.matches(rest, more)?;
                pairs.push((first, line));
                Some(pairs)
            }
            _ => None,
        }
    }
}

/// What a command printed. One that takes too long is killed, with all that it began.
fn output_in_time(mut command: Command) -> Result<std::process::Output, mpsc::RecvTimeoutError> {
    let child = command.stdout(Stdio::piped()).spawn().unwrap();
    let group = child.id();
    let (told, ended) = mpsc::sync_channel(1);
    std::thread::spawn(move || told.send(child.wait_with_output().unwrap()));
    let output = ended.recv_timeout(COMMAND_MAX);
    if output.is_err() {
        kill_group(group, "KILL");
    }
    output
}

fn kill_group(group: u32, signal: &str) {
    let kill = format!("kill -{signal} -- -{group}");
    Command::new("bash").args(["-c", &kill]).status().unwrap();
}

/// A page that is tried: its home folder, and what runs there.
struct Trial<'a> {
    forms: &'a Forms,
    home: tempfile::TempDir,
    background: Vec<Child>,
    /// Names on the page, with the real ones.
    names: BTreeMap<String, String>,
}

impl Trial<'_> {
    fn bash(&self, command: &str) -> Command {
        let mut bash = Command::new("bash");
        let path = format!("{}/bin:{}", self.home.path().display(), std::env::var("PATH").unwrap());
        bash.args(["-c", command]).env_clear().env("HOME", self.home.path()).env("PATH", path);
        bash.env("TZ", "UTC").env("LANG", "C.UTF-8").current_dir(self.home.path().join("work"));
        // Any ports that are free.
        bash.env("RL_CONSOLE_MPP_PORT", "0").env("RL_CONSOLE_MACP_GRPC", "127.0.0.1:0");
        bash.stdin(Stdio::null()).process_group(0);
        bash
    }

    /// The text of a page with the real names.
    fn real(&self, text: &str) -> String {
        self.names.iter().fold(text.to_owned(), |text, (page, real)| {
            let word = Regex::new(&format!(r"\b{}\b", regex::escape(page))).unwrap();
            word.replace_all(&text, real.as_str()).into_owned()
        })
    }

    fn background(&mut self, command: &str) {
        let mut child = self.bash(&format!("exec 2>&1; {command}")).stdout(Stdio::piped()).spawn().unwrap();
        let mut printed = BufReader::new(child.stdout.take().unwrap());
        let (told, first) = mpsc::sync_channel(1);
        std::thread::spawn(move || {
            let mut line = String::new();
            printed.read_line(&mut line).unwrap_or_default();
            told.send(line).unwrap_or_default();
            // What it prints afterwards must not stop it.
            printed.read_to_end(&mut Vec::new()).unwrap_or_default();
        });
        self.background.push(child);
        let first = first.recv_timeout(FIRST_LINE_MAX).unwrap_or_default();
        assert!(!first.is_empty(), "`{command}` ended, or said nothing");
        if command.contains(" serve") {
            self.wait_for_station();
        }
    }

    fn wait_for_station(&self) {
        for _ in 0..600 {
            let asked = self.bash("rl-console ls health").output().unwrap();
            if matches!(asked.status.code(), Some(0 | 1)) {
                return;
            }
            // A station says nothing of itself to others: it is asked again.
            std::thread::sleep(Duration::from_millis(50));
        }
        panic!("no station came up");
    }

    /// Runs a command.
    ///
    /// # Errors
    /// What it printed, if that is not what the page shows.
    fn console(&mut self, command: &str, wanted: &[String]) -> Result<(), String> {
        let ran = self.bash(&format!("exec 2>&1; {}", self.real(command)));
        let ran = output_in_time(ran).map_err(|_| format!("it did not end within {COMMAND_MAX:?}"))?;
        let printed = String::from_utf8_lossy(&ran.stdout).into_owned();
        let got: Vec<&str> = printed.lines().collect();
        let wanted: Vec<String> = wanted.iter().map(|line| self.real(line)).collect();
        let forms = self.forms;
        let Some(pairs) = forms.matches(&wanted, &got) else { return Err(printed) };
        for (page, real) in pairs {
            for (page, real) in forms.uuid.find_iter(page).zip(forms.uuid.find_iter(real)) {
                let (page, real) = (page.as_str(), real.as_str());
                // Rows and people name an id by its end.
                self.names.insert(page[page.len() - 4..].to_owned(), real[real.len() - 4..].to_owned());
                self.names.insert(page.to_owned(), real.to_owned());
            }
        }
        Ok(())
    }
}

impl Drop for Trial<'_> {
    fn drop(&mut self) {
        for child in self.background.iter_mut().rev() {
            kill_group(child.id(), "TERM");
            child.wait().unwrap();
        }
    }
}

fn try_page(forms: &Forms, path: &Path) -> Vec<String> {
    let name = path.file_name().unwrap().to_string_lossy().into_owned();
    let steps = steps(&fs::read_to_string(path).unwrap());
    if !steps.iter().any(|step| matches!(step, Step::Console { .. })) {
        return Vec::new();
    }
    let home = tempfile::tempdir().unwrap();
    for folder in ["bin", "work"] {
        fs::create_dir(home.path().join(folder)).unwrap();
    }
    std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_rl-console"), home.path().join("bin/rl-console")).unwrap();
    let mut trial = Trial { forms, home, background: Vec::new(), names: BTreeMap::new() };
    let mut wrong = Vec::new();
    for step in steps {
        match step {
            Step::Background(command) => trial.background(&command),
            Step::File { name, text } => fs::write(trial.home.path().join("work").join(name), text).unwrap(),
            Step::Console { line, command, wanted } => {
                if let Err(printed) = trial.console(&command, &wanted) {
                    let wanted = wanted.join("\n");
                    wrong.push(format!(
                        "{name}:{line}: $ {command}\n-- the page has\n{wanted}\n-- it prints\n{printed}"
                    ));
                }
            }
        }
    }
    wrong
}

#[test]
fn every_console_block_has_the_output_that_it_shows() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let pages = fs::read_dir(root.join("src/cli/help")).unwrap().map(|entry| entry.unwrap().path());
    let mut pages: Vec<PathBuf> =
        pages.filter(|path| path.extension().is_some_and(|it| it == "md")).collect();
    pages.push(root.join("README.md"));
    pages.sort();
    let forms = Forms::new();
    let waiting = Mutex::new(pages.iter());
    let next = || waiting.lock().unwrap().next();
    let try_pages = || std::iter::from_fn(next).flat_map(|page| try_page(&forms, page)).collect::<Vec<_>>();
    let wrong: Vec<String> = std::thread::scope(|scope| {
        let tried: Vec<_> = (0..PAGES_AT_ONCE).map(|_| scope.spawn(try_pages)).collect();
        tried.into_iter().flat_map(|pages| pages.join().unwrap()).collect()
    });
    assert!(wrong.is_empty(), "{} blocks differ\n\n{}", wrong.len(), wrong.join("\n\n"));
}

#[test]
fn a_page_is_read_as_steps() {
    let page = "# A\n<!-- run: x serve -->\n<!-- file: a.toml -->\n```toml\nb = 1\n```\n1. one\n\n   ```console\n   $ ls \\\n     -l\n   a\n   $ true\n   ```\n<!-- skip: none -->\n```console\n$ false\n```\n";
    let console = |line, command: &str, wanted: &[&str]| Step::Console {
        line,
        command: command.to_owned(),
        wanted: wanted.iter().map(|it| (*it).to_owned()).collect(),
    };
    let wanted = [
        Step::Background("x serve".to_owned()),
        Step::File { name: "a.toml".to_owned(), text: "b = 1\n".to_owned() },
        console(10, "ls \\\n  -l", &["a"]),
        console(13, "true", &[]),
    ];
    assert_eq!(steps(page), wanted);
}

#[test]
fn what_differs_from_run_to_run_is_compared_by_its_form() {
    let forms = Forms::new();
    for (wanted, got, alike) in [
        ("07:08:59  info  2.5 ms", "10:00:00 info 449 us", true),
        (
            "trace:01a20216-334d-74f4-8237-471d2f85c78d  ok",
            "trace:01a20216-334d-74f4-8237-000000000000 ok",
            true,
        ),
        ("… pending", "1 default pending", true),
        ("done", "failed", false),
        ("3 rows", "4 rows", false),
    ] {
        assert_eq!(forms.is_alike(wanted, got), alike, "{wanted} / {got}");
    }
    let wanted = ["a", "...", "c"].map(str::to_owned);
    assert!(forms.matches(&wanted, &["a", "b", "b", "c"]).is_some());
    assert!(forms.matches(&wanted, &["a", "b"]).is_none());
}
