//! Attacks on the files that a station reads while it runs.

use std::{fs, thread, time::Duration};

use crate::{
    attack::{Attack, Attacker},
    garbage::damaged,
};

pub(super) const ATTACKS: &[Attack] = &[Attack {
    name: "files_garbage",
    about: "damaged packs in place of its own",
    processes: 1,
    run: garbage,
}];

fn garbage(attacker: &mut Attacker) {
    let pack = attacker.targets.folder.join("pack.toml");
    let Ok(whole) = fs::read(&pack) else { return };
    let whole = [whole];
    while !attacker.is_over() {
        if fs::write(&pack, damaged(&whole, &mut attacker.random)).is_ok() {
            attacker.count(1);
        }
        thread::sleep(Duration::from_millis(10));
    }
    // The folder may be gone with its station.
    let _ = fs::write(&pack, &whole[0]);
}
