//! A connection to any of the station's ports that never waits.

use std::{
    io::{self, Read, Write},
    net::{SocketAddr, TcpStream},
    os::unix::net::UnixStream,
    path::PathBuf,
    time::Duration,
};

const CONNECT_MAX: Duration = Duration::from_secs(1);

/// Where a port is.
#[derive(Clone, Debug)]
pub(crate) enum Place {
    Tcp(SocketAddr),
    Unix(PathBuf),
}

/// A connection; what cannot be read or written at once is [`io::ErrorKind::WouldBlock`].
#[derive(Debug)]
pub(crate) enum Socket {
    Tcp(TcpStream),
    Unix(UnixStream),
}

impl Socket {
    /// # Errors
    /// The port takes none, or not at once.
    pub(crate) fn connect(place: &Place) -> io::Result<Self> {
        match place {
            Place::Tcp(addr) => {
                let stream = TcpStream::connect_timeout(addr, CONNECT_MAX)?;
                stream.set_nodelay(true)?;
                stream.set_nonblocking(true)?;
                Ok(Self::Tcp(stream))
            }
            Place::Unix(path) => {
                let stream = UnixStream::connect(path)?;
                stream.set_nonblocking(true)?;
                Ok(Self::Unix(stream))
            }
        }
    }

    /// Reads and forgets what has come; whether the connection is still there.
    pub(crate) fn drain(&mut self) -> bool {
        let mut buffer = [0; 16_384];
        loop {
            match self.read(&mut buffer) {
                Ok(0) => return false,
                Ok(_) => {}
                Err(error) => return error.kind() == io::ErrorKind::WouldBlock,
            }
        }
    }

    /// Writes as much as is taken at once.
    ///
    /// # Errors
    /// The connection has ended.
    pub(crate) fn give(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self.write(bytes) {
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => Ok(0),
            written => written,
        }
    }
}

impl Read for Socket {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self {
            Self::Tcp(stream) => stream.read(buffer),
            Self::Unix(stream) => stream.read(buffer),
        }
    }
}

impl Write for Socket {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Self::Tcp(stream) => stream.write(bytes),
            Self::Unix(stream) => stream.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
