//! What pages name is there: links, keys, fields, flags, configuration, files, and files of examples.

use std::{path::Path, sync::LazyLock};

use clap::CommandFactory as _;

use super::pages::{PAGES, filled_in, manual};
use crate::{
    cli::{
        args::Cli,
        config::{Key, faults_of},
        sim::agent::Script,
    },
    console::{Depth, Keymap, Theme, reference},
    limits::{self, Runs},
    manual::{Block, Layout, Manual, Page, lines, target},
    mpp::manifest::Pack,
    plugin::{host::HostSettings, manifest::Manifest},
    port::List,
    runs::openings::{Map, NoLibrary, Opening},
};

/// All that is written in the style of code on pages, with the page's name: spans, and lines of shell blocks.
fn code(of: impl Fn(&Page) -> Vec<String>) -> Vec<(&'static str, String)> {
    let manual = manual();
    manual.pages().flat_map(|page| of(page).into_iter().map(|text| (page.name, text))).collect()
}

fn spans(page: &Page) -> Vec<String> {
    let of_code = |span: &&crate::manual::Span| span.style == crate::manual::Style::Code;
    page.blocks.iter().flat_map(Block::spans).filter(of_code).map(|span| span.text.clone()).collect()
}

fn shell_lines(page: &Page) -> Vec<String> {
    let lines = |block: &Block| match block {
        Block::Code { language, lines, .. } if language == "sh" => lines.clone(),
        Block::Code { language, lines, .. } if language == "console" => {
            lines.iter().filter_map(|line| line.strip_prefix("$ ")).map(str::to_owned).collect()
        }
        _ => Vec::new(),
    };
    page.blocks.iter().flat_map(lines).collect()
}

