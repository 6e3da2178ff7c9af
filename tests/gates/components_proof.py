"""Proof that docs/safety/tools/linked_symbols.py and components.py name symbols without a row, rows without a symbol,
libraries and versions that have changed, and tests that are missing; and that the bill of materials is right and
reproducible."""
import datetime
import hashlib
import pathlib
import shutil
import sys
import unittest

from proof_support import GateProof

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "docs/safety/tools"))
import components  # noqa: E402  pylint: disable=wrong-import-position
import linked_symbols  # noqa: E402  pylint: disable=wrong-import-position
import sbom  # noqa: E402  pylint: disable=wrong-import-position

ROWS, TABLE = linked_symbols.COMPONENTS, linked_symbols.TABLE
# Two boards whose C library is newlib, in the order of the table.
BOARD, OTHER = sorted(name for name, board in components.boards.boards().items()
                      if board.architecture.startswith("arm"))[:2]
NEWLIB = "/usr/lib/arm-none-eabi/lib/libc.a"
COPIED = (ROWS, TABLE, components.FETCH, "CMakeLists.txt", "CMakePresets.json", "docs/safety/tools.toml",
          "schema/trace_binary.fbs")
MAP = f"""Linker script and memory map

.text           0x00000000      0x400
                0x00000000                        __text_start = .
 .text._ZN7pianola7Session4loadEv
                0x00000000       0x80 runtime/Release/libpianola_runtime.a(session.cpp.obj)
                0x00000000                pianola::Session::load()
 .text._ZN11flatbuffers8Verifier16VerifyTableStartEPKh
                0x00000080       0x40 runtime/Release/libpianola_runtime.a(structure.cpp.obj)
                0x00000080                flatbuffers::Verifier::VerifyTableStart(unsigned char const*)
 .text          0x000000c0       0x50 {NEWLIB}(lib_a-memcpy.o)
                0x000000c0                memcpy
 .text          0x00000110        0x0 {NEWLIB}(lib_a-memset.o)

.comment        0x00000000       0x49
 .comment       0x00000000       0x49 {NEWLIB}(lib_a-strlen.o)
                0x00000000                strlen
"""
STRLEN = f""" .text.strlen   0x00000120       0x20 {NEWLIB}(lib_a-strlen.o)
                0x00000120                strlen
"""
LOCAL = f" .rodata.table  0x00000140       0x20 {NEWLIB}(lib_a-tables.o)\n"
STRANGER = """ .text.f        0x00000160       0x20 /usr/lib/other/libc.a(f.o)
                0x00000160                f
"""


def with_piece(piece):
    """The map with one more input section."""
    return MAP.replace("\n.comment ", f"{piece}\n.comment ", 1)


class ComponentsProof(GateProof):
    """Works on a copy of the rows and of the table, with a map for each configuration."""

    def setUp(self):
        super().setUp()
        for name in COPIED:
            self.write(name, "")
            shutil.copy(ROOT / name, self.root / name)
        self.replace(linked_symbols, "recorded_digests", lambda package: {})
        self.replace(linked_symbols, "check_library", lambda path, package: [])

    def replace(self, module, name, value):
        """Another value of a module's for the time of the case."""
        self.addCleanup(setattr, module, name, getattr(module, name))
        setattr(module, name, value)

    def images(self, release, size=MAP):
        """A build with one application in each configuration."""
        for configuration, text in zip(linked_symbols.CONFIGURATIONS, (release, size)):
            for suffix in (".elf", ".map"):
                self.write(f"build/{BOARD}/bin/{configuration}/pianola_example_proof{suffix}", text)
        return self.root / "build" / BOARD

    def gate(self, release, size=MAP):
        """Findings of the gate over such a build."""
        return linked_symbols.judge(self.root, BOARD, self.images(release, size))[1]


