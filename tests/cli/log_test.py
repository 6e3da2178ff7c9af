#!/usr/bin/env python3
"""pianola log: what the simulator writes, what differs, and dumps that are none."""
import json
import random
import struct

import cli_support
from cli_support import DIFFERENT, DONE, FILE_TROUBLE

MAGIC, VERSION, CAPACITY, SMALL_CAPACITY = 0x474F4C50, 1, 256, 64
HEAD, ENTRY = struct.Struct("<8I"), struct.Struct("<IBBHQ")
LOG_BYTES = HEAD.size + CAPACITY * ENTRY.size
LAUNCH, END, WRITE, NOTIFY, CONV2D = 0x17, 0x5A, 0x66, 0xB2, 2
UNKNOWN_COMMAND, BUS = 1, 4


def command(sequence, kind=WRITE, fault=0, kernel=0, digest=0):
    """One entry."""
    return sequence, kind, fault, kernel, digest


def run_of(count, first=1):
    """Entries of `count` commands that differ by their digests."""
    return [command(i, LAUNCH, 0, CONV2D, 1000 + i) for i in range(first, first + count)]


def dump(*queues, capacity=CAPACITY):
    """A target's memory: one log per queue, from its entries since reset, oldest first."""
    memory = b""
    for queue, entries in enumerate(queues):
        ring = [command(0, 0)] * capacity
        for index, entry in enumerate(entries):
            ring[index % capacity] = entry
        memory += HEAD.pack(MAGIC, VERSION, queue, capacity, len(entries), 0, 0, 0) + b"".join(
            ENTRY.pack(*entry) for entry in ring)
    return memory


