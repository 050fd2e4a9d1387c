//! Windows over a store of numbers.

use super::{PageQuery, PageRows, PagedList, Record, paged_list::ROWS_MAX};
use crate::console::{
    input::direction::Direction, records::selection::RecordKey, systems::bridge::keys::LOG_LINE,
};

/// A row by its number alone, with the answer that it came with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Row(u64, u32);

impl Record for Row {
    fn key(&self) -> RecordKey {
        LOG_LINE.of(self.0)
    }

    fn number(&self) -> u64 {
        self.0
    }
}

/// Rows of a store that has the numbers of a range, answered like a store does.
fn page(wanted: PageQuery, store: std::ops::RangeInclusive<u64>, answer: u32) -> (Vec<Row>, bool) {
    let is_beyond = |number: &u64| match wanted.beyond {
        None => true,
        Some(beyond) if wanted.oldest_first => *number > beyond,
        Some(beyond) => *number < beyond,
    };
    let mut numbers: Vec<u64> = store.filter(is_beyond).collect();
    if !wanted.oldest_first {
        numbers.reverse();
    }
    let limit = usize::try_from(wanted.limit).unwrap();
    let more = numbers.len() > limit;
    numbers.truncate(limit);
    (numbers.into_iter().map(|number| Row(number, answer)).collect(), more)
}

fn ask(window: &mut PagedList<Row>, direction: Direction, store: std::ops::RangeInclusive<u64>, answer: u32) {
    let wanted = window.ask(direction);
    window.answer(wanted.serial, Ok(paged(page(wanted, store, answer))));
    window.reconcile(20);
}

fn numbers(window: &PagedList<Row>) -> Vec<u64> {
    window.rows().iter().map(|row| row.0).collect()
}

/// Newest first, of a store with the rows 1 to 5,000.
fn filled() -> PagedList<Row> {
    let mut window = PagedList::new(false);
    ask(&mut window, Direction::Initial, 1..=5_000, 0);
    window
}

/// An answer with all that there is.
fn whole(rows: Vec<Row>) -> PageRows<Row> {
    PageRows { rows, more: false, beyond: None }
}

fn paged((rows, more): (Vec<Row>, bool)) -> PageRows<Row> {
    PageRows { rows, more, beyond: None }
}

#[test]
fn grows_at_the_end_that_the_selection_nears_and_stays_within_its_bound() {
    let mut window = filled();
    let mut selected = 5_000;
    while selected > 1 {
        window.step(100);
        selected = window.selected().unwrap().0;
        if let Some(direction) = window.wanted_direction() {
            assert_eq!(direction, Direction::Forward);
            ask(&mut window, direction, 1..=5_000, 0);
        }
        assert!(window.rows().len() <= ROWS_MAX);
        assert_eq!(window.selected().unwrap().0, selected, "paging moved the selection");
    }
    assert_eq!((window.more(), *numbers(&window).last().unwrap()), ((true, false), 1));
    while selected < 5_000 {
        window.step(-100);
        selected = window.selected().unwrap().0;
        if let Some(direction) = window.wanted_direction() {
            assert_eq!(direction, Direction::Backward);
            ask(&mut window, direction, 1..=5_000, 0);
        }
        let numbers = numbers(&window);
        assert!(numbers.len() <= ROWS_MAX && numbers.is_sorted_by(|one, next| *one == next + 1), "a gap");
    }
    assert!(!window.more().0);
}

#[test]
fn asked_anew_at_the_start_it_gets_new_rows_and_fresh_states() {
    let mut window = filled();
    window.step(3);
    ask(&mut window, Direction::Refresh, 1..=5_010, 1);
    assert_eq!(numbers(&window), (4_801..=5_010).rev().collect::<Vec<_>>());
    assert_eq!(window.selected().unwrap(), &Row(4_997, 1));
    assert_eq!(window.rows().last().unwrap(), &Row(4_801, 0), "what is not shown is as it was");
    assert_eq!(window.more(), (false, true));
}

#[test]
fn asked_anew_in_the_middle_it_refreshes_what_is_shown_and_knows_of_newer_rows() {
    let mut window = filled();
    window.step(100);
    let first = window.first_visible().unwrap();
    ask(&mut window, Direction::Refresh, 1..=5_300, 1);
    assert_eq!(numbers(&window), (4_801..=5_000).rev().collect::<Vec<_>>());
    assert!(window.rows().iter().all(|row| (row.1 == 1) == (row.0 <= first && row.0 > first - 70)));
    assert_eq!(window.more(), (true, true));
    window.step(-100);
    let wants = window.wanted_direction().unwrap();
    assert_eq!(wants, Direction::Backward);
    ask(&mut window, wants, 1..=5_300, 2);
    assert_eq!((numbers(&window)[0], window.selected().unwrap().0), (5_200, 5_000));
}

