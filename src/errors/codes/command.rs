//! Of the command itself: its arguments, files, the store, and syncs that do not end well.

use crate::errors::{run, say};

super::rows! {
    USAGE = "USAGE", Usage,
        "The command line, or a file or value that it needs, is invalid.",
        "An argument is missing or wrong, or nobody can be asked for it without a terminal.",
        [say("See the command's --help.")];
    NO_BASE_URL = "NO_BASE_URL", Usage,
        "The profile has no address.",
        "`sandbox`, `production` and profiles of your own have none until you give one.",
        [
            run("Add one", "ordersync profiles add NAME --base-url https://…"),
            say("For one command: --base-url URL"),
        ];
    FILE = "FILE", Failed,
        "A file cannot be read or written.",
        "The file or its folder does not exist, or belongs to somebody else.",
        [say("Check that the folder exists, and that you may read and write in it.")];
    DISK_FULL = "DISK_FULL", Failed,
        "There is no space left to write.",
        "The disk is full, or a limit on your files is reached. What was there before is unchanged.",
        [
            run("See how much is left", "df -h"),
            say("Make room, or write to another disk, then run the command again."),
        ];
    OUTPUT = "OUTPUT", Failed,
        "The result cannot be written to standard output.",
        "The file, pipe or terminal that standard output leads to cannot be written.",
        [say("Let standard output lead to a file, a pipe or a terminal that can be written.")];
    CHANGES_NOT_TAKEN = "CHANGES_NOT_TAKEN", Failed,
        "The file of an earlier `--since-last` is still there, and there are new changes.",
        "Each change is exported once, so the file is not replaced: its rows may not have been read yet.",
        [
            say("Take what is in the file, move or delete it, then run the command again; or give another name with --out."),
            say("If its rows are not needed: the same command with --replace"),
        ];
    IMPORT_REFUSED = "IMPORT_REFUSED", Usage,
        "The files cannot be imported, and nothing was stored.",
        "None of them is in a known format, or one is damaged, cut off, too large, or lacks a column that it needs.",
        [
            say("Give the file as the retailer handed it out, not opened and saved by another program."),
            run("For a format that is not known, have a mapping proposed", "ordersync import FILE --explain"),
        ];
    ORDERS_NOT_STORED = "ORDERS_NOT_STORED", Failed,
        "Some orders or documents of a file are not stored; all others are.",
        "A text of theirs is longer than 2 KiB, they have no usable number, or the file changed while it was sent.",
        [say("Correct the file, then import it again: what is stored already is not stored twice.")];
    NOT_COMPLETE = "NOT_COMPLETE", Incomplete,
        "Not all orders of every retailer are known, and `--require-complete` asks for that.",
        "A sync failed or has not ended, an order was kept back, nothing proves the end of a list, a connection is invalid, or the service does not say.",
        [
            run("See which retailer, since when and why", "ordersync connections"),
            say("To have what is known: the same command without --require-complete"),
        ];
    STORE_LOCKED = "STORE_LOCKED", Failed,
        "Another program keeps the local store locked.",
        "A backup or a database tool holds it for longer than the 10 seconds that a command waits; commands of ordersync do not.",
        [
            run("See which program has it open (its path is in the message)", "lsof DATABASE"),
            say("End that program, then run the command again."),
        ];
    STORE = "STORE", Failed,
        "The store cannot be read or written.",
        "The disk fails, or the file is damaged or not a database.",
        [
            run("See what is damaged", "ordersync doctor"),
            run("Check the disk that it is on", "df -h; sudo dmesg"),
            say("Before you change anything, make a copy of the file that the message names."),
        ];
    STORE_FOREIGN = "STORE_FOREIGN", Failed,
        "The file is a database of another program.",
        "--database names a database of another program. It was not changed.",
        [
            say("Name the service's own store with --database PATH, or a path that does not exist yet to create a store there."),
        ];
    STORE_TOO_OLD = "STORE_TOO_OLD", Failed,
        "The store was made by a build before version 0.1.0.",
        "Its form is not kept. It was not changed.",
        [
            say("If you need its orders, export them with the build that made it."),
            say("Move the file that the message names away, then connect the retailers again; or name another store with --database."),
        ];
    STORE_NEWER = "STORE_NEWER", Failed,
        "The store was written by a newer version of ordersync.",
        "A later version has changed it such that this one would write wrong rows. A node that was running has stopped for that reason.",
        [
            run("Run that version or a later one", "ordersync --version"),
            say("To go back, restore the backup that you made before the upgrade."),
        ];
    STORE_OUTDATED = "STORE_OUTDATED", Failed,
        "The store was not yet brought up to date by this version of ordersync.",
        "Its service has not been started with this version. Of the `admin` commands, only `store migrate` upgrades a store, because an older service may be running on it.",
        [
            run("If no older service is running on it, bring it up to date", "ordersync admin store migrate --database PATH"),
            run("Or start this version once", "ordersync serve --database PATH …"),
            say("Or run the version of ordersync that the running service has."),
        ];
    ROOT_KEY = "ROOT_KEY", Usage,
        "The root key does not belong to the store.",
        "The key file was exchanged, or --database names another service's store. Nothing was changed.",
        [
            say("Start with the key that the store was made with: its fingerprint is in the message. Several keys may be given; the first one seals."),
        ];
    SERVICE_START = "SERVICE_START", Failed,
        "The service inside the command does not start.",
        "Its store was written by a newer version or is damaged, or its folder cannot be written.",
        [run("See where the store is", "ordersync config list")];
    LISTEN = "LISTEN", Failed,
        "Cannot listen on this address.",
        "Another program listens there, or the address is not this machine's.",
        [run("Let the system choose a port", "ordersync serve --sandbox --listen 127.0.0.1:0")];
    LOCKED = "LOCKED", Failed,
        "Another command has been renewing the sign-in for too long.",
        "That command hangs.",
        [run("End the other command, or sign in again", "ordersync auth login")];
    KEYRING = "KEYRING", SignIn,
        "The system's keyring cannot be read or written.",
        "It is locked, or does not answer.",
        [run("Unlock the keyring, or keep sign-ins in a private file", "ordersync config set token_store file")];
    SIGN_IN_UNREADABLE = "SIGN_IN_UNREADABLE", SignIn,
        "The stored sign-in is corrupt.",
        "Something else has written to it.",
        [run("Sign in again", "ordersync auth login")];
    SIGN_IN_TIMEOUT = "SIGN_IN_TIMEOUT", SignIn,
        "Nobody finished signing in in time.",
        "The page was left open, or the browser could not reach this machine.",
        [
            run("Start again", "ordersync auth login"),
            run("If no browser can reach this machine", "ordersync auth login --device"),
        ];
    NO_AUTHORIZATION_SERVER = "NO_AUTHORIZATION_SERVER", Failed,
        "The service does not say how to sign in.",
        "The address is not that of the service, or the service takes tokens from elsewhere.",
        [
            run("Is this the address of the service? A token from elsewhere can be used", "ordersync auth login --with-token"),
        ];
    WRONG_ISSUER = "WRONG_ISSUER", Failed,
        "The service names another address than yours as its own.",
        "It is reached under an address that it does not know, or something intercepts the connection.",
        [run("Use the address that it names", "ordersync config set base_url https://…")];
    SEAL = "SEAL", Failed,
        "The credentials cannot be sealed.",
        "The token that the service gave for it is not one of the kind that this command knows.",
        [run("Is this the address of the service?", "ordersync config list")];
    NO_LIST = "NO_LIST", Failed,
        "The answer is not a list, so it has no pages.",
        "`--paginate` was given for a request that answers with one thing.",
        [say("Leave out --paginate.")];
    ADJUSTMENTS_UNKNOWN = "ADJUSTMENTS_UNKNOWN", Failed,
        "The adjustments of an order are not known.",
        "The service does not report adjustments, the retailer does not show them, or the order was last read by a version of the service that did not keep them.",
        [run("Read all orders again", "ordersync sync --full")];
    NO_SHOP = "NO_SHOP", Failed,
        "No shop that can be read was found at this address.",
        "The address is that of another site, the shop does not let programs in, or it runs on a platform without a connector. The hint lists the addresses that were tried, and their answers.",
        [
            say("Give the address of the shop's own sign-in page, as your browser shows it."),
            run("For any other shop, have a recipe drafted (docs/recipes.md)", "ordersync retailers draft ADDRESS-OF-THE-ORDERS"),
        ];
    SHOP_UNREACHABLE = "SHOP_UNREACHABLE", Network,
        "The shop cannot be reached.",
        "The address is misspelt, the shop is down, or this machine is not on the network.",
        [say("Open the address in a browser on this machine, then run the command again.")];
    JQ = "JQ", Failed,
        "The filter of --jq does not fit the result.",
        "It expects a list but the result is one record, or it expects a field that is missing.",
        [say("See what it works on: the same command with -o json")];
    MFA_NEEDED = "MFA_NEEDED", MfaNeeded,
        "A retailer asks for verification, and nobody can answer here.",
        "The retailer wants a code, and there is no terminal and no flag that gives it.",
        [
            run("Answer it", "ordersync mfa"),
            say("In a script: --mfa-option, --mfa-code-stdin, --mfa-command 'COMMAND'"),
        ];
    MFA_COMMAND = "MFA_COMMAND", MfaNeeded,
        "The command for the verification code failed.",
        "The command of --mfa-command ended with an error, or printed nothing.",
        [say("Try it by hand; it has to print the code and nothing else.")];
    STILL_RUNNING = "STILL_RUNNING", StillRunning,
        "The time is up, and the sync is still running.",
        "The retailer is slow, or --timeout is short. The sync continues.",
        [run("Keep following it", "ordersync sessions watch")];
    SYNC_FAILED = "SYNC_FAILED", SyncFailed,
        "The sync ended, but a retailer failed.",
        "See the retailer's own code in the table below.",
        [run("Repair what is invalid", "ordersync fix")];
    CONNECTIONS_SKIPPED = "CONNECTIONS_SKIPPED", SyncFailed,
        "The sync skipped connections.",
        "A connection is invalid, waits for a code, failed before, or is still syncing. The process ends with 7 if one waits for a code, else with 9 if one is invalid or failed, else with 8.",
        [
            say("Run the command that is printed for each connection."),
            say("To accept skipped connections: --allow-skipped"),
        ];
    TIME_UP = "TIME_UP", StillRunning,
        "The time of --timeout is up, and the command had not ended.",
        "Something that the command waits for does not come: a file that is a pipe, for example.",
        [say("Give it more time with --timeout.")];
    INPUT_TIMEOUT = "INPUT_TIMEOUT", Usage,
        "A file or standard input gave nothing within --timeout.",
        "It is a pipe that no program writes to, or that is never closed.",
        [say("Check the program that writes to it, or give a regular file.")];
    CHECKS_FAILED = "CHECKS_FAILED", Failed,
        "A check of `doctor` or `smoke` failed.",
        "Its line says what was expected and what was found. If the network failed, the process ends with 3; if the sign-in failed, with 4.",
        [say("Follow the advice below the failed check.")];
    INTERRUPTED = "INTERRUPTED", Interrupted,
        "Ctrl-C ended the command, or you answered a question with no.",
        "You pressed it or declined, or the system asked the command to end. What runs in the service continues.",
        [run("See the state of the sync", "ordersync sessions")];
    SYSTEM = "SYSTEM", Failed,
        "The system refuses what every program needs: threads, or random numbers.",
        "A limit is reached, or a container forbids it.",
        [run("See the limits", "ulimit -a")];
    FAULT = "FAULT", Failed,
        "A bug in this command.",
        "It is not your fault.",
        [say("Please report it, with what you typed and the output of -vv.")];
}