fn assert_none(wrong: &[String]) {
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_page_has_a_title_and_every_link_leads_somewhere() {
    let manual = manual();
    let mut wrong = Vec::new();
    for page in manual.pages() {
        wrong.extend((page.title == page.name).then(|| format!("{}: no heading", page.name)));
        for link in page.links().filter(|link| !link.starts_with("https://")) {
            let (name, section) = target(link);
            let found = manual.page(name);
            let has = |section: &str| found.is_some_and(|page| page.section(section).is_some());
            let leads = found.is_some() && section.is_none_or(has);
            wrong.extend((!leads).then(|| format!("{}: {link} leads nowhere", page.name)));
        }
    }
    for (name, text) in PAGES {
        let left = filled_in(text).lines().filter(|line| line.starts_with("{{")).count();
        wrong.extend((left > 0).then(|| format!("{name}: {left} tables that there are not")));
    }
    assert_none(&wrong);
}

/// What is wrong with a command line as far as its subcommand and its flags go.
fn fault_of_command(line: &str) -> Option<String> {
    let mut command = Cli::command();
    command.build();
    let line = line.split(" #").next().unwrap_or_default();
    let words = shlex::split(line.trim_end_matches(['&', '\\', ' ']))?;
    let mut words = words.iter().skip(1).peekable();
    let mut flags: Vec<String> = Vec::new();
    let collect = |command: &clap::Command, flags: &mut Vec<String>| {
        for arg in command.get_arguments() {
            flags.extend(arg.get_long().map(|long| format!("--{long}")));
            flags.extend(arg.get_short().map(|short| format!("-{short}")));
        }
        flags.extend(["--help", "-h", "--version", "-V"].map(str::to_owned));
    };
    let mut found = command;
    collect(&found, &mut flags);
    let mut is_named = true;
    while let Some(word) = words.next() {
        if word == "--" || ["|", ">", "&&", ";", "<", "2>"].contains(&word.as_str()) {
            break;
        }
        // Stdin in the place of a file.
        if word == "-" {
            continue;
        }
        if let Some(flag) = word.strip_prefix('-').map(|_| word.split('=').next().unwrap_or(word)) {
            let is_short = flag.len() > 2 && !flag.starts_with("--");
            if !is_short && !flags.iter().any(|known| known == flag) {
                return Some(format!("`{line}`: no flag {flag}"));
            }
            let takes = |arg: &clap::Arg| {
                let is_it = arg.get_long().is_some_and(|long| format!("--{long}") == flag)
                    || arg.get_short().is_some_and(|short| format!("-{short}") == flag);
                is_it && arg.get_action().takes_values()
            };
            if found.get_arguments().any(takes) && !word.contains('=') {
                words.next();
            }
            continue;
        }
        if is_named && found.has_subcommands() {
            match found.find_subcommand(word) {
                Some(below) if below.is_hide_set() => {
                    return Some(format!("`{line}`: `{word}` is an earlier name"));
                }
                Some(below) => {
                    let below = below.clone();
                    collect(&below, &mut flags);
                    found = below;
                }
                // A word in capitals stands for one, and some take a word before theirs.
                None if word.chars().all(|sign| !sign.is_lowercase())
                    || found.get_positionals().next().is_some() => {}
                None => return Some(format!("`{line}`: no subcommand {word}")),
            }
        } else {
            is_named = false;
        }
    }
    None
}

fn longs(command: &clap::Command, into: &mut Vec<String>) {
    into.extend(command.get_arguments().filter_map(clap::Arg::get_long).map(|long| format!("--{long}")));
    command.get_subcommands().for_each(|below| longs(below, into));
}

#[test]
fn every_command_line_and_every_flag_is_understood() {
    let lines = code(|page| [spans(page), shell_lines(page)].concat());
    let mut command = Cli::command();
    command.build();
    let mut known = Vec::new();
    longs(&command, &mut known);
    let mut wrong = Vec::new();
    for (page, line) in lines {
        if line.starts_with("rl-console ") {
            wrong.extend(fault_of_command(&line).map(|fault| format!("{page}: {fault}")));
        } else if line.starts_with("--") {
            let flag = line.split([' ', '=']).next().unwrap_or_default();
            let is_known = flag == "--" || known.iter().any(|long| long == flag);
            wrong.extend((!is_known).then(|| format!("{page}: no flag {flag}")));
        }
    }
    assert_none(&wrong);
}

#[test]
fn every_key_of_the_configuration_that_is_named_exists() {
    let roots: Vec<&str> = Key::all().filter_map(|key| key.name.split('.').next()).collect();
    let is_key = |text: &str| {
        let text = text.trim_end_matches(".*").trim_end_matches('*');
        Key::all().any(|key| {
            key.name == text
                || key
                    .name
                    .strip_prefix(text)
                    .is_some_and(|rest| rest.starts_with('.') || text.ends_with(['.', '_']))
        })
    };
    let is_file = |text: &str| {
        [".toml", ".db", ".token", ".json", ".history", ".mcap", ".addr", ".sock", ".path"]
            .iter()
            .any(|end| text.ends_with(end))
    };
    let names = code(spans).into_iter().filter(|(_, text)| {
        let plain = text.chars().all(|sign| sign.is_ascii_alphanumeric() || "._-*".contains(sign));
        plain
            && text.contains('.')
            && !is_file(text)
            && text.split('.').next().is_some_and(|root| roots.contains(&root))
    });
    let wrong = names
        .filter(|(_, text)| !is_key(text) && !text.contains("NAME"))
        .map(|(page, text)| format!("{page}: no key `{text}`"));
    assert_none(&wrong.collect::<Vec<_>>());
}

#[test]
fn each_bound_of_plugins_is_on_their_page_and_each_metric_of_theirs_exists() {
    let of_page = |name: &str| code(spans).into_iter().filter(|(page, _)| *page == name).collect::<Vec<_>>();
    let page = of_page("plugins");
    let bounds = limits::Limits::BOUNDS.iter().filter_map(|bound| bound.key.strip_prefix("limits.plugin."));
    let unnamed = bounds.filter(|key| !page.iter().any(|(_, span)| span == key));
    assert_none(&unnamed.map(|key| format!("plugins: no {key}")).collect::<Vec<_>>());
    let metrics = crate::station::metrics::reference();
    let is_there = |span: &str| metrics.iter().any(|metric| metric.name == span);
    let named = page.into_iter().chain(of_page("metrics"));
    let named = named.filter(|(_, span)| span.starts_with("rl_console_plugin_"));
    let unknown = named.filter(|(_, span)| !is_there(span));
    assert_none(&unknown.map(|(page, span)| format!("{page}: no metric {span}")).collect::<Vec<_>>());
}

#[test]
fn every_key_of_the_keyboard_that_is_named_does_something() {
    let bound: Vec<String> =
        Keymap::default().rows().into_iter().flat_map(|row| row.keys).map(|key| key.to_lowercase()).collect();
    // Text is edited by these.
    let edits =
        ["ctrl-u", "ctrl-w", "ctrl-z", "ctrl-a", "ctrl-k", "ctrl-c", "ctrl-d", "delete", "del", "shift"];
    let is_key = |text: &str| {
        let lower = text.to_lowercase();
        ["ctrl-", "alt-", "shift-"].iter().any(|start| lower.starts_with(start))
            || ["enter", "esc", "tab", "space", "backspace", "home", "end", "pgup", "pgdn"]
                .contains(&lower.as_str())
                && text.starts_with(char::is_uppercase)
            || text.strip_prefix('F').is_some_and(|number| number.parse::<u8>().is_ok())
    };
    let wrong = code(spans).into_iter().filter(|(page, text)| {
        let lower = text.to_lowercase().replace("shift-tab", "backtab");
        *page != "keymap"
            && is_key(text)
            && !bound.contains(&lower)
            && !bound.contains(&text.to_lowercase())
            && !edits.contains(&lower.as_str())
    });
    assert_none(&wrong.map(|(page, text)| format!("{page}: no key {text}")).collect::<Vec<_>>());
}

#[test]
fn every_field_in_an_example_of_a_filter_is_one_of_some_list() {
    let of_lists = List::ALL.iter().flat_map(|list| list.specs()).map(|spec| spec.name);
    let of_panes = reference::columns().into_iter().flat_map(|pane| pane.fields).map(|(name, ..)| name);
    let fields: Vec<&str> = of_lists.chain(of_panes).collect();
    let form = regex::Regex::new(r"^([a-z_]+)(:|=|!=|<=?|>=?|~)[^/=:\s]").unwrap();
    let named = code(spans).into_iter().filter(|(page, _)| *page == "filter");
    let wrong = named.filter_map(|(page, text)| {
        let field = form.captures(&text)?.get(1)?.as_str().to_owned();
        (!fields.contains(&field.as_str())).then(|| format!("{page}: no list has `{field}` ({text})"))
    });
    assert_none(&wrong.collect::<Vec<_>>());
}

#[test]
fn every_file_of_the_project_that_is_named_exists() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let is_of_project = |text: &str| {
        let starts = ["src/", "tests/", "benches/", "recordings/", "themes/", ".ci/"];
        starts.iter().any(|start| text.starts_with(start)) && !text.contains(char::is_whitespace)
    };
    let wrong = code(spans).into_iter().filter(|(page, text)| {
        *page == "contributing"
            && is_of_project(text)
            && !text.contains(['*', '<', 'N'])
            && !root.join(text).exists()
    });
    assert_none(&wrong.map(|(page, text)| format!("{page}: no file {text}")).collect::<Vec<_>>());
}

