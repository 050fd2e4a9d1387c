//! The messages as they are generated from `tap.proto`, which has their docs.

#![expect(unreachable_pub, clippy::enum_variant_names, clippy::pedantic, reason = "generated")]

include!(concat!(env!("OUT_DIR"), "/rl_console.tap.v1.rs"));
