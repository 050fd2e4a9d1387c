//! Where a client finds the runtime, and an adapter the bridge.
//!
//! ```text
//! --grpc ─▶ what the station of a named data folder has recorded ─▶ its variable, macp.grpc
//!   ─▶ what the station of the unnamed one has recorded ─▶ 127.0.0.1:50051
//! --port ─▶ what the station of the data folder has recorded ─▶ its variable, mpp.port ─▶ 127.0.0.1:7777
//! ```
//!
//! The first that is said holds; the last is tried only where nobody names a data folder. Port 0 says nothing
//! to a client, and neither does what a station has left that holds the data folder no more: another one may
//! listen there.

use std::{
    net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr},
    path::Path,
};

use crate::{
    cli::{config::Settings, error::Error},
    private_files,
    station::{ADDR_FILE, MPP_FILE},
    store::holder,
};

/// The places to be tried, in their order; at least one.
///
/// # Errors
/// Nothing is said, and nothing is recorded in the data folder that is named.
pub(crate) fn endpoints(settings: &Settings) -> Result<Vec<SocketAddr>, Error> {
    let discovery = &settings.discovery;
    let has_port = settings.grpc.port() != 0;
    let recorded = recorded(settings, ADDR_FILE);
    let is_recorded_first = discovery.names_data && recorded.is_some() && !discovery.by_flag.grpc;
    if discovery.names_grpc && has_port && !is_recorded_first {
        return Ok(vec![connectable(settings.grpc)]);
    }
    let default = (has_port && !discovery.names_data).then_some(settings.grpc);
    let mut places: Vec<SocketAddr> = recorded.into_iter().chain(default).map(connectable).collect();
    places.dedup();
    if places.is_empty() {
        return Err(not_listening(settings, "MACP port", "--grpc ADDR"));
    }
    Ok(places)
}

/// Where adapters find the bridge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct BridgeEndpoint {
    /// The address.
    pub(crate) addr: SocketAddr,
    /// Whether the station of the data folder has recorded it.
    pub(crate) is_ours: bool,
}

impl BridgeEndpoint {
    /// An address that is named.
    pub(crate) fn named(addr: SocketAddr, settings: &Settings) -> Self {
        let is_ours = recorded(settings, MPP_FILE).is_some_and(|recorded| connectable(recorded) == addr);
        Self { addr, is_ours }
    }
}

/// Where the bridge is that an adapter is to connect to.
///
/// # Errors
/// The station of the data folder that is named does not listen, or port 0 is all that is said.
pub(crate) fn bridge(settings: &Settings) -> Result<BridgeEndpoint, Error> {
    let Settings { bind, port, discovery, .. } = settings;
    let configured = (*port != 0).then(|| connectable(SocketAddr::new(*bind, *port)));
    let recorded = recorded(settings, MPP_FILE).map(connectable);
    if let Some(addr) = configured.filter(|_| discovery.by_flag.port) {
        return Ok(BridgeEndpoint { addr, is_ours: recorded == Some(addr) });
    }
    if let Some(addr) = recorded {
        return Ok(BridgeEndpoint { addr, is_ours: true });
    }
    match configured {
        Some(addr) if !discovery.names_data => Ok(BridgeEndpoint { addr, is_ours: false }),
        None if !discovery.names_data => {
            Err(Error::usage("cannot connect to port 0", "give the station's address with --addr HOST:PORT"))
        }
        _ => Err(not_listening(settings, "MPP port", "--addr HOST:PORT")),
    }
}

/// The station of the data folder that is named does not listen on one of its ports.
fn not_listening(settings: &Settings, port: &str, flag: &str) -> Error {
    let data = settings.data.as_deref();
    let shown = data.map_or_else(|| "the data folder".to_owned(), |data| data.display().to_string());
    match data.and_then(holder) {
        Some(process) => Error::Unreachable {
            message: format!("the station of {shown} (process {process}) has no {port}"),
            hint: "`rl-console ls health` shows the reason".to_owned(),
        },
        None => Error::Unreachable {
            message: format!("no station is running for {shown}"),
            hint: format!("start one with `rl-console serve`, or give another station's address with {flag}"),
        },
    }
}

/// Whether what is reached there is the runtime of the data folder's station, as far as that can be known.
pub(crate) fn is_ours(settings: &Settings) -> bool {
    let recorded = recorded(settings, ADDR_FILE).map(connectable);
    !settings.discovery.names_grpc
        || settings.grpc.port() == 0
        || recorded == Some(connectable(settings.grpc))
}

/// The address that the station of the data folder has recorded, as long as one holds the folder.
fn recorded(settings: &Settings, file: &str) -> Option<SocketAddr> {
    let folder: &Path = settings.data.as_deref()?;
    holder(folder)?;
    let file = private_files::open(&folder.join(file)).ok()?;
    let text = private_files::read_small_text(file).ok()?;
    text.trim_end().parse().ok()
}

