//! What the bridge says of frames that are not sent yet (mpp-v2; rulings MPP).

mod lent;
mod random;
mod stands;
mod towards;