class Symbols(ComponentsProof):
    """The gate over images."""

    def setUp(self):
        super().setUp()
        self.write(TABLE, ",".join(linked_symbols.FIELDS) + "\n")
        self.assertEqual(linked_symbols.record(self.root, [self.images(MAP)]), (2, []))

    def test_what_is_recorded_passes(self):
        self.assertEqual((self.root / TABLE).read_text(encoding="utf-8").splitlines()[1:], [
            f"flatbuffers,,flatbuffers::Verifier::VerifyTableStart,{BOARD},", f"newlib,lib_a-memcpy,memcpy,{BOARD},"])
        self.assertEqual(self.gate(MAP), [])

    def test_a_new_symbol_is_named(self):
        for images in ((with_piece(STRLEN), MAP), (MAP, with_piece(STRLEN))):
            self.assertEqual(self.gate(*images), [f"newlib: lib_a-strlen strlen: linked for {BOARD} (applications), "
                                                  f"and no row of {TABLE} says so"])
        self.assert_finds(self.gate(with_piece(LOCAL)), "newlib: lib_a-tables -: linked")

    def test_a_library_of_no_component_is_named(self):
        self.assertEqual(self.gate(with_piece(STRANGER)),
                         [f"pianola_example_proof.elf: /usr/lib/other/libc.a(f.o): of no component of {ROWS}"])

    def test_a_removed_row_is_named(self):
        self.change(TABLE, f"newlib,lib_a-memcpy,memcpy,{BOARD},\n", "")
        self.assert_finds(self.gate(MAP), "newlib: lib_a-memcpy memcpy: linked")

    def test_a_row_without_a_symbol_is_named(self):
        self.change(TABLE, f"memcpy,{BOARD},", f"memcpy,{BOARD},\nnewlib,lib_a-strcmp,strcmp,{BOARD},")
        self.assertEqual(self.gate(MAP), [f"newlib: lib_a-strcmp strcmp: a row of {TABLE}, and in no image of {BOARD} "
                                          "(applications)"])

    def test_a_configuration_that_is_not_built_is_named(self):
        build = self.images(MAP)
        shutil.rmtree(build / "bin/MinSizeRel")
        self.assert_finds(linked_symbols.judge(self.root, BOARD, build)[1], "MinSizeRel: no image")

    def test_other_boards_keep_their_rows(self):
        self.change(TABLE, f"memcpy,{BOARD},", f"memcpy,{BOARD} {OTHER},")
        linked_symbols.record(self.root, [self.images(MAP)])
        self.assertIn(f"memcpy,{BOARD} {OTHER},", (self.root / TABLE).read_text(encoding="utf-8"))


class Libraries(GateProof):
    """A linked library is the package's own."""

    def test_a_changed_library_is_named(self):
        path = (self.root / self.write("libc.a", "as installed")).resolve()
        recorded = {str(path): hashlib.md5(b"as installed", usedforsecurity=False).hexdigest()}
        self.addCleanup(setattr, linked_symbols, "recorded_digests", linked_symbols.recorded_digests)
        linked_symbols.recorded_digests = lambda package: recorded
        self.assertEqual(linked_symbols.check_library(path, "a-package"), [])
        self.write("libc.a", "changed")
        self.assertEqual(linked_symbols.check_library(path, "a-package"),
                         [f"{path}: not the file that a-package has installed"])
        recorded.clear()
        self.assertEqual(linked_symbols.check_library(path, "a-package"),
                         [f"{path}: linked, and not a file of a-package"])


