//! Fragments of SQL that differ between the databases.
//!
//! A query has one text if possible. If not, [`sql!`] puts it together from pieces: texts that both
//! databases take as they are, and fragments in square brackets, which [`fragment!`] writes for each of them.

/// A query of text pieces and fragments, such as `sql!("SELECT … WHERE number IN (", [numbers "$3"], ")")`.
macro_rules! sql {
    ($($piece:tt),+ $(,)?) => {
        $crate::store::db::Sql::both(
            concat!($($crate::store::db::dialect::piece!(sqlite $piece)),+),
            concat!($($crate::store::db::dialect::piece!(postgres $piece)),+),
        )
    };
}

/// A piece of a query, for one database.
macro_rules! piece {
    ($database:ident [$($fragment:tt)+]) => { $crate::store::db::dialect::fragment!($database $($fragment)+) };
    ($database:ident $text:literal) => { $text };
}

/// A query with fragments that begin with `sandbox`: a live service does without them, or with their `live` form.
macro_rules! by_environment {
    ($($piece:tt),+ $(,)?) => {
        $crate::store::db::ByEnvironment {
            sandbox: $crate::store::db::dialect::sql!($($piece),+),
            live: $crate::store::db::Sql::both(
                concat!($($crate::store::db::dialect::live_piece!(sqlite $piece)),+),
                concat!($($crate::store::db::dialect::live_piece!(postgres $piece)),+),
            ),
        }
    };
}

macro_rules! live_piece {
    ($database:ident [sandbox $($fragment:tt)+]) => {
        $crate::store::db::dialect::fragment!($database live $($fragment)+)
    };
    ($database:ident $piece:tt) => { $crate::store::db::dialect::piece!($database $piece) };
}

