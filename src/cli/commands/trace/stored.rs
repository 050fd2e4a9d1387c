//! What a run's history tells of its hops: each event of kind `trace` is a way to an agent and back.

use crate::{
    cli::{error::Error, operator},
    ids::TraceId,
    port::{HopRow, Operator, Page, Query, RunEventRow},
    runs::EventKind,
    time::Wall,
};

/// Events asked for at once; the station may give fewer.
const PAGE_ROWS: u64 = 1_000;

/// The hops of a run before a moment, in their order.
pub(super) async fn hops(station: &dyn Operator, run: TraceId, before: Wall) -> Result<Vec<HopRow>, Error> {
    let (mut hops, mut after) = (Vec::new(), 0);
    loop {
        let query = Query::RunEvents { run, after, limit: PAGE_ROWS };
        let Page::RunEvents { rows, more } = operator::query(station, query).await? else {
            return Err(Error::UnexpectedAnswer);
        };
        hops.extend(
            rows.iter()
                .filter(|row| row.kind == EventKind::Trace && row.at_ms < before)
                .filter_map(hop)
                .flatten(),
        );
        match rows.last().filter(|last| more && last.at_ms < before) {
            Some(last) => after = last.number,
            None => break,
        }
    }
    hops.sort_by_key(|hop| hop.at_ms);
    Ok(hops)
}

/// The request and the answer that an event tells of.
fn hop(row: &RunEventRow) -> Option<[HopRow; 2]> {
    let meta: serde_json::Value = serde_json::from_str(row.meta.as_str()).ok()?;
    let number = |key: &str| meta.get(key).and_then(serde_json::Value::as_u64);
    let agent = meta.get("agent")?.as_str()?;
    let latency_ms = number("latency_ms")?;
    let of = |from: &str, to: &str, schema: &str, schema_id| HopRow {
        seq: None,
        at_ms: row.at_ms,
        link: "rmp".to_owned(),
        from: from.to_owned(),
        to: to.to_owned(),
        topic: None,
        schema: schema.to_owned(),
        schema_id: Some(schema_id),
        frame_len: None,
        latency_us: None,
        cause: None,
        reached: None,
        dropped: None,
        refused: None,
        origin: None,
    };
    let request = HopRow {
        at_ms: Wall(row.at_ms.0.saturating_sub(latency_ms)),
        frame_len: number("request_frame_len"),
        ..of("station", agent, "CT_EXECUTOR_AGENT_REQUEST", 4000)
    };
    let answer = HopRow {
        frame_len: number("answer_frame_len"),
        latency_us: Some(latency_ms.saturating_mul(1_000)),
        ..of(agent, "station", "CT_EXECUTOR_AGENT_RESPONSE", 4001)
    };
    Some([request, answer])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{cli::operator::tests::Scripted, schema::JsonText};

    #[test]
    fn a_way_to_an_agent_and_back_is_two_hops() {
        let row = |number: u64, kind, at_ms| RunEventRow {
            number,
            kind,
            level: None,
            message: String::new(),
            meta: JsonText::parse(
                r#"{"agent":"agent/writer","latency_ms":40,"request_frame_len":300,"answer_frame_len":200}"#,
            )
            .unwrap(),
            at_ms: Wall(at_ms),
        };
        let rows =
            vec![row(1, EventKind::Log, 100), row(2, EventKind::Trace, 200), row(3, EventKind::Trace, 900)];
        let station = Scripted::pages([Page::RunEvents { rows, more: false }]);
        let run = TraceId(uuid::Uuid::from_u128(7));
        let hops = operator::block_on(async { hops(&station, run, Wall(500)).await }).unwrap();
        let told: Vec<_> =
            hops.iter().map(|hop| (hop.at_ms.0, hop.from.as_str(), hop.frame_len, hop.latency_us)).collect();
        assert_eq!(told, [(160, "station", Some(300), None), (200, "agent/writer", Some(200), Some(40_000))]);
    }
}
