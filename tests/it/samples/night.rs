//! A night that is played for a recording: a station in a process of its own, simulated peers of it, and what
//! an operator does. Each step waits for its end, so that what is recorded does not depend on how long it
//! took.

use std::{
    collections::BTreeMap,
    fs,
    io::{BufRead as _, BufReader},
    path::{Path, PathBuf},
    process::{Child, ChildStdout, Stdio},
};

use rl_console::{
    ids::InvocationId,
    port::{Command, Operator as _, Page, Query},
    station::OperatorClient,
    tap::entry::mpp::RowState,
};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;
use tokio::runtime::Runtime;

use crate::{
    real::{Station, command, json},
    recording_station::configured,
    runs_cli::{output, rows},
};

/// The seed of every simulated peer.
pub(super) const SEED: &str = "7";

/// The parameters of a `give_item`.
pub(super) const ITEM: &str = r#"{"item_id":4,"count":1}"#;

/// An agent that counts votes, and says how far it is.
pub(super) const CHAT: &str = r#"
[[rule]]
delay_ms = 900
progress = ["reading chat", "counting"]
answer = "ports"
tokens = 120
[[rule.ports.item]]
type = "artifact.generic.v1"
value = { item_id = 4 }
[[rule.ports.won]]
type = "artifact.generic.v1"
value = true
"#;

/// An agent that writes, and cannot review.
pub(super) const WRITER: &str = r#"
[[rule]]
node = "review"
delay_ms = 400
answer = "fail"
reason = "no quota left"
[[rule]]
delay_ms = 600
tokens = 40
"#;

/// An opening that both serve.
pub(super) const RECAP: &str = "\
version: 0
name: recap
nodes:
  - {id: collect, use: 'agent:chat'}
  - {id: draft, use: 'agent:writer'}
edges:
  - {from: collect.item, to: draft.in}
";

/// A simulated peer in a process of its own, killed when it is dropped.
struct Peer {
    child: Child,
    out: BufReader<ChildStdout>,
}

impl Drop for Peer {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A night. What is dropped first ends first.
pub(super) struct Night {
    peers: BTreeMap<String, Peer>,
    operator: Option<OperatorClient>,
    station: Option<Station>,
    runtime: Runtime,
    folder: tempfile::TempDir,
}

impl Night {
    /// A data folder with this configuration, and no station on it.
    pub(super) fn begin(config: &str) -> Self {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let folder = configured(config);
        Self { peers: BTreeMap::new(), operator: None, station: None, runtime, folder }
    }

    pub(super) fn data(&self) -> &Path {
        self.folder.path()
    }

    /// A file of the night.
    pub(super) fn path(&self, name: &str) -> PathBuf {
        self.data().join(name)
    }

    fn token_file(&self) -> String {
        self.path("adapter.token").display().to_string()
    }

    /// Makes the token for adapters.
    pub(super) fn pair(&self) {
        let paired = output(self.data(), &["pair", "--out", &self.token_file()], "");
        assert!(paired.status.success(), "{}", String::from_utf8_lossy(&paired.stderr));
    }

    /// Every token there is.
    pub(super) fn tokens(&self) -> Vec<String> {
        let names = ["adapter.token", "operator.token", "viewer.token", "cue.token"];
        let token = |name| fs::read_to_string(self.path(name)).unwrap_or_else(|_| panic!("no {name}"));
        names.into_iter().map(|name| token(name).trim().to_owned()).collect()
    }

    /// Starts a station that records into this file.
    pub(super) fn start(&mut self, file: &str, flags: &[&str]) {
        let path = self.path(file).display().to_string();
        let station = Station::start_with(self.data(), &[&["--record", &path], flags].concat());
        self.station = Some(station);
        self.operator = Some(self.runtime.block_on(OperatorClient::connect(self.data())).unwrap());
    }

    /// Ends it, and the peers that it leaves.
    pub(super) fn stop(&mut self) {
        self.operator = None;
        assert!(self.station.take().unwrap().terminate().success());
        self.peers.clear();
    }

    /// The next event of this name that the station prints.
    pub(super) fn event(&mut self, name: &str) -> Value {
        self.station.as_mut().unwrap().event(name)
    }

    /// Waits until an operator's command of this text is under way.
    pub(super) fn operated(&mut self, what: &str) {
        while self.event("operated")["what"] != what {}
    }

    /// The lines of a subcommand that succeeds.
    pub(super) fn json(&self, args: &[&str]) -> Vec<Value> {
        json(self.data(), args)
    }

    /// The lines of a subcommand, however it ends.
    pub(super) fn tried(&self, args: &[&str]) -> Vec<Value> {
        rows(&output(self.data(), &[&["--json"], args].concat(), "").stdout)
    }

    /// Marks this moment.
    pub(super) fn mark(&self, text: &str) {
        let command = Command::Mark { text: text.to_owned(), entry: None };
        self.runtime.block_on(self.operator.as_ref().unwrap().command(command)).unwrap();
    }

