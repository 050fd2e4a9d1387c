//! The whole check.

use std::{ffi::OsString, fs, time::Duration};

use semver::Version;
use serde_json::json;

use super::{clause::Clause, ending, findings::Findings, probes::Probes, subject::Subject};
use crate::{
    cli::{args::PluginCheckArgs, error::Error, operator, output::Output},
    limits,
    plugin::{
        capability::{CapabilitySet, Hook},
        host::{
            HostSettings,
            folders::Folders,
            process::{Launch, environment},
        },
        manifest::{Loaded, Manifest, load},
        rpc,
    },
    private_files,
    time::Clock,
};

/// How long things may take.
#[derive(Clone, Copy, Debug)]
pub(in crate::cli) struct Patience {
    /// An answer.
    pub(super) answer: Duration,
    /// The answer to `shutdown`, and the end of the process.
    pub(super) end: Duration,
    /// The answer of an action.
    pub(super) action: Duration,
    /// What comes without being asked for.
    pub(super) settle: Duration,
}

impl Patience {
    /// As specified, or so many milliseconds each.
    pub(in crate::cli) fn of(ms: Option<u64>) -> Self {
        let given = ms.map(Duration::from_millis);
        Self {
            answer: given.unwrap_or(Duration::from_secs(10)),
            end: given.unwrap_or(Duration::from_secs(5)),
            action: given.unwrap_or(Duration::from_secs(30)),
            settle: Duration::from_millis(500),
        }
    }
}

/// One grant, and the clause of its handshake.
struct Grant {
    name: &'static str,
    clause: Clause,
    set: CapabilitySet,
}

/// All processes have this in common.
struct Bench<'a> {
    launch: Launch,
    manifest: &'a Manifest,
    folders: Folders,
    patience: Patience,
    host_version: String,
    clock: Clock,
}

/// Drives the plugin of a folder, and prints a line for each clause.
///
/// # Errors
/// [`Error::Input`] where it cannot be started, [`Error::PluginCheck`] where a clause is not kept.
pub(in crate::cli) fn run(
    args: &PluginCheckArgs,
    host_version: &Version,
    limits: &limits::Plugin,
    clock: &Clock,
    out: &mut Output,
) -> Result<(), Error> {
    let (folder, command, patience) = (&args.folder, args.command.as_deref(), Patience::of(args.patience));
    let settings = HostSettings::default();
    let cannot = |message: String| Error::Input {
        what: folder.display().to_string(),
        message,
        hint: "`rl-console plugin check DIR` lists every fault of the manifest".to_owned(),
    };
    let path = fs::canonicalize(folder).map_err(|error| cannot(error.to_string()))?;
    let Loaded { checked, program, .. } = load(&path, command, host_version, limits);
    let (Some(manifest), Some(program)) = (checked.manifest, program) else {
        let faults: Vec<_> = checked.faults.iter().map(ToString::to_string).collect();
        return Err(cannot(faults.join("; ")));
    };
    let scratch = std::env::temp_dir().join(format!("rl-console-check-{}", std::process::id()));
    let io = |error: std::io::Error| cannot(error.to_string());
    private_files::make_folder(&scratch).map_err(io)?;
    let folders = Folders::of(&scratch, &manifest.id).map_err(io)?;
    folders.make().map_err(io)?;
    let args = program.args.into_iter().map(OsString::from);
    let launch = Launch {
        program: std::env::current_exe().map_err(io)?,
        folder: path,
        argv: std::iter::once(program.path.into_os_string()).chain(args).collect(),
        env: environment(std::env::vars_os()),
        nice: settings.nice,
    };
    let (host_version, clock) = (host_version.to_string(), *clock);
    let bench = Bench { launch, manifest: &manifest, folders, patience, host_version, clock };
    let findings = operator::block_on(async { Ok(bench.all().await) });
    let _ = fs::remove_dir_all(scratch);
    findings?.print(out)
}