#[test]
fn more_new_rows_than_a_page_holds_never_leave_a_gap() {
    let mut window = filled();
    ask(&mut window, Direction::Refresh, 1..=6_000, 1);
    assert_eq!(numbers(&window)[0], 6_000, "nothing was chosen: the newest are followed");
    window.step(2);
    ask(&mut window, Direction::Refresh, 1..=7_000, 2);
    assert_eq!((window.selected().unwrap().0, numbers(&window)[0], window.more().0), (5_998, 6_000, true));
}

#[test]
fn rows_that_are_gone_leave_and_a_neighbour_is_selected() {
    let mut window = PagedList::new(true);
    let wanted = window.ask(Direction::Initial);
    window.answer(wanted.serial, Ok(whole([1, 3, 5, 7].map(|number| Row(number, 0)).to_vec())));
    window.reconcile(20);
    window.step(1);
    let wanted = window.ask(Direction::Refresh);
    assert_eq!((wanted.beyond, wanted.oldest_first), (None, true));
    window.answer(wanted.serial, Ok(whole(vec![Row(1, 1), Row(7, 1)])));
    window.reconcile(20);
    assert_eq!((numbers(&window), window.selected().unwrap().0), (vec![1, 7], 7));
    let wanted = window.ask(Direction::Refresh);
    window.answer(wanted.serial, Ok(whole(Vec::new())));
    assert_eq!((numbers(&window), window.is_filled()), (vec![], true));
}

#[test]
fn turned_round_it_keeps_what_was_chosen_or_begins_at_its_other_end() {
    let mut window = filled();
    window.step(5);
    window.reverse();
    window.reconcile(20);
    assert_eq!(
        (window.selected().unwrap().0, numbers(&window)[0], window.more()),
        (4_995, 4_801, (true, false))
    );
    let mut window = filled();
    window.reverse();
    assert!(!window.is_filled());
    ask(&mut window, Direction::Initial, 1..=5_000, 0);
    assert_eq!(numbers(&window)[0], 1);
}

#[test]
fn an_answer_to_an_earlier_question_is_let_go_and_a_trouble_rests() {
    let mut window = filled();
    let late = window.ask(Direction::Refresh);
    window.reverse();
    let wanted = window.ask(Direction::Initial);
    window.answer(late.serial, Ok(whole(vec![Row(9, 9)])));
    assert_eq!(numbers(&window), [0; 0]);
    window.answer(wanted.serial, Ok(paged(page(wanted, 1..=5_000, 0))));
    window.reconcile(20);
    window.step(190);
    let wanted = window.ask(window.wanted_direction().unwrap());
    window.answer(wanted.serial, Err("disk I/O error".to_owned()));
    assert_eq!(
        (window.error(), window.wanted_direction(), window.rows().len()),
        (Some("disk I/O error"), None, 200)
    );
    ask(&mut window, Direction::Refresh, 1..=5_000, 1);
    assert_eq!(
        (window.error(), window.rows().len()),
        (None, 241),
        "what is asked anew reaches beyond the last row"
    );
}

#[test]
fn it_begins_again_at_the_start_only_when_that_was_let_go_of() {
    let mut window = filled();
    assert!(!window.restart());
    window.step(100);
    ask(&mut window, Direction::Refresh, 1..=5_001, 1);
    assert!(window.restart() && !window.is_filled());
}

#[test]
fn filtered_rows_are_looked_for_on_from_where_the_last_page_stopped() {
    let mut window = PagedList::new(false);
    let wanted = window.ask(Direction::Initial);
    window.answer(wanted.serial, Ok(PageRows { rows: Vec::new(), more: true, beyond: Some(90) }));
    assert_eq!((window.wanted_direction(), window.rows().len()), (Some(Direction::Forward), 0));
    let wanted = window.ask(Direction::Forward);
    assert_eq!(wanted.beyond, Some(90));
    window.answer(wanted.serial, Ok(PageRows { rows: vec![Row(7, 0)], more: true, beyond: Some(5) }));
    let wanted = window.ask(Direction::Forward);
    assert_eq!(wanted.beyond, Some(5));
    window.answer(wanted.serial, Ok(whole(vec![Row(2, 0)])));
    assert_eq!((window.wanted_direction(), window.rows().len()), (None, 2));
    let wanted = window.ask(Direction::Refresh);
    window.answer(wanted.serial, Ok(PageRows { rows: Vec::new(), more: true, beyond: Some(90) }));
    assert_eq!(window.rows().len(), 2, "it says nothing of those that are here");
}
