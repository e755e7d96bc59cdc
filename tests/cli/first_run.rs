//! `ordersync` alone: where the user stands, and the next step.

use crate::support::Home;

#[test]
fn the_next_step_follows_from_what_is_there() {
    let home = Home::connected("user_good", 0);
    home.run(&[]).ends(0).prints("Connections  1 valid").prints("ordersync orders export --out orders.csv");
    home.run(&["sandbox", "break", &home.connection()]).ends(0);
    home.run(&[]).ends(0).prints("Connections  1 invalid").prints("ordersync fix");
    let document = home.run(&["-o", "json"]).ends(0).json();
    assert_eq!(document["connections"]["invalid"], 1);
    assert_eq!(document["next"][0], "ordersync fix");
}

/// No word of the overview is cut, and no command is broken.
#[test]
fn the_overview_fits_a_narrow_terminal() {
    use super::pty::{ends, expect, start_in_shell};

    let (empty, home, broken) = (Home::new(), Home::new(), Home::new());
    home.connect("user_good", &[]).ends(0);
    broken.connect("user_bad", &[]).ends(9);
    for columns in ["50", "80", "120"] {
        for home in [&empty, &home, &broken] {
            let mut session = start_in_shell(home, &[], &[("COLS", columns)]);
            let shown = expect(&mut session, "ended 0");
            ends(session, 0);
            let shown = console::strip_ansi_codes(&shown).replace("\r\n", "\n");
            let shown = shown.split_once(".\n").map_or(shown.as_str(), |(_, rest)| rest);
            let width: usize = columns.parse().expect("a number");
            for line in shown.lines() {
                assert!(console::measure_text_width(line) <= width, "{columns}: {line:?}: {shown}");
            }
            let told = home.run(&[]).ends(0).out;
            let words = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
            assert_eq!(words(shown), words(&told), "{columns}");
            let commands: Vec<&str> = told.lines().filter_map(|line| line.strip_prefix("  ordersync ")).collect();
            for command in commands.iter().filter_map(|line| line.split("  ").next()) {
                assert!(shown.contains(&format!("  ordersync {command}")), "{columns}: {command}: {shown}");
            }
        }
    }
}