impl Bench<'_> {
    async fn all(&self) -> Findings {
        let every_second = self.manifest.asks.iter().step_by(2).collect();
        let grant = |name, clause, set| Grant { name, clause, set };
        let full = grant("full", Clause::HandshakeFull, self.manifest.asks);
        let partial = grant("partial", Clause::HandshakePartial, every_second);
        let empty = grant("empty", Clause::HandshakeEmpty, CapabilitySet::NONE);
        let (mut findings, partial, empty) =
            tokio::join!(self.one(&full, true), self.one(&partial, false), self.one(&empty, false));
        findings.extend(partial);
        findings.extend(empty);
        findings
    }

    /// One process from its start to its end.
    async fn one(&self, grant: &Grant, is_probed: bool) -> Findings {
        let mut findings = Findings::default();
        let granted = self.manifest.granted(grant.set);
        let mut subject = match Subject::start(&self.launch, granted, self.clock) {
            Ok(subject) => subject,
            Err(error) => {
                findings.judge(grant.clause, false, error.to_string());
                return findings;
            }
        };
        match self.handshake(&mut subject).await {
            Err(seen) => {
                findings.judge(grant.clause, false, seen);
                subject.end().await;
                subject.seen.judge(grant.name, &mut findings);
                return findings;
            }
            Ok((hooks, seen)) => {
                let initialized = rpc::notification("initialized", &json!({})).unwrap_or_default();
                subject.write(initialized.to_vec());
                if is_probed {
                    let mut probes = Probes::new(&mut subject, &self.patience, &mut findings);
                    probes.run(&hooks, self.manifest).await;
                }
                if subject.until(self.patience.settle, Subject::is_over).await {
                    // Whether its process ended, or only its stdout.
                    subject.until(self.patience.settle, |it| it.ending.is_some()).await;
                }
                let is_there = is_probed || subject.ending.is_none();
                findings.judge(grant.clause, is_there, if is_there { &*seen } else { "the process ended" });
            }
        }
        ending::end(&mut subject, &self.patience, grant.name, &mut findings).await;
        findings
    }

    /// The hooks, and what was seen.
    async fn handshake(&self, subject: &mut Subject) -> Result<(Vec<Hook>, String), String> {
        let id = subject.next_id();
        let params = json!({
            "protocol_version": 1,
            "host_version": self.host_version,
            "plugin_id": self.manifest.id.as_str(),
            "granted": subject.granted.lists(),
            "data_dir": self.folders.data_dir,
            "log_dir": self.folders.log_dir,
        });
        subject.write(rpc::request(id, "initialize", &params).unwrap_or_default().to_vec());
        subject.until(self.patience.answer, |it| it.answers.contains_key(&id)).await;
        let answer = match subject.answers.get(&id) {
            Some(Ok(answer)) => answer,
            Some(Err(error)) => return Err(format!("error {}: {}", error.code, error.message)),
            None => match (&subject.seen.broken, subject.ending) {
                (Some(broken), _) => return Err(broken.violation.text().to_owned()),
                (None, Some(ending)) => return Err(format!("the process ended: {}", ending.status())),
                (None, None) => return Err("no answer".to_owned()),
            },
        };
        let value: serde_json::Value = serde_json::from_str(answer.text()).unwrap_or_default();
        if value.get("protocol_version").is_some_and(|version| version != 1) {
            return Err(format!("protocol_version {}", value["protocol_version"]));
        }
        let hooks = value.get("hooks").and_then(|hooks| hooks.as_array()).ok_or("no list of hooks")?;
        let version =
            value.get("plugin_version").and_then(|version| version.as_str()).ok_or("no plugin_version")?;
        let hooks: Option<Vec<&str>> = hooks.iter().map(|hook| hook.as_str()).collect();
        let hooks = hooks.ok_or("hooks are not strings")?;
        let hooks: Vec<Hook> = hooks.into_iter().filter_map(Hook::from_name).collect();
        let hooks: Vec<Hook> = hooks.into_iter().filter(|hook| subject.granted.takes(*hook)).collect();
        let seen = format!("version {version}, {} hooks", hooks.len());
        Ok((hooks, seen))
    }
}
