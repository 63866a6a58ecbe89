//! The `mcpeak` binary: hands over to the command line crate.

fn main() {}
