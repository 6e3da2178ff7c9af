#!/usr/bin/env python3
"""A private Slurm cluster on this machine, for tests: one node, its own key, ports and folder, ended with the command.

    toolchains/slurm/local_cluster.py [--slots 4] -- COMMAND [ARGUMENT...]

runs the command with SLURM_CONF set, so that sbatch and squeue reach this cluster and no other one. munged, slurmctld
and slurmd run as the present user and listen on the loopback interface only. Exit code: the command's; 77 where Slurm
or munge is not installed (packages slurm-wlm and munge).
"""
import argparse
import getpass
import os
import pathlib
import secrets
import shutil
import socket
import subprocess
import sys
import tempfile
import time

SKIPPED = 77
PATIENCE_SECONDS = 60.0
DAEMONS = ("munged", "slurmctld", "slurmd")
CLIENTS = ("munge", "unmunge", "sbatch", "squeue", "scontrol", "sinfo", "scancel")
SEARCHED = os.pathsep.join([os.environ.get("PATH", ""), "/usr/sbin", "/sbin"])
# config_overrides admits more slots than the machine has processors. pgid, since a control group or a name space of
# its own needs more than a user may have.
CONFIGURATION = """ClusterName=local
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={controller_port}
SlurmdPort={node_port}
SlurmUser={user}
SlurmdUser={user}
AuthType=auth/munge
AuthInfo=socket={folder}/munge/socket
CredType=cred/munge
CommunicationParameters=NoInAddrAny,NoCtldInAddrAny
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
SlurmctldLogFile={folder}/log/slurmctld
SlurmdLogFile={folder}/log/slurmd
MailProg=/bin/true
MpiDefault=none
SwitchType=switch/none
ProctrackType=proctrack/pgid
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SlurmdParameters=config_overrides
SchedulerParameters=sched_interval=2,sched_min_interval=0
ReturnToService=2
KillWait=2
MinJobAge=3600
NodeName=node1 NodeHostname={host} NodeAddr=127.0.0.1 CPUs={slots} State=UNKNOWN
PartitionName=all Nodes=node1 Default=YES MaxTime=INFINITE State=UP
"""


def missing():
    """The programs that are not installed."""
    return [name for name in (*DAEMONS, *CLIENTS) if not shutil.which(name, path=SEARCHED)]


def free_ports(count):
    """Ports that nobody listens on."""
    sockets = [socket.socket() for _ in range(count)]
    try:
        for each in sockets:
            each.bind(("127.0.0.1", 0))
        return [each.getsockname()[1] for each in sockets]
    finally:
        for each in sockets:
            each.close()


def until(what, condition):
    """Waits for a condition."""
    end = time.monotonic() + PATIENCE_SECONDS
    while not condition():
        if time.monotonic() > end:
            raise RuntimeError(f"the cluster: {what} not within {PATIENCE_SECONDS:.0f} s")
        time.sleep(0.1)


class Cluster:
    """A cluster that lives as long as the `with` block. Its environment is `env`."""

    def __init__(self, slots=4):
        self.slots, self.daemons = slots, {}
        self.folder = self.env = None

    def __enter__(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="slurm"))
        self.folder.chmod(0o711)  # munged wants its socket to be reachable for all
        for name in ("munge", "state", "spool", "log"):
            (self.folder / name).mkdir(mode=0o711 if name == "munge" else 0o700)
        controller_port, node_port = free_ports(2)
        configuration = self.folder / "slurm.conf"
        configuration.write_text(CONFIGURATION.format(
            host=socket.gethostname().split(".")[0], user=getpass.getuser(), folder=self.folder, slots=self.slots,
            controller_port=controller_port, node_port=node_port), encoding="utf-8")
        self.env = {**{name: value for name, value in os.environ.items() if not name.startswith(("SLURM", "SBATCH"))},
                    "PATH": SEARCHED, "SLURM_CONF": str(configuration)}
        try:
            self._start()
        except BaseException:
            self._end()
            raise
        return self

    def __exit__(self, *_):
        self._end()

    def _daemon(self, name, *words):
        with open(self.folder / "log" / f"{name}.out", "ab") as output:
            self.daemons[name] = subprocess.Popen(  # pylint: disable=consider-using-with
                [shutil.which(name, path=SEARCHED), *words], env=self.env, stdin=subprocess.DEVNULL, stdout=output,
                stderr=output)

    def call(self, *words):
        """A client's exit code and output."""
        ended = subprocess.run(words, env=self.env, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                               check=False)
        return ended.returncode, ended.stdout.strip()

    def _start(self):
        munge = self.folder / "munge"
        key = munge / "key"
        key.touch(mode=0o600)
        key.write_bytes(secrets.token_bytes(128))
        self._daemon("munged", "--foreground", f"--key-file={key}", f"--socket={munge}/socket", "--num-threads=2",
                     f"--pid-file={munge}/pid", f"--log-file={munge}/log", f"--seed-file={munge}/seed")
        # A client that finds no munged tries again for minutes.
        until("munged answers", lambda: self.call("munge", "-n", f"--socket={munge}/socket")[0] == 0)
        self.start_controller(clean=True)
        self._daemon("slurmd", "-D", "-N", "node1")
        until("its node is idle", lambda: self.call("sinfo", "-h", "-o", "%T") == (0, "idle"))

    def start_controller(self, clean=False):
        """Starts slurmctld; without `clean` it goes on from the state that it has saved."""
        self._daemon("slurmctld", "-D", *(["-i"] if clean else []))

    def kill_controller(self):
        """Ends slurmctld at once."""
        self.daemons["slurmctld"].kill()
        self.daemons["slurmctld"].wait()

    def _end(self):
        if "slurmd" in self.daemons and self.daemons["slurmctld"].poll() is None:
            self.call("scancel", f"--user={getpass.getuser()}")
            self.call("scancel", "--signal=KILL", "--full", f"--user={getpass.getuser()}")
            end = time.monotonic() + 10.0
            while self.call("squeue", "-h")[1] and time.monotonic() < end:
                time.sleep(0.2)
        for name in reversed(DAEMONS):
            daemon = self.daemons.get(name)
            if daemon and daemon.poll() is None:
                daemon.terminate()
                try:
                    daemon.wait(10.0)
                except subprocess.TimeoutExpired:
                    daemon.kill()
                    daemon.wait()
        shutil.rmtree(self.folder, ignore_errors=True)


def main(words):
    """Returns the exit code."""
    own = words[:words.index("--")] if "--" in words else words
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--slots", type=int, default=4)
    options = parser.parse_args(own)
    command = words[len(own) + 1:]
    if not command:
        parser.error("a command is needed behind --")
    if missing():
        print(f"local_cluster.py: not installed: {', '.join(missing())}", file=sys.stderr)
        return SKIPPED
    with Cluster(options.slots) as cluster:
        return subprocess.run(command, env=cluster.env, check=False).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
