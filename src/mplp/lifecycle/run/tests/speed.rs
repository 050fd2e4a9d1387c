//! What a record of many nodes costs: `cargo test --release -- --ignored --nocapture speed`.

use super::play::{Play, begin, plan, settings};
use crate::{
    mplp::lifecycle::run::{PlanShape, RunRecord},
    tap::entry::runs::RunState,
    time::Clock,
};

fn wide(count: usize) -> PlanShape {
    let names: Vec<String> = (0..count).map(|n| format!("n{n}")).collect();
    let uses: Vec<String> = (0..count).map(|n| format!("agent:a{}", n % 17)).collect();
    let nodes: Vec<_> =
        names.iter().zip(&uses).map(|(id, uses)| (id.as_str(), uses.as_str(), None)).collect();
    let count = u32::try_from(count).unwrap();
    plan(&nodes, &(1..count).map(|n| (n - 1, n)).collect::<Vec<_>>())
}

/// The least of so many measurements: the machine does other things too.
const TIMES: usize = 7;

#[test]
#[ignore = "a measurement, by hand and without other load"]
fn speed_of_many_nodes() {
    for count in [1_000, 5_000] {
        let mut play = Play::new(wide(count));
        for n in 0..count {
            play.works(&format!("n{n}"));
        }
        play.ends(RunState::Succeeded, "");
        let clock = Clock::start();
        let (mut live, mut exported, mut bytes) = (u64::MAX, u64::MAX, 0);
        for _ in 0..TIMES {
            let (mut record, _) = RunRecord::begin(begin(wide(count)), &settings());
            record.forget_events();
            let from = clock.mono();
            let made: usize = play.rows.iter().map(|row| record.event(row).len()).sum();
            assert!(made > count);
            live = live.min(clock.mono().0 - from.0);
            let from = clock.mono();
            let (mut record, _) = RunRecord::begin(begin(wide(count)), &settings());
            play.rows.iter().for_each(|row| record.read(row));
            let value = record.into_bundle(play.ended.as_ref()).into_value();
            bytes = serde_json::to_vec(&value).unwrap().len();
            exported = exported.min(clock.mono().0 - from.0);
        }
        let live = live / 1_000 / count as u64;
        println!("{count} nodes: live {live} us a node, export {} ms, {bytes} bytes", exported / 1_000_000);
    }
}
