//! A capture within a capture: the kernel allows one.

use crate::world::{World, line};

fn nested(way: &str) -> Vec<String> {
    let mcpeak = crate::world::installed("mcpeak");
    line(&[
        &["run", "--session", "s.json", "--capture", "socket", "--"],
        &[&mcpeak, "run", "--session", "s.json", "--capture", way, "--", "true"],
    ])
}

#[test]
fn demanded_within_another_it_ends_with_code_3() {
    let run = World::with_empty_session().run(&nested("socket")).expect_code(3);
    run.expect_stderr(&["CAPTURE_UNAVAILABLE", "EBUSY", "--capture env"]);
}

#[test]
fn left_to_choose_it_takes_variables_and_says_so() {
    let run = World::with_empty_session().run(&nested("auto")).expect_code(0);
    run.expect_stderr(&["EBUSY", "proxy variables are used instead"]);
}
