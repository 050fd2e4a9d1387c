//! `man`: man pages, of the grammar in section 1 and of the manual in section 7.

use std::path::{Path, PathBuf};

use clap::{Command, CommandFactory as _};
use serde::Serialize;

use crate::{
    cli::{
        args::{Cli, ManArgs},
        env::Env,
        error::Error,
        help,
        output::Output,
        pager,
    },
    manual::man_page,
    words::quoted,
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
    if let Some(dir) = &args.dir {
        return write(program, out, |_| dir.clone());
    }
    if args.install {
        let shared = env.data_dir.as_deref().and_then(Path::parent);
        let root = shared.map(|shared| shared.join("man")).ok_or_else(|| {
            Error::usage("there is no home folder to install into", "name a folder: `rl-console man DIR`")
        })?;
        write(program, out, |section| root.join(format!("man{section}")))?;
        let folder = root.display().to_string();
        let note = format!(
            "`man rl-console` reads them where `manpath` lists {folder}; else `man -M {} rl-console`",
            quoted(&folder)
        );
        return if out.is_json() { Ok(()) } else { out.line(&note) };
    }
    if env.terminals.stdout && !out.is_json() {
        let help = program.render_long_help().to_string();
        let man = ["man", "-l", "-"].map(str::to_owned);
        if pager::piped(&man, &page("rl-console", program)?.1)? {
            return Ok(());
        }
        return pager::show(&help, env, out);
    }
    let (file, roff) = page("rl-console", program)?;
    if out.is_json() {
        return out.row(&Page { file, roff: Some(roff), path: None }, |_| String::new());
    }
    out.text(&roff)
}

/// Writes all pages into the folders of their sections.
fn write(program: Command, out: &mut Output, folder_of: impl Fn(&str) -> PathBuf) -> Result<(), Error> {
    let mut pages = Vec::new();
    collect("rl-console", program, &mut pages)?;
    let manual = help::manual();
    pages.extend(manual.pages().map(|page| {
        let roff = man_page(page, "rl-console", env!("CARGO_PKG_VERSION"));
        (format!("rl-console-{}.7", page.name), roff)
    }));
    for (file, roff) in pages {
        let folder = folder_of(file.rsplit('.').next().unwrap_or_default());
        std::fs::create_dir_all(&folder).map_err(Error::io(folder.display().to_string()))?;
        let path = folder.join(&file);
        std::fs::write(&path, roff).map_err(Error::io(path.display().to_string()))?;
        out.row(&Page { file, roff: None, path: Some(path.display().to_string()) }, |page| {
            page.path.clone().unwrap_or_default()
        })?;
    }
    Ok(())
}

/// The page of a command and those of the commands below it.
fn collect(name: &str, command: Command, pages: &mut Vec<(String, String)>) -> Result<(), Error> {
    for below in command.get_subcommands().filter(|below| !below.is_hide_set()) {
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
