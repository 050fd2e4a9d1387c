//! Any bytes as what runs read from the bus, and as an operator's question: a fault or a value, and what was
//! read is written and read again.

#![no_main]

use libfuzzer_sys::fuzz_target;
use rl_console::{
    port::wire::read_question,
    runs::payload::{AgentAnswer, AgentRequest, ControlRequest, ControlResponse, Decision, ProgressReport},
};

fuzz_target!(|body: &[u8]| {
    if let Ok(request) = ControlRequest::decode(body) {
        assert_eq!(ControlRequest::decode(&request.encode()).expect("what was written can be read"), request);
    }
    if let Ok(decision) = Decision::decode(body) {
        assert_eq!(Decision::decode(&decision.encode()).expect("what was written can be read"), decision);
    }
    let _ = ControlResponse::decode(body);
    let _ = AgentAnswer::decode(body);
    let _ = AgentRequest::decode(body);
    let _ = ProgressReport::decode(body);
    let _ = read_question(body);
});
