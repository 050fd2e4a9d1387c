//! RFC 3986: a URI with a scheme.

use std::net::Ipv6Addr;

/// Whether a text is a URI of RFC 3986 (§3): a scheme, then what the grammar allows behind it. A reference
/// without a scheme is none.
#[must_use]
pub fn is_uri(text: &str) -> bool {
    let Some((scheme, rest)) = text.split_once(':') else { return false };
    let (rest, fragment) = split_off(rest, '#');
    let (hierarchy, query) = split_off(rest, '?');
    let is_query = |part: &str| is_made_of(part, |byte| is_pchar(byte) || matches!(byte, b'/' | b'?'));
    is_scheme(scheme)
        && fragment.is_none_or(is_query)
        && query.is_none_or(is_query)
        && match hierarchy.strip_prefix("//") {
            Some(rest) => {
                let (authority, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
                is_authority(authority) && is_path(path)
            }
            None => is_path(hierarchy),
        }
}

/// A part, and what is behind the first mark, if there is one.
fn split_off(text: &str, mark: char) -> (&str, Option<&str>) {
    text.split_once(mark).map_or((text, None), |(head, tail)| (head, Some(tail)))
}

fn is_scheme(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_alphabetic())
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.'))
}

fn is_path(text: &str) -> bool {
    is_made_of(text, |byte| is_pchar(byte) || byte == b'/')
}

fn is_authority(text: &str) -> bool {
    let (user, host) = text.rsplit_once('@').map_or((None, text), |(user, host)| (Some(user), host));
    let (host, port) = match host.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
        Some((literal, rest)) if is_ip_literal(literal) => {
            ("", rest.strip_prefix(':').or_else(|| none(rest)))
        }
        Some(_) => return false,
        None => {
            let (host, port) = split_off(host, ':');
            (host, Some(port.unwrap_or_default()))
        }
    };
    user.is_none_or(|user| is_made_of(user, |byte| is_unreserved(byte) || is_sub_delim(byte) || byte == b':'))
        && is_made_of(host, |byte| is_unreserved(byte) || is_sub_delim(byte))
        && port.is_some_and(|port| port.bytes().all(|byte| byte.is_ascii_digit()))
}

/// An empty text, and nothing for any other.
fn none(text: &str) -> Option<&str> {
    text.is_empty().then_some(text)
}

/// What is in the brackets of a host: an IPv6 address, or an address of the future.
fn is_ip_literal(text: &str) -> bool {
    let future = text.strip_prefix(['v', 'V']).and_then(|rest| rest.split_once('.'));
    match future {
        Some((version, address)) => {
            let is_allowed = |byte: u8| is_unreserved(byte) || is_sub_delim(byte) || byte == b':';
            !version.is_empty()
                && version.bytes().all(|byte| byte.is_ascii_hexdigit())
                && !address.is_empty()
                && address.bytes().all(is_allowed)
        }
        None => text.parse::<Ipv6Addr>().is_ok(),
    }
}

/// Whether a text has allowed bytes and escapes (`%` and two hexadecimal digits) alone.
fn is_made_of(text: &str, is_allowed: impl Fn(u8) -> bool) -> bool {
    let mut rest = text.as_bytes();
    loop {
        rest = match rest {
            [] => return true,
            [b'%', a, b, rest @ ..] if a.is_ascii_hexdigit() && b.is_ascii_hexdigit() => rest,
            [byte, rest @ ..] if is_allowed(*byte) => rest,
            _ => return false,
        };
    }
}

fn is_pchar(byte: u8) -> bool {
    is_unreserved(byte) || is_sub_delim(byte) || matches!(byte, b':' | b'@')
}

fn is_unreserved(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_' | b'~')
}

fn is_sub_delim(byte: u8) -> bool {
    matches!(byte, b'!' | b'$' | b'&' | b'\'' | b'(' | b')' | b'*' | b'+' | b',' | b';' | b'=')
}
