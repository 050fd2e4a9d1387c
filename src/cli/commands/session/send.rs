//! `session start`, `session send`, `session cancel`: one call each.

use std::time::Duration;

use crate::{
    cli::{
        args::{Say, SessionCancelArgs, SessionSendArgs, SessionStartArgs, Who},
        commands::short_ids,
        config::Settings,
        context::Context,
        error::Error,
        operator, report,
        runtime::{
            Acked, Message, Runtime, bytes_of, encode_payload, is_ours, new_id, payload, state_name, warnings,
        },
        session_error::SessionError,
        table::visible,
    },
    macp::{SessionState, envelope::SESSION_START},
    port::{Page, Query, SessionDetail},
};

/// How long it is asked how the session stands.
const WARNING_MAX: Duration = Duration::from_secs(2);

pub(super) fn start(context: &mut Context, args: SessionStartArgs) -> Result<(), Error> {
    let SessionStartArgs { session, who, opening } = args;
    let (sender, id) = named(who)?;
    warn(context, warnings::of_sender(&sender).into_iter().chain(warnings::of_opening(&opening)));
    let payload = payload(&opening, context.settings.limits.macp.payload_bytes_max)?;
    let (mode, session) = (opening.mode.unwrap_or_default(), session.unwrap_or_else(new_id));
    one(context, Message { mode, of_type: SESSION_START.to_owned(), id, session, sender, payload }, None)
}

pub(super) fn send(context: &mut Context, args: SessionSendArgs) -> Result<(), Error> {
    let SessionSendArgs { session, who, message_type, payload, say } = args;
    let bytes_max = context.settings.limits.macp.payload_bytes_max;
    let (message_type, payload) = match (&say, message_type) {
        (Some(say), None) => encode_payload(say, bytes_max)
            .map(|(message_type, payload)| (message_type.to_owned(), payload))?,
        (None, Some(message_type)) => {
            (message_type, payload.map_or_else(|| Ok(Vec::new()), |said| bytes_of(&said, bytes_max))?)
        }
        (Some(_), Some(_)) => {
            return Err(Error::usage(
                "--type cannot be combined with a message subcommand",
                "remove one of them",
            ));
        }
        (None, None) => {
            let hint = format!(
                "add propose, evaluate, object, vote, commit or contribute, such as `rl-console session \
                 send {session} --as alice vote p1 approve`, or --type"
            );
            return Err(Error::usage("no message given", hint));
        }
    };
    let (sender, id) = named(who)?;
    let session = operator::block_on(whole_id(&context.settings, &session))?;
    warn(context, warnings::of_sender(&sender).into_iter().chain(say.iter().flat_map(warnings::of_words)));
    one(
        context,
        Message { mode: String::new(), of_type: message_type, id, session, sender, payload },
        say.as_ref(),
    )
}

/// Tells people what looks like a slip of the pen.
fn warn(context: &Context, doubts: impl IntoIterator<Item = String>) {
    if !context.out.is_json() {
        doubts.into_iter().for_each(|doubt| report::print_note(&visible(&format!("warning: {doubt}"))));
    }
}

/// A session, where the station that keeps it can be asked.
async fn kept(settings: &Settings, session: &str) -> Option<Box<SessionDetail>> {
    let asked = async {
        let station = operator::connect(settings).await.ok()?;
        match operator::query(&station, Query::Session { session: session.to_owned() }).await.ok()? {
            Page::Session(detail) => detail,
            _ => None,
        }
    };
    if is_ours(settings) { tokio::time::timeout(WARNING_MAX, asked).await.ok().flatten() } else { None }
}

/// The whole id of a session that may be named by its end, where the station that keeps it can be asked.
async fn whole_id(settings: &Settings, name: &str) -> Result<String, Error> {
    if is_ours(settings)
        && !name.is_empty()
        && let Ok(station) = operator::connect(settings).await
        && let Ok(found) = tokio::time::timeout(WARNING_MAX, short_ids::session(&station, name)).await
    {
        return match found {
            Err(error @ Error::Session(SessionError::Ambiguous { .. })) => Err(error),
            found => Ok(found.unwrap_or_else(|_| name.to_owned())),
        };
    }
    Ok(name.to_owned())
}

/// A doubt about a message in its session.
async fn session_warning(settings: &Settings, session: &str, say: &Say) -> Option<String> {
    warnings::of_session(say, &*kept(settings, session).await?)
}

pub(super) fn cancel(context: &mut Context, args: &SessionCancelArgs) -> Result<(), Error> {
    let Context { settings, out, clock, .. } = context;
    operator::block_on(async {
        let session = &*whole_id(settings, args.session.as_deref().unwrap_or_default()).await?;
        let what = args
            .sender
            .as_ref()
            .map_or_else(|| "session cancel".to_owned(), |sender| format!("session cancel of {sender}"));
        let runtime = Runtime::connect(settings, &what).await?;
        let has_reason = !args.reason.is_empty();
        // A runtime that is asked for one that has expired keeps that it was asked, as a record of its log.
        if let Some(state) =
            kept(settings, session).await.map(|detail| detail.row.state).filter(|state| is_ended(*state))
        {
            let ack = Acked::of_ended(session, state, clock.now().wall);
            return ack.print_cancelled(Some(state.name()), has_reason, out);
        }
        // What ends in between reads as cancelled here; its log says how it ended.
        let before = runtime.session(session).await.ok().and_then(|metadata| state_name(metadata.state));
        let ack = runtime.cancel(session, &args.reason).await?;
        Acked::from(ack).print_cancelled(before, has_reason, out)
    })
}

fn is_ended(state: SessionState) -> bool {
    state != SessionState::Open
}

/// Who says it, and as which message.
fn named(who: Who) -> Result<(String, String), Error> {
    let sender = who.sender.ok_or_else(|| Error::usage("no sender", "add --as NAME"))?;
    Ok((sender, who.id.unwrap_or_else(new_id)))
}

fn one(context: &mut Context, message: Message, say: Option<&Say>) -> Result<(), Error> {
    let Context { settings, out, clock, .. } = context;
    let words = message.describe();
    let session = message.session.clone();
    operator::block_on(async {
        let runtime = Runtime::connect(settings, &format!("session of {}", message.sender)).await?;
        let ack = runtime.send(message.envelope(clock.now().wall)).await?;
        Acked::from(ack).print(&words, out)?;
        if let Some(say) = say.filter(|_| !out.is_json())
            && let Some(doubt) = session_warning(settings, &session, say).await
        {
            report::print_note(&visible(&format!("warning: {doubt}")));
        }
        Ok(())
    })
}