    /// Waits until an invocation is done.
    pub(super) fn done(&self, id: u64) {
        let query = Query::InvocationWhen { id: InvocationId(id), state: RowState::Done, timeout_ms: 30_000 };
        let page = self.runtime.block_on(self.operator.as_ref().unwrap().query(query)).unwrap();
        let Page::Invocation(Some(row)) = page else { panic!("{page:?}") };
        assert_eq!(row.state, RowState::Done, "{row:?}");
    }

    /// A viewer's invocation: its number.
    pub(super) fn redeemed(&self, number: u64) -> u64 {
        let (redemption, user) = (format!("r-{number}"), format!("viewer_{number}"));
        let by = ["--source", "channel_points", "--redemption", &redemption, "--user", &user];
        self.invoked("give_item", ITEM, &by)
    }

    /// An invocation: its number.
    pub(super) fn invoked(&self, event: &str, params: &str, flags: &[&str]) -> u64 {
        let args = [&["invoke", event, "--params", params], flags].concat();
        self.tried(&args)[0]["id"].as_u64().unwrap()
    }

    /// Writes an opening: its path.
    pub(super) fn opening(&self, name: &str, text: &str) -> String {
        let path = self.path(name);
        fs::write(&path, text).unwrap();
        path.display().to_string()
    }

    /// Submits a run: its trace.
    pub(super) fn submitted(&self, opening: &str) -> String {
        self.json(&["submit", opening])[0]["run"].as_str().unwrap().to_owned()
    }

    /// Starts a subcommand that ends later.
    pub(super) fn begun(&mut self, name: &str, args: &[&str]) {
        let mut command = command(self.data());
        command.arg("--json").args(args).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().unwrap();
        let out = BufReader::new(child.stdout.take().unwrap());
        self.peers.insert(name.to_owned(), Peer { child, out });
    }

    /// Starts a peer, and waits until it prints this event.
    pub(super) fn peer(&mut self, name: &str, first: &str, args: &[&str]) {
        self.begun(name, args);
        let out = &mut self.peers.get_mut(name).unwrap().out;
        loop {
            let mut line = String::new();
            assert!(out.read_line(&mut line).unwrap() > 0, "{name} ended before it said {first:?}");
            let event: Value = serde_json::from_str(&line).unwrap();
            if event["event"] == first {
                return;
            }
        }
    }

    /// Starts the adapter.
    pub(super) fn adapter(&mut self, flags: &[&str]) {
        let addr = self.station.as_ref().unwrap().mpp.to_string();
        let token = self.token_file();
        let args = ["sim", "adapter", "--addr", &addr, "--token-file", &token, "--seed", SEED];
        self.peer("adapter", "hello_ack", &[&args, flags].concat());
        self.event("adapter_connected");
    }

    /// Ends the adapter, as Ctrl-C does.
    pub(super) fn end_adapter(&mut self) {
        self.end("adapter");
        self.event("adapter_disconnected");
    }

    /// Starts an agent with a script, or one that echoes.
    pub(super) fn agent(&mut self, name: &str, script: &str) {
        let path = self.path(&format!("{name}.toml"));
        fs::write(&path, script).unwrap();
        let path = path.display().to_string();
        let args = ["sim", "agent", name, "--seed", SEED, "--script", &path];
        self.peer(name, "subscribed", &args);
    }

    /// Installs a plugin that is granted what it asks for, and waits until it is up.
    pub(super) fn plugin(&mut self, id: &str, behaviour: &[&str]) {
        self.plugin_granted(id, behaviour, &[]);
    }

    /// Installs a plugin with flags of `plugin install`, and waits until it is up.
    pub(super) fn plugin_granted(&mut self, id: &str, behaviour: &[&str], flags: &[&str]) {
        let source = self.path("sources").join(id).display().to_string();
        let args = ["sim", "plugin", "--id", id, "--into", &source, "--seed", SEED];
        let made = output(self.data(), &[&args, behaviour].concat(), "");
        assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
        self.json(&[&["plugin", "install", &source, "--yes"], flags].concat());
        self.event("plugin_up");
    }

    /// Ends a peer, as Ctrl-C does.
    pub(super) fn end(&mut self, name: &str) {
        let mut peer = self.peers.remove(name).unwrap();
        kill_process(Pid::from_child(&peer.child), Signal::INT).unwrap();
        peer.child.wait().unwrap();
    }

    /// Kills a peer.
    pub(super) fn kill(&mut self, name: &str) {
        drop(self.peers.remove(name).unwrap());
    }

    /// Waits until a peer has ended by itself.
    pub(super) fn ended(&mut self, name: &str) {
        let mut peer = self.peers.remove(name).unwrap();
        assert!(peer.child.wait().unwrap().success(), "{name}");
    }
}
