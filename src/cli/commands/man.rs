//! `man`: manual pages, made from the grammar.

use std::{
    io::{self, Write as _},
    process,
};

use clap::{Command, CommandFactory as _};
use serde::Serialize;

use crate::cli::{
    args::{Cli, ManArgs},
    env::Env,
    error::Error,
    output::Output,
};

/// The output with `--json`, or for each page written.
#[derive(Serialize)]
struct Page {
    #[serde(rename = "page")]
    file: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    roff: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    path: Option<String>,
}

pub(in crate::cli) fn run(args: &ManArgs, env: &Env, out: &mut Output) -> Result<(), Error> {
    let mut program = Cli::command();
    program.build();
    if args.dir.is_none() && env.terminals.stdout && !out.is_json() {
        let help = program.render_long_help().to_string();
        return page_out(&page("rl-console", program)?.1, &help, env, out);
    }
    let Some(dir) = &args.dir else {
        let (file, roff) = page("rl-console", program)?;
        if out.is_json() {
            return out.row(&Page { file, roff: Some(roff), path: None }, |_| String::new());
        }
        return out.text(&roff);
    };
    std::fs::create_dir_all(dir).map_err(Error::io(dir.display().to_string()))?;
    let mut pages = Vec::new();
    collect("rl-console", program, &mut pages)?;
    for (file, roff) in pages {
        let path = dir.join(&file);
        std::fs::write(&path, roff).map_err(Error::io(path.display().to_string()))?;
        out.row(&Page { file, roff: None, path: Some(path.display().to_string()) }, |page| {
            page.path.clone().unwrap_or_default()
        })?;
    }
    Ok(())
}

/// Shows the page to people: by `man`, which has a pager of its own, else its text through the pager, else as
/// it is.
fn page_out(roff: &str, help: &str, env: &Env, out: &mut Output) -> Result<(), Error> {
    let own = env.pager.as_deref().and_then(shlex::split).filter(|words| !words.is_empty());
    let pager = own.unwrap_or_else(|| vec!["less".to_owned()]);
    let man = ["man", "-l", "-"].map(str::to_owned);
    for (words, text) in [(man.as_slice(), roff), (&pager, help)] {
        if piped(words, text).map_err(Error::io(words.join(" ")))? {
            return Ok(());
        }
    }
    out.text(help)
}

/// Runs a program on a text; whether there is such a program.
fn piped(words: &[String], text: &str) -> io::Result<bool> {
    let Some((program, args)) = words.split_first() else { return Ok(false) };
    let mut child = match process::Command::new(program).args(args).stdin(process::Stdio::piped()).spawn() {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(false),
        child => child?,
    };
    if let Some(mut stdin) = child.stdin.take() {
        // Who has read enough hangs up.
        stdin.write_all(text.as_bytes()).unwrap_or_default();
    }
    Ok(child.wait()?.success())
}

/// The page of a command and those of the commands below it.
fn collect(name: &str, command: Command, pages: &mut Vec<(String, String)>) -> Result<(), Error> {
    for below in command.get_subcommands().filter(|below| below.get_name() != "help" && !below.is_hide_set())
    {
        collect(&format!("{name}-{}", below.get_name()), below.clone(), pages)?;
    }
    pages.push(page(name, command)?);
    Ok(())
}

fn page(name: &str, command: Command) -> Result<(String, String), Error> {
    // clap keeps names as static texts unless told that they are made at run time.
    let command = command.display_name(name.to_owned());
    let man = clap_mangen::Man::new(command);
    let file = format!("{name}.1");
    let mut roff = Vec::new();
    man.render(&mut roff).map_err(Error::io(file.clone()))?;
    Ok((file, String::from_utf8_lossy(&roff).into_owned()))
}
