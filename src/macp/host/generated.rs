//! The service as it is generated, with the codec that keeps the exact bytes.

#![expect(unreachable_pub, clippy::pedantic, reason = "generated")]

include!(concat!(env!("OUT_DIR"), "/macp.v1.MACPRuntimeService.rs"));
