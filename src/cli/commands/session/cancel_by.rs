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
}

pub(super) fn run(context: &mut Context, peer: &Peer, reason: &str) -> Result<(), Error> {
    let Context { settings, out, .. } = context;
    operator::block_on(async {
        let station = operator::connect(settings).await?;
        let command = macp::Command::CancelBy { peer: peer.clone(), reason: reason.to_owned() };
        let Outcome::Macp(macp::Outcome::CancelledBy { sessions }) =
            station.command(Command::Macp(command)).await?
        else {
            return Err(Error::UnexpectedAnswer);
        };
        out.row(&CancelledBy { peer, sessions }, |it| {
            format!("{} of {} cancelled", counted(it.sessions, "session"), it.peer)
        })
    })
}
