//! What a console begins with.

use super::test_console::show;
use crate::{
    console::{
        check_start,
        input::{pane_id::PaneId, view_id::ViewId},
        settings::Start,
        ui::start,
    },
    time::Now,
};

fn asked(view: &str, filter: Option<&str>) -> Start {
    Start { view: Some(view.to_owned()), filter: filter.map(str::to_owned) }
}

#[test]
fn it_is_a_view_by_name_or_key_with_a_filter_in_its_first_pane() {
    for name in ["bridge", "BRIDGE", "2"] {
        let mut stage = show(120, 30);
        let asked = asked(name, Some("queue:boss"));
        check_start(&asked).unwrap();
        start::apply(&mut stage.ui, &stage.model, &asked, &stage.view, Now::default());
        assert_eq!(stage.ui.view, ViewId::Bridge);
        let filter = stage.ui.table_settings(PaneId::Queues).filter().map(crate::filter::Filter::text);
        assert_eq!(filter, Some("queue:boss"));
        let text = stage.text();
        assert!(text.contains("[2 Bridge]") && !text.contains("default     applied"), "{text}");
    }
}

#[test]
fn what_there_is_not_is_refused() {
    assert!(check_start(&Start::default()).is_ok());
    assert_eq!(check_start(&asked("brigde", None)).unwrap_err(), "there is no view `brigde`");
    let why = check_start(&asked("bus", Some(" "))).unwrap_err();
    assert!(why.ends_with("it is empty"), "{why}");
    let why = check_start(&asked("wire", Some("nofield:1"))).unwrap_err();
    assert!(
        why.starts_with("invalid filter for Wire, the first pane of Wire: there is no field `nofield`"),
        "{why}"
    );
}
