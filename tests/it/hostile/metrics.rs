//! Attacks on the metrics' endpoint.

use std::{
    io::{Read as _, Write as _},
    net::{SocketAddr, TcpStream},
    sync::atomic::{AtomicBool, Ordering::Relaxed},
    time::Duration,
};

use rl_console::{
    limits::{self, Limits},
    station::{Config, Station},
    time::Clock,
};

use super::operator_bounds::stops_here;

/// Runs an attack on a station in this process, which its operator ends then.
fn with(metrics: limits::Metrics, attack: impl FnOnce(SocketAddr)) {
    let folder = tempfile::tempdir().unwrap();
    let limits = Limits { metrics, ..Limits::default() };
    let any = Some(SocketAddr::from(([127, 0, 0, 1], 0)));
    let config = Config { limits, metrics: any, ..Config::within(folder.path()) };
    let station = Station::start(config, Clock::start()).unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    attack(runtime.block_on(station.ready()).unwrap().metrics.unwrap());
    stops_here(folder.path(), station);
}

fn begun(addr: SocketAddr, bytes: &[u8]) -> TcpStream {
    let mut stream = TcpStream::connect(addr).unwrap();
    stream.write_all(bytes).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
    stream
}

/// All that is answered until the connection ends.
fn answer(mut stream: TcpStream) -> String {
    let mut text = String::new();
    stream.read_to_string(&mut text).unwrap();
    text
}

/// Whoever asks as it should is answered.
#[track_caller]
fn works(addr: SocketAddr) {
    let text = answer(begun(addr, b"GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n"));
    assert!(text.starts_with("HTTP/1.1 200 OK\r\n"), "{text}");
}

#[test]
fn a_request_that_does_not_become_whole_in_time_is_answered_408() {
    with(limits::Metrics { frame_ms_max: 200, ..limits::Metrics::default() }, |addr| {
        let slow: Vec<_> =
            [&b"G"[..], b"GET /metrics HTTP/1.1\r\nHost: local"].map(|bytes| begun(addr, bytes)).into();
        works(addr);
        for stream in slow {
            let text = answer(stream);
            assert!(text.starts_with("HTTP/1.1 408 Request Timeout\r\n"), "{text}");
            assert!(text.contains("\r\nconnection: close\r\n"), "{text}");
        }
        works(addr);
    });
}

#[test]
fn of_what_is_being_received_the_longest_request_ends_when_it_is_too_much() {
    let limits = limits::Metrics {
        receiving_bytes_max: 65_536,
        request_bytes_max: 65_536,
        ..limits::Metrics::default()
    };
    with(limits, |addr| {
        let request = format!("GET /metrics HTTP/1.1\r\nHost: localhost\r\nX: {}", "x".repeat(30_000));
        let mut senders: Vec<_> = (0..3).map(|_| begun(addr, request.as_bytes())).collect();
        for stream in &senders {
            stream.set_read_timeout(Some(Duration::from_millis(20))).unwrap();
        }
        let is_ended = |stream: &TcpStream| match (&*stream).read(&mut [0; 8]) {
            Ok(0) => true,
            Ok(_) => panic!("without a word"),
            Err(error) => error.kind() == std::io::ErrorKind::ConnectionReset,
        };
        let ended = (0..1_000).find_map(|_| senders.iter().position(is_ended)).expect("one is closed");
        senders.remove(ended);
        for mut stream in senders {
            stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
            stream.write_all(b"\r\n\r\n").unwrap();
            assert!(answer(stream).starts_with("HTTP/1.1 200 OK\r\n"), "two fit");
        }
        works(addr);
    });
}

#[test]
fn connections_that_say_nothing_make_room() {
    with(limits::Metrics { connections_max: 4, ..limits::Metrics::default() }, |addr| {
        let mut silent: Vec<_> = (0..40).map(|_| begun(addr, b"")).collect();
        works(addr);
        for stream in silent.drain(..36) {
            assert_eq!(answer(stream), "", "the oldest are closed");
        }
        works(addr);
    });
}

#[test]
fn where_all_places_are_taken_by_requests_that_are_answered_a_newcomer_is_told_503() {
    with(limits::Metrics { connections_max: 4, ..limits::Metrics::default() }, |addr| {
        let is_told = AtomicBool::new(false);
        std::thread::scope(|scope| {
            for _ in 0..32 {
                scope.spawn(|| {
                    for _ in 0..2_000 {
                        if is_told.load(Relaxed) {
                            break;
                        }
                        let mut stream = TcpStream::connect(addr).unwrap();
                        stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
                        let mut answer = String::new();
                        // One that makes room is closed, whatever it has sent.
                        let _ = stream.write_all(b"GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n");
                        let _ = stream.read_to_string(&mut answer);
                        if answer.starts_with("HTTP/1.1 503 Service Unavailable\r\n") {
                            is_told.store(true, Relaxed);
                        }
                    }
                });
            }
        });
        assert!(is_told.load(Relaxed));
        works(addr);
    });
}
