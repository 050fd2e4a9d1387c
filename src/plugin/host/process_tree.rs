//! The processes that a guard has below it, as `/proc` lists them. Off Linux none is found.
//!
//! Processes come and go while they are looked at: one that is gone counts for nothing.

use std::{
    collections::{HashSet, VecDeque},
    fs::{self, File},
    io::Read as _,
};

/// Processes of one tree that are looked at.
const PROCESSES_MAX: usize = 4_096;
/// Parents of a process that are looked at; more than a system has one below the other.
const GENERATIONS_MAX: usize = 4_096;
/// Bytes of a file of `/proc` that are read.
const BYTES_MAX: u64 = 65_536;

/// What a guard and all below it need.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    /// Processes below the guard.
    pub processes: usize,
    /// Their resident memory; pages that several share count for each.
    pub memory_bytes: u64,
    /// Processor time of those that are there and of those that were, in clock ticks (`sysconf(_SC_CLK_TCK)`
    /// a second). It goes back when a process ends that nobody has waited for.
    pub cpu_ticks: u64,
}

/// Whether a process belongs to a plugin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Descent {
    /// It is below a guard, is one, or was started below one that is gone.
    OfPlugin,
    /// It is not.
    Elsewhere,
    /// It cannot be learned: the process is gone, or there is no `/proc`.
    Unknown,
}

/// What `/proc/<pid>/stat` says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Stat {
    parent: u32,
    session: u32,
    own_ticks: u64,
    /// Of children that have ended and were waited for.
    ended_ticks: u64,
    resident_pages: u64,
}

/// All processes below a guard, nearest first; at most 4,096.
#[must_use]
pub fn descendants(guard: u32) -> Vec<u32> {
    let mut found = Vec::new();
    let mut seen = HashSet::from([guard]);
    let mut next = VecDeque::from([guard]);
    while let Some(parent) = next.pop_front() {
        for child in children(parent) {
            if found.len() >= PROCESSES_MAX {
                return found;
            }
            if seen.insert(child) {
                found.push(child);
                next.push_back(child);
            }
        }
    }
    found
}

/// What the plugin of a guard needs; the guard itself is left out.
#[must_use]
pub fn usage(guard: u32) -> Usage {
    let page_bytes = u64::try_from(rustix::param::page_size()).unwrap_or(u64::MAX);
    let mut usage = Usage { cpu_ticks: stat(guard).map_or(0, |stat| stat.ended_ticks), ..Usage::default() };
    for stat in descendants(guard).into_iter().filter_map(stat) {
        usage.processes += 1;
        let resident = stat.resident_pages.saturating_mul(page_bytes);
        usage.memory_bytes = usage.memory_bytes.saturating_add(resident);
        let ticks = stat.own_ticks.saturating_add(stat.ended_ticks);
        usage.cpu_ticks = usage.cpu_ticks.saturating_add(ticks);
    }
    usage
}

/// Whether a process belongs to a plugin, by the guards that there are and were: one of them is above it, or
/// led the session of it or of a process above it.
#[must_use]
pub fn descent(pid: u32, guards: &[u32]) -> Descent {
    let mut at = pid;
    for _ in 0..GENERATIONS_MAX {
        if guards.contains(&at) {
            return Descent::OfPlugin;
        }
        let Some(stat) = stat(at) else { return Descent::Unknown };
        if guards.contains(&stat.session) {
            return Descent::OfPlugin;
        }
        match stat.parent {
            0 => return Descent::Elsewhere,
            parent => at = parent,
        }
    }
    Descent::Unknown
}

/// Whether a peer is to be treated as a plugin's (ruling Plugins 16). A process that cannot be looked at is:
/// what has ended may have passed its connection on.
#[must_use]
pub fn descends_from(pid: u32, guards: &[u32]) -> bool {
    descent(pid, guards) != Descent::Elsewhere
}

/// The children of this process.
#[cfg(target_os = "linux")]
pub(super) fn own_children() -> Vec<rustix::process::Pid> {
    children(std::process::id())
        .into_iter()
        .filter_map(|pid| rustix::process::Pid::from_raw(i32::try_from(pid).ok()?))
        .collect()
}

