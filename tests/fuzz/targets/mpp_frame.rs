//! Any line, read as a first frame, a later one, one from a bridge, and searched for its token.

#![no_main]

use libfuzzer_sys::fuzz_target;
use rl_console::mpp::frame::{Inbound, Phase, decode, decode_outbound, encode, token_ranges};

fuzz_target!(|wire: &[u8]| {
    for phase in [Phase::First, Phase::Later] {
        if let Ok(frame) = decode(wire, phase) {
            let again = write(&frame);
            let reread = decode(&again, phase).expect("what was written can be read");
            assert_eq!(write(&reread), again);
            assert_eq!(reread.head(), frame.head());
            assert_eq!(again.iter().position(|byte| *byte == b'\n'), Some(again.len() - 1));
        }
    }
    let _ = decode_outbound(wire);
    for range in token_ranges(wire).unwrap_or_default() {
        assert!(range.start < range.end && range.end as usize <= wire.len());
    }
});

fn write(frame: &Inbound<'_>) -> Vec<u8> {
    match frame {
        Inbound::Hello { pack_id, manifest_hash, bridge_token } => {
            encode::hello(pack_id, manifest_hash, bridge_token)
        }
        Inbound::Pull { queue } => encode::pull(queue),
        Inbound::Ack { id } => encode::ack(*id),
        Inbound::Applied { id, result } => encode::applied(*id, result.map(|result| result.get())),
        Inbound::Done { id } => encode::done(*id),
        Inbound::Failed { id, reason, refund } => encode::failed(*id, reason, *refund),
        Inbound::Heartbeat => encode::heartbeat(),
        Inbound::Log { level, message } => encode::log(*level, message),
        Inbound::StateWrite { key, value, scope } => encode::state_write(key, value.get(), scope.as_deref()),
        Inbound::ProtocolError { code, message } => encode::protocol_error(code, message),
    }
}
