//! `serve`, and the commands against it: a service at an address, with a token.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};

use super::support::{Home, Run, Running};

/// A sandbox that runs until it is dropped.
pub(crate) struct Sandbox {
    child: Running,
    pub(crate) home: Home,
    log: Arc<Mutex<Vec<String>>>,
    pub(crate) address: String,
    pub(crate) token: String,
}

impl Sandbox {
    pub(crate) fn start(arguments: &[&str]) -> Self {
        Self::start_in(Home::new(), arguments)
    }

    /// Starts one on what another has left.
    pub(crate) fn start_in(home: Home, arguments: &[&str]) -> Self {
        let fixed = ["serve", "--sandbox", "--listen", "127.0.0.1:0", "--speed", "50"];
        let mut command = home.command(&[&fixed[..], arguments].concat());
        let mut child = command.stderr(Stdio::piped()).spawn().expect("it starts");
        let mut lines = BufReader::new(child.stderr.take().expect("stderr")).lines().map_while(Result::ok);
        let address = lines
            .find_map(|line| Some(line.split_once("ordersync serve: listening on ")?.1.split(' ').next()?.to_owned()))
            .expect("its address");
        // What it says later is read, so that it never waits for a reader.
        let log: Arc<Mutex<Vec<String>>> = Arc::default();
        let kept = Arc::clone(&log);
        std::thread::spawn(move || lines.for_each(|line| kept.lock().expect("log").push(line)));
        let mut sandbox = Self { child: Running(child), home, log, address, token: String::new() };
        sandbox.token = sandbox.run(&["sandbox", "token"]).ends(0).out.trim().to_owned();
        sandbox
    }

    /// Ends it as a supervisor would.
    pub(crate) fn stop(&mut self) {
        signal(&self.child.0, "-TERM");
        assert_eq!(self.child.0.wait().expect("ends").code(), Some(0));
    }

    /// Ends it, and starts it again with other arguments.
    pub(crate) fn restart(&mut self, arguments: &[&str]) {
        self.stop();
        let home = std::mem::replace(&mut self.home, Home::new());
        *self = Self::start_in(home, arguments);
    }

    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = self.home.command(arguments);
        command.env("ORDERSYNC_BASE_URL", &self.address);
        if !self.token.is_empty() {
            command.env("ORDERSYNC_TOKEN", &self.token);
        }
        command
    }

    /// What the service has logged.
    pub(crate) fn log(&self) -> Vec<String> {
        self.log.lock().expect("log").clone()
    }

    /// Waits for a line that begins like this.
    fn wait_for(&self, start: &str) {
        let began = std::time::Instant::now();
        while !self.log().iter().any(|line| line.starts_with(start)) {
            assert!(began.elapsed().as_secs() < 300, "no line begins with {start:?}: {:?}", self.log());
            std::thread::sleep(std::time::Duration::from_millis(5));
        }
    }

    pub(crate) fn run(&self, arguments: &[&str]) -> Run {
        Run::of(self.command(arguments))
    }

    /// Connects a simulated customer.
    pub(crate) fn connect(&self, retailer: &str, user: &str, more: &[&str]) -> Run {
        let file = self.home.credentials(user);
        self.run(&[&["connect", "--retailer", retailer, "--credentials-file", &file], more].concat())
    }
}

fn signal(child: &Child, signal: &str) {
    assert!(Command::new("kill").args([signal, &child.id().to_string()]).status().expect("kill").success());
}

#[test]
fn metrics_have_an_address_of_their_own_with_nothing_else() {
    let sandbox = Sandbox::start(&["--metrics-listen", "127.0.0.1:0"]);
    let said = "ordersync serve: metrics at http://";
    sandbox.wait_for(said);
    let line = sandbox.log().into_iter().find(|line| line.starts_with(said)).expect("the address");
    let address = line[said.len()..].split('/').next().expect("an address");
    let get = |path: &str| {
        let mut stream = std::net::TcpStream::connect(address).expect("connect");
        // As through a proxy.
        let head = format!("GET {path} HTTP/1.0\r\nHost: nodes\r\nX-Forwarded-For: 203.0.113.1\r\n\r\n");
        stream.write_all(head.as_bytes()).expect("send");
        let mut answer = String::new();
        stream.read_to_string(&mut answer).expect("read");
        answer
    };
    get("/metrics");
    let figures = get("/metrics");
    assert!(figures.contains(" 200 OK") && figures.contains("route=\"/metrics\",status=\"200\"} 1"), "{figures}");
    for path in ["/", "/healthz", "/sync/retailers", "/account"] {
        assert!(get(path).contains(" 404 "), "{path}");
    }
    for public in ["0.0.0.0:0", "[::]:0", "203.0.113.1:9464"] {
        let run = sandbox.home.run(&["serve", "--sandbox", "--metrics-listen", public]).ends(2);
        run.says("others than your own networks").says("--metrics-public");
    }
}