class Log(cli_support.CliTest):
    """Shows and compares."""

    def diff(self, left, right, code):
        """The comparison of two dumps, as JSON."""
        left, right = self.write("left.log", left), self.write("right.log", right)
        text = self.run_pianola("log", "diff", left, right, code=code).stdout
        shown = json.loads(self.run_pianola("log", "diff", left, right, "--json", code=code).stdout)
        self.assertEqual(shown["equal"], code == DONE)
        for queue in shown["queues"]:
            self.assertEqual(queue["equal"], "difference" not in queue)
            self.assertIn(f"queue {queue['queue']}: ", text)
            if not queue["equal"]:
                self.assertIn(f"first difference at {queue['difference']['sequence']}", text)
        return shown["queues"], text

    def replay(self, log, *arguments):
        """Replays one picture of the sample and returns its output."""
        self.run_pianola("run", "road_signs.ptb", "--input", "sample/sign_0.bin", "--output", "out.bin", "--log", log,
                         *arguments)
        self.assertEqual((self.folder / log).stat().st_size, 2 * LOG_BYTES)
        return (self.folder / "out.bin").read_bytes()

    def test_replays_log_every_command(self):
        self.make_sample("--queues", "2")
        output = self.replay("a.log")
        shown = json.loads(self.run_pianola("log", "show", "a.log", "--json").stdout)["queues"]
        names = [[entry["command"] for entry in queue["commands"]] for queue in shown]
        self.assertEqual(names[0][:6], ["write", "write", "notify", "wait_event", "replay", "launch conv2d"])
        self.assertEqual(names[0][-4:], ["launch softmax", "end", "record_event", "notify"])
        self.assertEqual(names[1], ["write", "record_event", "wait_event", "read", "notify"])
        for queue in shown:
            self.assertEqual([entry["sequence"] for entry in queue["commands"]], list(range(1, queue["written"] + 1)))
            self.assertEqual({entry["fault"] for entry in queue["commands"]}, {"none"})
        text = self.run_pianola("log", "show", "a.log").stdout
        self.assertIn(f"queue 0: {len(names[0])} commands since reset\n", text)
        for entry in shown[0]["commands"]:
            self.assertRegex(text, rf"(?m)^ +{entry['sequence']}  {entry['command']} +{entry['digest']}$")
        # The same, however the queues run; other picture, same commands.
        self.assertEqual(self.replay("b.log", "--threaded"), output)
        self.run_pianola("log", "diff", "a.log", "b.log")
        self.assertEqual((self.folder / "a.log").read_bytes(), (self.folder / "b.log").read_bytes())

    def test_views_give_the_same_outputs_without_transfers(self):
        for queues in ("1", "2"):
            self.make_sample("--queues", queues)
            for options in ((), ("--threaded",), ("--repeat", "3"), ("--check-accesses",)):
                self.assertEqual(self.replay("a.log", *options), self.replay("b.log", "--views", *options))
            shown = json.loads(self.run_pianola("log", "show", "b.log", "--json").stdout)["queues"]
            names = [[entry["command"] for entry in queue["commands"]] for queue in shown]
            self.assertEqual([names[0].count("write"), names[0].count("read")], [2, 0])  # set-up only
            self.assertEqual(names[1].count("write") + names[1].count("read"), 0)

    def test_a_long_run_keeps_the_last_commands(self):
        self.make_sample()
        self.replay("a.log", "--repeat", "40")
        shown = json.loads(self.run_pianola("log", "show", "a.log", "--json").stdout)["queues"][0]
        self.assertGreater(shown["written"], CAPACITY)
        self.assertEqual([entry["sequence"] for entry in shown["commands"]],
                         list(range(shown["written"] - CAPACITY + 1, shown["written"] + 1)))
        self.assertIn(f"the last {CAPACITY} are here", self.run_pianola("log", "show", "a.log").stdout)

    def test_equal_logs(self):
        for queues in ((), (run_of(1), ), (run_of(20), run_of(3)), (run_of(CAPACITY), ), (run_of(1000),
                                                                                          run_of(CAPACITY + 1))):
            if queues:
                compared, _ = self.diff(dump(*queues), dump(*queues), DONE)
                self.assertEqual([queue["compared"] for queue in compared],
                                 [min(len(each), CAPACITY) for each in queues])
                self.assertEqual([queue["partial"] for queue in compared], [len(each) > CAPACITY for each in queues])

    def test_a_queue_that_is_not_there_is_an_empty_one(self):
        self.diff(dump(run_of(5)), dump(run_of(5), []), DONE)
        compared, _ = self.diff(dump(run_of(5)), dump(run_of(5), run_of(1)), DIFFERENT)
        self.assertEqual([queue["equal"] for queue in compared], [True, False])

    def test_the_first_difference_is_found_whatever_differs(self):
        for changed, field in ((command(7, END, 0, 0, 1007), "command, kernel"), (command(7, LAUNCH, 0, 3,
                                                                                          1007), "kernel"),
                               (command(7, LAUNCH, BUS, CONV2D, 1007), "fault"), (command(7, LAUNCH, 0, CONV2D,
                                                                                          1), "digest"),
                               (command(7, LAUNCH, 0, CONV2D, 1007 + (1 << 40)), "digest")):
            left, right = run_of(20), run_of(20)
            right[6] = changed
            right[12] = command(13)
            compared, text = self.diff(dump(left, run_of(2)), dump(right, run_of(2)), DIFFERENT)
            difference = compared[0]["difference"]
            self.assertEqual((difference["sequence"], difference["left"]["digest"]), (7, f"{1007:016x}"))
            self.assertEqual(difference["right"]["digest"], f"{changed[4]:016x}")
            self.assertTrue(compared[1]["equal"])
            self.assertIn(f"first difference at 7: {field}\n", text)
            for part in ("left.log", "right.log", f"{1007:016x}", f"{changed[4]:016x}"):
                self.assertIn(part, text)

    def test_one_log_ends_before_the_other(self):
        for left, right, side in ((18, 20, "left"), (20, 18, "right"), (0, 1, "left")):
            compared, text = self.diff(dump(run_of(left)), dump(run_of(right)), DIFFERENT)
            difference = compared[0]["difference"]
            self.assertEqual((difference["sequence"], difference[side]), (min(left, right) + 1, None))
            self.assertIn("one log ends before it", text)

    def test_windows_that_overlap_only_partly_are_said_so(self):
        compared, text = self.diff(dump(run_of(300)), dump(run_of(400)), DIFFERENT)
        self.assertEqual((compared[0]["compared"], compared[0]["partial"], compared[0]["difference"]["sequence"]),
                         (156, True, 301))
        self.assertIn("those before 145 are not in both rings any more", text)
        compared, text = self.diff(dump(run_of(10)), dump(run_of(1000)), DIFFERENT)
        self.assertEqual((compared[0]["compared"], compared[0]["partial"]), (0, True))
        self.assertIn("no command in both logs", text)

    def test_a_fault_and_what_the_device_did_not_know_are_shown(self):
        entries = run_of(2) + [command(3, 0x42, UNKNOWN_COMMAND), command(4, LAUNCH, 3, 999)]
        text = self.run_pianola("log", "show", self.write("a.log", dump(entries))).stdout
        self.assertRegex(text, r"(?m)^ +3  0x42 +0{16}  fault: unknown command$")
        self.assertRegex(text, r"(?m)^ +4  launch 999 +0{16}  fault: unknown kernel$")

    def refuse(self, contents, text):
        """The file is no log, and the message says why."""
        bad, good = self.write("bad.log", contents), self.write("good.log", dump(run_of(2)))
        for arguments in (("show", bad), ("diff", bad, good), ("diff", good, bad)):
            run = self.run_pianola("log", *arguments, code=FILE_TROUBLE)
            self.assertIn("bad.log", run.stderr)
            self.assertIn(text, run.stderr)

    def test_what_is_no_log_is_refused(self):
        good = dump(run_of(5), run_of(3))
        for size in (0, 1, HEAD.size, LOG_BYTES - 1, LOG_BYTES + 1, 2 * LOG_BYTES - 1):
            self.refuse((good * 2)[:size], f"{size} bytes")
        self.refuse(good + dump([]), f"{3 * LOG_BYTES} bytes")
        for offset, text in ((0, "magic"), (4, "version"), (8, "queue"), (12, "capacity"), (20, "reserved"),
                             (24, "reserved"), (28, "reserved"), (HEAD.size, "sequence"), (LOG_BYTES, "magic"),
                             (LOG_BYTES + 8, "queue")):
            damaged = bytearray(good)
            damaged[offset] ^= 0x40
            self.refuse(bytes(damaged), text)
            self.refuse(bytes(damaged), f"at byte {offset}")
        for entry, text in ((command(2), "sequence"), (command(1, 0x42), "kind 0x42"), (command(1, 0), "kind 0x00"),
                            (command(1, WRITE, 8), "fault"), (command(1, WRITE,
                                                                      255), "fault"), (command(1, NOTIFY, 0,
                                                                                               1), "kernel")):
            self.refuse(dump([entry]), text)
        for count in (6, CAPACITY, CAPACITY + 1, 0xFFFFFFFF):  # more than was written
            damaged = bytearray(good)
            struct.pack_into("<I", damaged, 16, count)
            self.refuse(bytes(damaged), "sequence")

    def test_a_small_device_keeps_fewer(self):
        for count in (SMALL_CAPACITY - 1, SMALL_CAPACITY, 300):
            small = dump(run_of(count), run_of(3), capacity=SMALL_CAPACITY)
            queues, _ = self.diff(dump(run_of(count), run_of(3)), small, DONE)
            self.assertEqual([queue["equal"] for queue in queues], [True, True])
            lines = self.run_pianola("log", "show", self.write("small.log", small)).stdout.splitlines()
            self.assertEqual(sum(" launch " in line or "CONV" in line.upper() for line in lines),
                             min(count, SMALL_CAPACITY) + 3)
            changed = run_of(count)
            changed[-1] = command(count, LAUNCH, 0, CONV2D, 1)
            self.diff(dump(changed, run_of(3)), small, DIFFERENT)
        for other in (0, 1, SMALL_CAPACITY // 2, SMALL_CAPACITY + 1, 2 * CAPACITY):
            damaged = bytearray(dump(run_of(2), capacity=SMALL_CAPACITY))
            struct.pack_into("<I", damaged, 12, other)
            self.refuse(bytes(damaged), "capacity")
        mixed = dump(run_of(2), capacity=SMALL_CAPACITY) + dump([], run_of(2))[LOG_BYTES:LOG_BYTES + HEAD.size +
                                                                               SMALL_CAPACITY * ENTRY.size]
        self.refuse(mixed, "capacity")

    def test_noise_never_does_harm(self):
        noise = random.Random(1)
        good = dump(run_of(300), run_of(20))
        for _ in range(60):
            damaged = bytearray(good)
            for _ in range(noise.randrange(1, 8)):
                damaged[noise.randrange(len(damaged))] = noise.randrange(256)
            bad = self.write("bad.log", bytes(damaged))
            run = self.run_pianola("log", "show", bad, code=None)
            self.assertIn(run.returncode, (DONE, FILE_TROUBLE))


if __name__ == "__main__":
    cli_support.main(needs_models=False)
