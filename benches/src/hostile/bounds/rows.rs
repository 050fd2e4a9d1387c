//! Connections of MPP that say nothing, beside the adapter that works.

use std::{
    net::{SocketAddr, TcpStream},
    time::Duration,
};

use color_eyre::eyre::Result;

const CONNECTIONS_MAX: usize = 64;
const CONNECT_MAX: Duration = Duration::from_secs(5);

/// All but the adapter's.
///
/// # Errors
/// One is not taken.
pub(super) fn connect(mpp: SocketAddr) -> Result<Vec<TcpStream>> {
    (1..CONNECTIONS_MAX).map(|_| Ok(TcpStream::connect_timeout(&mpp, CONNECT_MAX)?)).collect()
}
