//! Where a client finds the runtime.
//!
//! ```text
//! --grpc, its variable or macp.grpc ─▶ what a station recorded in the data folder ─▶ 127.0.0.1:50051
//! ```
//!
//! The first that is said holds; the last is tried only where nobody names a data folder. Port 0 says nothing
//! to a client.

use std::{
    net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr},
    path::Path,
};

use crate::{
    cli::{config::Settings, error::Error, session_error::SessionError},
    private_files,
    station::ADDR_FILE,
};

/// The places to be tried, in their order; at least one.
///
/// # Errors
/// Nothing is said, and nothing is recorded in the data folder that is named.
pub(crate) fn endpoints(settings: &Settings) -> Result<Vec<SocketAddr>, Error> {
    let has_port = settings.grpc.port() != 0;
    if settings.discovery.names_grpc && has_port {
        return Ok(vec![connectable(settings.grpc)]);
    }
    let recorded = settings.data.as_deref().and_then(recorded);
    let default = (has_port && !settings.discovery.names_data).then_some(settings.grpc);
    let mut places: Vec<SocketAddr> = recorded.into_iter().chain(default).map(connectable).collect();
    places.dedup();
    if places.is_empty() {
        let data = settings
            .data
            .as_ref()
            .map_or_else(|| "the data folder".to_owned(), |data| data.display().to_string());
        return Err(SessionError::NothingRecorded { data }.into());
    }
    Ok(places)
}

/// Whether what is reached there is the runtime of the data folder's station, as far as that can be known.
pub(crate) fn is_ours(settings: &Settings) -> bool {
    let recorded = settings.data.as_deref().and_then(recorded).map(connectable);
    !settings.discovery.names_grpc
        || settings.grpc.port() == 0
        || recorded == Some(connectable(settings.grpc))
}

/// The address that a station recorded in a data folder.
fn recorded(folder: &Path) -> Option<SocketAddr> {
    let file = private_files::open(&folder.join(ADDR_FILE)).ok()?;
    let text = private_files::read_small_text(file).ok()?;
    text.trim_end().parse().ok()
}

/// An address to connect to: one that stands for every address of the machine is reached by its own.
pub(crate) fn connectable(addr: SocketAddr) -> SocketAddr {
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
}
