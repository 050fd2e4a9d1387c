//! The manual, the manual pages and the completions of the real binary.
#![expect(clippy::unwrap_used, reason = "a test may fail that way")]

use std::{fs, io::Write as _, path::Path, process::Command};

use crate::cli::{home, lines, output, text};

#[test]
fn the_manual_is_read_searched_listed_and_installed() {
    let home = home();
    let of = |args: &[&str]| output(home.path(), args);
    let listed = lines(&of(&["help", "--json"]).stdout);
    assert!(listed.len() > 30 && listed.iter().any(|page| page["page"] == "glossary"), "{listed:?}");
    let page = text(&of(&["help", "filter"]).stdout);
    assert!(page.starts_with("Filters\n") && !page.contains('\u{1b}'), "{page}");
    let both = text(&of(&["help", "attach"]).stdout);
    assert!(
        both.starts_with("Attach, detach, leave\n") && both.contains("Usage: rl-console attach"),
        "{both}"
    );
    assert!(text(&of(&["help", "pack", "check"]).stdout).contains("Usage: rl-console pack check"));
    let found =
        lines(&of(&["help", "--search", "why", "is", "my", "queue", "not", "moving?", "--json"]).stdout);
    assert_eq!(
        (found[0]["page"].as_str(), found[0]["section"].as_str()),
        (Some("mpp"), Some("Why a queue does not move"))
    );
    let missed = of(&["help", "filtr", "--json"]);
    assert_eq!(missed.status.code(), Some(2));
    assert!(
        text(&missed.stderr).contains("did you mean `rl-console help filter`?"),
        "{}",
        text(&missed.stderr)
    );
    let nothing = of(&["help", "--search", "zebra", "--json"]);
    assert_eq!(nothing.status.code(), Some(1));
    let installed = of(&["man", "--install"]);
    assert_eq!(installed.status.code(), Some(0), "{}", text(&installed.stderr));
    let man = home.path().join(".local/share/man");
    for file in ["man1/rl-console.1", "man1/rl-console-pack-check.1", "man7/rl-console-filter.7"] {
        assert!(man.join(file).is_file(), "{file}");
    }
    assert!(text(&fs::read(man.join("man7/rl-console-filter.7")).unwrap()).contains(".SH NAME"));
}

#[test]
fn completions_and_manual_pages_come_from_the_grammar() {
    let home = home();
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let script = output(home.path(), &["completions", shell]);
        assert_eq!(script.status.code(), Some(0));
        assert!(text(&script.stdout).contains("invoke"), "{shell}");
    }
    assert!(text(&output(home.path(), &["man"]).stdout).contains(".TH rl-console 1"));
    let written = output(home.path(), &["man", "pages", "--json"]);
    let pages: Vec<String> =
        lines(&written.stdout).iter().map(|page| page["page"].as_str().unwrap().to_owned()).collect();
    for page in ["rl-console.1", "rl-console-invoke.1", "rl-console-sim-adapter.1", "rl-console-pack-check.1"]
    {
        assert!(pages.contains(&page.to_owned()), "{pages:?}");
        assert!(
            text(&fs::read(home.path().join("pages").join(page)).unwrap()).contains(".SH SYNOPSIS"),
            "{page}"
        );
    }
}

/// What the bash script offers after these words.
fn offered(home: &Path, words: &[&str]) -> Option<Vec<String>> {
    // One argument does not hold the script.
    let script = home.join("completions.bash");
    fs::write(&script, output(home, &["completions", "bash"]).stdout).unwrap();
    let script = script.display();
    let last = words.len() - 1;
    let quoted = words.iter().map(|word| format!("'{word}'")).collect::<Vec<_>>().join(" ");
    let (current, previous) = (words[last], words[last - 1]);
    let run = format!(
        "source '{script}'\nCOMP_WORDS=({quoted}); COMP_CWORD={last}; _rl__console rl-console '{current}' '{previous}'; printf '%s\\n' \"${{COMPREPLY[@]}}\""
    );
    let said = match Command::new("bash").args(["--norc", "--noprofile", "-c", &run]).output() {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            std::io::stderr().write_all(b"skipped: there is no bash\n").unwrap();
            return None;
        }
        said => said.unwrap(),
    };
    assert_eq!(text(&said.stderr), "");
    Some(text(&said.stdout).lines().map(str::to_owned).collect())
}

#[test]
fn bash_completes_words_at_every_depth() {
    let home = home();
    for (words, wanted) in [
        (&["rl-console", ""][..], "invoke"),
        (&["rl-console", "ls", ""], "queues"),
        (&["rl-console", "ls", "--st"], "--state"),
        (&["rl-console", "ls", "--fi"], "--filter"),
        (&["rl-console", "settle", "4", "d"], "done"),
        (&["rl-console", "pack", ""], "check"),
        (&["rl-console", "sim", "adapter", "--fail"], "--fail-rate"),
        (&["rl-console", "config", "show", "--"], "--defaults"),
    ] {
        let Some(offered) = offered(home.path(), words) else { return };
        assert!(offered.contains(&wanted.to_owned()), "{words:?}: {offered:?}");
    }
}
