//! Where a credential comes from: a program of the operator's or a variable of the station's environment
//! (ruling Plugins 10). It is fetched for each handover and not stored.

use std::{env, io, process::Stdio, time::Duration};

use rustix::process::{Pid, Signal, kill_process_group};
use tokio::{
    io::{AsyncRead, AsyncReadExt as _},
    process::{Child, Command},
};

use crate::{limits, plugin::Credential};

/// Where a credential comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Source {
    /// What this command line prints. It is split as a shell does, and executed without one.
    Command(String),
    /// What this variable holds.
    Env(String),
}

/// Why there is no credential. What the source printed is in none of them.
#[derive(Debug, thiserror::Error)]
pub enum CredentialError {
    /// The command line has an open quote, or no word.
    #[error("the command is not a command line: check its quotes")]
    CommandLine,
    /// The program cannot be started.
    #[error("{program} cannot be started: {error}")]
    Start {
        /// Which.
        program: String,
        /// What the system says.
        error: io::Error,
    },
    /// The program's output cannot be read.
    #[error("the output of {program} cannot be read: {error}")]
    Read {
        /// Which.
        program: String,
        /// What the system says.
        error: io::Error,
    },
    /// It took too long, and was ended.
    #[error("{program} took more than {ms} ms (limits.plugin.credential_ms_max)")]
    TimedOut {
        /// Which.
        program: String,
        /// How long it had.
        ms: u64,
    },
    /// It printed too much, and was ended.
    #[error("{program} printed more than {bytes} bytes (limits.plugin.credential_bytes_max)")]
    TooLong {
        /// Which.
        program: String,
        /// How much it may print.
        bytes: u64,
    },
    /// It failed.
    #[error("{program} failed with {status}")]
    Failed {
        /// Which.
        program: String,
        /// How it ended.
        status: std::process::ExitStatus,
    },
    /// The variable is not set, or no text.
    #[error("the variable {0} is not set to a text")]
    NoVariable(String),
    /// There is nothing in it.
    #[error("the credential is empty")]
    Empty,
    /// It is no text.
    #[error("the credential is not UTF-8")]
    NotText,
    /// It has blanks or control characters, which no token has.
    #[error("the credential is neither a token, which is one word, nor a JSON object")]
    NotAToken,
    /// It begins as a JSON object, and is none with the members that are expected.
    #[error(
        "the credential is not a JSON object with a text `token`, and texts or null in client_id, user_id \
         and device_id"
    )]
    NotAnObject,
}

impl Source {
    /// Fetches the credential. Needs a runtime with time and I/O; who stops waiting ends the program.
    ///
    /// # Errors
    /// [`CredentialError`].
    pub async fn fetch(&self, limits: &limits::Plugin) -> Result<Credential, CredentialError> {
        match self {
            Self::Command(line) => {
                let words = shlex::split(line).ok_or(CredentialError::CommandLine)?;
                let (program, args) = words.split_first().ok_or(CredentialError::CommandLine)?;
                read(&output(program, args, limits).await?)
            }
            Self::Env(name) => {
                let value = env::var(name).map_err(|_| CredentialError::NoVariable(name.clone()))?;
                read(value.as_bytes())
            }
        }
    }
}

/// A program with all that it started in its group, which is ended with this.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        // The id is the group's until the program was awaited.
        if let Some(group) = self.0.id().and_then(|pid| Pid::from_raw(i32::try_from(pid).ok()?)) {
            let _ = kill_process_group(group, Signal::KILL);
        }
    }
}

/// What a program prints.
async fn output(program: &str, args: &[String], limits: &limits::Plugin) -> Result<Vec<u8>, CredentialError> {
    let named = || program.to_owned();
    let mut child = Command::new(program)
        .args(args)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .process_group(0)
        .kill_on_drop(true)
        .spawn()
        .map_err(|error| CredentialError::Start { program: named(), error })?;
    let stdout = child.stdout.take();
    let mut running = Running(child);
    let bytes_max = limits.credential_bytes_max;
    let read = async {
        let read = |error| CredentialError::Read { program: named(), error };
        let bytes = match stdout {
            Some(stdout) => up_to(stdout, bytes_max).await.map_err(read)?,
            None => Some(Vec::new()),
        };
        let bytes = bytes.ok_or_else(|| CredentialError::TooLong { program: named(), bytes: bytes_max })?;
        match running.0.wait().await.map_err(read)? {
            status if status.success() => Ok(bytes),
            status => Err(CredentialError::Failed { program: named(), status }),
        }
    };
    let ms = limits.credential_ms_max;
    let late = |_| CredentialError::TimedOut { program: named(), ms };
    tokio::time::timeout(Duration::from_millis(ms), read).await.map_err(late)?
}

/// All that comes; nothing where that is more than so many bytes.
async fn up_to(from: impl AsyncRead + Unpin, bytes_max: u64) -> io::Result<Option<Vec<u8>>> {
    let mut bytes = Vec::new();
    from.take(bytes_max.saturating_add(1)).read_to_end(&mut bytes).await?;
    Ok(Some(bytes).filter(|bytes| u64::try_from(bytes.len()).is_ok_and(|length| length <= bytes_max)))
}