/// An address to connect to: one that stands for every address of the machine is reached by its own.
fn connectable(addr: SocketAddr) -> SocketAddr {
    let ip = match addr.ip() {
        IpAddr::V4(ip) if ip.is_unspecified() => Ipv4Addr::LOCALHOST.into(),
        IpAddr::V6(ip) if ip.is_unspecified() => Ipv6Addr::LOCALHOST.into(),
        ip => ip,
    };
    SocketAddr::new(ip, addr.port())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::{
        args::Global,
        config::{Discovery, Resolved},
        env::Env,
    };

    fn settings(folder: &Path, names_data: bool, grpc: Option<&str>) -> Settings {
        let data = Some(folder.to_path_buf());
        let env = Env { data_dir: (!names_data).then(|| folder.to_path_buf()), ..Env::default() };
        let grpc = grpc.map(|addr| addr.parse().unwrap());
        let flags = Global { data: data.clone().filter(|_| names_data), grpc, ..Global::default() };
        let resolved = Resolved::resolve(&flags, &env).unwrap();
        Settings { data, discovery: Discovery::of(&flags, &env, &resolved), ..Settings::of(&resolved) }
    }

    fn found(settings: &Settings) -> Vec<String> {
        endpoints(settings).unwrap_or_default().iter().map(ToString::to_string).collect()
    }

    #[test]
    fn what_listens_everywhere_is_reached_by_loopback() {
        let at = |addr: &str| connectable(addr.parse().unwrap()).to_string();
        assert_eq!(
            [at("0.0.0.0:7"), at("[::]:7"), at("10.0.0.2:7")],
            ["127.0.0.1:7", "[::1]:7", "10.0.0.2:7"]
        );
    }

    #[test]
    fn what_is_said_holds_then_what_is_recorded_then_the_usual_port() {
        let folder = tempfile::tempdir().unwrap();
        let of = |names_data, grpc| settings(folder.path(), names_data, grpc);
        assert_eq!(found(&of(false, None)), ["127.0.0.1:50051"]);
        assert_eq!(
            endpoints(&of(true, None)).unwrap_err().code(),
            "unreachable",
            "nothing is recorded in a folder that is named"
        );
        assert_eq!(found(&of(true, Some("10.0.0.1:7"))), ["10.0.0.1:7"]);
        std::fs::write(folder.path().join(ADDR_FILE), "0.0.0.0:40001\n").unwrap();
        assert!(endpoints(&of(true, None)).is_err(), "nobody holds the folder any more");
        let _lock = crate::store::Lock::take(folder.path()).unwrap();
        assert_eq!(found(&of(true, None)), ["127.0.0.1:40001"]);
        assert_eq!(found(&of(false, None)), ["127.0.0.1:40001", "127.0.0.1:50051"]);
        assert_eq!(found(&of(false, Some("127.0.0.1:0"))), ["127.0.0.1:40001"], "port 0 is any");
        assert!(
            is_ours(&of(true, None))
                && is_ours(&of(true, Some("127.0.0.1:40001")))
                && !is_ours(&of(true, Some("127.0.0.1:9")))
        );
        std::fs::write(folder.path().join(ADDR_FILE), "nonsense").unwrap();
        assert!(endpoints(&of(true, None)).is_err());
    }

    #[test]
    fn a_named_folders_record_goes_before_what_a_file_says() {
        let folder = tempfile::tempdir().unwrap();
        let said = |has_flag| {
            let settings = settings(folder.path(), true, Some("127.0.0.1:9"));
            let mut discovery = settings.discovery.clone();
            discovery.by_flag.grpc = has_flag;
            found(&Settings { discovery, ..settings })
        };
        assert_eq!(said(false), ["127.0.0.1:9"]);
        let _lock = crate::store::Lock::take(folder.path()).unwrap();
        std::fs::write(folder.path().join(ADDR_FILE), "127.0.0.1:40001").unwrap();
        assert_eq!((said(false), said(true)), (vec!["127.0.0.1:40001".into()], vec!["127.0.0.1:9".into()]));
    }

    #[test]
    fn an_adapter_goes_where_the_folders_station_listens_and_to_no_other() {
        let folder = tempfile::tempdir().unwrap();
        let of = |names_data| settings(folder.path(), names_data, None);
        let usual = BridgeEndpoint { addr: "127.0.0.1:7777".parse().unwrap(), is_ours: false };
        assert_eq!(bridge(&of(false)).unwrap(), usual);
        let error = bridge(&of(true)).unwrap_err();
        assert_eq!((error.exit() as u8, error.code()), (3, "unreachable"));
        std::fs::write(folder.path().join(MPP_FILE), "0.0.0.0:40002\n").unwrap();
        assert!(bridge(&of(true)).is_err(), "what a station has left may be another's since");
        let _lock = crate::store::Lock::take(folder.path()).unwrap();
        let ours = BridgeEndpoint { addr: "127.0.0.1:40002".parse().unwrap(), is_ours: true };
        assert_eq!((bridge(&of(true)).unwrap(), bridge(&of(false)).unwrap()), (ours, ours));
        let mut named = of(true);
        named.discovery.by_flag.port = true;
        assert_eq!(bridge(&named).unwrap(), usual, "a flag says it");
        std::fs::remove_file(folder.path().join(MPP_FILE)).unwrap();
        assert!(bridge(&of(true)).unwrap_err().to_string().contains("has no MPP port"));
    }
}