#[test]
fn every_file_that_is_an_example_can_be_used() {
    let mut wrong = Vec::new();
    for page in manual().pages() {
        for block in &page.blocks {
            let Block::Code { language, lines, .. } = block else { continue };
            let text = lines.join("\n") + "\n";
            let fault = match language.as_str() {
                "toml" => faults_of(&text).into_iter().next(),
                "toml pack" => Pack::parse(text.as_bytes(), &mut |_| Ok(b"{}".to_vec()))
                    .err()
                    .map(|all| format!("{all:?}")),
                "toml plugin" => {
                    let version = HostSettings::default().host_version;
                    let faults = Manifest::parse(&text, &version, &limits::Plugin::default()).faults;
                    faults.first().map(ToString::to_string)
                }
                "toml script" => Script::parse(&text).err().map(|fault| fault.to_string()),
                "toml theme" => Theme::parse("own", &text, Depth::True).err().map(|fault| fault.to_string()),
                "yaml" => Opening::load(&text, None, &Map::default(), &NoLibrary, &Runs::default())
                    .err()
                    .map(|faults| format!("{faults:?}")),
                "" => Some("a block without a language".to_owned()),
                _ => None,
            };
            wrong.extend(fault.map(|fault| format!("{}: {language}: {fault}\n{text}", page.name)));
        }
    }
    assert_none(&wrong);
}

