//! What goes on once an event had its effect: bytes are made of what was edited, and judged.

use super::{Workbench, at_gate, state::bench};
use crate::console::{
    ui::{act::ActContext, effect::Effect, state::Ui},
    worker::FrameAnswer,
};

/// Makes and judges the frame that is edited, while the workbench is open; says how the frame at the gate
/// went for which it is.
pub(crate) fn follow(ui: &mut Ui, cx: &ActContext<'_>, is_tick: bool) -> Vec<Effect> {
    at_gate::tell_gone(ui, cx.live, cx.now);
    if ui.layer::<Workbench>().is_none() { Vec::new() } else { follow_open(ui, cx, is_tick) }
}

fn follow_open(ui: &mut Ui, cx: &ActContext<'_>, is_tick: bool) -> Vec<Effect> {
    let limits = ui.limits;
    let inline_max = usize::try_from(limits.console.inspect_inline_bytes_max).unwrap_or(usize::MAX);
    let Some(bench) = ui.layers_mut::<Workbench>().next() else { return Vec::new() };
    let mut effects = Vec::new();
    let mut background = None;
    // What is read is made again, and then its values are found: three steps at most.
    for _ in 0..3 {
        if bench.has_begun() {
            break;
        }
        let Some(job) = bench.work(&limits, cx.now.wall) else { break };
        if job.size() > inline_max {
            bench.begin();
            background = Some(Effect::Frame(Box::new(job)));
            break;
        }
        bench.on_answer(job.number, job.run(), &limits);
    }
    effects.extend(bench.close_other());
    if cx.live.read_only_reason().is_none() {
        effects.extend(bench.question(is_tick));
    }
    effects.extend(background);
    if is_tick {
        let mut state = std::mem::take(&mut ui.systems.workbench);
        let bench = ui.layer::<Workbench>();
        effects.extend(bench.and_then(|bench| state.save_draft(bench, &limits, cx.now.wall)));
        ui.systems.workbench = state;
    }
    effects
}

/// Takes what came of the work beside the screen's thread.
pub(crate) fn on_frame(ui: &mut Ui, number: u64, answer: Option<Box<FrameAnswer>>) {
    let limits = ui.limits;
    if let (Some(bench), Some(answer)) = (bench(ui), answer) {
        bench.on_answer(number, *answer, &limits);
    }
}
