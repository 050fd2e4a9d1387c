//! What is drawn has its class, and what is selected is seen to be.

use super::test_console::{TestConsole, show};
use crate::console::{
    draw::{class::Class, theme::Role},
    input::pane_id::PaneId,
    settings::view::Canvas,
    ui::state::Focus,
};

#[test]
fn a_secret_is_never_drawn() {
    let mut stage: TestConsole = show(160, 50);
    let view = &stage.view;
    let mut buffer = ratatui::buffer::Buffer::empty(ratatui::layout::Rect::new(0, 0, 40, 1));
    let canvas = &mut Canvas { buffer: &mut buffer, view };
    assert_eq!(canvas.put_as(0, 0, 40, "hunter2", Role::Text, Class::Secret), 6);
    canvas.put_right(10, 0, 20, "hunter2 and much more", Role::Text, Class::Secret);
    let text: String = buffer.content().iter().map(ratatui::buffer::Cell::symbol).collect();
    assert_eq!(text.trim_end(), "▒▒▒▒▒▒                  ▒▒▒▒▒▒", "it tells no length");
    stage.buffer();
}

#[test]
fn every_selected_row_is_in_reverse_video_to_its_ends() {
    use crate::console::draw::theme::{Depth, Theme};
    for name in Theme::shipped_names() {
        for depth in [Depth::None, Depth::Ansi, Depth::Indexed, Depth::True] {
            let mut stage: TestConsole = show(160, 50);
            stage.ui.focus = Focus::Pane(PaneId::Recent);
            stage.view.theme = Theme::shipped(name, depth).unwrap();
            let buffer = stage.buffer();
            let layout = stage.ui.layout(&stage.model);
            let (_, area) = layout.panes.iter().find(|(pane, _)| *pane == PaneId::Recent).unwrap();
            let line = (area.x + 1..area.right() - 1).map(|x| &buffer[(x, area.y + 2)]);
            assert!(
                line.clone().all(|cell| cell.modifier.contains(ratatui::style::Modifier::REVERSED)),
                "{name} at {depth:?}"
            );
            let looks: std::collections::BTreeSet<_> =
                line.map(|cell| format!("{:?} {:?}", cell.fg, cell.bg)).collect();
            assert_eq!(looks.len(), 1, "{name} at {depth:?}: one bar");
        }
    }
}