/// What is wrong with a place that the console opens the manual at.
fn fault_of_place(page: &str, texts: &[String]) -> Option<String> {
    static MANUAL: LazyLock<Manual> = LazyLock::new(manual);
    match MANUAL.page(page) {
        None => Some(format!("there is no page {page}, for {texts:?}")),
        Some(page) => (!page.has_all(texts)).then(|| format!("{} does not have {texts:?}", page.name)),
    }
}

#[test]
fn the_console_opens_pages_that_there_are_at_texts_that_they_have() {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/console");
    let place =
        regex::Regex::new(r#"ManualPlace::at\(\s*"(\w[\w-]*)",\s*\[((?:\s*"[^"]*",?)+)\s*\]"#).unwrap();
    let text = regex::Regex::new(r#""([^"]*)""#).unwrap();
    let (mut wrong, mut found) = (Vec::new(), 0);
    let mut folders = vec![src];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
            if entry.is_dir() {
                folders.push(entry);
                continue;
            }
            let code = std::fs::read_to_string(&entry).unwrap();
            for named in place.captures_iter(&code) {
                let texts: Vec<_> = text.captures_iter(&named[2]).map(|it| it[1].to_owned()).collect();
                wrong.extend(fault_of_place(&named[1], &texts));
                found += 1;
            }
        }
    }
    assert!(found > 10, "{found}");
    assert_none(&wrong);
}

#[test]
fn every_place_pane_column_alert_drop_and_breach_is_described() {
    let (mut wrong, manual) = (Vec::new(), manual());
    let (columns, errors) = (manual.page("columns").unwrap(), manual.page("frames").unwrap());
    for page in reference::pages().into_iter().filter(|page| *page != "contents") {
        wrong.extend(fault_of_place(page, &[]));
    }
    for pane in reference::columns() {
        wrong.extend(fault_of_place("views", &[pane.name.to_owned()]));
        let fields = pane.fields.iter().map(|(field, ..)| [pane.name.to_owned(), (*field).to_owned()]);
        let absent = fields.filter(|texts| !columns.has_all(texts));
        wrong.extend(absent.map(|texts| format!("columns does not have {texts:?}")));
    }
    for alert in crate::station::alerts::kinds().into_iter().map(|(_, kind)| kind) {
        wrong.extend(fault_of_place("alerts", &[alert.to_owned()]));
    }
    for reason in crate::rmp::DropReason::ALL {
        wrong.extend(fault_of_place("bus", &["Delivery and drops".to_owned(), reason.name().to_owned()]));
    }
    for breach in crate::dissect::Breach::all() {
        let texts = ["Errors".to_owned(), breach.heading()];
        wrong.extend((!errors.has_all(&texts)).then(|| format!("frames does not have {texts:?}")));
    }
    assert_none(&wrong);
}

#[test]
fn no_line_of_a_page_is_wider_than_its_page() {
    let mut wrong = Vec::new();
    for page in manual().pages() {
        for columns in [40, 74, 94, 100] {
            for line in lines(&page.blocks, Layout { columns, breaks_code: true }) {
                let text = line.text();
                let is_wide = crate::words::width(&text) > columns;
                wrong.extend(is_wide.then(|| format!("{} at {columns}: {text}", page.name)));
            }
        }
    }
    assert_none(&wrong);
}

#[test]
fn keys_are_written_as_the_keymap_writes_them() {
    let keys: Vec<String> = Keymap::default().rows().into_iter().flat_map(|row| row.keys).collect();
    let of_page = |page: &str| spans(manual().page(page).unwrap());
    let shown = [of_page("keys"), of_page("keymap")].concat();
    assert_none(&keys.into_iter().filter(|key| !shown.contains(key)).collect::<Vec<_>>());
}

