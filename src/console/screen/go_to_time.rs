//! The line in which a moment is written that the panes are to show.

use crossterm::event::KeyEvent;
use jiff::{SignedDuration, Timestamp, civil::Time, tz::TimeZone};

use super::{replaying, time_travel};
use crate::{
    console::{
        draw::{text, theme::Role},
        input::{action::Action, keymap::KeyScope},
        model::Model,
        settings::view::{Canvas, View},
        ui::{
            Layer, Line, Reaction, Scene, Target,
            act::{Act, Resolved, act_if},
            layer::centred,
            layout::Layout,
            message::show_message,
            pane::PaneContext,
            state::Ui,
        },
    },
    ids::Seq,
    port::{PLACE_FORMS, ReplayPlace, ReplaySpan},
    time::{Now, Wall},
};

/// What may be written.
const FORMS: &str = "a time of day (18:04:10), or an offset (-1m, -90s)";

/// The line.
#[derive(Debug)]
struct GoToTime {
    line: Line,
    /// The entry that was selected: with nothing written, its moment is meant.
    selected: Option<Seq>,
}

/// Opens the line.
pub(super) fn resolve(cx: &PaneContext<'_>) -> Resolved {
    let selected = time_travel::selected_entry(cx.ui, cx.model);
    let open = || Act::open(GoToTime { line: Line::new(""), selected });
    act_if(cx.model.station_state.is_some(), open, "the station is starting")
}

impl Layer for GoToTime {
    fn key_scope(&self) -> KeyScope {
        KeyScope::GoToTime
    }

    fn draw(&self, canvas: &mut Canvas<'_>, scene: &Scene<'_>) {
        let Scene { body, ui, .. } = *scene;
        let area = centred(body, 64.min(body.width), if self.selected.is_some() { 6 } else { 5 });
        canvas.clear(area);
        let inside = canvas.frame(area, "Go to a time", true);
        let (x, room) = (inside.x + 1, inside.width.saturating_sub(2));
        self.line.draw(canvas, x, inside.y, room);
        let forms = forms(canvas.view).to_owned();
        let since = match &canvas.view.replay {
            Some(replay) => {
                let time = |at| canvas.view.time_of_day(at);
                format!("recorded from {} to {}", time(replay.first), time(replay.last))
            }
            None => kept_since(ui, canvas.view),
        };
        let selected = self.selected.map(|seq| {
            let key = canvas.view.key(Action::Open);
            format!("{key} alone: to the selected entry, {seq}")
        });
        for (words, y) in [forms, since].into_iter().chain(selected).zip(inside.y + 1..inside.bottom()) {
            let words = text::truncate(&words, usize::from(room), canvas.view.glyphs.ellipsis);
            canvas.put(x, y, room, &words, Role::Muted);
        }
    }

    fn reconcile(&mut self, _layout: &Layout, _model: &Model, _ui: &Ui) {}

    fn step(&mut self, _by: isize, _model: &Model) {}

    fn target<'a>(&'a self, _model: &'a Model) -> Target<'a> {
        Target::Nothing
    }

    fn act(&self, action: Action, cx: &PaneContext<'_>) -> Option<Resolved> {
        let go = (action == Action::Open).then_some(&self.line)?;
        let is_empty = go.text().trim().is_empty();
        let selected = self.selected.filter(|_| is_empty);
        if is_empty && selected.is_none() {
            return Some(Err(format!("write {}; no entry is selected", forms(cx.view)).into()));
        }
        if let Some(replay) = &cx.view.replay {
            if let Some(seq) = selected {
                return Some(Ok(Act::close(move |_: Self, ui, _| {
                    replaying::seek(ui, ReplayPlace::Seq(seq))
                })));
            }
            let place = place(go.text(), &replay.span, &cx.view.zone);
            let go = |place| Act::close(move |_: Self, ui, _| replaying::seek(ui, place));
            return Some(place.map(go).map_err(Into::into));
        }
        if let Some(seq) = selected {
            return Some(Ok(Act::close(move |_: Self, ui, cx| {
                time_travel::seek_entry(ui, cx.live, cx.view, seq, cx.now);
                Vec::new()
            })));
        }
        Some({
            moment(go.text(), cx.ui.at, &cx.view.zone).map_err(Into::into).map(|at| {
                Act::close(move |_: Self, ui, cx| {
                    time_travel::go_to(ui, cx.live, cx.view, at, cx.now);
                    if let Some(shown) = ui.time.instant() {
                        let key = cx.view.key(Action::Live);
                        let words = format!("showing {}; {key} resumes live", cx.view.time_of_day(shown));
                        if ui.message.is_none() {
                            show_message(ui, words, false, cx.now);
                        }
                    }
                    Vec::new()
                })
            })
        })
    }

