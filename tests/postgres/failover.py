"""A database that fails in every way that a real one does: restarts, cut connections, and a replica that takes over."""

import time

from cluster import Cluster
from proxy import Proxy


class Database:
    """A PostgreSQL behind a proxy. With `replicated`, a second one has everything before a write is answered."""

    def __init__(self, replicated=False):
        # The log of a standby that was away for a while has to be there still.
        self.primary = Cluster(durable=True, settings=("wal_keep_size=512MB", "synchronous_commit=on"))
        self.standby = None
        self.proxy = Proxy(self.primary.port)
        if replicated:
            self.replicate()

    def replicate(self):
        self.standby = Cluster(durable=True, settings=("wal_retrieve_retry_interval=100ms",), copy_of=self.primary.address("postgres"))
        # After the copy, which must not wait for a standby of its own.
        self.primary.sql("ALTER SYSTEM SET synchronous_standby_names = '*'")
        self.primary.sql("SELECT pg_reload_conf()")
        deadline = time.monotonic() + 60
        while ["sync"] not in self.primary.sql("SELECT sync_state FROM pg_stat_replication"):
            if time.monotonic() > deadline:
                raise SystemExit("the replica does not follow")
            time.sleep(0.1)

    def address(self):
        return self.primary.address(port=self.proxy.port)

    def restart(self, moments):
        """As a crash, or as an operator would."""
        self.primary.stop(mode=moments.choice(["immediate", "fast"]))
        time.sleep(moments.uniform(0, 1))
        self.primary.start()

    def cut(self, moments):
        self.proxy.cut(in_an_answer=moments.random() < 0.5)

    def promote(self, moments):
        """The primary dies for good, and the replica becomes one."""
        self.primary.stop(mode="immediate")
        time.sleep(moments.uniform(0, 1))
        dead, self.primary, self.standby = self.primary, self.standby, None
        self.primary.promote()
        self.proxy.to = self.primary.port
        self.proxy.cut()
        dead.remove()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.proxy.__exit__()
        for cluster in filter(None, (self.primary, self.standby)):
            cluster.remove()
