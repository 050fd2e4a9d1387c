//! `session cancel --by`: an operator ends what one peer opened.

use serde::Serialize;

use crate::{
    cli::{context::Context, error::Error, operator},
    ids::Peer,
    macp,
    port::{Command, Operator as _, Outcome},
    words::counted,
};

/// The sessions that were cancelled.
#[derive(Serialize)]
struct CancelledBy<'a> {
    peer: &'a Peer,
    sessions: u64,
    /// Those that it holds still.
    #[serde(skip_serializing_if = "is_none")]
    left: u64,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks so")]
fn is_none(left: &u64) -> bool {
    *left == 0
}

pub(super) fn run(context: &mut Context, peer: &Peer, reason: &str) -> Result<(), Error> {
    let Context { settings, out, .. } = context;
    operator::block_on(async {
        let station = operator::connect(settings).await?;
        let command = macp::Command::CancelBy { peer: peer.clone(), reason: reason.to_owned() };
        let Outcome::Macp(macp::Outcome::CancelledBy { sessions, left }) =
            station.command(Command::Macp(command)).await?
        else {
            return Err(Error::UnexpectedAnswer);
        };
        out.row(&CancelledBy { peer, sessions, left }, |it| {
            let done = format!("cancelled {} of {}", counted(it.sessions, "session"), it.peer);
            match it.left {
                0 => done,
                left => format!("{done}, {left} left: stop their client from opening more, and retry"),
            }
        })
    })
}
