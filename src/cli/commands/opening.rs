//! `opening ls`, `opening check`, `opening graph`, and how subcommands read an opening.

use std::path::Path;

use serde::Serialize;

use super::{opening_list, params::fitting};
use crate::{
    cli::{
        args::{OpeningAction, ParamsArgs},
        config::Settings,
        context::Context,
        error::Error,
        input,
        output::Output,
        run_error::RunError,
        table::visible,
    },
    runs::{
        Plan,
        openings::{Fault, Faults, Map, Opening, drawing},
    },
    station::runs::Folder,
    words::counted,
};

pub(in crate::cli) fn run(context: &mut Context, action: &OpeningAction) -> Result<(), Error> {
    let Context { settings, out, .. } = context;
    match action {
        OpeningAction::Ls => opening_list::list(settings, out),
        OpeningAction::Check { files, params } => check(settings, files, params, out),
        OpeningAction::Graph { file, mermaid, params } => graph(settings, file, *mermaid, params, out),
    }
}

/// The params that flags name.
///
/// # Errors
/// Something that is no JSON object.
pub(super) fn params_of(args: &ParamsArgs) -> Result<Map, Error> {
    let wrong = |what: String| {
        Error::usage(
            format!("--params: {what}"),
            "give an object such as {\"user\":\"bob\"}, or use -p user=bob",
        )
    };
    let mut params = match args.params.as_deref().map(serde_json::from_str) {
        None => Map::new(),
        Some(Ok(serde_json::Value::Object(params))) => params,
        Some(Ok(_)) => return Err(wrong("not a JSON object".to_owned())),
        Some(Err(error)) => return Err(wrong(error.to_string())),
    };
    params.extend(args.each.iter().cloned());
    Ok(params)
}

/// The text of an opening's file; `-` is stdin.
///
/// # Errors
/// A file that cannot be read, that is no text, or that is longer than `limits.runs.yaml_bytes_max`.
pub(super) fn read(file: &str, bytes_max: u64) -> Result<String, Error> {
    let bound = "the limit is `limits.runs.yaml_bytes_max`";
    let bytes =
        if file == "-" { input::stdin(bytes_max, bound)? } else { input::file(file, bytes_max, bound)? };
    let hint = || "openings are UTF-8 YAML files".to_owned();
    String::from_utf8(bytes).map_err(|_| Error::Input {
        what: file.to_owned(),
        message: "not UTF-8".to_owned(),
        hint: hint(),
    })
}

/// An opening as a station with this configuration would load it, with openings beside its file besides.
///
/// # Errors
/// No data folder, or a file that is not there.
pub(super) fn load(
    settings: &Settings,
    file: &str,
    text: &str,
    params: &Map,
) -> Result<Result<Opening, Faults>, Error> {
    let limits = &settings.limits.runs;
    let origin =
        (file != "-").then(|| Path::new(file).canonicalize()).transpose().map_err(Error::io(file))?;
    let library = Folder::new(&settings.openings()?, limits.yaml_bytes_max);
    Ok(Opening::load(text, origin.as_deref(), params, &library, limits))
}

/// A fault as scripts read it.
#[derive(Serialize)]
struct FaultRow<'a> {
    path: &'a str,
    #[serde(flatten)]
    fault: &'a Fault,
}

/// Faults that are not told one by one.
#[derive(Serialize)]
struct MoreRow<'a> {
    path: &'a str,
    more: usize,
}

/// An opening without faults, as scripts read it.
#[derive(Serialize)]
struct ValidOpening<'a> {
    path: &'a str,
    valid: bool,
    name: &'a str,
    nodes: usize,
    edges: usize,
}

