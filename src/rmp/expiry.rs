//! When a frame is worth nothing any more (rmp-v0 §4).

use super::error::Error;

/// The moment from which a frame is expired, in milliseconds since the Unix epoch. The sum is made in 128
/// bits, where that of two 64-bit numbers always fits: what is left to refuse is a sum that does not fit 64
/// (ruling RMP 3).
///
/// # Errors
/// [`Error::InvalidTtl`] for a TTL of 0, [`Error::InvalidExpiry`] for a sum that does not fit 64 bits.
pub fn expires_at_ms(created_at_ms: u64, ttl_ms: u64) -> Result<u64, Error> {
    if ttl_ms == 0 {
        return Err(Error::InvalidTtl);
    }
    let sum = u128::from(created_at_ms) + u128::from(ttl_ms);
    u64::try_from(sum).map_err(|_| Error::InvalidExpiry { created_at_ms, ttl_ms })
}

/// Whether a frame is expired: at its very moment it is.
#[must_use]
pub fn is_expired(now_ms: u64, expires_at_ms: u64) -> bool {
    now_ms >= expires_at_ms
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_sum_that_fits_is_taken_and_the_next_is_not() {
        assert_eq!(expires_at_ms(u64::MAX - 1, 1), Ok(u64::MAX));
        assert_eq!(
            expires_at_ms(u64::MAX, 1),
            Err(Error::InvalidExpiry { created_at_ms: u64::MAX, ttl_ms: 1 })
        );
        assert!(expires_at_ms(u64::MAX, u64::MAX).is_err());
        assert_eq!(expires_at_ms(5, 0), Err(Error::InvalidTtl));
        assert_eq!(expires_at_ms(u64::MAX, 0), Err(Error::InvalidTtl), "a TTL of 0 comes first");
    }

    #[test]
    fn a_frame_expires_at_its_moment_and_not_before() {
        assert!(!is_expired(9, 10));
        assert!(is_expired(10, 10) && is_expired(11, 10));
    }
}