class Rows(ComponentsProof):
    """components.toml against the table, the schema, the package database and results."""

    def setUp(self):
        super().setUp()
        self.here = {row["package"]: row for row in self.components().rows if "package" in row}
        self.replace(components.tools, "installed", lambda package: self.here[package] and {
            field: self.here[package].get(field) for field in ("version", "architecture", "files_sha256")})
        self.replace(components, "published_digest", lambda row: self.here[row["package"]]["package_sha256"])
        self.replace(components, "RELEASE", self.root / self.write("os-release", 'ID=debian\nVERSION_ID="12"\n'))

    def components(self):
        """The rows of the copy."""
        return components.Components(self.root)

    def findings(self):
        """What is wrong with the copy."""
        found = self.components()
        found.check()
        found.check_packages()
        return found.findings

    def test_the_rows_agree(self):
        self.assertEqual(self.findings(), [])

    def test_a_changed_version_is_named(self):
        self.change(ROWS, 'version = "1.8-1"', 'version = "1.8-2"')
        self.assertEqual(self.findings(), ["picolibc: version is 1.8-1 here, 1.8-2 is recorded"])

    def test_changed_files_are_named(self):
        self.here["libnewlib-arm-none-eabi"] = self.here["libnewlib-arm-none-eabi"] | {"files_sha256": "0" * 64}
        self.assert_finds(self.findings(), f"newlib: files_sha256 is {'0' * 64} here")

    def test_a_package_that_is_published_with_other_bytes_is_named(self):
        self.change(ROWS, 'package_sha256 = "c80278', 'package_sha256 = "c80279')
        self.assert_finds(self.findings(), "newlib: package_sha256 is c80278")

    def test_a_package_that_is_missing_is_named(self):
        self.here["libflatbuffers-dev"] = None
        self.assert_finds(self.findings(), "flatbuffers: libflatbuffers-dev is not installed")

    def test_a_host_may_have_updates_of_the_distribution_alone(self):
        glibc = self.here["libc6"]
        self.here["libc6"] = glibc | {"version": "2.36-9+deb12u99"}
        self.assertEqual(self.findings(), [])
        self.here["libc6"] = glibc | {"version": "2.37-1"}
        self.assert_finds(self.findings(), "glibc: version 2.37-1 is installed")

    def test_another_distribution_is_said(self):
        self.replace(components, "RELEASE", self.root / self.write("other", 'ID=ubuntu\nVERSION_ID="24.04"\n'))
        found = self.components()
        found.check_packages()
        self.assertEqual((found.findings, len(found.notes)), ([], 1))

    def test_changed_headers_are_named(self):
        header = self.root / self.write("include/flatbuffers/verifier.h", "changed")
        self.replace(linked_symbols, "recorded_digests", lambda package: {str(header): "0" * 32})
        self.assert_finds(self.findings(), "verifier.h: not the file that libflatbuffers-dev has installed")

    def test_other_sources_are_named(self):
        self.change(components.FETCH, "sha256=102a", "sha256=102b")
        self.assert_finds(self.findings(), "bearssl: package_sha256 is 102a")

    def test_a_list_of_wide_elements_is_named(self):
        self.write("schema/more.fbs", "struct Pair { a: uint64; b: uint64; }\ntable T { c: [uint64]; d: [Pair]; }\n")
        found = self.findings()
        for name in ("uint64", "Pair"):
            self.assert_finds(found, f"more.fbs: a list of {name}")

    def test_a_symbol_of_no_group_is_named(self):
        with open(self.root / TABLE, "a", encoding="utf-8") as table:
            table.write(f"newlib,lib_a-printf,printf,{BOARD},\n")
        self.assertEqual(self.findings(), ["newlib: printf: in 0 groups of symbols, one is needed"])

    def test_a_group_without_symbols_or_tests_is_named(self):
        self.change(ROWS, "pattern = '__(ashl|ashr|lshr)di3'", "pattern = '__(ashx)di3'")
        self.assert_finds(self.findings(), "libgcc-riscv: __(ashx)di3: no image links such a symbol")
        self.change(ROWS, 'why = "Linked with', 'what = "Linked with')
        self.assert_finds(self.findings(), "__aeabi_[il]div0: neither a test nor a reason")

    def test_anomalies_are_filled_in(self):
        self.change(ROWS, 'source = "https://github.com/google/flatbuffers/issues/8397"', 'source = "hearsay"')
        self.assert_finds(self.findings(), "no public source")
        self.change(ROWS, 'looked_at = "2026-11-27"', 'looked_at = "lately"')
        self.assert_finds(self.findings(), "flatbuffers: looked at lately")

    def test_tests_have_passed(self):
        tests = self.components().tests()
        self.assertIn(f"{BOARD}.library", tests)
        for missing in (None, f"{BOARD}.library", "crypto.signatures"):
            cases = "".join(f'<testcase name="{name}" status="run">{"<failure/>" if name == missing else ""}</testcase>'
                            for name in tests)
            path = self.root / self.write("results.xml", f"<testsuite>{cases}</testsuite>")
            found = self.components()
            found.check_results([path])
            expected = [] if missing is None else [f"{tests[missing]}: {missing} has not passed"]
            self.assertEqual(found.findings, expected)


