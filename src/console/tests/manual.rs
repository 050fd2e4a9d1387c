//! The manual over the screen: where it opens, its links and its search.

use crossterm::event::KeyCode;

use super::test_console::{TestConsole, show};
use crate::{
    console::{
        draw::class::MaskPolicy,
        input::{action::Action, pane_id::PaneId},
        overlays::{Dialog, ManualReader},
        ui::{event::Event, state::Focus},
    },
    limits::Limits,
    manual::{LazyManual, Manual, Page},
};

/// A manual of a few short pages.
fn pages() -> Manual {
    let views = "# Views\n\n## Queues\n\nWhere work waits: see [filters](filter#in-a-pane), or [the site](https://example.com).\n\n## Recent\n\nWhat has ended.\n";
    let filter =
        "# Filters\n\nWhat a filter keeps.\n\n## In a pane\n\nBy the key `/`. Back to [views](views).\n";
    let columns = "# Columns\n\n## Queues\n\n| field | what |\n|---|---|\n| `queue` | its name |\n| `pending` | what waits |\n";
    let pages = [
        ("views", views),
        ("filter", filter),
        ("columns", columns),
        ("palette", "# The palette\n\nCommands.\n"),
    ];
    Manual::new(pages.into_iter().map(|(name, text)| Page::read(name, text)).collect())
}

fn with_manual(columns: u16, rows: u16) -> TestConsole {
    let mut stage = show(columns, rows);
    stage.view.manual = LazyManual::new(pages);
    stage.ui.focus = Focus::Pane(PaneId::Queues);
    stage
}

/// The page that is shown, the line that is marked on it, and the selected link.
fn shown(stage: &TestConsole) -> (&'static str, Option<String>, Option<String>) {
    let (page, marked, link) = stage.ui.top::<ManualReader>().unwrap().shown();
    (page, marked, link.map(str::to_owned))
}

#[test]
fn it_opens_at_the_pane_or_the_chosen_column_and_goes_back_to_it() {
    let mut stage = with_manual(120, 30);
    stage.key(KeyCode::F(1));
    assert_eq!(shown(&stage), ("views", Some("Queues".to_owned()), Some("filter#in-a-pane".to_owned())));
    assert!(stage.text().contains("Manual: Views"), "{}", stage.text());
    stage.key(KeyCode::Esc);
    assert!(stage.ui.overlays.is_empty() && stage.ui.focus == Focus::Pane(PaneId::Queues));
    stage.ui.table_settings_mut(PaneId::Queues).cell =
        crate::field::index_of(crate::console::ui::specs(PaneId::Queues), "pending");
    stage.key(KeyCode::F(1));
    assert_eq!(shown(&stage).1.as_deref(), Some("pending  what waits"));
}

#[test]
fn links_are_followed_and_backspace_goes_back() {
    let mut stage = with_manual(80, 24);
    stage.key(KeyCode::F(1));
    stage.key(KeyCode::Enter);
    assert_eq!(shown(&stage), ("filter", Some("In a pane".to_owned()), Some("views".to_owned())));
    stage.key(KeyCode::Backspace);
    assert_eq!(shown(&stage).0, "views");
    stage.act(Action::PlaceBefore);
    assert!(stage.text().contains("no page was open before this one"), "{}", stage.text());
    stage.key(KeyCode::Tab);
    assert_eq!(shown(&stage).2.as_deref(), Some("https://example.com"), "the link before was selected still");
    stage.key(KeyCode::Enter);
    assert!(stage.text().contains("https://example.com"), "{}", stage.text());
    stage.key(KeyCode::F(1));
    assert_eq!(shown(&stage).0, "contents");
    stage.key(KeyCode::Enter);
    assert_eq!(shown(&stage).0, "views", "the first of the list");
}

#[test]
fn a_search_goes_through_all_pages() {
    let mut stage = with_manual(80, 24);
    stage.key(KeyCode::F(1));
    stage.char('/');
    stage.write("has ended");
    assert!(stage.text().contains("What has ended."), "{}", stage.text());
    stage.key(KeyCode::Enter);
    assert_eq!(shown(&stage).1.as_deref(), Some("What has ended."));
    stage.char('/');
    stage.write("zebra");
    assert!(stage.text().contains("no page has these words"), "{}", stage.text());
    stage.key(KeyCode::Enter);
    stage.key(KeyCode::Esc);
    assert_eq!(shown(&stage).0, "views", "the page is there still");
    stage.char('q');
    assert!(stage.ui.overlays.is_empty());
}

