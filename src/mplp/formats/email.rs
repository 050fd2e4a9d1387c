//! RFC 5321: a mailbox.

use std::net::Ipv6Addr;

/// Bytes of a local part, at most (RFC 5321 §4.5.3.1.1).
const LOCAL_BYTES_MAX: usize = 64;

/// Bytes of a domain, at most (RFC 5321 §4.5.3.1.2).
const DOMAIN_BYTES_MAX: usize = 255;

/// Whether a text is a `Mailbox` of RFC 5321 (§4.1.2): a local part, plain or quoted, then a domain or an
/// address in brackets.
#[must_use]
pub fn is_email(text: &str) -> bool {
    // Neither a domain nor an address has an `@`, but a quoted local part and a general address may.
    let split = if text.starts_with('"') { quoted_end(text) } else { text.find('@') };
    let Some((local, rest)) = split.and_then(|at| text.split_at_checked(at)) else { return false };
    let Some(domain) = rest.strip_prefix('@') else { return false };
    let is_local = local.starts_with('"') || local.split('.').all(is_atom);
    let is_domain = match domain.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
        Some(literal) => is_address(literal),
        None => domain.split('.').all(is_label),
    };
    local.len() <= LOCAL_BYTES_MAX && domain.len() <= DOMAIN_BYTES_MAX && is_local && is_domain
}

/// The place behind the quote that closes a local part; nothing where it has what is not allowed.
fn quoted_end(text: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    let mut at = 1;
    loop {
        at += match bytes.get(at)? {
            b'"' => return Some(at + 1),
            b'\\' if matches!(bytes.get(at + 1)?, b' '..=b'~') => 2,
            b' '..=b'[' | b']'..=b'~' => 1,
            _ => return None,
        };
    }
}

fn is_atom(text: &str) -> bool {
    let is_allowed = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-/=?^_`{|}~".contains(&byte);
    !text.is_empty() && text.bytes().all(is_allowed)
}

fn is_label(text: &str) -> bool {
    let ends = [text.bytes().next(), text.bytes().next_back()];
    ends.iter().all(|byte| byte.is_some_and(|it| it.is_ascii_alphanumeric()))
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
}

/// Whether a text is what the brackets of an address literal may hold (RFC 5321 §4.1.3).
fn is_address(text: &str) -> bool {
    match text.split_once(':') {
        Some((tag, address)) if tag.eq_ignore_ascii_case("IPv6") => is_ipv6(address),
        Some((tag, address)) => {
            let is_tag = tag.ends_with(|c: char| c.is_ascii_alphanumeric())
                && tag.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
            is_tag && !address.is_empty() && address.bytes().all(|it| matches!(it, b'!'..=b'Z' | b'^'..=b'~'))
        }
        None => {
            let is_octet = |part: &str| {
                let is_short = (1..=3).contains(&part.len()) && part.bytes().all(|it| it.is_ascii_digit());
                is_short && part.parse::<u8>().is_ok()
            };
            text.split('.').count() == 4 && text.split('.').all(is_octet)
        }
    }
}

/// Whether a text is an IPv6 address whose `::`, if it has one, is two groups at least.
fn is_ipv6(text: &str) -> bool {
    let Some((head, tail)) = text.split_once("::") else { return text.parse::<Ipv6Addr>().is_ok() };
    let groups = [head, tail].into_iter().flat_map(|it| it.split(':')).filter(|it| !it.is_empty());
    let count: usize = groups.map(|it| if it.contains('.') { 2 } else { 1 }).sum();
    count <= 6 && text.parse::<Ipv6Addr>().is_ok()
}