class BillOfMaterials(ComponentsProof):
    """The document is right, says what is linked, and is the same each time."""

    def document(self, boards=(BOARD,), hosts=True):
        """A document of the copy."""
        created = datetime.datetime.fromtimestamp(86400, datetime.timezone.utc)
        return sbom.document(components.Components(self.root), list(boards), hosts, created)

    def test_two_runs_give_the_same_bytes(self):
        self.assertEqual(sbom.text(self.document()), sbom.text(self.document()))
        self.assertIn('"created": "1970-01-02T00:00:00Z"', sbom.text(self.document()))

    def test_another_component_gives_another_namespace(self):
        before = self.document()["documentNamespace"]
        self.change(ROWS, 'version = "0.6"', 'version = "0.7"')
        self.assertNotEqual(self.document()["documentNamespace"], before)

    def test_it_says_what_is_linked(self):
        found = {(entry["spdxElementId"], entry["relationshipType"], entry["relatedSpdxElement"])
                 for entry in self.document()["relationships"]}
        image = f"SPDXRef-Image-{BOARD.replace('_', '-')}"
        for expected in (("SPDXRef-DOCUMENT", "DESCRIBES", "SPDXRef-Package-pianola"),
                         ("SPDXRef-Package-pianola", "CONTAINS", image),
                         (image, "STATIC_LINK", "SPDXRef-Package-newlib"),
                         (image, "CONTAINS", "SPDXRef-Package-flatbuffers"),
                         ("SPDXRef-Package-pianola", "DYNAMIC_LINK", "SPDXRef-Package-glibc")):
            self.assertIn(expected, found)
        self.assertNotIn((image, "STATIC_LINK", "SPDXRef-Package-picolibc"), found)
        self.assertNotIn("SPDXRef-Package-glibc", sbom.text(self.document(hosts=False)))

    def test_it_keeps_the_rules(self):
        self.assertEqual(sbom.violations(self.document()), [])

    def test_each_rule_can_fail(self):
        def in_package(**fields):
            return lambda content: content["packages"][1].update(fields)

        defects = {
            "dataLicense": lambda content: content.update(dataLicense="MIT"),
            "spdxVersion": lambda content: content.update(spdxVersion="SPDX-2.2"),
            "documentNamespace: no absolute": lambda content: content.update(documentNamespace="pianola#1"),
            "created": lambda content: content["creationInfo"].update(created="yesterday"),
            "creators": lambda content: content["creationInfo"].update(creators=[]),
            "documentDescribes: not known": lambda content: content.update(documentDescribes=[]),
            "name: not known, or missing": lambda content: content.pop("name"),
            "SPDXRef-Package-pianola: twice": in_package(SPDXID="SPDXRef-Package-pianola"),
            "other letters": in_package(SPDXID="SPDXRef-an_image"),
            "downloadLocation: missing": in_package(downloadLocation=""),
            "filesAnalyzed": in_package(filesAnalyzed=True),
            "supplier": in_package(supplier="somebody"),
            "licenseDeclared": in_package(licenseDeclared="GPL 3"),
            "primaryPackagePurpose": in_package(primaryPackagePurpose="IMAGE"),
            "checksums": in_package(checksums=[{"algorithm": "SHA256", "checksumValue": "12"}]),
            "externalRefs": in_package(externalRefs=[{"referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl",
                                                      "referenceLocator": "newlib"}]),
            "no relationship that is used": lambda content: content["relationships"][1].update(
                relationshipType="HAS"),
            "not in the document": lambda content: content["relationships"][1].update(
                relatedSpdxElement="SPDXRef-Package-gone"),
            "describes nothing": lambda content: content["relationships"].pop(0),
            "in no relationship": lambda content: content["packages"].append(
                sbom.package("SPDXRef-Package-alone", "alone", "1", "LIBRARY")),
        }
        for finding, spoil in defects.items():
            with self.subTest(finding=finding):
                content = self.document()
                spoil(content)
                self.assert_finds(sbom.violations(content), finding)


if __name__ == "__main__":
    unittest.main()
