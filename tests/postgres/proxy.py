"""A way to PostgreSQL that can be cut: between nodes and their database, as a network is."""

import asyncio
import socket
import struct
import threading

CHUNK = 65536
# With no time to linger, what is closed is reset, and what was not sent is lost.
AT_ONCE = struct.pack("ii", 1, 0)


class Proxy:
    """Passes connections on to a port of this machine. `port` is where it listens; `to` may change while it runs."""

    def __init__(self, to):
        self.to, self.open, self.half = to, set(), False
        self.loop = asyncio.new_event_loop()
        self.thread = threading.Thread(target=self.loop.run_forever, daemon=True)
        self.thread.start()
        self.server = self.do(asyncio.start_server(self.serve, "127.0.0.1", 0))
        self.port = self.server.sockets[0].getsockname()[1]
        self.passing = asyncio.Event()
        self.passing.set()

    def do(self, coroutine):
        return asyncio.run_coroutine_threadsafe(coroutine, self.loop).result(30)

    async def serve(self, reader, writer):
        try:
            there, back = await asyncio.open_connection("127.0.0.1", self.to)
        except OSError:
            self.reset(writer)
            return
        pair = (writer, back)
        self.open.add(pair)
        await asyncio.gather(self.pass_on(reader, back, pair), self.pass_on(there, writer, pair, is_answer=True))
        self.open.discard(pair)

    async def pass_on(self, reader, writer, pair, is_answer=False):
        try:
            while chunk := await reader.read(CHUNK):
                await self.passing.wait()
                if is_answer and self.half and len(chunk) > 1:
                    self.half = False
                    writer.write(chunk[:len(chunk) // 2])
                    await writer.drain()
                    # What is reset at once, the other side would not read.
                    await asyncio.sleep(0.01)
                    self.cut_all()
                    return
                writer.write(chunk)
                await writer.drain()
        except OSError:
            pass
        # Whichever side ends, both do: half a connection is of no use.
        for each in pair:
            each.close()

    @staticmethod
    def reset(writer):
        writer.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, AT_ONCE)
        writer.transport.abort()

    def cut_all(self):
        for pair in list(self.open):
            for writer in pair:
                self.reset(writer)

    def cut(self, in_an_answer=False):
        """Ends all connections: now, or in the middle of what the database says next."""
        async def now():
            if in_an_answer:
                self.half = True
            else:
                self.cut_all()

        self.do(now())

    def hold(self, holds):
        """Passes nothing on while it holds, and closes nothing: as a network that swallows what is sent."""
        async def now():
            self.passing.clear() if holds else self.passing.set()

        self.do(now())

    def forget(self):
        """Nothing is ever said again on the connections that there are; new ones work: as after a failover of an address."""
        async def now():
            for writer, back in list(self.open):
                for each in (writer, back):
                    each.transport.pause_reading()
            self.open.clear()

        self.do(now())

    def __enter__(self):
        return self

    def __exit__(self, *_):
        async def end():
            self.server.close()
            self.cut_all()

        self.do(end())
        self.loop.call_soon_threadsafe(self.loop.stop)
        self.thread.join(10)
