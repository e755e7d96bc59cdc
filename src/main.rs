//! Parse, run, exit code; nothing else.

fn main() -> std::process::ExitCode {
    ordersync::run(std::env::args_os().collect()).into()
}
