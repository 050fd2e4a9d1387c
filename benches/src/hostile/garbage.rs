//! Garbage of a protocol: what is valid, damaged by a seed.

use std::{io::Write as _, thread, time::Duration};

use fastrand::Rng;

use crate::{attack::Attacker, socket::Place};

/// How many inputs a connection gets at most before it is closed.
const INPUTS_MAX: usize = 8;

/// Sends what `make` gives on connections that begin with `opening`, one after the other, until the attack's
/// time is over.
pub(crate) fn throw(
    attacker: &mut Attacker,
    place: &Place,
    opening: &[u8],
    make: impl Fn(&mut Rng) -> Vec<u8>,
) {
    while !attacker.is_over() {
        let Some(mut socket) = attacker.connect(place) else { continue };
        // It may be told no at any moment; what matters is how the station takes it.
        if attacker.random.u8(..4) > 0 && socket.write_all(opening).is_err() {
            continue;
        }
        for _ in 0..attacker.random.usize(1..=INPUTS_MAX) {
            let bytes = make(&mut attacker.random);
            attacker.count(1);
            if socket.write_all(&bytes).is_err() || !socket.drain() {
                break;
            }
        }
        if attacker.random.u8(..8) == 0 {
            thread::sleep(Duration::from_millis(1));
        }
        socket.drain();
    }
}

/// One of the templates, changed in up to eight places, or bytes of no order.
pub(crate) fn damaged(templates: &[Vec<u8>], random: &mut Rng) -> Vec<u8> {
    let mut bytes = match random.choice(templates) {
        Some(template) if random.u8(..8) > 0 => template.clone(),
        _ => (0..random.usize(..512)).map(|_| random.u8(..)).collect(),
    };
    for _ in 0..random.usize(..8) {
        let at = random.usize(..=bytes.len());
        match random.u8(..5) {
            0 => bytes.truncate(at),
            1 => bytes.insert(at, random.u8(..)),
            2 => {
                let end = (at + random.usize(..32)).min(bytes.len());
                let part = bytes[at..end].to_vec();
                bytes.splice(at..at, part);
            }
            3 if at < bytes.len() => bytes[at] ^= 1 << random.u8(..8),
            _ if at < bytes.len() => bytes[at] = *random.choice(&[0, 1, 0x7f, 0x80, 0xff]).unwrap_or(&0),
            _ => {}
        }
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_makes_the_same_garbage_again() {
        let templates = [b"{\"mpp\":2}\n".to_vec()];
        let of = |seed| {
            let mut random = Rng::with_seed(seed);
            (0..20).map(|_| damaged(&templates, &mut random)).collect::<Vec<_>>()
        };
        assert_eq!(of(7), of(7));
        assert_ne!(of(7), of(8));
    }
}
