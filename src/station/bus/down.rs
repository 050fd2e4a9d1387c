//! Why the bus of a station that runs is down, for who cannot ask the station: it stands in the data folder
//! as long as that is so.

use std::{fs, path::Path};

use rustix::process::{Pid, test_kill_process};

use crate::{private_files, store::FolderWatch};

/// The file.
const FILE: &str = "rmp.down";

/// Why the bus of a station that runs is down.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BusDown {
    /// The station's process.
    pub pid: u32,
    /// Why, in its own words.
    pub why: String,
}

impl BusDown {
    /// What the station of a data folder says of its bus; nothing where it is up or the station has ended.
    #[must_use]
    pub fn of(data: &Path) -> Option<Self> {
        let file = private_files::open(&data.join(FILE)).ok()?;
        let text = private_files::read_small_text(file).ok()?;
        let (pid, why) = text.split_once('\n')?;
        let pid: u32 = pid.parse().ok()?;
        let process = Pid::from_raw(i32::try_from(pid).ok()?)?;
        let runs = !matches!(test_kill_process(process), Err(rustix::io::Errno::SRCH));
        runs.then(|| Self { pid, why: why.trim_end().to_owned() })
    }

    /// Says why this process's bus is down. Who cannot read it is told less, and nothing else depends on it.
    pub(super) fn write(data: &Path, watch: &FolderWatch, why: &str) {
        let text = format!("{}\n{why}\n", std::process::id());
        let written = watch.check().and_then(|()| private_files::replace(&data.join(FILE), text.as_bytes()));
        if let Err(error) = written {
            tracing::debug!("{FILE}: {error}");
        }
    }

    /// The bus is up, or its station ends. What stands in another's folder is left.
    pub(super) fn clear(data: &Path, watch: &FolderWatch) {
        let _ = watch.check().and_then(|()| fs::remove_file(data.join(FILE)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::Lock;

    #[test]
    fn why_the_bus_is_down_is_said_as_long_as_the_station_runs() {
        let data = tempfile::tempdir().unwrap();
        assert_eq!(BusDown::of(data.path()), None);
        let watch = Lock::take(data.path()).unwrap().watch();
        BusDown::write(data.path(), &watch, "/x is taken");
        assert_eq!(
            BusDown::of(data.path()),
            Some(BusDown { pid: std::process::id(), why: "/x is taken".to_owned() })
        );
        BusDown::clear(data.path(), &watch);
        assert_eq!(BusDown::of(data.path()), None);
        fs::write(data.path().join(FILE), "2147483646\nby one that has ended\n").unwrap();
        assert_eq!(BusDown::of(data.path()), None);
    }

    #[test]
    fn what_another_station_says_in_the_place_of_a_folder_that_was_moved_is_left() {
        let folder = tempfile::tempdir().unwrap();
        let data = folder.path().join("data");
        let watch = Lock::take(&data).unwrap().watch();
        fs::rename(&data, folder.path().join("away")).unwrap();
        let theirs = Lock::take(&data).unwrap().watch();
        BusDown::write(&data, &theirs, "theirs");
        BusDown::write(&data, &watch, "ours");
        BusDown::clear(&data, &watch);
        assert_eq!(BusDown::of(&data).map(|down| down.why).as_deref(), Some("theirs"));
    }
}
