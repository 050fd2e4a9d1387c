//! Which of them is asked for.

use serde::Serialize;

use super::{
    check, dev,
    install::{self, Dialog},
    logs,
    request::{object, send, whole_id},
    show,
};
use crate::{
    cli::{
        args::PluginAction, commands::plugin_check_run, context::Context, error::Error, operator,
        output::Output, table::visible,
    },
    console::draw::Depth,
    ids::PluginId,
    plugin::{Command, Outcome, panel::Schema},
    port::{Operator, Page, Query},
};

/// What was done to a plugin.
#[derive(Serialize)]
struct Done<'a> {
    plugin: &'a PluginId,
    done: &'static str,
}

pub(in crate::cli) fn run(context: &mut Context, action: PluginAction) -> Result<(), Error> {
    match action {
        PluginAction::Check(args) if args.run => {
            let Context { settings, out, clock, .. } = context;
            plugin_check_run::run(&args, &settings.plugins.host_version, &settings.limits.plugin, clock, out)
        }
        PluginAction::Check(args) => check::run(context, &args.folder, args.command.as_deref()),
        PluginAction::Logs { id, follow, lines } => logs::run(context, &id, follow, lines),
        action => {
            let clock = context.local_clock();
            let terminals = &context.env.terminals;
            let dialog = Dialog {
                can_ask: terminals.stdin && terminals.stderr && !context.out.is_json(),
                is_coloured: terminals.stderr && context.env.depth() != Depth::None,
            };
            let Context { settings, out, .. } = context;
            operator::block_on(async {
                let station = operator::connect(settings).await?;
                match action {
                    PluginAction::Show { id } => show::show(&station, id.as_deref(), &clock, out).await,
                    PluginAction::Audit { id } => show::audit(&station, &id, &clock, out).await,
                    PluginAction::Install { source, yes } => {
                        install::run(&station, settings, source, yes, dialog, out).await
                    }
                    PluginAction::Dev(source) => dev::run(&station, settings, source, out).await,
                    action => ask(&station, action, out).await,
                }
            })
        }
    }
}

async fn ask(station: &dyn Operator, action: PluginAction, out: &mut Output) -> Result<(), Error> {
    let (name, done, command): (String, _, Box<dyn FnOnce(PluginId) -> Command>) = match action {
        PluginAction::Remove { id, purge } => {
            (id, "removed", Box::new(move |plugin| Command::Remove { plugin, purge }))
        }
        PluginAction::Enable { id } => (id, "enabled", Box::new(|plugin| Command::Enable { plugin })),
        PluginAction::Disable { id } => (id, "disabled", Box::new(|plugin| Command::Disable { plugin })),
        PluginAction::Restart { id } => (id, "restarted", Box::new(|plugin| Command::Restart { plugin })),
        PluginAction::Grant { id, list } => {
            (id, "granted", Box::new(|plugin| Command::Grant { plugin, capabilities: list }))
        }
        PluginAction::Revoke { id, list } => {
            (id, "revoked", Box::new(|plugin| Command::Revoke { plugin, capabilities: list }))
        }
        PluginAction::Allow { id, always } => {
            (id, "allowed", Box::new(move |plugin| Command::Allow { plugin, always }))
        }
        PluginAction::Deny { id } => (id, "denied", Box::new(|plugin| Command::Deny { plugin })),
        PluginAction::Event { id, name, params } => {
            let params = object(&params, "the event's params")?;
            (id, "sent", Box::new(move |plugin| Command::Event { plugin, name, params }))
        }
        PluginAction::Set { id, key, value, .. } => return set(station, &id, key, value, out).await,
        PluginAction::Invoke { action, args, plugin, timeout } => {
            let args = object(&args, "--args")?;
            return invoke(station, (action, args), plugin, timeout, out).await;
        }
        _ => return Err(Error::UnexpectedAnswer),
    };
    let plugin = whole_id(station, &name).await?;
    if let Outcome::Delivered { receivers: 0 } = send(station, command(plugin.clone())).await? {
        return out.row(&Done { plugin: &plugin, done: "dropped" }, |_| format!("{plugin}: event dropped"));
    }
    out.row(&Done { plugin: &plugin, done }, |row| format!("{} {}", row.plugin, row.done))
}

async fn set(
    station: &dyn Operator,
    name: &str,
    key: String,
    text: Option<String>,
    out: &mut Output,
) -> Result<(), Error> {
    let plugin = whole_id(station, name).await?;
    let Page::Plugin(detail) = operator::query(station, Query::Plugin { plugin: plugin.clone() }).await?
    else {
        return Err(Error::UnexpectedAnswer);
    };
    let panel = detail.and_then(|detail| detail.detail.panel);
    let schema = panel.and_then(|panel| serde_json::from_value::<Schema>(panel).ok());
    // A field that is not there is refused by the host.
    let field = schema.as_ref().and_then(|schema| schema.field(&key));
    let value = match (text, field) {
        (Some(text), Some(field)) => Some(field.read(&text).map_err(|fault| {
            Error::usage(
                format!("{key}: {fault}"),
                format!("`rl-console plugin show {plugin}` lists the fields"),
            )
        })?),
        (text, _) => text.map(serde_json::Value::from),
    };
    send(station, Command::Set { plugin: plugin.clone(), key, value }).await?;
    out.row(&Done { plugin: &plugin, done: "set" }, |row| format!("{} {}", row.plugin, row.done))
}

async fn invoke(
    station: &dyn Operator,
    (action, args): (String, serde_json::Value),
    plugin: Option<String>,
    timeout_ms: u64,
    out: &mut Output,
) -> Result<(), Error> {
    let plugin = match plugin {
        Some(name) => Some(whole_id(station, &name).await?),
        None => None,
    };
    let invoked = send(station, Command::Invoke { action, args, plugin, timeout_ms }).await?;
    let Outcome::Invoked { result, .. } = &invoked else { return Err(Error::UnexpectedAnswer) };
    let Outcome::Invoked { plugin, .. } = &invoked else { return Err(Error::UnexpectedAnswer) };
    let row = serde_json::json!({ "plugin": plugin, "result": result });
    out.row(&row, |_| visible(&result.to_string()))
}