fn check(settings: &Settings, files: &[String], params: &ParamsArgs, out: &mut Output) -> Result<(), Error> {
    let mut invalid = 0;
    for path in files {
        let limits = &settings.limits.runs;
        let text = read(path, limits.yaml_bytes_max)?;
        // Of several openings each takes what it has.
        let params = if let [_] = files { fitting(&text, params, limits)? } else { params_of(params)? };
        match load(settings, path, &text, &params)? {
            Ok(opening) => {
                let plan = Plan::from(&opening);
                let well = ValidOpening {
                    path,
                    valid: true,
                    name: &opening.name,
                    nodes: plan.nodes.len(),
                    edges: plan.edges.len(),
                };
                out.row(&well, |it| {
                    visible(&format!(
                        "{}: {} OK: {}, {}",
                        it.path,
                        it.name,
                        counted(it.nodes, "node"),
                        counted(it.edges, "edge")
                    ))
                })?;
            }
            Err(faults) => {
                invalid += 1;
                print_faults(path, &faults, out)?;
            }
        }
        out.flush()?;
    }
    if invalid == 0 { Ok(()) } else { Err(RunError::NotValid { invalid, all: files.len() }.into()) }
}

fn print_faults(path: &str, faults: &Faults, out: &mut Output) -> Result<(), Error> {
    for fault in faults.list() {
        out.row(&FaultRow { path, fault }, |row| {
            // A fault of a nested opening names its file itself.
            visible(&if row.fault.file.is_some() {
                row.fault.to_string()
            } else {
                format!("{}:{}", row.path, row.fault)
            })
        })?;
    }
    if faults.more() > 0 {
        out.row(&MoreRow { path, more: faults.more() }, |row| {
            format!("{}: and {} more", visible(row.path), row.more)
        })?;
    }
    Ok(())
}

/// A drawing as scripts read it.
#[derive(Serialize)]
struct OpeningGraph<'a> {
    path: &'a str,
    name: &'a str,
    #[serde(flatten)]
    plan: &'a Plan,
}

fn graph(
    settings: &Settings,
    path: &str,
    mermaid: bool,
    params: &ParamsArgs,
    out: &mut Output,
) -> Result<(), Error> {
    let limits = &settings.limits.runs;
    let text = read(path, limits.yaml_bytes_max)?;
    match load(settings, path, &text, &fitting(&text, params, limits)?)? {
        Ok(opening) => {
            let plan = Plan::from(&opening);
            out.row(&OpeningGraph { path, name: &opening.name, plan: &plan }, |it| render(it, mermaid))
        }
        Err(faults) => {
            print_faults(path, &faults, out)?;
            out.flush()?;
            Err(RunError::NotValid { invalid: 1, all: 1 }.into())
        }
    }
}

fn render(it: &OpeningGraph<'_>, mermaid: bool) -> String {
    let drawn = if mermaid { drawing::mermaid(it.plan) } else { drawing::text(it.name, it.plan) };
    drawn.trim_end().lines().map(visible).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_is_set_one_by_one_goes_before_what_is_set_together() {
        let each = vec![("b".to_owned(), json!(3)), ("c".to_owned(), json!("x"))];
        let args = ParamsArgs { each, params: Some(r#"{"a":1,"b":2}"#.to_owned()) };
        assert_eq!(serde_json::Value::Object(params_of(&args).unwrap()), json!({"a": 1, "b": 3, "c": "x"}));
        for wrong in ["[1]", "{", "3"] {
            let args = ParamsArgs { each: Vec::new(), params: Some(wrong.to_owned()) };
            assert_eq!(params_of(&args).unwrap_err().exit() as u8, 2, "{wrong}");
        }
    }

    #[test]
    fn a_text_that_is_too_long_or_none_is_told() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("o.yaml");
        let file = path.to_str().unwrap();
        std::fs::write(&path, "name: a").unwrap();
        assert_eq!(read(file, 7).unwrap(), "name: a");
        assert_eq!(read(file, 6).unwrap_err().code(), "bad_input");
        std::fs::write(&path, [0xff]).unwrap();
        assert_eq!(read(file, 7).unwrap_err().code(), "bad_input");
        assert_eq!(read("/nonexistent/o.yaml", 7).unwrap_err().code(), "file");
    }
}
