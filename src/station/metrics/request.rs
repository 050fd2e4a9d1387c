//! Which requests are answered.

use std::net::{IpAddr, SocketAddr};

use hyper::{
    Method, StatusCode, Uri,
    header::{self, HeaderMap},
    http::uri::Authority,
};

/// The only page there is.
pub(super) const PATH: &str = "/metrics";

/// Why a request is not answered with metrics.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum Refusal {
    /// There is no `Host`, more than one, or none that can be read.
    #[error("send exactly one Host header")]
    NoHost,
    /// It names a host that is not this one. A web page that has its own name lead here is kept from reading
    /// on.
    #[error("use the IP address or localhost as the host")]
    ForeignHost,
    /// It is for another page.
    #[error("only /metrics exists")]
    NotFound,
    /// It wants something done.
    #[error("use GET for /metrics")]
    Method,
}

impl Refusal {
    pub(super) const fn status(self) -> StatusCode {
        match self {
            Self::NoHost => StatusCode::BAD_REQUEST,
            Self::ForeignHost => StatusCode::MISDIRECTED_REQUEST,
            Self::NotFound => StatusCode::NOT_FOUND,
            Self::Method => StatusCode::METHOD_NOT_ALLOWED,
        }
    }
}

/// Judges a request that came to `bound`.
pub(super) fn judge(
    method: &Method,
    target: &Uri,
    headers: &HeaderMap,
    bound: SocketAddr,
) -> Result<(), Refusal> {
    let mut hosts = headers.get_all(header::HOST).iter();
    let host = match (hosts.next(), hosts.next()) {
        (Some(host), None) => host.to_str().ok().and_then(|host| host.parse().ok()).ok_or(Refusal::NoHost)?,
        _ => return Err(Refusal::NoHost),
    };
    if std::iter::once(&host).chain(target.authority()).any(|host| !is_ours(host, bound.ip())) {
        return Err(Refusal::ForeignHost);
    }
    if target.path() != PATH {
        return Err(Refusal::NotFound);
    }
    if method != Method::GET && method != Method::HEAD {
        return Err(Refusal::Method);
    }
    Ok(())
}

/// Whether a host's name cannot have been made to lead here by somebody else: it is an address, or
/// `localhost`. The port is left aside, as tunnels change it.
fn is_ours(authority: &Authority, bound: IpAddr) -> bool {
    let host = authority.host();
    if authority.as_str().contains('@') {
        return false;
    }
    if host.eq_ignore_ascii_case("localhost") {
        return true;
    }
    let addr: Option<IpAddr> = host.trim_start_matches('[').trim_end_matches(']').parse().ok();
    addr.is_some_and(|addr| !bound.is_loopback() || addr.is_loopback())
}