#[test]
fn the_glossary_has_every_sign_and_the_words_that_a_newcomer_does_not_know() {
    let manual = manual();
    let page = manual.page("glossary").unwrap();
    let rows: Vec<String> =
        page.blocks.iter().filter(|block| matches!(block, Block::Table(_))).flat_map(Block::texts).collect();
    let first = |row: &String| row.split("  ").next().unwrap_or_default().to_owned();
    let heads: Vec<String> = rows.iter().map(first).collect();
    let has_word = |word: &&str| heads.iter().any(|head| head.split([',', ' ']).any(|it| it == *word));
    let words = [
        "opening",
        "run",
        "node",
        "attempt",
        "queue",
        "invocation",
        "applied",
        "done",
        "parked",
        "tap",
        "entry",
        "lane",
        "manifest",
        "cue",
        "agent",
        "viewer",
        "tui",
        "ui",
    ];
    let signs = reference::signs().into_iter().filter(|sign| !heads.iter().any(|head| head.contains(sign)));
    let absent = words.into_iter().filter(|word| !has_word(word)).chain(signs);
    assert_none(&absent.map(str::to_owned).collect::<Vec<_>>());
}

#[test]
fn questions_of_a_newcomer_lead_to_their_pages() {
    let manual = manual();
    let mut wrong = Vec::new();
    for (question, pages) in [
        ("How do I make it forget a redemption?", &["mpp"][..]),
        ("Why is my queue not moving?", &["mpp", "views"]),
        ("What may an agent publish?", &["agents"]),
        ("What does parked mean?", &["glossary"]),
        ("How do I hide viewers' names while on stream?", &["on-air"]),
        ("Where is my data stored?", &["cli", "config"]),
        ("How do I change a key?", &["keymap", "keys"]),
        ("How do I see what the adapter sent?", &["views", "inspector"]),
        ("The adapter crashed while an item was applied", &["mpp"]),
        ("How do I write my first opening and run it?", &["openings"]),
        ("Who approves a run, and what happens if nobody does?", &["openings"]),
        ("filter for items older than two seconds", &["filter"]),
        ("What is exit code 5?", &["exit-codes"]),
        ("run it as a service that survives logging out", &["service"]),
        ("look at what happened a minute ago", &["time"]),
        ("save what is on the screen to a file", &["palette"]),
        ("how much memory may it use", &["limits"]),
        ("What can a cue token do, and how do I give one to my stream deck?", &["security"]),
        ("how do I stop everything at once in an emergency", &["keys"]),
        ("how do I give a viewer their points back", &["mpp"]),
        ("how do I restore a backup", &["security", "cli"]),
        ("light background", &["themes"]),
    ] {
        let hits = manual.search(question, 3);
        let found: Vec<_> = hits.iter().map(|hit| format!("{}: {}", hit.page.name, hit.text)).collect();
        let is_answered = hits.iter().any(|hit| pages.contains(&hit.page.name));
        wrong.extend((!is_answered).then(|| format!("{question} {found:#?}")));
    }
    assert_none(&wrong);
}

#[test]
fn the_readme_is_short_and_names_what_there_is() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let text = include_str!("../../../README.md");
    assert!((8_000..=10_240).contains(&text.len()), "{} bytes", text.len());
    let readme = Page::read("README", text);
    let mut wrong = Vec::new();
    for link in readme.links().filter(|link| !link.starts_with("https://")) {
        wrong.extend((!root.join(target(link).0).exists()).then(|| format!("no file {link}")));
    }
    let images = text.split("](").skip(1).filter_map(|rest| rest.split(')').next());
    let picture = images.into_iter().find(|path| Path::new(path).extension().is_some_and(|it| it == "svg"));
    wrong.extend(
        (!picture.is_some_and(|path| root.join(path).exists())).then(|| format!("no picture {picture:?}")),
    );
    let lines = [spans(&readme), shell_lines(&readme)].concat();
    wrong.extend(
        lines.iter().filter(|line| line.starts_with("rl-console ")).filter_map(|line| fault_of_command(line)),
    );
    assert_none(&wrong);
}
