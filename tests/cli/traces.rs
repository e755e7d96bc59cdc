//! A trace, from the environment of a command to the log of the service and of the syncs that it runs.

use super::serve::Sandbox;
use super::support::Run;

const TRACE: &str = "4bf92f3577b34da6a3ce929d0e0e4736";

/// The lines of the log from one on, as soon as they tell of so many requests and of a sync: a line may come after the answer.
fn lines(sandbox: &Sandbox, from: usize, requests: usize) -> Vec<String> {
    let began = std::time::Instant::now();
    loop {
        let lines = sandbox.log().split_off(from);
        let of = |text: &str| lines.iter().filter(|line| line.contains(text)).count();
        if of(" request ") >= requests && of(" a sync ended ") > 0 {
            return lines;
        }
        assert!(began.elapsed().as_secs() < 300, "fewer than {requests} requests: {lines:#?}");
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
}

fn connect(sandbox: &Sandbox, retailer: &str, traceparent: &str) -> Run {
    let arguments =
        ["connect", "--retailer", retailer, "--credentials-file", &sandbox.home.credentials("user_good"), "-vv"];
    let mut command = sandbox.command(&arguments);
    command.env("TRACEPARENT", traceparent);
    Run::of(command).ends(0)
}

#[test]
fn the_trace_of_a_command_is_in_the_lines_of_its_requests_and_of_the_sync_that_it_started() {
    let sandbox = Sandbox::start(&[]);
    let given = format!("00-{TRACE}-00f067aa0ba902b7-01");
    let run = connect(&sandbox, "1", &given).says(&format!("> traceparent: {given}"));
    let requests = run.err.lines().filter(|line| line.starts_with("> traceparent")).count();
    let logged = lines(&sandbox, 0, requests);
    let is_of_trace = |line: &&String| line.contains(&format!("trace_id=\"{TRACE}\""));
    let of = |text: &str| logged.iter().filter(is_of_trace).filter(|line| line.contains(text)).count();
    assert_eq!((of(" request "), of(" a sync ended ")), (requests, 1), "{logged:#?}");
    assert!(of("route=\"/sync/connections/connect\"") == 1 && requests > 2, "{logged:#?}");
    // Other requests have their own, each a different one, and so has their sync.
    let logged = sandbox.log().len();
    connect(&sandbox, "2", &given.to_uppercase()).says("TRACEPARENT is malformed, and is not sent.");
    let mut others: Vec<String> = lines(&sandbox, logged, 1)
        .iter()
        .filter_map(|line| line.split_once("trace_id=\"")?.1.get(..32).map(str::to_owned))
        .collect();
    let all = others.len();
    others.sort();
    others.dedup();
    assert_eq!(others.len(), all - 1, "the sync and the request that started it share one: {:#?}", sandbox.log());
    assert!(!others.iter().any(|id| id.eq_ignore_ascii_case(TRACE)));
}

#[test]
#[cfg(not(feature = "otlp"))]
fn a_build_that_sends_no_traces_says_so_if_they_are_wanted() {
    let home = super::support::Home::new();
    let serve = |variables: &[(&str, &str)]| {
        // It ends because of an address that others may reach.
        let mut command = home.command(&["serve", "--sandbox", "--metrics-listen", "203.0.113.1:9"]);
        command.envs(variables.iter().copied());
        Run::of(command).ends(2)
    };
    let said = "is set, but no traces are sent: this program was built without the feature otlp";
    for name in ["OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"] {
        let wanted = (name, "http://user:canary@127.0.0.1:4318");
        let run = serve(&[wanted]).says(&format!("{name} {said}"));
        assert!(!run.err.contains("canary"), "{}", run.err);
        for off in [("OTEL_SDK_DISABLED", "true"), ("OTEL_TRACES_EXPORTER", "none")] {
            assert!(!serve(&[wanted, off]).err.contains(said));
        }
    }
    assert!(!serve(&[]).err.contains(said));
}
