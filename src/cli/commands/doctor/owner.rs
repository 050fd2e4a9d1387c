//! Whose a listening port is: the station's own by what it recorded, another program's as far as `/proc`
//! tells. A station's descriptors are not to be read there.

use std::{fs, net::SocketAddr, path::Path};

use crate::{
    private_files,
    station::{ADDR_FILE, METRICS_FILE, MPP_FILE},
    store::holder,
};

/// `LISTEN` in `/proc/net/tcp`.
const LISTENING: &str = "0A";

/// What a station listens for, and the file that records where.
const RECORDED: [(&str, &str); 3] =
    [("adapters", MPP_FILE), ("MACP clients", ADDR_FILE), ("metrics", METRICS_FILE)];

/// The station of a data folder, where it recorded that it listens on this port and its process holds the
/// folder.
pub(super) fn station_of(data: &Path, port: u16) -> Option<String> {
    let recorded = |file: &str| {
        let file = private_files::open(&data.join(file)).ok()?;
        let text = private_files::read_small_text(file).ok()?;
        text.trim_end().parse::<SocketAddr>().ok()
    };
    let (whom, _) =
        RECORDED.iter().find(|(_, file)| recorded(file).is_some_and(|addr| addr.port() == port))?;
    let pid = holder(data)?;
    Some(format!("the station of this data folder (process {pid}, port for {whom}), which does not answer"))
}

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
    fn a_stations_own_port_is_known_by_what_it_recorded() {
        let data = tempfile::tempdir().unwrap();
        private_files::replace(&data.path().join(MPP_FILE), b"127.0.0.1:7777\n").unwrap();
        assert_eq!(station_of(data.path(), 7777), None, "no station runs");
        let _lock = crate::store::Lock::take(data.path()).unwrap();
        let owner = station_of(data.path(), 7777).unwrap();
        assert!(owner.contains(&format!("process {}", std::process::id())), "{owner}");
        for (port, file) in [(50_051, ADDR_FILE), (9_100, METRICS_FILE)] {
            assert_eq!(station_of(data.path(), port), None);
            private_files::replace(&data.path().join(file), format!("127.0.0.1:{port}\n").as_bytes())
                .unwrap();
            assert!(station_of(data.path(), port).is_some(), "{file}");
        }
        assert_eq!(station_of(data.path(), 7778), None);
    }

    #[test]
    fn reads_the_listening_sockets_inode() {
        assert_eq!(listener_inode(TABLE, 7777), Some("22222"));
        assert_eq!(listener_inode(TABLE, 7778), None);
    }
}
