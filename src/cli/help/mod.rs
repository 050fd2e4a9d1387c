//! The pages of the manual, and what in them is made of the program's own tables.

#[cfg(test)]
mod flood_tests;
#[cfg(test)]
mod page_tests;
mod pages;
#[cfg(test)]
mod picture_tests;
#[cfg(test)]
mod replay_tests;
mod tables;

pub(super) use pages::{manual, names, page, pages_of_error, titles};
