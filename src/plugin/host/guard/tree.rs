//! The processes that a guard has to end.

use rustix::{
    io::Errno,
    process::{Pid, Signal, WaitOptions, WaitStatus, kill_process_group, wait},
};

/// Children of this process that have ended are taken note of; `ended` is called for each. Whether any is
/// left, running or stopped.
pub(super) fn reap(mut ended: impl FnMut(Pid, WaitStatus)) -> bool {
    loop {
        match wait(WaitOptions::NOHANG) {
            Ok(Some((pid, status))) => ended(pid, status),
            Ok(None) => return true,
            Err(Errno::INTR) => {}
            Err(_) => return false,
        }
    }
}

/// Sends SIGKILL to every child of this process and to its group: a group takes it at once, so that nothing
/// within it forks meanwhile. What becomes a child only then, because its parent dies, is not among them.
#[cfg(target_os = "linux")]
pub(super) fn kill_children(plugin: Pid) {
    use rustix::process::{getpgid, getpgrp, kill_process};

    let _ = plugin;
    let own = getpgrp();
    for child in super::super::process_tree::own_children() {
        // It is no other process: a child that has ended keeps its id until it is reaped.
        let _ = kill_process(child, Signal::KILL);
        if let Ok(group) = getpgid(Some(child))
            && group != own
        {
            let _ = kill_process_group(group, Signal::KILL);
        }
    }
}

/// Sends SIGKILL to the plugin's group.
#[cfg(not(target_os = "linux"))]
pub(super) fn kill_children(plugin: Pid) {
    let _ = kill_process_group(plugin, Signal::KILL);
}
