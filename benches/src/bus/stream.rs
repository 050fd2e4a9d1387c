//! A connection over TCP or over a Unix socket.

use std::{
    io::{self, Read, Write},
    net::{SocketAddr, TcpStream},
    os::{
        fd::{AsFd, BorrowedFd},
        unix::net::UnixStream,
    },
    path::PathBuf,
    time::Duration,
};

use color_eyre::eyre::{Result, WrapErr};

/// How long one read or write of a blocking connection may take before the round is given up.
const WAIT_MAX: Duration = Duration::from_secs(10);

/// Where a broker listens.
#[derive(Clone, Debug)]
pub(crate) enum Place {
    /// A loopback port.
    Tcp(SocketAddr),
    /// A socket's path.
    Unix(PathBuf),
}

/// A connection.
#[derive(Debug)]
pub(crate) enum Stream {
    /// Over TCP, nothing held back.
    Tcp(TcpStream),
    /// Over a Unix socket.
    Unix(UnixStream),
}

impl Stream {
    /// Connects; reads and writes block, at most [`WAIT_MAX`].
    ///
    /// # Errors
    /// Nobody listens there.
    pub(crate) fn connect(place: &Place) -> Result<Self> {
        let stream = match place {
            Place::Tcp(addr) => {
                let stream = TcpStream::connect(addr).wrap_err_with(|| format!("connecting to {addr}"))?;
                stream.set_nodelay(true)?;
                Self::Tcp(stream)
            }
            Place::Unix(path) => Self::Unix(
                UnixStream::connect(path).wrap_err_with(|| format!("connecting to {}", path.display()))?,
            ),
        };
        match &stream {
            Self::Tcp(it) => {
                it.set_read_timeout(Some(WAIT_MAX)).and_then(|()| it.set_write_timeout(Some(WAIT_MAX)))?;
            }
            Self::Unix(it) => {
                it.set_read_timeout(Some(WAIT_MAX)).and_then(|()| it.set_write_timeout(Some(WAIT_MAX)))?;
            }
        }
        Ok(stream)
    }

    /// From here on nothing blocks.
    ///
    /// # Errors
    /// The system refuses.
    pub(crate) fn never_block(&self) -> io::Result<()> {
        match self {
            Self::Tcp(it) => it.set_nonblocking(true),
            Self::Unix(it) => it.set_nonblocking(true),
        }
    }

    /// Reads until what was read satisfies `enough`, and returns all of it.
    ///
    /// # Errors
    /// The connection ends, or nothing comes for [`WAIT_MAX`].
    pub(crate) fn read_until(&mut self, enough: impl Fn(&[u8]) -> bool) -> Result<Vec<u8>> {
        let (mut read, mut chunk) = (Vec::new(), [0; 4_096]);
        while !enough(&read) {
            let count = self.read(&mut chunk).wrap_err_with(|| {
                format!("waiting for an answer after {:?}", String::from_utf8_lossy(&read))
            })?;
            color_eyre::eyre::ensure!(
                count > 0,
                "the connection was closed after {:?}",
                String::from_utf8_lossy(&read)
            );
            read.extend_from_slice(&chunk[..count]);
        }
        Ok(read)
    }
}

impl Read for Stream {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self {
            Self::Tcp(it) => it.read(buffer),
            Self::Unix(it) => it.read(buffer),
        }
    }
}

impl Write for Stream {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Self::Tcp(it) => it.write(bytes),
            Self::Unix(it) => it.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl AsFd for Stream {
    fn as_fd(&self) -> BorrowedFd<'_> {
        match self {
            Self::Tcp(it) => it.as_fd(),
            Self::Unix(it) => it.as_fd(),
        }
    }
}
