//! What becomes of a request once it is read: [`Mode`] as settings, `Engine` at run time.

mod mode;

pub use mode::Mode;
