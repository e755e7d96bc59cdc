//! The candidates that a shell gets: from what commands left behind, without asking anybody.

use std::time::{Duration, Instant};

use super::support::Home;

/// The lines that a shell is given for the word under the cursor, the last one.
fn completed(home: &Home, words: &[&str]) -> Vec<String> {
    let index = words.len().to_string();
    let arguments = [&["__complete", "fish", &index, "--", "ordersync"], words].concat();
    let answer = answered(|| {
        let run = home.run(&arguments).ends(0);
        assert_eq!(run.err, "");
        run.out
    });
    let mut lines = answer.lines().map(str::to_owned);
    assert_eq!(lines.next().as_deref(), Some("words"));
    lines.collect()
}

/// The answer to a shell: nothing while the machine is too busy to answer within the bound.
fn answered(ask: impl Fn() -> String) -> String {
    let began = Instant::now();
    loop {
        let answer = ask();
        if !answer.is_empty() {
            return answer;
        }
        assert!(began.elapsed() < Duration::from_secs(300), "no answer");
    }
}

#[test]
fn retailers_are_known_on_a_machine_that_has_nothing_and_nothing_is_made() {
    let home = Home::new();
    let retailers = completed(&home, &["connect", "--retailer", ""]);
    assert!(retailers.contains(&"12\tMerribazaar".to_owned()), "{retailers:?}");
    assert_eq!(completed(&home, &["connect", "-r", "MERRI"]), ["MERRIbazaar\tretailer 12"]);
    assert!(completed(&home, &["fix", ""]).iter().all(|line| line.starts_with("--")));
    assert_eq!(std::fs::read_dir(home.path()).expect("folder").count(), 0);
}

#[test]
fn what_commands_fetched_is_offered_and_nothing_else_is_kept() {
    let home = Home::connected("user_good", 0);
    let connection = home.connection();
    assert_eq!(completed(&home, &["connections", "get", ""])[0], format!("{connection}\tMarrowby Market, valid"));
    let batches = completed(&home, &["mfa", "--batch", ""]);
    assert!(batches[0].contains("Marrowby Market") && batches[0].ends_with(", ended"), "{batches:?}");
    home.run(&["sandbox", "break", &connection]).ends(0);
    assert_eq!(completed(&home, &["fix", ""])[0], format!("{connection}\tMarrowby Market, invalid"));

    let folder = home.path().join("cache").join("completions");
    let files: Vec<_> = std::fs::read_dir(folder).expect("folder").map(|file| file.expect("file").path()).collect();
    assert_eq!(files.len(), 1);
    let text = std::fs::read_to_string(&files[0]).expect("text");
    let cache: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    for entry in ["retailers", "connections", "batches", "orders"]
        .iter()
        .flat_map(|list| cache[list]["entries"].as_array())
        .flatten()
    {
        let keys: Vec<_> = entry.as_object().expect("object").keys().map(String::as_str).collect();
        assert!(matches!(keys.as_slice(), ["id", "name"] | ["id", "name", "status"]), "{entry}");
    }
    {
        use std::os::unix::fs::PermissionsExt as _;
        let mode = std::fs::metadata(&files[0]).expect("metadata").permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
    }
    home.run(&["sandbox", "reset", "--yes"]).ends(0);
    assert!(completed(&home, &["fix", ""]).iter().all(|line| line.starts_with("--")));
}

#[test]
fn names_are_offered_where_names_are_taken() {
    let home = Home::connected("user_items_1", 0);
    let connection = home.connection();
    assert_eq!(completed(&home, &["connect", "merri"]), ["merribazaar\tretailer 12"]);
    for words in [
        &["sync"][..],
        &["orders", "sync"],
        &["fix"],
        &["connections"],
        &["connections", "get"],
        &["connections", "remove"],
    ] {
        let all = completed(&home, &[words, &[""]].concat());
        assert!(all.contains(&format!("{connection}\tMarrowby Market, valid")), "{words:?}: {all:?}");
        let named = completed(&home, &[words, &["Marr"]].concat());
        assert_eq!(named, [format!("Marrowby Market\t{connection}, valid")], "{words:?}");
    }
    assert_eq!(completed(&home, &["sync", "merribazaar", "conn_"]), [format!("{connection}\tMarrowby Market, valid")]);
    assert_eq!(completed(&home, &["orders", "list", "--status", "d"]), ["delivered\t"]);
    assert_eq!(completed(&home, &["orders", "list", "--sort", "pr"]), ["price\t"]);
}

/// By the rule for names, as the commands take them: accents folded, and any word of a name.
#[test]
fn accents_are_folded_and_later_words_of_a_name_count() {
    let home = Home::new();
    assert_eq!(completed(&home, &["connect", "komadori s"]), ["komadori shōten\tretailer 9"]);
    assert_eq!(completed(&home, &["connect", "sho"]), ["shoten\tKomadori Shōten, retailer 9"]);
}

