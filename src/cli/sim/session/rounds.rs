//! The contributions until all agree.

use serde_json::json;

use super::plan::{ScriptedMessage, one_of};

/// Turns after which everybody takes what most have.
const TURNS_MAX: usize = 6;

/// Contributions, up to the one with which all values are equal.
pub(super) fn messages(
    participants: usize,
    options: [&'static str; 3],
    rng: &mut fastrand::Rng,
) -> Vec<ScriptedMessage> {
    let mut values: Vec<Option<&str>> = vec![None; participants];
    let mut all = Vec::new();
    for turn in 0.. {
        let mut order: Vec<usize> = (0..participants).collect();
        rng.shuffle(&mut order);
        for who in order {
            let most = most(&values, &options);
            let before = values.get(who).copied().flatten();
            let value = match before {
                None => one_of(&options, rng),
                Some(_) if turn >= TURNS_MAX || rng.f64() < 0.5 => most,
                // Said again, which is no new round.
                Some(before) if rng.bool() => before,
                Some(_) => continue,
            };
            if let Some(held) = values.get_mut(who) {
                *held = Some(value);
            }
            all.push(ScriptedMessage::new("Contribute", who, json!({ "value": value }), value.to_owned()));
            if values.iter().all(|held| *held == Some(value)) {
                return all;
            }
        }
    }
    all
}

/// What most have; of several the first.
fn most<'a>(values: &[Option<&'a str>], options: &[&'a str]) -> &'a str {
    let count = |option: &str| values.iter().filter(|held| **held == Some(option)).count();
    options.iter().rev().max_by_key(|option| count(option)).copied().unwrap_or_default()
}
