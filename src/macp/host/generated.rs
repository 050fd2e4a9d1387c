//! The service as it is generated, with the codec of this house.

#![expect(unreachable_pub, clippy::pedantic, reason = "generated")]

include!(concat!(env!("OUT_DIR"), "/macp.v1.MACPRuntimeService.rs"));
