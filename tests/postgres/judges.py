#!/usr/bin/env python3
"""Judges of the service again, with its store in a PostgreSQL of their own.

    tests/postgres/judges.py [NAME...]      all, or those

Each has to have made a database, and to have left rows in it: one whose store was on a file by mistake proves nothing.
"""

import os
import subprocess
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "judges"))
from cluster import Cluster  # noqa: E402
from judge import ROOT  # noqa: E402

PLACE = ROOT / "tests/judges"
JUDGES = {
    "isolation": [sys.executable, PLACE / "isolation.py"],
    "smoke": [sys.executable, PLACE / "smoke.py"],
    "oauth_clients": [sys.executable, PLACE / "oauth_clients.py"],
    "oauth_client": [sys.executable, PLACE / "judge.py", "--rate-limit", "off", "--", "node", PLACE / "oauth_client.mjs"],
    "schemathesis": [PLACE / "schemathesis.sh"],
}
#: The coverage phase is as long as on a file; fuzzing is shorter.
SHORTER = {"MAX_EXAMPLES": "20"}


def rows(cluster, database):
    """How many a database has in the tables of the service."""
    tables = cluster.sql("SELECT relname FROM pg_stat_user_tables WHERE relname <> '_sqlx_migrations'", database)
    return sum(int(cluster.sql(f'SELECT COUNT(*) FROM "{table}"', database)[0][0]) for table, in tables)


def run(cluster, name, environment):
    began = time.monotonic()
    code = subprocess.run([str(part) for part in JUDGES[name]], env=environment, cwd=ROOT).returncode
    databases = [name for name, in cluster.sql("SELECT datname FROM pg_database WHERE datname LIKE 'judge%'")]
    kept = [rows(cluster, database) for database in databases]
    print(f"{name} on PostgreSQL: status {code}, {sum(kept)} rows in {len(kept)} databases ({time.monotonic() - began:.0f} s)", flush=True)
    for database in databases:
        cluster.sql(f"DROP DATABASE {database}")
    return code == 0 and kept and min(kept) > 0


def main():
    wanted = sys.argv[1:] or list(JUDGES)
    if unknown := set(wanted) - set(JUDGES):
        sys.exit(f"there is no judge {', '.join(unknown)}; there are: {', '.join(JUDGES)}")
    with Cluster() as cluster:
        venv = Path(sys.executable).parent.parent
        environment = {**SHORTER, **os.environ, "ORDERSYNC_JUDGE_DATABASE": cluster.address(), "VENV": str(venv)}
        failed = [name for name in wanted if not run(cluster, name, environment)]
    print(f"judges on PostgreSQL: {len(wanted)} ran, {len(failed)} failed {failed or ''}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
