//! The messages of the protocol and of its service's clients, generated from `proto/macp`, which has their
//! docs. Field numbers are the protocol's own.

/// The envelope, the service, and what its calls carry.
pub mod v1 {
    #![expect(missing_docs, clippy::pedantic, reason = "generated")]

    include!(concat!(env!("OUT_DIR"), "/macp.v1.rs"));
}

/// What messages of the Decision Mode carry.
pub mod decision {
    #![expect(missing_docs, reason = "generated")]

    include!(concat!(env!("OUT_DIR"), "/macp.modes.decision.v1.rs"));
}

/// All of it as a file descriptor set, for reflection and for clients that are made from it.
pub const DESCRIPTOR: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/macp.fds"));
