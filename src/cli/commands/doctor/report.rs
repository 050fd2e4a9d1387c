//! Runs the checks and prints them.

use serde::Serialize;

use super::{checks, plugins, service};
use crate::{
    cli::{
        args::Global,
        config::{ConfigError, Discovery, Resolved, Settings, stray_variables},
        env::Env,
        error::Error,
        operator,
        output::Output,
        table::visible,
    },
    port::PortError,
    time::Clock,
};

/// One check.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(super) struct Check {
    /// What was looked at.
    #[serde(rename = "check")]
    pub(super) subject: &'static str,
    /// Whether it is well.
    pub(super) ok: bool,
    /// What was found.
    pub(super) detail: String,
    /// What to do; absent when it is well.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) hint: Option<String>,
}

impl Check {
    /// It is well.
    pub(super) fn pass(subject: &'static str, detail: impl Into<String>) -> Self {
        Self { subject, ok: true, detail: detail.into(), hint: None }
    }

    /// It is not.
    pub(super) fn fail(subject: &'static str, detail: impl Into<String>, hint: impl Into<String>) -> Self {
        Self { subject, ok: false, detail: detail.into(), hint: Some(hint.into()) }
    }

    fn line(&self) -> String {
        let sign = if self.ok { "✓" } else { "✗" };
        let hint = self.hint.as_ref().map(|hint| format!("\n  {:<10}→ {}", "", visible(hint)));
        format!("{sign} {:<10}{}{}", self.subject, visible(&self.detail), hint.unwrap_or_default())
    }
}

pub(in crate::cli) fn run(flags: &Global, env: &Env, _clock: Clock, out: &mut Output) -> Result<(), Error> {
    let (resolved, config) = match Resolved::resolve(flags, env) {
        Ok(resolved) => (resolved, configuration(None, env)),
        // The rest is checked with what the flags say and the defaults.
        Err(error) => (Resolved::of_flags(flags, env), configuration(Some(error), env)),
    };
    let settings = Settings { discovery: Discovery::of(flags, env, &resolved), ..Settings::of(&resolved) };
    let mut all = vec![config];
    match settings.data() {
        Ok(data) => {
            all.push(checks::folder(&data));
            all.push(checks::space(&data));
            let database = checks::database(&data);
            let is_readable = database.ok;
            all.push(database);
            let parts = operator::block_on(async {
                let station = match operator::connect(&settings).await {
                    Ok(station) => Ok(station),
                    Err(Error::Port(error)) => Err(error),
                    Err(_) => Err(PortError::NoStation { data: data.clone() }),
                };
                all.push(checks::bus(&data, station.is_ok()));
                let (socket, station) = checks::socket(&data, station).await;
                all.push(socket);
                Ok(station)
            })?;
            all.extend(checks::ports(&settings, parts.as_deref()));
            // Of one that is damaged nothing is read, so that nothing of it is lost.
            all.extend(is_readable.then(|| plugins::installed(&data, &settings)));
        }
        Err(error) => all.push(Check::fail("data", error.to_string(), error.hint())),
    }
    all.push(operator::block_on(async { Ok(plugins::guard(&settings).await) })?);
    all.push(checks::pack(&settings));
    all.push(checks::terminal(env));
    all.extend(service::service(env));
    for check in &all {
        out.row(check, Check::line)?;
    }
    out.flush()?;
    let failed = all.iter().filter(|check| !check.ok).count();
    if failed == 0 { Ok(()) } else { Err(Error::Doctor { failed, all: all.len() }) }
}

fn configuration(error: Option<ConfigError>, env: &Env) -> Check {
    const NAME: &str = "config";
    if let Some(error) = error {
        return Check::fail(NAME, error.to_string().replace("\n  ", "; "), error.hint());
    }
    if let Some((name, near)) = stray_variables(env).into_iter().next() {
        let hint = near.map_or_else(|| "unset it".to_owned(), |near| format!("did you mean {near}?"));
        return Check::fail(NAME, format!("unknown variable {name}"), hint);
    }
    let files = env.user_config().into_iter().chain(std::iter::once(env.system_config.clone()));
    let found: Vec<String> =
        files.filter(|path| path.exists()).map(|path| path.display().to_string()).collect();
    if found.is_empty() {
        Check::pass(NAME, "no file; using defaults, flags and variables")
    } else {
        Check::pass(NAME, found.join(", "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_check_is_a_line_with_what_to_do_below() {
        assert_eq!(Check::pass("data", "/d").line(), "✓ data      /d");
        assert_eq!(
            Check::fail("port", "7777 is in use", "choose another").line(),
            "✗ port      7777 is in use\n            → choose another"
        );
        assert_eq!(
            serde_json::to_string(&Check::pass("data", "/d")).unwrap(),
            r#"{"check":"data","ok":true,"detail":"/d"}"#
        );
    }

    #[test]
    fn a_stray_variable_is_found() {
        let mut env = Env::default();
        env.ours.insert("RL_CONSOLE_PROT".to_owned(), "1".to_owned());
        let check = configuration(None, &env);
        assert_eq!((check.ok, check.hint.as_deref()), (false, Some("did you mean RL_CONSOLE_PORT?")));
    }
}
