//! Whose a listening port is, as far as `/proc` tells; nothing where there is none.

use std::{fs, path::Path};

/// `LISTEN` in `/proc/net/tcp`.
const LISTENING: &str = "0A";

/// The process that listens on a TCP port, as `name (process 123)`.
pub(super) fn of_port(port: u16) -> Option<String> {
    let tables = ["/proc/net/tcp", "/proc/net/tcp6"].map(|path| fs::read_to_string(path).unwrap_or_default());
    let inode = tables.iter().find_map(|table| listener_inode(table, port))?;
    let wanted = format!("socket:[{inode}]");
    let processes = fs::read_dir("/proc").ok()?;
    let pid = processes.flatten().find_map(|process| {
        let pid: u32 = process.file_name().to_str()?.parse().ok()?;
        let mut files = fs::read_dir(process.path().join("fd")).ok()?.flatten();
        files
            .any(|file| fs::read_link(file.path()).is_ok_and(|target| target == Path::new(&wanted)))
            .then_some(pid)
    })?;
    let name = fs::read_to_string(format!("/proc/{pid}/comm")).unwrap_or_default();
    Some(format!("{} (process {pid})", name.trim()))
}

/// The inode of the socket that listens on a port, in the text of `/proc/net/tcp`.
fn listener_inode(table: &str, port: u16) -> Option<&str> {
    table.lines().skip(1).find_map(|line| {
        let mut fields = line.split_whitespace();
        let (_, local_port) = fields.nth(1)?.rsplit_once(':')?;
        let state = fields.nth(1)?;
        let inode = fields.nth(5)?;
        (u16::from_str_radix(local_port, 16).ok()? == port && state == LISTENING).then_some(inode)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const TABLE: &str = "\
  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
   0: 0100007F:1E61 00000000:0000 01 00000000:00000000 00:00000000 00000000     0        0 11111 1 0 100 0 0 10 0
   1: 0100007F:1E61 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 22222 1 0 100 0 0 10 0
";

    #[test]
    fn reads_the_listening_sockets_inode() {
        assert_eq!(listener_inode(TABLE, 7777), Some("22222"));
        assert_eq!(listener_inode(TABLE, 7778), None);
    }
}