/// A fragment, for one database.
macro_rules! fragment {
    // Rows that the same transaction changes afterwards: until it ends, nobody else may change them. SQLite has no row locks and
    // needs none, because only one transaction writes at a time. `of` names the table of a join whose rows change.
    (sqlite lock) => {
        ""
    };
    (postgres lock) => {
        " FOR NO KEY UPDATE"
    };
    (sqlite lock of $table:literal) => {
        ""
    };
    (postgres lock of $table:literal) => {
        concat!(" FOR NO KEY UPDATE OF ", $table)
    };
    // The same for a row that is left out if somebody else has it locked.
    (sqlite lock or skip) => {
        ""
    };
    (postgres lock or skip) => {
        " FOR NO KEY UPDATE SKIP LOCKED"
    };

    // What is read of a connection, of a client, of the audit log. A query names its columns: a newer node may add others while this one runs.
    ($database:tt connection) => {
        concat!(
            "c.id, c.retailer_id, c.display_name, c.status, c.status_reason, c.created_at, c.last_sync_at, c.last_batch_id,
            c.failed_at, c.failure_code, c.failed_batch_id, c.incomplete_since, c.end_not_proven, c.import_unfinished,
            (SELECT COUNT(*) FROM kept_back_orders k
                WHERE k.user_id = c.user_id AND k.connection_id = c.id) AS kept_back,
            (SELECT ",
            $crate::store::db::dialect::fragment!($database pairs "k.order_id" "k.reason"),
            " FROM (SELECT order_id, reason FROM kept_back_orders
                WHERE user_id = c.user_id AND connection_id = c.id ORDER BY order_id LIMIT 20) k) AS first_kept_back"
        )
    };
    // Of the connection `c`: whether it is complete, as `domain::completeness` has it.
    ($any:tt complete) => {
        "((c.last_sync_at IS NOT NULL OR COALESCE(c.status_reason, '') = 'import_only') AND c.failed_at IS NULL
            AND c.status <> 'invalid' AND c.end_not_proven = 0 AND c.import_unfinished = 0
            AND NOT EXISTS (SELECT 1 FROM kept_back_orders k WHERE k.user_id = c.user_id AND k.connection_id = c.id))"
    };
    ($any:tt client) => {
        "id, name, secret_digest, scopes, redirect_uris, return_urls, frame_ancestors, requests_per_minute, created_at, disabled_at"
    };
    ($any:tt audit) => {
        "id, at, actor_kind, actor, action, outcome, subject, target"
    };

    // Two columns of all rows, as a JSON array of arrays.
    (sqlite pairs $one:literal $other:literal) => {
        concat!("json_group_array(json_array(", $one, ", ", $other, "))")
    };
    (postgres pairs $one:literal $other:literal) => {
        concat!("json_agg(json_build_array(", $one, ", ", $other, "))::text")
    };
    // The elements of a JSON array, as a query of one column.
    (sqlite numbers $list:literal) => {
        concat!("SELECT value FROM json_each(", $list, ")")
    };
    (postgres numbers $list:literal) => {
        concat!("SELECT value::bigint AS value FROM jsonb_array_elements_text((", $list, ")::jsonb)")
    };
    (sqlite texts $list:literal) => {
        concat!("SELECT value FROM json_each(", $list, ")")
    };
    (postgres texts $list:literal) => {
        concat!("SELECT value FROM jsonb_array_elements_text((", $list, ")::jsonb)")
    };
    // The elements of a JSON array of positions with counts: (sort key, id, count), or without counts.
    (sqlite positions $list:literal) => {
        concat!(
            "SELECT value ->> 0 AS start_key, value ->> 1 AS start_id, value ->> 2 AS items FROM json_each(",
            $list,
            ")"
        )
    };
    (postgres positions $list:literal) => {
        concat!(
            "SELECT (value ->> 0)::bigint AS start_key, value ->> 1 AS start_id, (value ->> 2)::bigint AS items
            FROM jsonb_array_elements((",
            $list,
            ")::jsonb)"
        )
    };
    // The rows of a table, named like it, of the orders of `$3`, a JSON array of order ids, of the user `$1`'s connection `$2`;
    // a condition follows. Each order is looked up by the whole unique key. SQLite does so because the key is named. PostgreSQL
    // would read all orders of the connection if it believes them to be few: the limit forbids it.
    (sqlite listed $table:literal) => {
        concat!($table, " WHERE (user_id, connection, order_id) IN (SELECT $1, $2, value FROM json_each($3)) AND ")
    };
    (postgres listed $table:literal) => {
        concat!(
            "(SELECT DISTINCT value FROM jsonb_array_elements_text($3::jsonb)) listed CROSS JOIN LATERAL (SELECT * FROM ",
            $table,
            " WHERE user_id = $1 AND connection = $2 AND order_id = listed.value LIMIT 1) ",
            $table,
            " WHERE "
        )
    };
    // The change of these rows of `orders`: what is set follows.
    (sqlite update listed orders) => {
        "UPDATE orders SET "
    };
    (postgres update listed orders) => {
        concat!(
            "INSERT INTO orders SELECT orders.* FROM ",
            $crate::store::db::dialect::fragment!(postgres listed "orders"),
            "TRUE ON CONFLICT (user_id, connection, number) DO UPDATE SET "
        )
    };
    // Its end; a condition follows.
    (sqlite where listed) => {
        " WHERE (user_id, connection, order_id) IN (SELECT $1, $2, value FROM json_each($3)) AND "
    };
    (postgres where listed) => {
        " WHERE "
    };
    // The lines `i` of the orders `o` whose numbers are in `$3`, a JSON array, of the user `$1`'s connection `$2`.
    (sqlite lines of orders) => {
        concat!(
            "json_each($3) o ",
            $crate::store::db::dialect::fragment!(sqlite each "line_items" "i"),
            "i.user_id = $1 AND i.connection = $2 AND i.item >= o.value << 20 AND i.item < (o.value + 1) << 20"
        )
    };
    (postgres lines of orders) => {
        concat!(
            "(SELECT value::bigint AS value FROM jsonb_array_elements_text($3::jsonb)) o ",
            $crate::store::db::dialect::fragment!(postgres each "line_items" "i"),
            "i.user_id = $1 AND i.connection = $2 AND i.item >= o.value << 20 AND i.item < (o.value + 1) << 20",
            $crate::store::db::dialect::fragment!(postgres end of each "i")
        )
    };
    // The rows of a table that belong to each row on the left; the condition follows. They are looked up on an index, row by row,
    // however many the database believes there to be.
    (sqlite each $table:literal $name:literal) => {
        concat!("CROSS JOIN ", $table, " ", $name, " ON ")
    };
    (postgres each $table:literal $name:literal) => {
        concat!("CROSS JOIN LATERAL (SELECT * FROM ", $table, " ", $name, " WHERE ")
    };
    // The end of that condition.
    (sqlite end of each $name:literal) => {
        ""
    };
    (postgres end of each $name:literal) => {
        concat!(" OFFSET 0) ", $name)
    };

    // The last node `n` of a level that starts before the sort key `$2`, of the connection `c` of the user `$3`.
    (sqlite node before key $level:literal $n:literal) => {
        concat!(
            " CROSS JOIN line_nodes ",
            $n,
            " ON ",
            $n,
            ".user_id = $3 AND ",
            $n,
            ".connection = c.value AND ",
            $n,
            ".level = ",
            $level,
            " AND (",
            $n,
            ".start_key, ",
            $n,
            ".start_id) = (SELECT start_key, start_id FROM line_nodes
                WHERE user_id = $3 AND connection = c.value AND level = ",
            $level,
            " AND start_key < $2
                ORDER BY start_key DESC, start_id DESC LIMIT 1)"
        )
    };
    (postgres node before key $level:literal $n:literal) => {
        concat!(
            " CROSS JOIN LATERAL (SELECT start_key, start_id FROM line_nodes
                WHERE user_id = $3 AND connection = c.value AND level = ",
            $level,
            " AND start_key < $2
                ORDER BY start_key DESC, start_id DESC LIMIT 1) ",
            $n
        )
    };

    // The clock of the user of a part of a sync, which only a sandbox can have moved: queries of a live service do without.
    ($database:ident sandbox user of $part:literal) => {
        concat!(
            " ",
            $crate::store::db::dialect::fragment!($database ordered join),
            " users u ON u.id = ",
            $part,
            ".user_id "
        )
    };
    // Whether a time of that part is over at `$1`, the machine's time. No clock is further ahead than the first condition
    // says, which an index serves.
    ($database:ident sandbox over $column:literal) => {
        concat!(
            $column,
            " <= $1 + (SELECT ",
            $crate::store::db::dialect::fragment!($database greatest),
            "(0, COALESCE(MAX(m.clock_offset), 0)) FROM users m
                WHERE m.clock_offset <> 0 OR m.clock_frozen_at IS NOT NULL)
            AND ",
            $column,
            " <= COALESCE(u.clock_frozen_at, $1 + u.clock_offset)"
        )
    };
    // The id of the part that is due longest of the retailer `open.retailer` and users that are not in `$2`, of those that meet a condition.
    // One whose leases ran out has to wait.
    ($database:ident $environment:ident first due $condition:literal) => {
        concat!(
            "(SELECT d.id FROM retailer_sessions d ",
            $crate::store::db::dialect::fragment!($database $environment user of "d"),
            "WHERE d.active = 1 AND d.retailer_id = open.retailer AND ",
            $condition,
            " AND ",
            $crate::store::db::dialect::fragment!($database $environment over "d.due_at"),
            " AND (d.lease_until IS NULL OR $1 >= d.lease_until
                + CASE d.claims_without_commit WHEN 0 THEN 0 WHEN 1 THEN 2 WHEN 2 THEN 4 WHEN 3 THEN 8 WHEN 4 THEN 16
                    WHEN 5 THEN 32 ELSE 64 END * 1000000)
            AND d.user_id NOT IN (",
            $crate::store::db::dialect::fragment!($database texts "$2"),
            ") ORDER BY d.due_at LIMIT 1)"
        )
    };
    // The first of these times after `$1` under the clocks that were moved and run, in the machine's time.
    ($database:ident sandbox next $column:literal) => {
        concat!(
            " UNION ALL SELECT MIN(r.",
            $column,
            " - u.clock_offset) FROM users u ",
            $crate::store::db::dialect::fragment!($database ordered join),
            " retailer_sessions r ON r.user_id = u.id
            WHERE (u.clock_offset <> 0 OR u.clock_frozen_at IS NOT NULL) AND u.clock_frozen_at IS NULL
                AND r.active = 1 AND r.",
            $column,
            " - u.clock_offset > $1"
        )
    };
    // The users of parts whose clocks were moved and run; a condition follows.
    ($database:ident sandbox running users of $part:literal) => {
        concat!(" FROM users u WHERE u.id = ", $part, ".user_id AND u.clock_frozen_at IS NULL AND ")
    };
    ($database:ident live running users of $part:literal) => {
        " WHERE "
    };
    // By how much such a clock is ahead of the machine's.
    ($database:ident sandbox offset) => {
        " + u.clock_offset"
    };
    // The clock of the joined user, who may be nobody.
    ($database:ident sandbox clock) => {
        ", COALESCE(u.clock_offset, 0) AS clock_offset, u.clock_frozen_at"
    };
    ($database:ident live clock) => {
        ", CAST(0 AS BIGINT) AS clock_offset, CAST(NULL AS BIGINT) AS clock_frozen_at"
    };
    // Whether anybody's requests are to fail.
    ($database:ident sandbox failures wait) => {
        ", EXISTS (SELECT 1 FROM sandbox_failures) OR EXISTS (SELECT 1 FROM sandbox_client_failures) AS failures_wait"
    };
    ($database:ident live failures wait) => {
        ", FALSE AS failures_wait"
    };
    ($database:ident sandbox anybody of $row:literal) => {
        concat!(" LEFT JOIN users u ON u.id = ", $row, ".user_id")
    };
    // The time under the clock of the joined user, from `$1`.
    ($database:ident sandbox now) => {
        "COALESCE(u.clock_frozen_at, $1 + u.clock_offset)"
    };
    ($database:ident live now) => {
        "$1"
    };
    // On which day the simulated history of a connection ends.
    ($database:ident sandbox history_end of $connection:literal) => {
        concat!($connection, ".history_end")
    };
    ($database:ident live history_end of $connection:literal) => {
        "CAST(NULL AS BIGINT) AS history_end"
    };
    ($database:ident live over $column:literal) => {
        concat!($column, " <= $1")
    };
    ($database:ident live $($of_moved_clocks:tt)+) => {
        ""
    };

    // A join whose left side SQLite has to read first. PostgreSQL decides that by itself.
    (sqlite ordered join) => {
        "CROSS JOIN"
    };
    (postgres ordered join) => {
        "JOIN"
    };
    // A text that only one of them gets.
    (sqlite only sqlite $text:literal) => {
        $text
    };
    (postgres only sqlite $text:literal) => {
        ""
    };
    (sqlite only postgres $text:literal) => {
        ""
    };
    (postgres only postgres $text:literal) => {
        $text
    };
    // Orders `o` whose figures do not agree; `o.marked <> 0` follows. They are few, and SQLite would look through all orders of a
    // connection for them.
    (sqlite marked orders) => {
        "orders o INDEXED BY marked_orders"
    };
    (postgres marked orders) => {
        "orders o"
    };
    (sqlite greatest) => {
        "MAX"
    };
    (postgres greatest) => {
        "GREATEST"
    };
}

pub(crate) use {by_environment, fragment, live_piece, piece, sql};
