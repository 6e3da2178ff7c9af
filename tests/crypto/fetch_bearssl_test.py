#!/usr/bin/env python3
"""toolchains/fetch_bearssl.sh asks a machine's own sources for source packages, and refuses whatever is not the pinned
file.

apt-get is replaced by a script that keeps the entries that it was given and delivers what the case says.
"""
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

SCRIPT = pathlib.Path(sys.argv[1]) / "toolchains" / "fetch_bearssl.sh"
FAKE_APT = """#!/bin/sh
for word in "$@"; do
    case "$word" in
        Dir::Etc::sourceparts=*) parts=${word#*=} ;;
    esac
done
cp -r "$parts" "$FAKE_KEPT/"
case "$*" in
    *" source "*) eval "$FAKE_DELIVERY" ;;
esac
"""
ONE_LINE = """# deb is not the first word here
deb [signed-by=/usr/share/keyrings/some.gpg arch=amd64] scheme://first/debian stable main contrib
  deb scheme://second/debian stable main
deb-src scheme://third/debian stable main
"""
DEB822 = """types: deb
Uris: scheme://fourth/debian
Suites: stable
Components: main

Types:
 deb
 deb-src
URIs: scheme://fifth/debian
Enabled: no
Suites: stable
"""


class FetchBearssl(unittest.TestCase):
    """One run of the script per case, on a machine that consists of two lists."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        (self.folder / "bin").mkdir()
        (self.folder / "parts").mkdir()
        (self.folder / "bin" / "apt-get").write_text(FAKE_APT, encoding="utf-8")
        (self.folder / "bin" / "apt-get").chmod(0o755)
        (self.folder / "sources.list").write_text(ONE_LINE, encoding="utf-8")
        (self.folder / "parts" / "machine.sources").write_text(DEB822, encoding="utf-8")
        (self.folder / "apt.conf").write_text(f'Dir::Etc::sourcelist "{self.folder}/sources.list";\n'
                                              f'Dir::Etc::sourceparts "{self.folder}/parts";\n', encoding="utf-8")

    def fetch(self, delivery):
        """The script's result, where apt-get source delivers this."""
        environment = {
            **os.environ, "PATH": f"{self.folder}/bin:{os.environ['PATH']}", "APT_CONFIG": f"{self.folder}/apt.conf",
            "FAKE_KEPT": str(self.folder), "FAKE_DELIVERY": delivery
        }
        return subprocess.run([str(SCRIPT), str(self.folder / "unpacked")], env=environment, capture_output=True,
                              text=True, check=False)

    def entries(self):
        """The lines that apt-get was given, of both formats."""
        return {
            path.suffix: path.read_text(encoding="utf-8").splitlines()
            for path in (self.folder / "sources").iterdir()
        }

    def test_every_entry_is_asked_for_sources(self):
        self.fetch("true")
        entries = self.entries()
        self.assertEqual(entries[".list"], [
            "deb-src [signed-by=/usr/share/keyrings/some.gpg arch=amd64] scheme://first/debian stable main contrib",
            "deb-src scheme://second/debian stable main",
            "deb-src scheme://third/debian stable main"])
        self.assertEqual(entries[".sources"], [
            "Types: deb-src", "Uris: scheme://fourth/debian", "Suites: stable", "Components: main", "",
            "Types: deb-src", "URIs: scheme://fifth/debian", "Enabled: no", "Suites: stable"])

    def test_a_failing_apt_is_told(self):
        run = self.fetch("echo unable to find it; exit 100")
        self.assertNotEqual(run.returncode, 0)
        self.assertIn("no source package of bearssl", run.stderr)
        self.assertIn("unable to find it", run.stderr)

    def test_another_version_is_refused(self):
        run = self.fetch("touch bearssl_9.9.orig.tar.gz")
        self.assertNotEqual(run.returncode, 0)
        self.assertIn("has no bearssl_0.6", run.stderr)

    def test_another_content_is_refused(self):
        run = self.fetch("echo something else >bearssl_0.6+dfsg.1.orig.tar.xz")
        self.assertNotEqual(run.returncode, 0)
        self.assertIn("is not the file that was pinned", run.stderr)
        self.assertFalse((self.folder / "unpacked").exists())

    def test_what_was_unpacked_before_stays_until_the_new_one_is_checked(self):
        (self.folder / "unpacked").mkdir()
        (self.folder / "unpacked" / ".unpacked").write_text("an older pin\n", encoding="utf-8")
        self.assertNotEqual(self.fetch("exit 1").returncode, 0)
        self.assertTrue((self.folder / "unpacked" / ".unpacked").exists())


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
