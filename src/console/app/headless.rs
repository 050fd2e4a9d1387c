//! Screens without a terminal: what a console shows of a recording at one place.
//!
//! A screen is a function of the recording, the place, the view and the size: the replay holds, everything
//! that comes of it is folded, and nothing is shown of the clock or of this process.

use std::{sync::Arc, time::Duration};

use ratatui::{buffer::Buffer, layout::Rect};

use super::{
    app::{App, Sync},
    past_loader::Stage,
};
use crate::{
    console::{
        draw::svg,
        screen::frame,
        settings::config::{Config, ConsoleError},
        terminal::Mailbox,
        ui::event::Event,
    },
    port::{ReplayAct, StationPort},
    tap::Reader,
    time::Now,
};

/// How long everything may take to be folded.
const SETTLE_MAX: Duration = Duration::from_secs(120);
/// How often what is shown may lead to further questions.
const ROUNDS_MAX: usize = 8;
/// The size of the screen that is not drawn.
const COLUMNS: u16 = 160;
const ROWS: u16 = 50;

/// A screen that was drawn without a terminal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Still {
    /// Its text, a line each, without blanks at their ends.
    pub text: String,
    /// It as a picture with its colours, in SVG.
    pub svg: String,
}

/// The screen of so many columns and rows that a replay which holds leads to. Blocks until it is folded.
///
/// # Errors
/// [`ConsoleError::Unsettled`] when that takes too long.
pub fn still(
    port: Arc<dyn StationPort>,
    config: Config,
    (columns, rows): (u16, u16),
) -> Result<Still, ConsoleError> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build()?;
    let now = config.clock.now();
    let mut app = App::new(port, config, now, Arc::new(Mailbox::closed()), (columns, rows));
    runtime.block_on(async {
        let settled = tokio::time::timeout(SETTLE_MAX, app.settle()).await;
        settled.map_err(|_| ConsoleError::Unsettled { seconds: SETTLE_MAX.as_secs() })
    })?;
    Ok(app.still())
}

/// Has a replay that holds at its beginning play to its end, as fast as it is folded and without a screen:
/// how many entries that were. Blocks until then.
///
/// # Errors
/// [`ConsoleError::Terminal`] when no runtime can be made.
#[doc(hidden)]
pub fn play_through(port: Arc<dyn StationPort>, config: Config) -> Result<u64, ConsoleError> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build()?;
    let now = config.clock.now();
    let mut app = App::new(port, config, now, Arc::new(Mailbox::closed()), (COLUMNS, ROWS));
    Ok(runtime.block_on(async {
        app.settle().await;
        app.play_through().await
    }))
}

impl App {
    /// Plays on until the end is folded.
    pub(crate) async fn play_through(&mut self) -> u64 {
        let Some(replaying) = &self.replaying else { return 0 };
        let begun = replaying.view().at;
        replaying.act(ReplayAct::Toggle);
        self.run_headless(|app| app.has_played(begun)).await;
        self.reader.as_ref().map_or(0, Reader::received)
    }

    /// Whether the replay holds elsewhere than where it began, and all until there is folded.
    fn has_played(&self, begun: Now) -> bool {
        self.view.replay.as_ref().is_none_or(|view| view.is_held && view.at != begun)
            && !self.is_behind
            && self.reader.as_ref().is_none_or(|reader| reader.lag() == 0)
    }

    /// Takes in everything that comes, until what is shown asks for nothing more.
    pub(crate) async fn settle(&mut self) {
        self.connect();
        for _ in 0..ROUNDS_MAX {
            self.run_headless(Self::is_settled).await;
            self.show_held();
            // What is in sight by now may want more.
            let _ = self.handle_event(Event::Data);
            if self.is_settled() {
                break;
            }
        }
    }

    fn is_settled(&self) -> bool {
        self.sync == Sync::Synced
            && self.answers.is_empty()
            && !self.is_behind
            && !self.is_past_behind()
            && !self.ui.is_behind()
            && matches!(self.past.stage, Stage::Done | Stage::Again)
    }

    /// The moment of the recording is the present.
    fn show_held(&mut self) {
        self.show_moment();
        self.ui.time.refresh_live_parts(&self.model);
        self.ui.reconcile_visible(&self.model);
    }

    fn still(&mut self) -> Still {
        self.show_held();
        let mut buffer = Buffer::empty(Rect::new(0, 0, self.ui.columns, self.ui.rows));
        frame::draw(&mut buffer, &self.model, &self.ui, &self.view);
        Still { text: svg::text(&buffer), svg: svg::svg(&buffer) }
    }
}
