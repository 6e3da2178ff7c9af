#!/usr/bin/env python3
"""Faults of the device on a board: a lost doorbell, a completion that never comes, a device core that stops answering.

Each must end in a latched fault within the stated time, with the safe state entered once, nothing written that is not
the runtime's to write, and a record that names queue, command and time.
"""
import baremetal_support as support
from baremetal_support import OPTIONS

DEADLINE_US = 50_000
# The ECU core looks at least this often while it waits (board.h, kMaxSleepUs), with room for the look itself.
LOOK_US = 1_000 + 100
# A device that is not stopped by then is said not to stop (refdev_driver.h, kResetLimitUs).
RESET_US = 20_000
OK, TIMEOUT, LATCHED = 0x5AC3_96A5, 0x8E71_8E71, 0xD42B_D42B
STAGE_STEP = 6
FIRST_STEP = 2  # number of the first step behind load(), as fault records count


class Faults(support.BareMetalTest):
    """One good step, one that goes wrong."""

    def fault(self, kind, number, io, queues=1):
        """Runs one fault and returns what the board reported."""
        model = self.model(support.SAMPLE)
        file = self.folder / f"q{queues}.ptb"
        support.checked(OPTIONS.pianola, "capture", model.source, "-o", file, "--queues", queues, "--device",
                        support.DEVICE, "--deadline-us", DEADLINE_US)
        record = self.write("input.bin", model.records(1))
        return support.Run("faults", file, record, kind, number, io).require().values

    def check(self, values, io, queue, command, stopped=True):
        """What every fault has in common."""
        self.assertEqual(values["status"], TIMEOUT)
        self.assertEqual(values["fault_status"], TIMEOUT)
        self.assertEqual(values["fault_stage"], STAGE_STEP)
        self.assertEqual((values["fault_queue"], values["fault_command"]), (queue, command),
                         "queue and command of the record")
        self.assertEqual(values["fault_step"], FIRST_STEP + 1)
        self.assertEqual(values["fault_device"], 0, "the device itself has reported nothing")
        self.assertEqual(values["fault_device_stopped"], int(stopped))
        self.check_time(values, stopped)
        self.check_memory(values, io)
        self.assertEqual(values["safe_state_entries"], 1)
        self.assertEqual(values["safe_state_entries_later"], 1)
        self.assertEqual(values["watchdog"], 1, "the watchdog is served for the good step only")
        for call in ("input_view", "output_view", "poll", "submit", "transfers"):
            self.assertEqual(values[f"later_{call}"], LATCHED, call)
        self.assertEqual(values["later_views_empty"], 1)

    def check_time(self, values, stopped):
        """The fault is noticed behind the deadline, not before, and at the next look."""
        self.assertEqual(values["fault_deadline_us"], DEADLINE_US)
        self.assertEqual(values["noticed_after_us"], values["fault_time_us"] - values["fault_started_us"])
        self.assertGreater(values["noticed_after_us"], DEADLINE_US)
        self.assertLessEqual(values["noticed_after_us"], DEADLINE_US + LOOK_US)
        bound = LOOK_US + (RESET_US + LOOK_US if not stopped else RESET_US)
        self.assertLessEqual(values["ended_after_us"], DEADLINE_US + bound)
        if not stopped:
            self.assertGreater(values["ended_after_us"], DEADLINE_US + RESET_US, "the reset was given its time")

    def check_memory(self, values, io):
        """Outputs that were lent to transfers are zero; the application's own memory is as it was."""
        size = values["output_bytes"]
        self.assertEqual(values["guard_changed"], 0)
        self.assertEqual((values["bound_zeros"], values["bound_marks"]), (size, 0) if io == "transfers" else (0, size))

    def check_recovery(self, values):
        """A new load ends the fault, and the next step is right."""
        self.assertEqual((values["reloaded"], values["replayed"], values["replayed_right"]), (OK, OK, 1))

    def test_lost_doorbell(self):
        """load() rings once, the good step once; the third doorbell is lost, so that the queue has executed nothing."""
        for io in ("views", "transfers"):
            with self.subTest(io=io):
                values = self.fault("doorbell", 3, io)
                self.check(values, io, queue=0, command=0)
                self.check_recovery(values)

    def test_lost_doorbell_of_the_second_queue(self):
        """Doorbell 1 is of load(), 2 and 3 are of the good step; 5 is of queue 1."""
        values = self.fault("doorbell", 5, "views", queues=2)
        self.check(values, "views", queue=1, command=0)
        self.check_recovery(values)

    def test_completion_that_never_comes(self):
        """The device has done all that it should: the record names the last command of the step."""
        for io in ("views", "transfers"):
            with self.subTest(io=io):
                values = self.fault("completion", 3, io)
                self.check(values, io, queue=0, command=values["step_commands"])
                self.check_recovery(values)

    def test_no_fault(self):
        """Proof that what the others see comes from the fault."""
        for kind in ("doorbell", "completion", "dead"):
            values = self.fault(kind, 0, "views")
            self.assertEqual((values["status"], values["safe_state_entries"]), (OK, 0), kind)

    def test_dead_core(self):
        """The core that serves queue 0 stops for good behind the fifth command."""
        if support.board().device_cores == 0:
            return  # the device is this core
        for io in ("views", "transfers"):
            with self.subTest(io=io):
                values = self.fault("dead", 5, io)
                self.check(values, io, queue=0, command=5, stopped=False)
                self.assertEqual(values["reloaded"], TIMEOUT, "a dead core does not answer to a reset")


if __name__ == "__main__":
    support.parse()
    support.main()
