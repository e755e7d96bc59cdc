//! Every setting of `config.toml`, in one table: the commands, help, documentation and man page are made from it.

/// A setting.
#[derive(Debug, PartialEq, Eq)]
pub struct SettingKey {
    /// Its name.
    pub name: &'static str,
    /// What it does, as a sentence without its full stop.
    pub help: &'static str,
}

/// The profile to work on.
pub const PROFILE: SettingKey =
    SettingKey { name: "profile", help: "Profile to use, unless a flag or variable names one; default: local" };

/// Whether anything moves on the terminal.
pub const ACCESSIBLE: SettingKey =
    SettingKey { name: "accessible", help: "`true`: plain output for screen readers, like --accessible" };

/// The settings that belong to a profile.
pub const OF_PROFILE: [SettingKey; 5] = [
    SettingKey { name: "base_url", help: "Address of the service; https, or http on this machine" },
    SettingKey { name: "client_id", help: "OAuth client id to sign in with; default: ordersync-cli" },
    SettingKey { name: "client_secret_file", help: "File with the client secret (chmod 600)" },
    SettingKey { name: "scopes", help: "Scopes to ask for when signing in, separated by spaces" },
    SettingKey {
        name: "token_store",
        help: "Where sign-ins are stored: `auto` (the system's keyring, or a private file), `keyring` or `file`",
    },
];

/// A path of a profile that differs from the specification's.
pub const ENDPOINT: SettingKey = SettingKey {
    name: "endpoints.NAME",
    help: "Path of an operation, if the service's differs; with the same {placeholders}",
};

/// All settings, in the order of the documentation.
pub fn all() -> impl Iterator<Item = &'static SettingKey> {
    [&PROFILE, &ACCESSIBLE].into_iter().chain(&OF_PROFILE).chain([&ENDPOINT])
}

/// Whether a setting of this name belongs to no profile.
pub fn is_of_none(name: &str) -> bool {
    [PROFILE, ACCESSIBLE].iter().any(|key| key.name == name)
}

/// Whether a setting of this name belongs to a profile. Paths are not included.
pub fn is_of_profile(name: &str) -> bool {
    OF_PROFILE.iter().any(|key| key.name == name)
}