#[test]
fn it_opens_from_a_filter_a_dialog_and_the_palette_and_leaves_them_as_they_are() {
    let mut stage = with_manual(120, 30);
    stage.char('/');
    stage.write("nofield:x");
    stage.key(KeyCode::F(1));
    assert_eq!(shown(&stage).0, "columns", "the fault is a field that there is not");
    stage.key(KeyCode::Esc);
    stage.write(" (");
    assert!(stage.text().contains("nofield:x ("), "{}", stage.text());
    stage.key(KeyCode::Esc);
    stage.char(':');
    stage.write("inv");
    stage.key(KeyCode::F(1));
    assert_eq!((shown(&stage).0, stage.ui.palette.is_some()), ("palette", false));
    stage.key(KeyCode::Esc);
    assert_eq!(stage.ui.palette.as_ref().map(|palette| palette.text()), Some("inv"));
    stage.key(KeyCode::Esc);
    stage.view.mask_policy = MaskPolicy::for_on_air(true);
    stage.char('O');
    assert!(stage.ui.top::<Dialog>().is_some());
    stage.key(KeyCode::F(1));
    assert_eq!(shown(&stage).0, "contents", "this manual has no such page");
    stage.key(KeyCode::Esc);
    assert!(stage.ui.top::<Dialog>().is_some(), "the question is still there");
}

#[test]
fn a_row_of_a_table_is_found_and_kept_when_the_width_changes() {
    let mut stage = with_manual(120, 30);
    stage.key(KeyCode::F(1));
    stage.char('/');
    stage.write("pending");
    stage.key(KeyCode::Enter);
    assert_eq!(shown(&stage).1.as_deref(), Some("pending  what waits"));
    stage.event(Event::Resize { columns: 80, rows: 24 });
    assert_eq!(shown(&stage).1.as_deref(), Some("pending  what waits"));
}

#[test]
fn words_that_were_written_earlier_are_masked_on_air() {
    let mut stage = with_manual(120, 30);
    let lines = vec!["help waits secretly".to_owned()];
    stage.ui.begin(&Limits::default(), lines, Vec::new());
    stage.char(':');
    stage.key(KeyCode::Up);
    stage.key(KeyCode::Enter);
    assert!(stage.text().contains("find: waits secretly"), "{}", stage.text());
    stage.key(KeyCode::Esc);
    stage.key(KeyCode::Esc);
    stage.view.mask_policy = MaskPolicy::for_on_air(true);
    stage.char(':');
    stage.key(KeyCode::Up);
    assert!(!stage.text().contains("secretly"), "{}", stage.text());
    stage.key(KeyCode::Enter);
    assert!(
        stage.ui.top::<ManualReader>().is_some() && !stage.text().contains("secretly"),
        "{}",
        stage.text()
    );
}

#[test]
fn a_click_selects_a_hit_first_and_none_beside_the_manual() {
    let mut stage = with_manual(160, 30);
    stage.key(KeyCode::F(1));
    stage.char('/');
    stage.write("what");
    let text = stage.text();
    let row = text.lines().position(|line| line.contains("What a filter keeps.")).unwrap();
    let mut click = |column: u16| {
        let kind = crossterm::event::MouseEventKind::Down(crossterm::event::MouseButton::Left);
        let row = u16::try_from(row).unwrap();
        let modifiers = crossterm::event::KeyModifiers::NONE;
        stage.event(Event::Mouse(crossterm::event::MouseEvent { kind, column, row, modifiers }));
        shown(&stage).1
    };
    assert_eq!(click(3), Some("Queues".to_owned()), "beside it");
    assert_eq!(click(60), Some("Queues".to_owned()), "selected");
    assert_eq!(click(60), Some("What a filter keeps.".to_owned()), "opened");
}

#[test]
fn the_palette_opens_a_page_by_name_and_finds_by_words() {
    let mut stage = with_manual(120, 30);
    stage.char(':');
    stage.write("help fil");
    assert!(stage.text().contains("filter"), "{}", stage.text());
    stage.write("ter");
    stage.key(KeyCode::Enter);
    assert_eq!(shown(&stage).0, "filter");
    stage.key(KeyCode::Esc);
    stage.char(':');
    stage.write("help has ended");
    stage.key(KeyCode::Enter);
    assert!(
        stage.text().contains("Manual: search") && stage.text().contains("What has ended."),
        "{}",
        stage.text()
    );
}

#[test]
fn a_link_is_followed_by_a_click_and_a_resize_keeps_the_place() {
    let mut stage = with_manual(120, 30);
    stage.key(KeyCode::F(1));
    stage.event(Event::Resize { columns: 80, rows: 24 });
    assert_eq!(shown(&stage).1.as_deref(), Some("Queues"));
    let text = stage.text();
    let (row, line) = text.lines().enumerate().find(|(_, line)| line.contains("see filters")).unwrap();
    let column = line.split("filters").next().unwrap().chars().count();
    let mouse = crossterm::event::MouseEvent {
        kind: crossterm::event::MouseEventKind::Down(crossterm::event::MouseButton::Left),
        column: u16::try_from(column).unwrap() + 1,
        row: u16::try_from(row).unwrap(),
        modifiers: crossterm::event::KeyModifiers::NONE,
    };
    stage.event(Event::Mouse(mouse));
    assert_eq!(shown(&stage).0, "filter");
}