#[test]
fn the_main_job_works_at_an_address() {
    let sandbox = Sandbox::start(&[]);
    let connected = sandbox.connect("2", "user_mfa_enter", &["--mfa-command", "echo 123456"]);
    connected.ends(0).prints("✓ Voltaquill Electronics: ");
    let export = sandbox.run(&["orders", "export"]).ends(0);
    assert!(export.out.lines().count() > 1);
    // Another user has nothing of it.
    let other = sandbox.run(&["sandbox", "token", "--phone", "+15550101"]).ends(0).out;
    let mut command = sandbox.command(&["connections"]);
    command.env("ORDERSYNC_TOKEN", other.trim());
    Run::of(command).ends(0).says("No retailer is connected");
}

#[test]
fn the_export_is_what_the_service_itself_gives_as_csv() {
    let sandbox = Sandbox::start(&["--rate-limit", "off"]);
    sandbox.connect("1", "user_items_300", &[]).ends(0);
    let export = sandbox.run(&["orders", "export"]).ends(0);
    assert_eq!(export.out.lines().count(), 301);
    let mut stream = std::net::TcpStream::connect(sandbox.address.trim_start_matches("http://")).expect("connect");
    let path = "/sync/orders?format=csv&limit=1000";
    let token = &sandbox.token;
    write!(stream, "GET {path} HTTP/1.0\r\nHost: localhost\r\nAuthorization: Bearer {token}\r\n\r\n").expect("send");
    let mut answer = String::new();
    stream.read_to_string(&mut answer).expect("read");
    let (_, csv) = answer.split_once("\r\n\r\n").expect("a body");
    for (of_service, of_command) in csv.lines().zip(export.out.lines()) {
        assert_eq!(of_service, of_command);
    }
    assert_eq!(csv.len(), export.out.len());
}

