//! `session start`, `session send`, `session cancel`: one call each.

use crate::{
    cli::{
        args::{SessionCancelArgs, SessionSendArgs, SessionStartArgs, Who},
        context::Context,
        error::Error,
        operator,
        runtime::{Acked, Message, Runtime, bytes_of, made_up, payload, said},
    },
    macp::envelope::SESSION_START,
};

pub(super) fn start(context: &mut Context, args: SessionStartArgs) -> Result<(), Error> {
    let SessionStartArgs { session, who, opening } = args;
    let (sender, id) = named(who)?;
    let payload = payload(&opening, context.settings.limits.macp.payload_bytes_max)?;
    let (mode, session) = (opening.mode.unwrap_or_default(), session.unwrap_or_else(made_up));
    one(context, Message { mode, of_type: SESSION_START.to_owned(), id, session, sender, payload })
}

pub(super) fn send(context: &mut Context, args: SessionSendArgs) -> Result<(), Error> {
    let SessionSendArgs { session, who, message_type, payload, say } = args;
    let bytes_max = context.settings.limits.macp.payload_bytes_max;
    let (message_type, payload) = match (say, message_type) {
        (Some(say), None) => said(&say, bytes_max).map(|(message_type, payload)| (message_type.to_owned(), payload))?,
        (None, Some(message_type)) => (message_type, payload.map_or_else(|| Ok(Vec::new()), |said| bytes_of(&said, bytes_max))?),
        (Some(_), Some(_)) => {
            return Err(Error::usage("--type stands in the place of the words that say a message", "leave one of them out"));
        }
        (None, None) => {
            let hint = format!("say it, as in `session send {session} --as alice vote p1 approve`, or name its --type");
            return Err(Error::usage("there is no message", hint));
        }
    };
    let (sender, id) = named(who)?;
    one(context, Message { mode: String::new(), of_type: message_type, id, session, sender, payload })
}

pub(super) fn cancel(context: &mut Context, args: &SessionCancelArgs) -> Result<(), Error> {
    let Context { settings, out, .. } = context;
    operator::block_on(async {
        let what = args.sender.as_ref().map_or_else(|| "session cancel".to_owned(), |sender| format!("session cancel of {sender}"));
        let runtime = Runtime::connect(settings, &what).await?;
        let ack = runtime.cancel(&args.session, &args.reason).await?;
        Acked::from(ack).print("CancelSession", out)
    })
}

/// Who says it, and as which message.
fn named(who: Who) -> Result<(String, String), Error> {
    let sender = who.sender.ok_or_else(|| Error::usage("nobody says it", "--as NAME says who does"))?;
    Ok((sender, who.id.unwrap_or_else(made_up)))
}

fn one(context: &mut Context, message: Message) -> Result<(), Error> {
    let Context { settings, out, clock, .. } = context;
    let words = message.words();
    operator::block_on(async {
        let runtime = Runtime::connect(settings, &format!("session of {}", message.sender)).await?;
        let ack = runtime.send(message.envelope(clock.now().wall)).await?;
        Acked::from(ack).print(&words, out)
    })
}
