//! Who is at the other end of a connection, as far as the system tells.

use std::net::{IpAddr, Ipv6Addr, SocketAddr};

use crate::ids::Peer;

/// The network half of an IPv6 address: who has one address of it has them all.
const NETWORK: u128 = !(u64::MAX as u128);

/// Who is at the other end of a connection, as far as the system tells. Connections of one origin share its
/// part of a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Origin {
    /// Nobody that could be told from others.
    Unknown,
    /// A loopback address: that of any program of the machine.
    Loopback(IpAddr),
    /// A process, by what the system says of a Unix socket's other end.
    Process {
        /// Its user.
        uid: u32,
        /// Its number.
        pid: i32,
    },
    /// An address that is not loopback; of IPv6 the first 64 bits.
    Address(IpAddr),
}

impl Origin {
    /// The origin of a connection from an address.
    #[must_use]
    pub fn of_address(addr: IpAddr) -> Self {
        match addr.to_canonical() {
            addr @ (IpAddr::V4(_) | IpAddr::V6(_)) if addr.is_loopback() => Self::Loopback(addr),
            IpAddr::V6(addr) => Self::Address(Ipv6Addr::from_bits(addr.to_bits() & NETWORK).into()),
            addr @ IpAddr::V4(_) => Self::Address(addr),
        }
    }

    /// The origin of a connection from a process, as far as the system names it. It names none that lives in
    /// another namespace of process numbers: the number is 0 then, and that of all such processes.
    #[must_use]
    pub fn of_process(uid: Option<u32>, pid: Option<i32>) -> Self {
        match (uid, pid) {
            (Some(uid), Some(pid @ 1..)) => Self::Process { uid, pid },
            _ => Self::Unknown,
        }
    }

    /// The number of its process; nothing of what is none of this machine.
    #[must_use]
    pub fn pid(self) -> Option<u32> {
        match self {
            Self::Process { pid, .. } => u32::try_from(pid).ok(),
            Self::Unknown | Self::Loopback(_) | Self::Address(_) => None,
        }
    }

    /// Whether it can be told from others.
    pub(super) fn is_known(self) -> bool {
        matches!(self, Self::Process { .. } | Self::Address(_))
    }

    /// Its name: an address, or a process by user and number as the bus names its peers.
    #[must_use]
    pub fn peer(self) -> Option<Peer> {
        match self {
            Self::Unknown => None,
            Self::Loopback(addr) | Self::Address(addr) => Some(Peer::new(&addr.to_string())),
            Self::Process { uid, pid } => Some(Peer::new(&format!("uid {uid} pid {pid}"))),
        }
    }
}

/// A peer by what all of its connections have in common: of an address and a port the address.
#[must_use]
pub(crate) fn without_port(peer: &Peer) -> Peer {
    peer.as_str().parse().map_or_else(|_| peer.clone(), |addr: SocketAddr| Peer::new(&addr.ip().to_string()))
}
