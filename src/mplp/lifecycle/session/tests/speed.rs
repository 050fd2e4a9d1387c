//! What a record of many messages costs: `cargo test --release -- --ignored --nocapture speed`.

use super::play::{Play, settings};
use crate::{
    mplp::{judge_bundle, lifecycle::SessionRecord},
    tap::entry::macp::{Ending, Mode},
    time::Clock,
};

const MESSAGES: u64 = 10_000;

/// The least of so many measurements: the machine does other things too.
const TIMES: usize = 5;

#[test]
#[ignore = "a measurement, by hand and without other load"]
fn speed_of_many_messages() {
    let names: Vec<String> = (0..20).map(|n| format!("agent {n}")).collect();
    let listed: Vec<&str> = names.iter().map(String::as_str).collect();
    for mode in Mode::ALL {
        let mut play = Play::new(mode, &listed);
        for n in 0..MESSAGES {
            let sender = listed[usize::try_from(n).unwrap() % listed.len()];
            match (mode, n % 4) {
                (Mode::MultiRound, _) => play.contributes(sender, n),
                (Mode::Decision, 0) => play.proposes(sender, "p1"),
                (Mode::Decision, 1) => play.evaluates(sender, "p1"),
                (Mode::Decision, 2) => play.votes(sender, "p1"),
                (Mode::Decision, _) => play.objects(sender, "p1"),
            }
        }
        play.ends(Ending::TtlExpired);
        let clock = Clock::start();
        let (mut made, mut judged, mut bytes) = (u64::MAX, u64::MAX, 0);
        for _ in 0..TIMES {
            let messages = play.messages.clone();
            let from = clock.mono();
            let mut record = SessionRecord::begin(play.begin.clone(), &settings());
            for message in messages {
                record.message(message);
            }
            record.end(play.ended.clone().unwrap());
            let value = record.bundle().into_value();
            bytes = serde_json::to_vec(&value).unwrap().len();
            made = made.min(clock.mono().0 - from.0);
            let from = clock.mono();
            assert!(judge_bundle(&value, None, 9).is_clean());
            judged = judged.min(clock.mono().0 - from.0);
        }
        let [made, judged] = [made, judged].map(|ns| ns / 1_000_000);
        println!("{} of {MESSAGES}: export {made} ms, judged {judged} ms, {bytes} bytes", mode.name());
    }
}
