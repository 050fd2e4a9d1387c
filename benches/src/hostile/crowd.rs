//! Many connections that all do the same, each replaced when the station ends it.

use std::{thread, time::Duration};

use crate::{
    attack::Attacker,
    socket::{Place, Socket},
};

/// What a connection does when all of its bytes have gone.
#[derive(Clone, Copy)]
pub(crate) enum Then {
    /// It stays.
    Hold,
    /// It sends the bytes from here on again.
    Repeat(usize),
    /// It is closed, and another one opened.
    Reopen,
}

/// The connections of an attack.
pub(crate) struct Crowd {
    pub(crate) place: Place,
    pub(crate) connections: usize,
    /// What each of them sends.
    pub(crate) script: Vec<u8>,
    /// How many frames or messages the part is that is sent again, or the whole.
    pub(crate) units: usize,
    pub(crate) then: Then,
    /// So many bytes a turn.
    pub(crate) stride: usize,
    /// How long a turn takes.
    pub(crate) turn: Duration,
    pub(crate) reads: bool,
}

struct Member {
    socket: Socket,
    sent: usize,
}

impl Crowd {
    /// Connections that send a script at once and then do nothing but read.
    pub(crate) fn new(place: Place, connections: usize, script: Vec<u8>) -> Self {
        let turn = Duration::from_millis(10);
        Self { place, connections, script, units: 1, then: Then::Hold, stride: usize::MAX, turn, reads: true }
    }

    /// One byte of the script each 100 ms.
    pub(crate) fn slow(self) -> Self {
        Self { stride: 1, turn: Duration::from_millis(100), ..self }
    }

    /// The last `units` frames of the script, from this byte on, without end and without a pause.
    pub(crate) fn flood(self, from: usize, units: usize) -> Self {
        Self { then: Then::Repeat(from), units, turn: Duration::ZERO, ..self }
    }

    /// The connections never read.
    pub(crate) fn stalled(self) -> Self {
        Self { reads: false, ..self }
    }

    /// Goes on until the attack's time is over.
    pub(crate) fn run(self, attacker: &Attacker) {
        let mut members: Vec<Option<Member>> = (0..self.connections).map(|_| None).collect();
        while !attacker.is_over() {
            for place in &mut members {
                if attacker.is_over() {
                    return;
                }
                if let Some(member) = place {
                    if !self.go_on(member, attacker) {
                        *place = None;
                    }
                } else {
                    *place = attacker.connect(&self.place).map(|socket| Member { socket, sent: 0 });
                }
            }
            thread::sleep(self.turn);
        }
    }

    /// Reads and writes what goes; whether the connection is to stay.
    fn go_on(&self, member: &mut Member, attacker: &Attacker) -> bool {
        if self.reads && !member.socket.drain() {
            return false;
        }
        let rest = &self.script[member.sent..];
        if rest.is_empty() {
            return true;
        }
        let Ok(written) = member.socket.give(&rest[..rest.len().min(self.stride)]) else { return false };
        member.sent += written;
        if member.sent < self.script.len() {
            return true;
        }
        attacker.count(self.units);
        match self.then {
            Then::Hold => true,
            Then::Reopen => false,
            Then::Repeat(from) => {
                member.sent = from;
                true
            }
        }
    }
}