/// The children of a process: of all its threads, or by a look at all processes where the system does not
/// list them.
fn children(pid: u32) -> Vec<u32> {
    let Ok(threads) = fs::read_dir(format!("/proc/{pid}/task")) else { return Vec::new() };
    let mut found = Vec::new();
    for thread in threads.flatten().take(PROCESSES_MAX) {
        match read(&format!("{}/children", thread.path().display())) {
            Some(list) => found.extend(numbers(&list)),
            None if is_there(pid) => return scanned_children(pid),
            None => {}
        }
    }
    found
}

/// Whether the system lists the children of processes, and this one's directory is there: the list of one
/// thread that has ended is missed then, and not all lists.
fn is_there(pid: u32) -> bool {
    !fs::exists(format!("/proc/self/task/{}/children", std::process::id())).unwrap_or(false)
        && fs::exists(format!("/proc/{pid}/stat")).unwrap_or(false)
}

fn scanned_children(parent: u32) -> Vec<u32> {
    let Ok(entries) = fs::read_dir("/proc") else { return Vec::new() };
    let pids = entries.flatten().filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    pids.filter(|pid| stat(*pid).is_some_and(|stat| stat.parent == parent)).take(PROCESSES_MAX).collect()
}

/// The numbers of a list, each followed by a blank: one that was cut off is none.
fn numbers(list: &str) -> impl Iterator<Item = u32> {
    list.split_inclusive(' ').filter_map(|it| it.strip_suffix(' ')?.parse().ok())
}

fn stat(pid: u32) -> Option<Stat> {
    parse(&read(&format!("/proc/{pid}/stat"))?)
}

/// Reads the line of `stat`. The name in it has blanks and brackets as its process likes.
fn parse(line: &str) -> Option<Stat> {
    let (_, line) = line.rsplit_once(')')?;
    let fields: Vec<&str> = line.split_ascii_whitespace().collect();
    let number = |at: usize| fields.get(at)?.parse::<u64>().ok();
    // A field may be negative: of children of a multi-threaded process, say.
    let ticks = |at: usize| number(at).unwrap_or(0);
    Some(Stat {
        parent: u32::try_from(number(1)?).ok()?,
        session: u32::try_from(number(3)?).ok()?,
        own_ticks: ticks(11).saturating_add(ticks(12)),
        ended_ticks: ticks(13).saturating_add(ticks(14)),
        resident_pages: number(21)?,
    })
}

/// What a file of `/proc` says, up to a bound.
fn read(path: &str) -> Option<String> {
    let mut bytes = Vec::new();
    File::open(path).ok()?.take(BYTES_MAX).read_to_end(&mut bytes).ok()?;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use std::process::{Command, Stdio};

    use super::*;

    #[test]
    fn a_line_is_read_whatever_the_name_is() {
        let line = "7 (a) b (c)) S 5 7 3 0 -1 4194560 1 2 3 4 10 20 30 40 25 5 1 0 99 4096 12 1 1";
        let stat = Stat { parent: 5, session: 3, own_ticks: 30, ended_ticks: 70, resident_pages: 12 };
        assert_eq!(parse(line), Some(stat));
        for at in 0..line.len() {
            let _ = parse(&line[..at]);
        }
        assert_eq!(parse("7 (a) S 5"), None);
    }

    #[test]
    fn a_number_that_was_cut_off_is_none() {
        assert_eq!(numbers("12 345 67").collect::<Vec<_>>(), [12, 345]);
        assert_eq!(numbers("").count(), 0);
    }

    #[test]
    fn a_child_is_found_by_its_list_and_by_a_scan() {
        let own = std::process::id();
        let mut child = Command::new("sleep").arg("60").stdout(Stdio::null()).spawn().unwrap();
        assert!(children(own).contains(&child.id()));
        assert!(scanned_children(own).contains(&child.id()));
        assert!(descendants(own).contains(&child.id()));
        assert!(usage(own).processes >= 1);
        assert!(usage(own).memory_bytes > 0);
        assert_eq!(descent(child.id(), &[own]), Descent::OfPlugin);
        assert_eq!(descent(own, &[own]), Descent::OfPlugin);
        assert_eq!(descent(child.id(), &[u32::MAX]), Descent::Elsewhere);
        assert_eq!(descent(child.id(), &[]), Descent::Elsewhere, "no guard is left");
        child.kill().unwrap();
        child.wait().unwrap();
        assert_eq!(descent(child.id(), &[own]), Descent::Unknown);
        assert!(descends_from(child.id(), &[own]), "who is gone is not believed");
    }
}