    fn on_key(&mut self, key: KeyEvent, _ui: &mut Ui, view: &View) -> Reaction {
        if view.keymap.lookup(KeyScope::GoToTime, key).is_none() && self.line.input(key) {
            Reaction::Consumed(Vec::new())
        } else {
            Reaction::Ignored
        }
    }

    fn on_paste(&mut self, text: &str, _ui: &mut Ui, _view: &View) {
        self.line.paste(text);
    }
}

/// What may be written here.
const fn forms(view: &View) -> &'static str {
    if view.replay.is_some() { PLACE_FORMS } else { FORMS }
}

/// The place of a recording that is meant.
fn place(text: &str, span: &ReplaySpan, zone: &TimeZone) -> Result<ReplayPlace, String> {
    let place = ReplayPlace::parse(text, zone, span.first, span.last)?;
    place.check(span, zone)?;
    Ok(place)
}

/// How far back is kept.
fn kept_since(ui: &Ui, view: &View) -> String {
    let oldest = ui.time.entries().iter().next();
    oldest.map_or_else(
        || "no entries kept yet".to_owned(),
        |(_, entry)| format!("kept since {}", view.time_of_day(entry.entry.at)),
    )
}

/// The moment that is meant: a time of day is the last one there was.
fn moment(text: &str, now: Now, zone: &TimeZone) -> Result<Wall, String> {
    let text = text.trim();
    if text.is_empty() {
        return Err(format!("write {FORMS}"));
    }
    let not_one = || format!("`{text}` is neither {}", FORMS.replace(", or", " nor"));
    if let Some(ago) = text.strip_prefix('-') {
        let ago: SignedDuration = ago.trim().parse().map_err(|_| not_one())?;
        let ms = u64::try_from(ago.as_millis()).map_err(|_| not_one())?;
        return Ok(Wall(now.wall.0.saturating_sub(ms)));
    }
    let time: Time = text.parse().map_err(|_| not_one())?;
    let stamp = i64::try_from(now.wall.0).ok().and_then(|ms| Timestamp::from_millisecond(ms).ok());
    let today = stamp.ok_or_else(not_one)?.to_zoned(zone.clone()).date();
    let on = |day: jiff::civil::Date| {
        let zoned = day.to_datetime(time).to_zoned(zone.clone()).ok()?;
        u64::try_from(zoned.timestamp().as_millisecond()).ok().map(Wall)
    };
    let before = |at: &Wall| at.0 <= now.wall.0;
    let last = on(today).filter(before).or_else(|| on(today.yesterday().ok()?));
    last.ok_or_else(not_one)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str) -> Result<Wall, String> {
        // 1970-01-02 14:30:00 UTC.
        let now = Now { wall: Wall(86_400_000 + (14 * 60 + 30) * 60_000), ..Now::default() };
        moment(text, now, &TimeZone::UTC)
    }

    #[test]
    fn a_time_of_day_is_the_last_one_there_was() {
        let day = 86_400_000;
        let ms = |hours: u64, minutes: u64, seconds: u64| ((hours * 60 + minutes) * 60 + seconds) * 1_000;
        assert_eq!(at("14:04:10"), Ok(Wall(day + ms(14, 4, 10))));
        assert_eq!(at(" 14:04 "), Ok(Wall(day + ms(14, 4, 0))));
        assert_eq!(at("18:04:10"), Ok(Wall(ms(18, 4, 10))), "of yesterday");
        assert_eq!(at("-1m"), Ok(Wall(day + ms(14, 29, 0))));
        assert_eq!(at("-90s"), Ok(Wall(day + ms(14, 28, 30))));
        assert_eq!(at("-1h30m"), Ok(Wall(day + ms(13, 0, 0))));
    }

    #[test]
    fn what_is_no_moment_says_what_is() {
        for text in ["", "25:00", "soon", "-", "--1m", "1m", "-99999999999999999999s"] {
            assert!(at(text).is_err_and(|why| why.contains("18:04:10")), "{text}");
        }
    }
}