#[test]
fn each_sync_that_ends_has_a_line_with_its_outcome_and_figures() {
    let sandbox = Sandbox::start(&[]);
    let connect = |retailer: &str, user: &str| sandbox.connect(retailer, user, &[]);
    connect("1", "user_items_3").ends(0);
    connect("2", "user_bad").ends(9);
    let lines = || -> Vec<String> { sandbox.log().into_iter().filter(|line| line.contains("a sync ended")).collect() };
    while lines().len() < 2 {
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    let [good, bad] = &lines()[..] else { panic!("{:?}", lines()) };
    for part in ["batch_id=\"batch_", "retailer_id=1 ", "outcome=\"completed\"", "items_found=3 items_new=3 ms="] {
        assert!(good.contains(part), "{part}: {good}");
    }
    for part in ["retailer_id=2 ", "outcome=\"failed\" code=\"", "items_found=0 items_new=0 ms="] {
        assert!(bad.contains(part), "{part}: {bad}");
    }
    assert!(!sandbox.log().iter().any(|line| line.contains("user_items_3") || line.contains("pass_good")));
}

#[test]
fn a_token_that_is_none_ends_with_4() {
    let sandbox = Sandbox::start(&[]);
    let mut command = sandbox.command(&["connections"]);
    command.env("ORDERSYNC_TOKEN", "nonsense");
    Run::of(command).ends(4).says("ordersync sandbox token").says("request id: ");
    let scoped = sandbox.run(&["sandbox", "token", "--scopes", "accounts:read"]).ends(0).out;
    let mut command = sandbox.command(&["orders", "list"]);
    command.env("ORDERSYNC_TOKEN", scoped.trim());
    Run::of(command).ends(4).says("scope");
}

#[test]
fn outside_a_sandbox_serve_refuses_and_says_why() {
    let home = Home::new();
    home.run(&["serve"]).ends(2).says("needs its root key").says("--key-file");
    home.run(&["serve", "--speed", "2"]).ends(2).says("--sandbox");
    home.run(&["serve", "--sandbox", "--database", "postgres://x"]).ends(2).says("postgres");
    home.run(&["serve", "--sandbox", "--retailers", "nowhere.toml"]).ends(2).says("nowhere.toml");
    home.run(&["sandbox", "token"]).ends(2).says("ordersync serve --sandbox");
}

#[test]
fn a_signal_ends_serve_with_0() {
    for signal in ["TERM", "INT"] {
        let mut sandbox = Sandbox::start(&[]);
        let id = sandbox.child.0.id().to_string();
        assert!(Command::new("sh").args(["-c", &format!("kill -s {signal} {id}")]).status().expect("kill").success());
        assert_eq!(sandbox.child.0.wait().expect("ends").code(), Some(0), "{signal}");
    }
}

#[test]
fn a_store_without_its_key_is_not_given_another() {
    let mut sandbox = Sandbox::start(&[]);
    sandbox.child.0.kill().expect("kill");
    sandbox.child.0.wait().expect("ends");
    let key = sandbox.home.path().join("data").join("serve.key");
    std::fs::remove_file(&key).expect("its key");
    let refused = sandbox.home.run(&["serve", "--sandbox", "--listen", "127.0.0.1:0"]).ends(2);
    refused.says("The root key of the store").says("serve.key").says("--key-file");
    assert!(!key.exists(), "the key that fits can be put there");
}

#[test]
fn a_folder_or_a_file_of_another_kind_is_named_before_a_key_is_missed() {
    let home = Home::new();
    std::fs::create_dir(home.path().join("folder")).expect("a folder");
    std::fs::write(home.path().join("text"), "no store").expect("a file");
    for (file, why) in [("folder", "folder is a folder."), ("text", "text is no SQLite database.")] {
        for more in [&["--sandbox"][..], &[]] {
            let serve = ["serve", "--listen", "127.0.0.1:0", "--database", file];
            let refused = home.run(&[&serve[..], more].concat()).ends(2).says(why);
            assert!(!refused.err.contains("key"), "{}", refused.err);
        }
    }
    for made in ["folder.key", "text.key", "text.lock"] {
        assert!(!home.path().join(made).exists(), "{made}");
    }
}

#[test]
fn the_key_is_made_private_beside_the_database() {
    use std::os::unix::fs::PermissionsExt as _;

    let sandbox = Sandbox::start(&[]);
    let mode = |name: &str| {
        let metadata = std::fs::metadata(sandbox.home.path().join("data").join(name)).expect(name);
        metadata.permissions().mode() & 0o777
    };
    assert_eq!(mode("serve.key"), 0o600);
    assert_eq!(mode("."), 0o700);
}

#[test]
fn a_sandbox_says_how_to_use_it_and_that_it_has_stopped() {
    let home = Home::new();
    let mut command = home.command(&["serve", "--sandbox", "--listen", "127.0.0.1:0"]);
    let mut child = command.stderr(Stdio::piped()).spawn().expect("it starts");
    let mut lines = BufReader::new(child.stderr.take().expect("stderr")).lines().map_while(Result::ok);
    let line = lines.find(|line| line.starts_with("In another terminal: ")).expect("how to use it");
    let script = line.trim_start_matches("In another terminal: ").to_owned();
    let mut shell = Command::new("sh");
    let bin = std::path::Path::new(env!("CARGO_BIN_EXE_ordersync")).parent().expect("a folder").to_owned();
    let path = std::env::join_paths(
        std::iter::once(bin).chain(std::env::split_paths(&std::env::var_os("PATH").unwrap_or_default())),
    );
    shell.args(["-c", &format!("{script}; ordersync profile -o json")]).env("PATH", path.expect("a path"));
    shell.env("ORDERSYNC_HOME", home.path());
    assert!(Run::of(shell).ends(0).json()["userId"].is_string());
    signal(&child, "-INT");
    assert!(lines.any(|line| line == "Stopped."));
    assert_eq!(child.wait().expect("ends").code(), Some(0));
}

#[test]
fn a_second_ctrl_c_does_not_wait_for_open_requests() {
    let mut sandbox = Sandbox::start(&[]);
    let authority = sandbox.address.trim_start_matches("http://");
    let mut open = std::net::TcpStream::connect(authority).expect("connect");
    write!(
        open,
        "POST /sync/connections/connect HTTP/1.1\r\nHost: {authority}\r\nAuthorization: Bearer {}\r\n\
         Content-Type: application/json\r\nContent-Length: 100\r\nExpect: 100-continue\r\n\r\n",
        sandbox.token
    )
    .expect("send");
    // As soon as it asks for the body, it works on the request.
    let mut line = String::new();
    BufReader::new(&open).read_line(&mut line).expect("read");
    assert!(line.contains("100 Continue"), "{line}");
    while sandbox.child.0.try_wait().expect("wait").is_none() {
        signal(&sandbox.child.0, "-INT");
        std::thread::sleep(std::time::Duration::from_millis(200));
    }
    assert_eq!(sandbox.child.0.wait().expect("ends").code(), Some(0));
    while sandbox.log().last().is_none_or(|line| !line.starts_with("Stopped")) {
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    let last = sandbox.log().pop();
    assert_eq!(last.as_deref(), Some("Stopped without waiting for the requests that were open."));
}

/// The status and body of a request without a token.
fn get(sandbox: &Sandbox, path: &str) -> (String, String) {
    let authority = sandbox.address.trim_start_matches("http://");
    let mut stream = std::net::TcpStream::connect(authority).expect("connect");
    write!(stream, "GET {path} HTTP/1.0\r\n\r\n").expect("send");
    let mut answer = String::new();
    stream.read_to_string(&mut answer).expect("read");
    let (head, body) = answer.split_once("\r\n\r\n").expect("a head");
    (head.split(' ').nth(1).expect("a status").to_owned(), body.to_owned())
}

#[test]
fn a_draining_service_is_not_ready_and_serves_on_until_a_second_signal() {
    let mut sandbox = Sandbox::start(&["--drain", "3600"]);
    assert_eq!(get(&sandbox, "/readyz").0, "200");
    signal(&sandbox.child.0, "-TERM");
    sandbox.wait_for("Draining for 3600 s");
    let (status, body) = get(&sandbox, "/readyz");
    assert!(status == "503" && body.contains("draining"), "{status} {body}");
    assert_eq!(get(&sandbox, "/healthz").0, "200");
    sandbox.run(&["connections"]).ends(0);
    // A request to reload does not end it.
    signal(&sandbox.child.0, "-HUP");
    assert_eq!(get(&sandbox, "/healthz").0, "200");
    signal(&sandbox.child.0, "-TERM");
    assert_eq!(sandbox.child.0.wait().expect("ends").code(), Some(0));
    sandbox.wait_for("Stopped without waiting");
}

#[test]
fn a_service_stops_when_it_has_drained() {
    let mut sandbox = Sandbox::start(&["--drain", "1"]);
    signal(&sandbox.child.0, "-TERM");
    assert_eq!(sandbox.child.0.wait().expect("ends").code(), Some(0));
    sandbox.wait_for("Draining for 1 s");
    sandbox.wait_for("Stopped.");
}

#[test]
fn a_token_of_the_environment_is_nobodys_profile() {
    let sandbox = Sandbox::start(&[]);
    let run = sandbox.run(&["auth", "status"]).ends(0).prints("ORDERSYNC_TOKEN");
    assert!(!run.out.contains("Profile") && !run.out.contains("local"), "{}", run.out);
    sandbox.run(&[]).ends(0).prints("Signed in by ORDERSYNC_TOKEN").prints("Next:\n  ordersync connect ");
    sandbox.connect("1", "user_good", &[]).ends(0);
    sandbox.run(&["connections"]).ends(0);
    sandbox.run(&[]).ends(0).prints("ordersync sync");
}

#[test]
fn the_way_to_a_token_names_the_same_service() {
    let sandbox = Sandbox::start(&[]);
    let address = sandbox.address.as_str();
    let run = sandbox.home.run(&["connections", "--base-url", address]).ends(4);
    run.says(&format!("$(ordersync sandbox token --base-url {address})"));
}

#[test]
fn a_dead_address_is_told_soon_and_with_its_origin() {
    let home = Home::new();
    let address = "http://127.0.0.1:1";
    let run = home.run(&["retailers", "-v", "--base-url", address]).ends(3);
    // Tried again for less than a second: nobody starts a service in that time, but one may be restarting.
    assert_eq!(run.err.matches("GET /sync/retailers").count(), 4, "{}", run.err);
    run.says("The address comes from --base-url.");
    let mut command = home.command(&["retailers"]);
    command.env("ORDERSYNC_BASE_URL", address);
    Run::of(command).ends(3).says("The address comes from ORDERSYNC_BASE_URL.");
    home.run(&["profiles", "add", "mine", "--base-url", address]).ends(0);
    home.run(&["retailers", "--profile", "mine"]).ends(3).says("The address comes from the profile mine in ");
}