/// Reads a token or an object.
fn read(bytes: &[u8]) -> Result<Credential, CredentialError> {
    let text = std::str::from_utf8(bytes).map_err(|_| CredentialError::NotText)?.trim();
    if text.is_empty() {
        return Err(CredentialError::Empty);
    }
    // What serde says of a fault may quote what it read.
    let credential = if text.starts_with('{') {
        serde_json::from_str(text).map_err(|_| CredentialError::NotAnObject)?
    } else {
        Credential {
            token: text.to_owned(),
            client_id: None,
            user_id: None,
            device_id: None,
            expires_at: None,
        }
    };
    match credential.token.as_str() {
        "" => Err(CredentialError::Empty),
        token if token.contains(|it: char| it.is_whitespace() || it.is_control()) => {
            Err(CredentialError::NotAToken)
        }
        _ => Ok(credential),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECRET: &str = "s3cr3t";

    async fn fetch(line: &str, limits: limits::Plugin) -> Result<Credential, CredentialError> {
        let fetched = Source::Command(line.to_owned()).fetch(&limits).await;
        assert!(!format!("{fetched:?}").contains(SECRET), "{line}");
        if let Err(error) = &fetched {
            assert!(!error.to_string().contains(SECRET), "{line}");
        }
        fetched
    }

    #[tokio::test]
    async fn a_token_and_an_object_are_read() {
        let limits = limits::Plugin::default();
        let bare = fetch(&format!("printf '{SECRET}\\n'"), limits).await.unwrap();
        assert_eq!((bare.token.as_str(), bare.client_id, bare.expires_at), (SECRET, None, None));
        let object = format!(
            "echo '{{\"token\":\"{SECRET}\",\"client_id\":\"c\",\"user_id\":null,\"expires_at\":12}}'"
        );
        let object = fetch(&object, limits).await.unwrap();
        assert_eq!((object.token.as_str(), object.client_id.as_deref()), (SECRET, Some("c")));
        assert_eq!((object.user_id, object.device_id, object.expires_at), (None, None, Some(12.into())));
    }

    #[tokio::test]
    async fn what_is_no_credential_is_refused_without_being_shown() {
        let limits = limits::Plugin::default();
        for (line, expected) in [
            ("printf 's3cr3t", "not a command line"),
            ("", "not a command line"),
            ("/nowhere/pass s3cr3t", "/nowhere/pass cannot be started"),
            ("sh -c 'echo s3cr3t; exit 3'", "sh failed with exit status: 3"),
            ("sh -c 'echo s3cr3t; kill -9 $$'", "signal: 9"),
            ("true", "empty"),
            ("printf ' \\n'", "empty"),
            ("printf '\\377s3cr3t'", "UTF-8"),
            ("echo s3cr3t s3cr3t", "one word"),
            ("echo '{\"token\": 7, \"x\": \"s3cr3t\"}'", "JSON object"),
            ("echo '{\"client_id\": \"s3cr3t\"}'", "JSON object"),
            ("echo '{\"token\": \"s3cr3t\"'", "JSON object"),
            ("echo '{\"token\": \"\"}'", "empty"),
            ("echo '{\"token\": \"s3cr3t s3cr3t\"}'", "one word"),
        ] {
            let error = fetch(line, limits).await.unwrap_err().to_string();
            assert!(error.contains(expected), "{line}: {error}");
        }
    }

    #[tokio::test]
    async fn limits_of_time_and_size_end_the_program_with_its_group() {
        let mark = format!("86400.{:07}7777", std::process::id());
        let is_there = || {
            let entries = std::fs::read_dir("/proc").into_iter().flatten().flatten();
            let mut lines = entries.filter_map(|entry| std::fs::read(entry.path().join("cmdline")).ok());
            lines.any(|line| line.split(|byte| *byte == 0).any(|word| word == mark.as_bytes()))
        };
        let quick = limits::Plugin { credential_ms_max: 200, ..limits::Plugin::default() };
        let error = fetch(&format!("sh -c 'echo {SECRET}; sleep {mark} & sleep {mark}'"), quick).await;
        assert!(matches!(error, Err(CredentialError::TimedOut { ms: 200, .. })), "{error:?}");
        let clock = crate::time::Clock::start();
        while is_there() {
            assert!(clock.mono() < crate::time::Mono(10_000_000_000), "{mark} is still there");
            std::thread::yield_now();
        }
        let small = limits::Plugin { credential_bytes_max: 256, ..limits::Plugin::default() };
        for (bytes, is_taken) in [(256, true), (257, false)] {
            let token = "x".repeat(bytes);
            let fetched = fetch(&format!("printf {token}"), small).await;
            assert_eq!(fetched.is_ok(), is_taken);
            assert!(is_taken || matches!(fetched, Err(CredentialError::TooLong { bytes: 256, .. })));
        }
        let endless = fetch("yes", small).await;
        assert!(matches!(endless, Err(CredentialError::TooLong { .. })), "{endless:?}");
    }

    #[tokio::test]
    async fn a_variable_is_a_source() {
        let limits = limits::Plugin::default();
        let missing = Source::Env("RL_CONSOLE_NO_SUCH_VARIABLE".to_owned()).fetch(&limits).await;
        assert!(matches!(missing, Err(CredentialError::NoVariable(_))));
        let path = Source::Env("HOME".to_owned()).fetch(&limits).await.unwrap();
        assert_eq!(path.token, env::var("HOME").unwrap());
    }
}
