//! Violations: the pane, and what `ls violations` lists of the same entries.

use super::{
    bus_samples::{AGENT, bus, frame},
    views::{NO_QUEUE, refuse},
};
use crate::{
    console::input::{pane_id::PaneId, view_id::ViewId},
    dissect::FaultGroup,
    field::{Fields as _, Record as _, index_of},
    filter::Filter,
    ids::ConnectionId,
    limits::Limits,
    port::ViolationRow,
    rmp::{Code, Dialect, FrameKind, Head, Kind, Refusal, Verdict},
    station::violations,
    tap::entry::{Direction, Verdict as AnyVerdict, rmp::CloseCause},
    time::Now,
};

/// A console with breaches of the bridge and of the bus: by nobody that is known, by a peer of before the
/// first entry, and by one that came and went.
fn broken() -> super::test_console::TestConsole {
    let mut stage = bus(160, 50);
    for peer in ["127.0.0.1:1", "127.0.0.1:2"] {
        refuse(&mut stage, peer, NO_QUEUE, r#"{"mpp":2,"type":"pull","queue":"bos"}"#);
    }
    stage.refuse(Code::UnknownSchema, &frame(7_777, 9, r#"{"type":"intent.x.v1","payload":{}}"#));
    let gone = ConnectionId(77);
    stage.join(gone, "writer/late", Kind::Agent, Dialect::Json);
    for (session, code) in [(gone, Code::InvalidTtl), (AGENT, Code::BodyTooLarge)] {
        let head = Head { kind: Some(FrameKind::Publish), session: Some(session), ..Head::default() };
        let verdict = AnyVerdict::Rmp(Verdict::Refused(Refusal::Fault(code)));
        stage.rmp_frame(Direction::Inbound, &head, verdict, b"no frame");
    }
    stage.rmp(crate::rmp::Transition::Disconnected { session: gone, cause: CloseCause::PeerClosed }, "");
    stage
}

fn listed(stage: &super::test_console::TestConsole) -> Vec<ViolationRow> {
    let bus = stage.model.rmp().unwrap().clone();
    violations::rows(stage.tap.reader_from_oldest().unwrap(), bus, &Limits::default().rmp)
}

#[test]
fn the_pane_of_violations_and_ls_violations_list_the_same() {
    let stage = broken();
    let (pane, rows) = (stage.model.faults.groups().collect::<Vec<_>>(), listed(&stage));
    assert_eq!((pane.len(), rows.len()), (4, 4));
    for (row, pane) in rows.iter().zip(pane) {
        for (field, spec) in ViolationRow::SPECS.iter().enumerate() {
            let shown = index_of(FaultGroup::SPECS, spec.name).unwrap();
            assert_eq!(row.value(field, Now::at_ms(9)), pane.value(shown, Now::at_ms(9)), "{}", spec.name);
        }
    }
    let who: Vec<_> = rows.iter().map(|row| row.who.as_str()).collect();
    assert!(who.contains(&"writer/late (session 77)"), "{who:?}");
    let told = rows.iter().find(|row| row.count == 2).unwrap();
    assert!(told.told.as_deref().unwrap().contains("'bos'"), "{told:?}");
}

#[test]
fn a_violation_is_found_by_the_line_that_the_copy_menu_gives_and_by_earlier_names() {
    let mut stage = broken();
    for group in stage.model.faults.groups() {
        let line = crate::console::records::row::PaneRecord::command(group).unwrap();
        let words = shlex::split(&line).unwrap();
        assert_eq!((&*words[1], &*words[2], &*words[4]), ("violations", "--filter", "--json"));
        let filter = Filter::parse(&words[3], ViolationRow::SPECS).unwrap();
        let found = listed(&stage).into_iter().filter(|row| filter.admits(row, Now::at_ms(9))).count();
        assert_eq!(found, 1, "{line}");
    }
    stage.ui.show(ViewId::Journal);
    stage.ui.zoomed = Some(PaneId::Violations);
    let text = stage.text();
    assert!(text.contains("violation") && text.contains("count") && !text.contains("times"), "{text}");
    for filter in ["times=2 what~queue", "count=2 violation~queue"] {
        let filter = Filter::parse(filter, FaultGroup::SPECS).unwrap();
        let found = stage.model.faults.groups().filter(|group| filter.admits(group, Now::at_ms(9))).count();
        assert_eq!(found, 1);
    }
}
