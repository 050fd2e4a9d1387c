//! A host without a station: its store is closed, and its loop is the test's.

use std::{
    cell::RefCell,
    collections::{BTreeMap, HashMap},
    path::Path,
    rc::Rc,
    sync::{Arc, Mutex},
    time::Duration,
};

use bytes::Bytes;
use semver::Version;
use tokio::{
    sync::{Notify, mpsc, oneshot},
    task::LocalSet,
    time::timeout,
};

use super::{
    child::Child,
    files::Files,
    guards::Guards,
    handle::{self, AskError, PluginHandle},
    logs::Logs,
    shared::{Done, Host, Starting},
};
use crate::{
    ids::{PluginId, Seq, Ticket},
    limits,
    plugin::{
        Channel, Command, Level, Lint, LogSource, NotJudged, Outcome, Refusal, Stand, StreamCommand,
        Transition,
        supervisor::{Settings, Supervisor},
    },
    tap::{
        Reader, Tap,
        entry::{Transition as Any, What},
    },
    time::Clock,
};

/// How long a test waits for what must come.
const PATIENCE: Duration = Duration::from_secs(60);

/// A host, and what it says to its loop, a person and the tap.
struct TestHost {
    host: Rc<RefCell<Host>>,
    done: mpsc::Receiver<Done>,
    committed: mpsc::Receiver<(Ticket, Result<(), String>)>,
    notices: Arc<Mutex<Vec<String>>>,
    tap: Reader,
}

type Answered = oneshot::Receiver<Result<Outcome, Refusal>>;

impl TestHost {
    fn new(data: &Path, limits: limits::Plugin) -> Self {
        let (clock, tap, notices) = (Clock::start(), Tap::new(limits::Tap::default()), Arc::default());
        let reader = tap.reader().unwrap();
        let (done_by, done) = mpsc::channel(16);
        let (committed_by, committed) = mpsc::channel(16);
        let settings = Settings {
            limits,
            host_version: "7.8.6".to_owned(),
            folder: data.join("plugins").to_string_lossy().into_owned(),
            sources: [].into(),
        };
        let told: Arc<Mutex<Vec<String>>> = Arc::clone(&notices);
        let host = Rc::new_cyclic(|own| {
            RefCell::new(Host {
                core: Supervisor::new(clock.now(), settings, Vec::new(), Vec::new()),
                limits,
                gate: crate::gate::Gate::none(),
                passed: None,
                tap,
                clock,
                store: Box::new(|| None),
                shared: Arc::<handle::Shared>::default(),
                cause: None,
                children: HashMap::new(),
                guards: Guards::default(),
                replies: BTreeMap::new(),
                next_request: 1,
                sources: BTreeMap::new(),
                files: Files::new(data, limits, Version::new(7, 8, 6)),
                logs: Logs::new(data, limits).unwrap(),
                starting: Starting { program: "/bin/false".into(), env: Vec::new(), nice: 0 },
                notice: Box::new(move |_, text| told.lock().unwrap().push(text.to_owned())),
                done: done_by,
                committed: committed_by,
                unsaved: [].into(),
                due_earlier: Rc::new(Notify::new()),
                waits_until: None,
                putting: None,
                own: own.clone(),
            })
        });
        Self { host, done, committed, notices, tap: reader }
    }

    fn command(&self, command: Command, cause: Option<Seq>) -> Answered {
        let (answer, answered) = oneshot::channel();
        self.host.borrow_mut().command(command, cause, None, None, answer);
        answered
    }

    /// Takes what a task has done.
    async fn turn(&mut self) {
        let done = self.done.recv().await.unwrap();
        self.host.borrow_mut().on_done(done);
    }

    /// What changed since the last look, with its cause and text.
    fn moved(&mut self) -> Vec<(Transition, Option<Seq>, String)> {
        let mut moved = Vec::new();
        while let Some(batch) = self.tap.read() {
            for entry in batch.iter() {
                if let What::Transition(Any::Plugin(it)) = &entry.entry.what {
                    moved.push((it.clone(), entry.entry.cause, entry.text().into_owned()));
                }
            }
        }
        moved
    }
}

