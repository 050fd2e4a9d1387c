//! `stream`: what the operator declares of the stream.

use serde::de::DeserializeOwned;

use super::plugin::send;
use crate::{
    cli::{
        args::{StreamAction, StreamSessionAction},
        context::Context,
        error::Error,
        input, operator,
        output::Output,
        table::visible,
    },
    plugin::{Channel, ChatMessage, Command, Outcome, StreamCommand, StreamDetail},
    port::{Operator, Page, Query},
    words::counted,
};

/// Messages that are sent at once.
const BATCH_MAX: usize = 256;
/// Bytes of a message on stdin.
const LINE_BYTES_MAX: u64 = 262_144;
/// Bytes of a file, or of stdin where it is read to its end.
const INPUT_BYTES_MAX: u64 = 64 << 20;

pub(in crate::cli) fn run(context: &mut Context, action: StreamAction) -> Result<(), Error> {
    let Context { settings, out, .. } = context;
    operator::block_on(async {
        if let StreamAction::Chat { sender: None, text } = &action
            && text == "-"
        {
            let station = operator::connect(settings).await?;
            return chat(&station, out).await;
        }
        let commands = commands(action)?;
        let station = operator::connect(settings).await?;
        if commands.is_empty() {
            return show(&station, out).await;
        }
        for command in commands {
            declare(&station, command, out).await?;
        }
        Ok(())
    })
}

async fn declare(station: &dyn Operator, command: StreamCommand, out: &mut Output) -> Result<(), Error> {
    let outcome = send(station, Command::Stream(command)).await?;
    out.row(&outcome, |outcome| match outcome {
        Outcome::Delivered { receivers } => {
            format!("delivered to {}", counted(*receivers, "plugin"))
        }
        _ => "done".to_owned(),
    })
}

/// Sends the messages on stdin as they come, those that are there at once together, until it ends. A line
/// that is none ends it; what came before has been sent.
async fn chat(station: &dyn Operator, out: &mut Output) -> Result<(), Error> {
    let mut lines = input::stdin_lines(BATCH_MAX, LINE_BYTES_MAX, "a message is an object on one line")?;
    let mut batch = Vec::new();
    while lines.recv_many(&mut batch, BATCH_MAX).await > 0 {
        let mut messages = Vec::new();
        let mut read = Ok(());
        for line in batch.drain(..) {
            match line.and_then(|(number, line)| of_line(number, line.trim(), of_json)) {
                Ok(message) => messages.extend(message),
                Err(error) => {
                    read = Err(error);
                    break;
                }
            }
        }
        if !messages.is_empty() {
            declare(station, StreamCommand::Chat { messages }, out).await?;
            out.flush()?;
        }
        read?;
    }
    Ok(())
}

/// What is to be declared; nothing where it is to be shown.
fn commands(action: StreamAction) -> Result<Vec<StreamCommand>, Error> {
    Ok(match action {
        StreamAction::Show => Vec::new(),
        StreamAction::Stop => vec![StreamCommand::Stop],
        StreamAction::Set { login, id, name, game, game_id, viewers, started } => {
            let channel = Channel {
                channel_id: id.unwrap_or_default(),
                display_name: name.unwrap_or_default(),
                game_id,
                game_name: game,
                started_at: started,
                viewer_count: viewers,
                ..channel(&login)
            };
            vec![StreamCommand::Set { channel }]
        }
        StreamAction::Session(StreamSessionAction::Add { id }) => vec![StreamCommand::AddSession { id }],
        StreamAction::Session(StreamSessionAction::Rm { id }) => vec![StreamCommand::RemoveSession { id }],
        StreamAction::Live { file } => {
            let text = if file == "-" {
                input::stdin(INPUT_BYTES_MAX, BOUND)?
            } else {
                input::file(&file, INPUT_BYTES_MAX, BOUND)?
            };
            let channels =
                lines(&text, |line| if line.starts_with('{') { of_json(line) } else { Ok(channel(line)) })?;
            vec![StreamCommand::Live { channels }]
        }
        StreamAction::Chat { sender, text } => {
            vec![StreamCommand::Chat { messages: vec![message(sender.unwrap_or_default(), text)] }]
        }
    })
}

const BOUND: &str = "send it in parts";

fn of_json<T: DeserializeOwned>(line: &str) -> Result<T, String> {
    serde_json::from_str(line).map_err(|error| error.to_string())
}

fn lines<T>(text: &[u8], read: impl Fn(&str) -> Result<T, String>) -> Result<Vec<T>, Error> {
    let text = String::from_utf8_lossy(text);
    let lines = text.lines().map(str::trim).zip(1_u64..);
    lines.filter_map(|(line, number)| of_line(number, line, &read).transpose()).collect()
}

/// What a line says; nothing of one that is empty.
fn of_line<T>(number: u64, line: &str, read: impl Fn(&str) -> Result<T, String>) -> Result<Option<T>, Error> {
    if line.is_empty() {
        return Ok(None);
    }
    read(line).map(Some).map_err(|message| Error::Input {
        what: format!("line {number}"),
        message,
        hint: "`rl-console help plugins` describes the lines".to_owned(),
    })
}

fn channel(login: &str) -> Channel {
    Channel {
        channel_id: String::new(),
        login: login.to_owned(),
        display_name: String::new(),
        game_id: None,
        game_name: None,
        started_at: None,
        viewer_count: None,
    }
}

fn message(login: String, text: String) -> ChatMessage {
    ChatMessage {
        id: uuid::Uuid::now_v7().to_string(),
        user_id: login.clone(),
        display_name: login.clone(),
        login,
        color: None,
        badges: Vec::new(),
        text,
        is_action: false,
        msg_type: None,
        system_message: None,
        bits: None,
        ts: String::new(),
    }
}

async fn show(station: &dyn Operator, out: &mut Output) -> Result<(), Error> {
    let Page::Stream(detail) = operator::query(station, Query::Stream).await? else {
        return Err(Error::UnexpectedAnswer);
    };
    out.row(&*detail, text)
}

fn text(detail: &StreamDetail) -> String {
    let plays = detail.channel.as_ref().map_or("-", |channel| &channel.login);
    let live = detail.live.as_ref().map_or_else(
        || "not declared".to_owned(),
        |live| live.iter().map(|channel| channel.login.as_str()).collect::<Vec<_>>().join(", "),
    );
    let mut lines = vec![format!("plays  {}", visible(plays)), format!("live   {}", visible(&live))];
    for (id, upstream) in &detail.sessions {
        lines.push(visible(&format!("session {id}  {}", upstream.as_deref().unwrap_or("-"))));
    }
    lines.join("\n")
}
