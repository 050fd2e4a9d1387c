//! What the shipped themes must hold: contrast in every colour depth, and telling apart what matters without
//! full colour vision.

mod blindness;
mod contrast;
mod palettes;
