//! Long texts on a terminal are shown through a pager.

use std::{
    io::{self, Write as _},
    process,
};

use super::{env::Env, error::Error, output::Output};

/// Shows a text through `PAGER`, else `less`; as it is where there is none.
///
/// # Errors
/// The pager cannot be started, or [`Error::Output`].
pub(super) fn show(text: &str, env: &Env, out: &mut Output) -> Result<(), Error> {
    let own = env.pager.as_deref().and_then(shlex::split).filter(|words| !words.is_empty());
    let pager = own.unwrap_or_else(|| ["less", "-R"].map(str::to_owned).to_vec());
    if piped(&pager, text)? { Ok(()) } else { out.text(text) }
}

/// Runs a program on a text; whether there is such a program, and it did its work.
///
/// # Errors
/// It cannot be started.
pub(super) fn piped(words: &[String], text: &str) -> Result<bool, Error> {
    run(words, text).map_err(Error::io(words.join(" ")))
}

fn run(words: &[String], text: &str) -> io::Result<bool> {
    let Some((program, args)) = words.split_first() else { return Ok(false) };
    let mut command = process::Command::new(program);
    command.args(args).stdin(process::Stdio::piped());
    // As git does: a short text is printed, and styles are shown as such.
    for (name, value) in [("LESS", "FRX"), ("LV", "-c")] {
        if std::env::var_os(name).is_none() {
            command.env(name, value);
        }
    }
    let mut child = match command.spawn() {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(false),
        child => child?,
    };
    if let Some(mut stdin) = child.stdin.take() {
        // Who has read enough hangs up.
        stdin.write_all(text.as_bytes()).unwrap_or_default();
    }
    Ok(child.wait()?.success())
}
