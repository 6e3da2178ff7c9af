#!/usr/bin/env python3
"""A session on the engine of zynq_a9: replays, threads that wait for each other, events left out, faults.

The programs are copies and fills captured with the host API and lowered; what they mean is arithmetic
(tests/pl330/exchange.h), which the board's application knows as well.
"""
import pathlib

import baremetal_support as support
from baremetal_support import OPTIONS

STEPS = 1000
OK, TIMEOUT, DEVICE_FAULT, INTEGRITY = 0x5AC3_96A5, 0x8E71_8E71, 0x9966_9966, 0xB24D_B24D
STAGE_STEP, STAGE_SCRUB = 6, 9
# Device faults, pianola/device.h.
UNKNOWN_COMMAND, BAD_ARGUMENT, LOST = 1, 2, 7
STATE_BITS, STOPPED, WAITS_FOR_EVENT = 0xF, 0, 4
GATHERED_EVENT = 1
NOT_LOADED = 3
# Words of the trace of the first program: a copy, zeros, the end (hal/devices/pl330/encoding.h).
SOURCE, DESTINATION, LOAD_STORE, LOOPS_END, END = 1, 3, 7, 8, 16


def state_of(channel_status):
    """(state, event) of a thread's status register."""
    return channel_status & STATE_BITS, (channel_status >> 4) & 0x1F


class Engine(support.BareMetalTest):
    """One binary, and what the engine makes of it."""

    def setUp(self):
        super().setUp()
        support.checked(OPTIONS.binaries, self.folder)

    def on_board(self, test, binary, *words, code=0):
        """What the application reported."""
        return support.Run(test, self.folder / f"{binary}.ptb", *words).require(code).values

    def test_replays(self):
        """Each step on another input; both threads have slept in the engine, waiting for the other."""
        for io in ("views", "transfers"):
            with self.subTest(io=io):
                values = self.on_board("replay", "exchange", STEPS, io)
                print(f"{io}: {values}")
                self.assertEqual((values["right"], values["views"]), (STEPS, 1))
                self.assertEqual(values["self_tests"], 1,
                                 "the output that the reference device gave for the captured program")
                self.assertGreaterEqual(values["waits_0"], STEPS)
                self.assertGreaterEqual(values["waits_0"] + values["waits_1"], 2 * STEPS)

    def test_a_missing_event_is_refused(self):
        values = self.on_board("validate", "without_event", code=NOT_LOADED)
        self.assertEqual(values["rule"], "ORD-RACE")

    def test_a_session_that_asks_for_a_digest_does_not_drive_the_engine(self):
        values = self.on_board("evidence", "exchange", code=NOT_LOADED)
        self.assertEqual(values["rule"], "TGT-EVIDENCE")

    def test_a_step_whose_queues_run_at_their_own_pace(self):
        """With all events, queue 1 sleeps until what it reads is there."""
        values = self.on_board("forced", "exchange", "all")
        self.assertEqual((values["ready"], values["done_0"], values["done_1"], values["errors"]), (1, 1, 1, 0))
        self.assertEqual(state_of(values["status_1_before"]), (WAITS_FOR_EVENT, GATHERED_EVENT))

    def test_a_missing_event_that_is_forced_gives_wrong_data(self):
        values = self.on_board("forced", "exchange", "without_event")
        self.assertEqual((values["ready"], values["done_0"], values["done_1"]), (1, 1, 1))
        self.assertGreater(values["errors"], 1000, "queue 1 has copied before queue 0 had gathered")

    def test_a_missing_record_that_is_forced_leaves_a_thread_asleep(self):
        values = self.on_board("forced", "exchange", "without_record")
        self.assertEqual((values["ready"], values["done_0"], values["done_1"]), (1, 0, 0))
        self.assertEqual(state_of(values["status_1"]), (WAITS_FOR_EVENT, GATHERED_EVENT))
        self.assertEqual((values["reset"], state_of(values["status_1_after"])[0]), (1, STOPPED))

    def test_events_have_values(self):
        """Two records in a row reach two waits, an older record wakes nobody for good, and none outlives a reset."""
        values = support.Run("events").require().values
        found = {
            name: values[name]
            for name in ("recorded_twice", "waited_twice", "asleep", "woken", "asleep_again", "woken_again", "sent",
                         "forgotten")
        }
        self.assertEqual(found, dict.fromkeys(found, 1))

    def check_fault(self, values, status, stage, fault):
        """What every fault has in common: nothing is shown, the threads are stopped, and the next load goes on."""
        found = (values["status"], values["fault_status"], values["fault_stage"], values["device_fault"])
        self.assertEqual(found, (status, status, stage, fault))
        self.assertEqual((values["safe_state_entries"], values["shown"], values["fault_device_stopped"]), (1, 0, 1))
        self.assertEqual([state_of(values[f"channel_{channel}"])[0] for channel in (0, 1)], [STOPPED, STOPPED])
        self.assertEqual(values["recovered"], 1)

    def damaged(self, word, value):
        """A step whose trace has another word in memory than was proved."""
        return self.on_board("faults", "exchange", "word", 0, word, value)

    def test_faults_of_the_engine(self):
        cases = {
            "an undefined instruction": (0, 0x00BC18FF, UNKNOWN_COMMAND, 0),
            "an event that the engine does not have": (LOOPS_END, 0x1813F834, BAD_ARGUMENT, 2),
            "a store without a load": (LOAD_STORE, 0x02380818, BAD_ARGUMENT, 2),
        }
        for what, (word, value, fault, offset) in cases.items():
            with self.subTest(what=what):
                values = self.damaged(word, value)
                self.check_fault(values, DEVICE_FAULT, STAGE_STEP, fault)
                self.assertAlmostEqual(values["fault_address"], values["address"] + offset, delta=2)

    def test_a_trace_that_runs_on_after_its_end(self):
        """Zeros follow, which end it: elsewhere than where it was proved to end."""
        self.check_fault(self.damaged(END, 0x18181818), DEVICE_FAULT, STAGE_STEP, LOST)

    def test_words_that_the_engine_takes(self):
        """Another address, or one where nothing answers: no fault of this engine; the comparison with the binary finds
        it."""
        for word, value in ((DESTINATION, 0xFFFC0080), (SOURCE, 0xE8000000)):
            with self.subTest(word=word):
                self.check_fault(self.damaged(word, value), INTEGRITY, STAGE_SCRUB, 0)

    def test_a_killed_thread(self):
        values = self.on_board("faults", "exchange", "killed", GATHERED_EVENT)
        self.assertEqual(state_of(values["status_before"]), (WAITS_FOR_EVENT, GATHERED_EVENT))
        self.check_fault(values, DEVICE_FAULT, STAGE_STEP, LOST)
        self.assertEqual(values["fault_queue"], 1)

    def test_a_start_that_does_not_arrive(self):
        """The thread stays where its last program ended, which is not where this one does."""
        for command in range(1, 12):
            with self.subTest(command=command):
                self.check_fault(self.on_board("faults", "exchange", "lost", command), DEVICE_FAULT, STAGE_STEP, LOST)

    def test_a_stuck_thread_is_a_timeout(self):
        """Queue 1 waits for an event that is never sent: the session notices at the deadline."""
        values = self.on_board("faults", "impatient", "event", GATHERED_EVENT)
        self.check_fault(values, TIMEOUT, STAGE_STEP, 0)
        self.assertGreater(values["fault_time_us"] - values["fault_started_us"], values["fault_deadline_us"])


if __name__ == "__main__":
    support.parse(("--binaries", {"required": True, "type": pathlib.Path}))
    support.main()