/// A folder with a plugin.
fn plugin_folder(data: &Path, id: &str) -> String {
    let folder = data.join(id);
    std::fs::create_dir(&folder).unwrap();
    let manifest = format!(
        "id = \"{id}\"\nname = \"Example\"\nversion = \"1.2.0\"\nauthor = \"somebody\"\ntier = \"B\"\n\
         description = \"does something\"\nhost_min = \"7.0.0\"\n[runtime]\nkind = \"process\"\n\
         entry = \"run\"\n[capabilities]\nhost_methods = [\"log\"]\n"
    );
    std::fs::write(folder.join("plugin.toml"), manifest).unwrap();
    std::fs::write(folder.join("run"), "#!/bin/sh\n").unwrap();
    let executable = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    std::fs::set_permissions(folder.join("run"), executable).unwrap();
    folder.to_str().unwrap().to_owned()
}

fn serve(folder: String) -> Command {
    Command::Serve { folder, grant: None, command: None }
}

#[tokio::test]
async fn what_an_operator_causes_names_his_entry_and_what_a_stop_causes_none() {
    let data = tempfile::tempdir().unwrap();
    let local = LocalSet::new();
    local
        .run_until(async {
            let mut it = TestHost::new(data.path(), limits::Plugin::default());
            let cause = Some(Seq(77));
            let answered = it.command(serve(plugin_folder(data.path(), "a.plugin")), cause);
            it.turn().await;
            assert!(answered.await.unwrap().is_ok());
            let moved = it.moved();
            let installed = moved.iter().find(|(it, ..)| matches!(it, Transition::Installed { .. }));
            assert_eq!(installed.unwrap().1, cause);
            it.host.borrow_mut().stop();
            let moved = it.moved();
            assert!(moved.iter().any(|(it, ..)| matches!(it, Transition::Stopping { .. })), "{moved:?}");
            assert!(moved.iter().all(|(_, cause, _)| cause.is_none()), "{moved:?}");
        })
        .await;
}

#[test]
fn the_last_line_of_a_process_is_not_a_part_of_the_next_ones_first() {
    let data = tempfile::tempdir().unwrap();
    let mut it = TestHost::new(data.path(), limits::Plugin::default());
    let plugin = PluginId::new("a.plugin");
    let host = Rc::clone(&it.host);
    let mut host = host.borrow_mut();
    host.children.insert(plugin.clone(), (1, Rc::new(Child::default())));
    host.stderr(&plugin, b"first\nhalf a li");
    host.on_gone(&plugin, 1, true);
    host.stderr(&plugin, b"second\n");
    drop(host);
    let lines: Vec<_> = it.moved().into_iter().map(|(_, _, text)| text).collect();
    assert_eq!(lines, ["first", "half a li", "second"]);
}

#[tokio::test]
async fn folders_are_looked_at_one_after_another_and_so_many_may_wait() {
    let data = tempfile::tempdir().unwrap();
    let local = LocalSet::new();
    local
        .run_until(async {
            let limits = limits::Plugin { plugins_max: 2, ..limits::Plugin::default() };
            let mut it = TestHost::new(data.path(), limits);
            let missing = data.path().join("missing").to_str().unwrap().to_owned();
            let install = || Command::Install { folder: missing.clone(), grant: None, command: None };
            let [first, second, third] = [(); 3].map(|()| it.command(install(), None));
            let fourth = it.command(install(), None).await.unwrap();
            assert!(matches!(fourth, Err(Refusal::Refused { .. })), "{fourth:?}");
            it.turn().await;
            let first = first.await.unwrap();
            assert!(matches!(first, Err(Refusal::NotAPlugin { .. })), "{first:?}");
            it.host.borrow_mut().stop();
            let third = timeout(PATIENCE, third).await.unwrap().unwrap();
            assert!(matches!(third, Err(Refusal::NotNow(_))), "{third:?}");
            it.turn().await;
            let second = second.await.unwrap();
            assert!(second.is_err(), "{second:?}");
            let late = it.command(install(), None).await.unwrap();
            assert!(matches!(late, Err(Refusal::NotNow(_))), "{late:?}");
        })
        .await;
}

#[tokio::test]
async fn a_credential_that_comes_back_in_the_log_is_masked_and_noted() {
    let data = tempfile::tempdir().unwrap();
    let mut it = TestHost::new(data.path(), limits::Plugin::default());
    it.host.borrow().tap.mask_secret("secret-token-0123");
    it.moved();
    it.host.borrow_mut().stderr(&PluginId::new("a.plugin"), b"it is secret-token-0123\nnothing\n");
    let moved: Vec<_> = it.moved().into_iter().map(|(it, _, text)| (it, text)).collect();
    let plugin = PluginId::new("a.plugin");
    let logged = Transition::Logged { plugin: plugin.clone(), level: Level::Info, source: LogSource::Stderr };
    let lint = Transition::Linted { plugin, lint: Lint::TokenReturned };
    assert_eq!(moved.len(), 3, "{moved:?}");
    assert!(!moved[0].1.contains("secret-token") && moved[0].0 == logged, "{moved:?}");
    assert_eq!(moved[1..], [(lint, String::new()), (logged, "nothing".to_owned())]);
}