#[test]
fn sessions_line_items_and_topics_are_offered() {
    let home = Home::connected("user_items_3", 0);
    let connection = home.connection();
    assert_eq!(
        completed(&home, &["sessions", "get", "mar"]),
        [format!("marrowby Market\tthe last session of {connection}")]
    );
    assert!(completed(&home, &["sessions", "watch", ""])[0].contains("Marrowby Market"));
    assert!(completed(&home, &["orders", "get", ""]).iter().all(|line| line.starts_with("--")));
    let listed = home.run(&["orders", "list", "-o", "json"]).ends(0).json();
    let ids: Vec<&str> = listed.as_array().expect("a list").iter().filter_map(|item| item["id"].as_str()).collect();
    let offered = completed(&home, &["orders", "get", ""]);
    assert!(ids.len() == 3 && ids.iter().all(|id| offered.iter().any(|line| line.starts_with(id))), "{offered:?}");

    let explained = completed(&home, &["help", ""]);
    for line in
        ["orders\tList, show and export line items", "exit-codes\tExit codes", "settings\tSettings of config.toml"]
    {
        assert!(explained.iter().any(|one| one == line), "{line}: {explained:?}");
    }
    assert_eq!(completed(&home, &["help", "env"]), ["environment\tEnvironment variables"]);
    let below = completed(&home, &["help", "orders", ""]);
    assert!(below.iter().any(|line| line.starts_with("export\t")), "{below:?}");
    assert!(!below.iter().any(|line| line.starts_with("settings\t")), "{below:?}");
}

#[test]
fn profiles_settings_and_paths_are_offered() {
    let home = Home::new();
    home.run(&["profiles", "add", "staging", "--base-url", "https://staging.test"]).ends(0);
    assert_eq!(completed(&home, &["orders", "list", "--profile", "st"]), ["staging\thttps://staging.test"]);
    assert_eq!(completed(&home, &["orders", "list", "--fields", "id,retailerS"]), ["id,retailerSku\t"]);
    assert_eq!(completed(&home, &["orders", "export", "--columns", "id,retailerS"]), ["id,retailerSku\tSKU"]);
    assert_eq!(
        completed(&home, &["config", "get", "token"]),
        [
            "token_store\tWhere sign-ins are stored: `auto` (the system's keyring, or a private file), `keyring` or `file`"
        ]
    );
    assert!(completed(&home, &["api", "GET", "/sync/ord"]).contains(&"/sync/orders\tGET".to_owned()));
}

/// The address may be one that is only being typed, and the token is for another.
#[test]
fn tab_sends_nothing_and_offers_what_commands_have_seen() {
    let home = Home::new();
    let runtime = tokio::runtime::Runtime::new().expect("runtime");
    let server = runtime.block_on(async {
        use wiremock::matchers::{method, path};
        use wiremock::{Mock, MockServer, ResponseTemplate};

        let server = MockServer::start().await;
        let connections = serde_json::json!([
            {"connectionId": "con_far", "retailerId": 7, "displayName": "Far \u{202e}Away", "status": "valid"},
            {"connectionId": "$(harm)", "retailerId": 7, "displayName": "Far Away", "status": "valid"},
        ]);
        let answer = ResponseTemplate::new(200).set_body_json(connections);
        Mock::given(method("GET")).and(path("/sync/connections")).respond_with(answer).mount(&server).await;
        server
    });
    let run = |arguments: &[&str]| home.run_at(&server.uri(), arguments).ends(0).out;
    let tab = || answered(|| run(&["__complete", "fish", "3", "--", "ordersync", "sync", "--connection", ""]));
    let sent = || runtime.block_on(server.received_requests()).expect("requests").len();
    assert_eq!((tab().as_str(), sent()), ("words\n", 0));
    run(&["connections"]);
    let before = sent();
    assert_eq!((tab().as_str(), sent()), ("words\ncon_far\tFar Away, valid\n", before));
    assert!(before > 0);
}

#[test]
fn every_shell_has_a_script_that_asks_the_command() {
    let home = Home::new();
    for shell in ["bash", "zsh", "fish", "elvish"] {
        home.run(&["completions", shell]).ends(0).prints(&format!("ordersync __complete {shell} "));
    }
}

#[test]
fn whatever_a_shell_sends_the_answer_is_silent() {
    let home = Home::new();
    for arguments in [
        &["__complete"][..],
        &["__complete", "tcsh", "1"],
        &["__complete", "zsh", "minus one"],
        &["__complete", "zsh", "0"],
        &["__complete", "bash", "99999999999", "--", "ordersync"],
        &["__complete", "zsh", "3", "--", "ordersync", "--", "-r", "--retailer"],
        &["__complete", "fish", "2", "--", "ordersync", "-", "\u{1b}[2J"],
    ] {
        let run = home.run(arguments).ends(0);
        assert_eq!(run.err, "", "{arguments:?}");
    }
}
