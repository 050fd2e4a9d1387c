//! What happened before somebody came: of a real station, over its bus and on the screen.

use std::{io::Write as _, net::TcpStream, path::Path, time::Duration};

use rl_console::{
    ids::Seq,
    limits::Limits,
    port::{Operator, Page, PortError, Query, Snapshot, StationPort, wire},
    station::{Address, OperatorClient, RemotePort},
    tap::{Batch, entry::Link},
    time::{Clock, ClockShift},
};
use tempfile::TempDir;

use crate::{
    real::{Adapter, pair, screen::Terminal, test_station::TestStation},
    terminal::mpp_addr,
};

/// Has an adapter say so many lines.
fn say(adapter: &mut Adapter, lines: std::ops::Range<usize>) {
    for line in lines {
        let frame = format!(r#"{{"mpp":2,"type":"log","level":"warn","message":"line {line} end"}}"#);
        adapter.send(&frame).unwrap();
    }
}

fn block_on<T>(future: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(future)
}

async fn client(data: &Path, token: Option<&str>) -> OperatorClient {
    let address = Address::of_data(data).unwrap();
    let address = match token {
        Some(file) => address.with_token_of(&data.join(file)).unwrap(),
        None => address,
    };
    OperatorClient::connect_to(&address, &Limits::default()).await.unwrap()
}

/// Every entry that the station keeps, page by page.
async fn entries(client: &OperatorClient) -> Vec<Seq> {
    let (mut before, mut all) = (None, Vec::new());
    loop {
        let query = Query::Entries { before, after: Seq(0), limit: u64::MAX };
        let Page::Entries(page) = client.query(query).await.unwrap() else { panic!("another page") };
        if page.count == 0 {
            return all;
        }
        let found = wire::entries(&page.entries.0).map(|entry| entry.unwrap().entry.seq);
        all.splice(0..0, found.collect::<Vec<_>>());
        before = Some(page.first);
    }
}

#[test]
fn who_may_look_at_a_station_may_page_through_its_past() {
    let fixture = TestStation::open();
    let data = fixture.folder.path();
    let mut adapter = fixture.adapter();
    say(&mut adapter, 0..3_000);
    drop(adapter);
    block_on(async {
        let operator = client(data, None).await;
        let mut all = entries(&operator).await;
        while all.len() < 3_000 {
            // Not all lines have come yet.
            tokio::time::sleep(Duration::from_millis(50)).await;
            all = entries(&operator).await;
        }
        assert!(all.len() > 3_000 && all[0] == Seq(1), "{} from {:?}", all.len(), all.first());
        assert!(all.windows(2).all(|pair| pair[0].next() == pair[1]), "nothing is left out");
        let viewer = client(data, Some("viewer.token")).await;
        assert!(entries(&viewer).await.len() >= all.len());
        let query = Query::Keyframe { from: Seq(0), offset: 0 };
        let Page::Keyframe(Some(page)) = viewer.query(query).await.unwrap() else { panic!("no keyframe") };
        assert_eq!((page.offset, page.part.0.len() as u64), (0, page.bytes));
        let snapshot = Snapshot::decode_shifted(&page.part.0, ClockShift::default()).unwrap();
        assert!(snapshot.mpp.paired && page.seq >= snapshot.as_of.0[Link::Station.index()].min(page.seq));
        let cue = client(data, Some("cue.token")).await;
        let query = Query::Entries { before: None, after: Seq(0), limit: 1 };
        let refused = cue.query(query).await;
        assert!(matches!(refused, Err(PortError::Forbidden { .. })), "{refused:?}");
    });
}

#[test]
fn a_port_that_attaches_has_the_past_on_its_own_clock() {
    let fixture = TestStation::open();
    let data = fixture.folder.path().to_path_buf();
    say(&mut fixture.adapter(), 0..1_000);
    block_on(async {
        let find = Box::new(move || Address::of_data(&data));
        let clock = Clock::ahead();
        let port = RemotePort::attach(find, clock, Limits::default()).await.unwrap();
        let first = port.entries().unwrap().next();
        let (mut before, mut count) = (first, 0);
        loop {
            let page = port.past(before).await.unwrap();
            let Some(oldest) = page.batches.first().and_then(|batch| batch.get(0)) else { break };
            assert!(page.oldest.is_some() && oldest.entry.at.mono <= clock.now().mono);
            before = oldest.entry.seq;
            count += page.batches.iter().map(Batch::len).sum::<usize>();
        }
        assert_eq!((before, count as u64), (Seq(1), first.0 - 1));
        let keyframe = port.keyframe(Seq(0)).await.unwrap().unwrap();
        assert!(keyframe.seq < first && keyframe.snapshot.mpp.paired);
        assert!(port.keyframe(Seq(u64::MAX)).await.unwrap().is_none());
    });
}

#[test]
fn my_ssh_drops_for_a_second() {
    let folder = TempDir::new().unwrap();
    let token = pair(folder.path());
    let mut lost = Terminal::start(folder.path(), 160, 50, &["--port", "0"]);
    lost.stable_text();
    let mut adapter = Adapter::ready(mpp_addr(folder.path()), &token);
    say(&mut adapter, 0..3);
    lost.shows("line 2 end");
    let mut stranger = TcpStream::connect(mpp_addr(folder.path())).unwrap();
    stranger.write_all(b"no frame at all\n").unwrap();
    lost.keys("9");
    lost.shows("INVALID_FRAME");
    lost.hang_up();
    say(&mut adapter, 3..6);
    let mut back = Terminal::start(folder.path(), 160, 50, &[]);
    back.shows("attached to");
    // The log of the time before, and of the time without a terminal.
    back.keys("9");
    back.wait("all lines, and the violation", |screen| {
        (0..6).all(|line| screen.contains(&format!("line {line} end"))) && screen.contains("INVALID_FRAME")
    });
    // The entries themselves.
    back.keys("8");
    back.wait("the entries from before", |screen| {
        screen.contains("line 0 end") && !screen.contains("loading the past")
    });
    // And its moments.
    back.keys(",,,,");
    back.wait("a moment before the terminal was back", |screen| {
        screen.contains("PAUSED") && !screen.contains("oldest moment")
    });
}
