//! The report for people.
//!
//! | module | what it holds |
//! |---|---|
//! | `cases` | one block a case |
//! | `blocks` | what follows the summary: findings, defects, approval, determinism |

mod blocks;
mod cases;
mod render;
mod style;

pub use render::{render, render_case, render_totals};
pub use style::Style;