#[tokio::test]
async fn a_full_host_answers_that_it_is_busy() {
    let (requests, mut asked) = mpsc::channel(1);
    let handle = PluginHandle { shared: Arc::default(), requests, guards: Guards::default() };
    let mut first = std::pin::pin!(handle.stream());
    tokio::select! {
        biased;
        answered = &mut first => panic!("{answered:?}"),
        second = timeout(PATIENCE, handle.stream()) => assert_eq!(second.unwrap(), Err(AskError::Busy)),
    }
    let stand = Stand::From(PluginId::new("a"));
    assert_eq!(handle.judge(stand, Bytes::new()).await.unwrap_err(), AskError::Busy);
    asked.close();
    drop(asked.recv().await);
    assert_eq!(first.await, Err(AskError::Ended));
    assert_eq!(handle.stream().await, Err(AskError::Ended));
}

#[tokio::test]
async fn a_judgement_says_no_secret_that_the_tap_knows() {
    let local = LocalSet::new();
    local.run_until(judged_without_secrets()).await;
}

async fn judged_without_secrets() {
    let data = tempfile::tempdir().unwrap();
    let mut it = TestHost::new(data.path(), limits::Plugin::default());
    it.host.borrow().tap.mask_secret("secret-token");
    let ask = |it: &TestHost, stand: Stand, bytes: &str| {
        let (answer, mut answered) = oneshot::channel();
        let bytes = Bytes::copy_from_slice(bytes.as_bytes());
        it.host.borrow_mut().request(handle::Request::Judge { stand, bytes, answer });
        answered.try_recv().unwrap()
    };
    let id = PluginId::new("a.plugin");
    let from = Stand::From(id.clone());
    assert_eq!(ask(&it, from.clone(), ""), Err(NotJudged::UnknownPlugin(id.clone())));
    let answered = it.command(serve(plugin_folder(data.path(), "a.plugin")), None);
    it.turn().await;
    answered.await.unwrap().unwrap();
    let body = r#"{"jsonrpc":"2.0","id":"secret-token","method":"secret-token"}"#;
    let wire = format!("Content-Length: {}\r\n\r\n{body}", body.len());
    for stand in [from, Stand::To(id)] {
        let judged = ask(&it, stand, &wire).unwrap();
        assert!(!format!("{judged:?}").contains("secret-token"), "{judged:?}");
    }
}

#[test]
fn a_record_that_a_closed_store_refuses_is_told_once_until_it_is_kept() {
    let data = tempfile::tempdir().unwrap();
    let mut it = TestHost::new(data.path(), limits::Plugin::default());
    let impaired = |it: &TestHost| it.host.borrow().shared.state.lock().unwrap().impaired.clone();
    for login in ["alice", "bob"] {
        let channel: Channel = serde_json::from_value(serde_json::json!({ "login": login })).unwrap();
        it.command(Command::Stream(StreamCommand::Set { channel }), None);
    }
    let mut refused = Vec::new();
    while let Ok((ticket, result)) = it.committed.try_recv() {
        assert!(result.as_ref().unwrap_err().contains("the store is closed"), "{result:?}");
        it.host.borrow_mut().on_committed(ticket, result);
        refused.push(ticket);
    }
    assert!(impaired(&it).unwrap().contains("the store is closed"));
    assert_eq!(it.notices.lock().unwrap().len(), 1);
    let mut host = it.host.borrow_mut();
    let now = host.clock.now();
    host.core.stop_all(now);
    host.drain(now, None, &[]);
    drop(host);
    let mut again = Vec::new();
    while let Ok((ticket, _)) = it.committed.try_recv() {
        it.host.borrow_mut().on_committed(ticket, Ok(()));
        again.push(ticket);
    }
    assert!(!again.is_empty() && again.iter().all(|ticket| refused.contains(ticket)), "{again:?}");
    assert_eq!(impaired(&it), None);
}
