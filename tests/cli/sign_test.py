#!/usr/bin/env python3
"""pianola keygen, pubkey, sign, verify --key and receipt: with OpenSSL's own command line on the other side."""
import hashlib
import json
import stat
import subprocess

import cli_support
from cli_support import DONE, FILE_TROUBLE, REFUSED, USAGE

SIGNATURE_BYTES = 64
KEY_ID = slice(36, 44)
SECURITY_VERSION = slice(20, 24)


class Sign(cli_support.CliTest):
    """Signatures that others make are taken, ours are taken by others, and anything else is refused by name."""

    def keygen(self, name="key.pem", *arguments):
        """A private key in this case's folder."""
        self.run_pianola("keygen", "-o", self.folder / name, *arguments)
        return self.folder / name

    def openssl(self, *arguments, code=0):
        """Runs OpenSSL's command line; its standard output."""
        run = subprocess.run(["openssl", *map(str, arguments)], cwd=self.folder, capture_output=True, check=False)
        self.assertEqual(run.returncode, code, run.stderr.decode(errors="replace"))
        return run.stdout

    def public_of(self, key):
        """The public half, as OpenSSL writes it."""
        path = key.with_suffix(".pub")
        self.openssl("pkey", "-in", key, "-pubout", "-out", path)
        return path

    def signed(self, key, *arguments):
        """A captured binary that `key` has signed."""
        output = self.folder / "signed.ptb"
        self.run_pianola("sign", self.capture("hello_world_int8", "--self-test", "2"), "--key", key, "-o", output,
                         *arguments)
        return output

    def refuse(self, *arguments):
        """The rule that a binary is refused by."""
        verdict = json.loads(self.run_pianola("verify", *arguments, "--json", code=REFUSED).stdout)
        return verdict["rule"]

    def test_a_signed_binary_is_accepted_with_its_key_and_nothing_else_is(self):
        key = self.keygen()
        binary = self.signed(key)
        self.run_pianola("verify", binary, "--key", self.public_of(key))
        self.run_pianola("verify", binary, "--key", key)
        self.run_pianola("verify", binary)
        self.run_pianola("run", binary, "--self-test")
        self.assertEqual(self.refuse(self.capture(), "--key", key), "AUT-UNSIGNED")
        self.assertEqual(self.refuse(binary, "--key", self.keygen("other.pem")), "AUT-KEY")
        self.assertEqual(self.refuse(binary, "--key", key, "--revoked", self.public_of(key)), "AUT-REVOKED")
        contents = bytearray(binary.read_bytes())
        contents[-1] ^= 1
        self.assertEqual(self.refuse(self.write("damaged.ptb", bytes(contents)), "--key", key), "AUT-SIGNATURE")
        self.assertEqual(self.refuse(self.write("short.ptb", bytes(contents[:-1])), "--key", key), "ENV-TOTAL-SIZE")

    def test_the_key_in_the_binary_is_the_one_that_openssl_names(self):
        key = self.keygen()
        contents = self.signed(key).read_bytes()
        der = self.openssl("pkey", "-in", key, "-pubout", "-outform", "DER")
        self.assertEqual(contents[KEY_ID], hashlib.sha256(der).digest()[:8])
        shown = self.run_pianola("pubkey", key, "--format", "hash").stdout.strip()
        self.assertEqual(shown, hashlib.sha256(der).hexdigest())
        self.assertEqual(self.run_pianola("pubkey", key).stdout.encode(), self.openssl("pkey", "-in", key, "-pubout"))
        as_json = json.loads(self.run_pianola("pubkey", self.public_of(key), "--format", "json").stdout)
        self.assertEqual(bytes.fromhex(as_json["point"]), der[-64:])

    def test_openssl_verifies_what_we_sign(self):
        key = self.keygen()
        contents = self.signed(key).read_bytes()
        digest = hashlib.sha256(contents[:160] + contents[192:-SIGNATURE_BYTES]).digest()
        self.assertEqual(contents[160:192], digest)
        r, s = (int.from_bytes(contents[-64:-32], "big"), int.from_bytes(contents[-32:], "big"))
        config = f"asn1=SEQUENCE:s\n[s]\nr=INTEGER:{r}\ns=INTEGER:{s}\n"
        self.openssl("asn1parse", "-genconf", self.write("s.cnf", config), "-out", self.folder / "s.der", "-noout")
        verified = self.openssl("pkeyutl", "-verify", "-pubin", "-inkey", self.public_of(key), "-sigfile", "s.der",
                                "-in", self.write("digest.bin", digest))
        self.assertIn(b"Successfully", verified)

    def test_a_key_that_stays_elsewhere(self):
        self.openssl("ecparam", "-name", "prime256v1", "-genkey", "-noout", "-out", "hsm.pem")
        public = self.public_of(self.folder / "hsm.pem")
        binary = self.capture()
        self.run_pianola("sign", binary, "--public", public, "--digest-out", "digest.bin", "-o", "prepared.ptb",
                         "--security-version", 3)
        self.assertEqual((self.folder / "digest.bin").stat().st_size, 32)
        # What the counter of a platform that answers nothing reads, which would let it pass.
        self.run_pianola("sign", binary, "--public", public, "--digest-out", "never", "-o", "never.ptb",
                         "--security-version", 2**32 - 1, code=USAGE)
        self.assertEqual(self.refuse(self.folder / "prepared.ptb", "--key", public), "AUT-SIGNATURE")
        self.openssl("pkeyutl", "-sign", "-inkey", "hsm.pem", "-in", "digest.bin", "-out", "signature.der")
        self.run_pianola("sign", "prepared.ptb", "--public", public, "--signature-in", "signature.der", "-o",
                         "signed.ptb")
        self.run_pianola("verify", "signed.ptb", "--key", public, "--lowest-security-version", 3)
        self.assertEqual(self.refuse("signed.ptb", "--key", public, "--lowest-security-version", 4), "AUT-VERSION")
        other = self.keygen("other.pem")
        self.run_pianola("sign", "prepared.ptb", "--public", other, "--signature-in", "signature.der", "-o", "x.ptb",
                         code=USAGE)
        self.openssl("pkeyutl", "-sign", "-inkey", other, "-in", "digest.bin", "-out", "foreign.der")
        self.run_pianola("sign", "prepared.ptb", "--public", public, "--signature-in", "foreign.der", "-o", "x.ptb",
                         code=REFUSED)
        self.assertFalse((self.folder / "x.ptb").exists())

    def test_signing_again_replaces_the_signature(self):
        first, second = self.keygen("first.pem"), self.keygen("second.pem")
        once = self.signed(first, "--security-version", 2)
        self.run_pianola("sign", once, "--key", second, "-o", "again.ptb")
        again = (self.folder / "again.ptb").read_bytes()
        self.assertEqual(len(again), once.stat().st_size)
        self.assertEqual(int.from_bytes(again[SECURITY_VERSION], "little"), 2)
        self.run_pianola("verify", "again.ptb", "--key", second)
        self.assertEqual(self.refuse("again.ptb", "--key", first), "AUT-KEY")

    def test_nothing_is_signed_that_the_validator_refuses(self):
        key = self.keygen()
        contents = self.capture().read_bytes()
        damaged = self.write("damaged.ptb", contents[:-1])
        run = self.run_pianola("sign", damaged, "--key", key, "-o", "x.ptb", code=REFUSED)
        self.assertIn("ENV-TOTAL-SIZE", run.stderr)
        self.assertFalse((self.folder / "x.ptb").exists())

    def test_keys_are_the_owners_alone_and_are_never_overwritten(self):
        key = self.keygen()
        self.assertEqual(stat.S_IMODE(key.stat().st_mode), 0o600)
        before = key.read_bytes()
        self.run_pianola("keygen", "-o", key, code=FILE_TROUBLE)
        self.assertEqual(key.read_bytes(), before)

    def test_keys_that_are_none(self):
        binary = self.capture()
        self.openssl("ecparam", "-name", "secp384r1", "-genkey", "-noout", "-out", "p384.pem")
        self.openssl("genpkey", "-algorithm", "RSA", "-out", "rsa.pem")
        self.openssl("ec", "-in", self.keygen(), "-aes128", "-passout", "pass:secret", "-out", "locked.pem")
        for name, text in (("p384.pem", "P-256"), ("rsa.pem", "P-256"), ("locked.pem", "password"), (binary.name,
                                                                                                     "PEM")):
            run = self.run_pianola("sign", binary, "--key", name, "-o", "x.ptb", code=FILE_TROUBLE)
            self.assertIn(text, run.stderr)
        ed25519 = self.keygen("ed25519.pem", "--type", "ed25519")
        for arguments in (("sign", binary, "--key", ed25519, "-o", "x.ptb"), ("verify", binary, "--key", ed25519),
                          ("sign", binary, "--public", ed25519, "--digest-out", "d", "-o", "x.ptb"), ("pubkey", ed25519,
                                                                                                      "--format", "c")):
            run = self.run_pianola(*arguments, code=FILE_TROUBLE)
            self.assertRegex(run.stderr, r"ed25519\.pem: an Ed25519 key.*P-256")
            self.assertFalse((self.folder / "x.ptb").exists() or (self.folder / "d").exists())

    def test_options_that_do_not_belong_together(self):
        key = self.keygen()
        binary = self.capture()
        for options in ((), ("--public", key), ("--digest-out", "d"), ("--signature-in", "s"),
                        ("--key", key, "--digest-out", "d"), ("--key", key, "--public", key)):
            self.run_pianola("sign", binary, "-o", "x.ptb", *options, code=USAGE)

    def test_the_constant_for_the_target_compiles_and_says_the_same(self):
        key = self.keygen()
        self.run_pianola("pubkey", key, "--format", "c", "--symbol", "kFleetKey", "-o", "fleet_key.h")
        source = (
            '#include "fleet_key.h"\n#include <cstdio>\nint main() { for (auto b : kFleetKey.id) std::printf("%02x", '
            'b);\n'
            'for (auto b : kFleetKey.key) std::printf("%02x", b); }\n')
        self.write("main.cpp", source)
        subprocess.run([
            "g++", "-std=c++17", "-Wall", "-Wextra", "-Werror", f"-I{cli_support.OPTIONS.source}/runtime/include",
            "main.cpp", "-o", "show"
        ], cwd=self.folder, check=True)
        shown = subprocess.run(["./show"], cwd=self.folder, check=True, capture_output=True, text=True).stdout
        as_json = json.loads(self.run_pianola("pubkey", key, "--format", "json").stdout)
        self.assertEqual(shown, as_json["id"] + as_json["point"])


class Receipt(cli_support.CliTest):
    """A receipt says what was verified, and can not be changed."""

    def make(self, binary, key, *arguments, code=DONE, name="receipt.json"):
        """A receipt for `binary`."""
        self.run_pianola("verify", binary, "--receipt", name, "--receipt-key", key, *arguments, code=code)
        return self.folder / name

    def key(self, kind="ed25519"):
        """A key for receipts."""
        self.run_pianola("keygen", "-o", f"{kind}.pem", "--type", kind)
        return self.folder / f"{kind}.pem"

    def test_a_receipt_holds_and_is_reproducible(self):
        key = self.key()
        binary = self.capture()
        first = self.make(binary, key).read_bytes()
        self.assertEqual(first, self.make(binary, key, name="again.json").read_bytes())
        shown = json.loads(self.run_pianola("receipt", "check", "receipt.json", "--key", key, "--binary", binary,
                                            "--json").stdout)
        self.assertEqual(shown["binary"]["sha256"], hashlib.sha256(binary.read_bytes()).hexdigest())
        self.assertEqual(shown["verdict"], {"accepted": True})
        self.assertIn("TRC-BOUNDS", shown["validator"]["rules"])
        self.assertEqual(shown["device"]["l1_bytes"], 262144)
        self.assertEqual((shown["device"]["attestation"], shown["device"]["costs"], shown["device"]["weights_layout"]),
                         ("digest", "exact", 1))

    def test_with_a_p256_key_the_statement_is_reproducible(self):
        key = self.key("p256")
        binary = self.capture()
        first = json.loads(self.make(binary, key).read_text())
        second = json.loads(self.make(binary, key, name="again.json").read_text())
        self.assertEqual(first["statement"], second["statement"])
        self.run_pianola("receipt", "check", "receipt.json", "--key", key)

    def test_a_refusal_has_a_receipt_too(self):
        key = self.key()
        damaged = self.write("damaged.ptb", self.capture().read_bytes()[:-1])
        self.make(damaged, key, code=REFUSED)
        run = self.run_pianola("receipt", "check", "receipt.json", "--key", key, "--binary", damaged, code=REFUSED)
        self.assertIn("ENV-TOTAL-SIZE", run.stdout)

    def test_what_was_changed_does_not_hold(self):
        key = self.key()
        binary = self.capture()
        receipt = json.loads(self.make(binary, key).read_text())

        def refused(changed, *arguments):
            run = self.run_pianola("receipt", "check", self.write("changed.json", changed), "--key", key, *arguments,
                                   code=REFUSED)
            self.assertNotEqual(run.stderr, "")

        for place, value in ((("verdict", "accepted"), False), (("binary", "bytes"), 1), (("device", "l1_bytes"), 1),
                             (("validator", "version"), "99")):
            changed = json.loads(json.dumps(receipt))
            changed["statement"][place[0]][place[1]] = value
            refused(changed)
        for name in receipt:
            refused({member: value for member, value in receipt.items() if member != name})
        refused({**receipt, "signature": "00" * 64})
        refused({**receipt, "signature": "zz"})
        refused({**receipt, "more": 1})
        refused("[]")
        refused("")
        refused(receipt, "--binary", self.write("other.ptb", b"other"))
        self.run_pianola("keygen", "-o", "other.pem", "--type", "ed25519")
        self.run_pianola("receipt", "check", "receipt.json", "--key", "other.pem", code=REFUSED)

    def test_statements_that_somebody_else_has_signed(self):
        """Each member missing, of other types, negative, broken; and texts that a terminal would obey."""
        key, binary = self.key(), self.capture()
        accepted = json.loads(self.make(binary, key).read_text())
        refusal = json.loads(
            self.make(self.write("cut.ptb",
                                 binary.read_bytes()[:-1]), key, code=REFUSED, name="no.json").read_text())

        def check(statement, code, *options):
            """With a good signature."""
            text = self.write("statement", json.dumps(statement, sort_keys=True, separators=(",", ":")))
            subprocess.run([
                "openssl", "pkeyutl", "-sign", "-rawin", "-inkey", key, "-in", text, "-out", self.folder / "signature"
            ], check=True)
            signed = {**accepted, "statement": statement, "signature": (self.folder / "signature").read_bytes().hex()}
            return self.run_pianola("receipt", "check", self.write("signed.json", signed), "--key", key, *options,
                                    code=code)

        check(accepted["statement"], DONE)
        tried = 0
        for statement, code in ((accepted["statement"], DONE), (refusal["statement"], REFUSED)):
            self.assertIn("the signature holds", check(statement, code).stdout)
            for place in (("binary", ), ("binary", "sha256"), ("binary", "bytes"), ("device", ), ("trust", ),
                          *((name, ) for name in ("self_tests", "state") if name in statement),
                          ("validator", ), ("validator", "version"), ("validator", "schema"), ("validator", "rules"),
                          ("verdict", ), *(("verdict", name) for name in statement["verdict"])):
                for wrong in (None, [], {}, True, -1, 1.5, [7], "missing"):
                    damaged = json.loads(json.dumps(statement))
                    inner = damaged
                    for name in place[:-1]:
                        inner = inner[name]
                    if type(inner[place[-1]]) is type(wrong) and wrong != [7]:
                        continue
                    if wrong == "missing":
                        del inner[place[-1]]
                    else:
                        inner[place[-1]] = wrong
                    run = check(damaged, REFUSED)
                    self.assertEqual(run.stdout, "", f"{place}: {wrong}")
                    self.assertIn("signed, but no statement of a verdict", run.stderr)
                    tried += 1
        self.assertGreater(tried, 100)
        for place in (("validator", "version"), ("verdict", "rule"), ("verdict", "field")):
            for options in ((), ("--json",)):
                damaged = json.loads(json.dumps(refusal["statement"]))
                damaged[place[0]][place[1]] = "".join(map(chr, (*range(0x20), *range(0x7f, 0xa0), 0x202e)))
                run = check(damaged, REFUSED, *options)
                self.assertRegex(run.stdout, r"\A[ -~\n]*\Z")
                self.assertIn("\\u001b", run.stdout)
                self.assertEqual(run.stderr, "")

    def segment(self, contents, number):
        """Of a binary: 0 the manifest, 1 weights, 2 traces, 3 self-tests."""
        first, size = (int.from_bytes(contents[at:at + 4], "little") for at in (84 + 12 * number, 88 + 12 * number))
        return contents[first:first + size]

    def state_of(self, binary):
        """What a receipt must say of the only region, worked out from the commands that `inspect` shows."""
        contents = binary.read_bytes()
        weights, traces = self.segment(contents, 1), self.segment(contents, 2)
        shown = json.loads(self.run_pianola("inspect", binary, "--commands", "--json").stdout)
        regions = {region["kind"]: region for region in shown["regions"]}
        base, size = (regions["state"][name] for name in ("base", "bytes"))
        trace = next(trace for trace in shown["traces"] if trace["name"] == "reset state")
        constants, words, written, commands = b"", b"", set(), trace["command_list"]
        for command, after in zip(commands, commands[1:]):
            reads, writes = ([(extent["address"], extent["bytes"]) for extent in command["extents"]
                              if extent["access"] == access] for access in ("read", "write"))
            self.assertTrue(all(base <= first and first + count <= base + size for first, count in writes))
            for first, count in writes:
                written |= set(range(first, first + count))
            for first, count in reads:
                constants += weights[first - regions["weights"]["base"]:][:count]
            words += traces[trace["offset"] + 4 * command["word"]:trace["offset"] + 4 * after["word"]]
        return {
            "name": regions["state"]["name"], "memory": regions["state"]["memory"], "address": base, "bytes": size,
            "set_up": None, "prologue": {
                "bytes": len(written), "constant_bytes": len(constants), "commands": len(commands) - 1,
                "constants_sha256": hashlib.sha256(constants).hexdigest(),
                "commands_sha256": hashlib.sha256(words).hexdigest()
            }
        }

    def test_state_and_what_resets_it(self):
        key = self.key()
        for name in ("mww_okay_nabu_v2", "trained_lstm_int8"):
            binary = self.capture(name, "--self-test", "2")
            self.make(binary, key)
            check = ("receipt", "check", "receipt.json", "--key", key, "--binary", binary)
            stated = json.loads(self.run_pianola(*check, "--json").stdout)
            wanted = self.state_of(binary)
            self.assertEqual(stated["state"], [wanted])
            self.assertGreater(wanted["prologue"]["commands"], 0)
            for command in (check, ("verify", binary), ("inspect", binary)):
                text = self.run_pianola(*command).stdout
                self.assertIn(f"state     {wanted['bytes']} bytes at 0x{wanted['address']:08X} in {wanted['memory']}, "
                              f"'{wanted['name']}': first contents of {wanted['prologue']['bytes']} from the prologue, "
                              "of 0 from the set-up", text)
                self.assertIn("self-tests 2: 0 with outputs as expected, 2 with captured outputs", text)
            for command in ("verify", "inspect"):
                self.assertEqual(json.loads(self.run_pianola(command, binary, "--json").stdout)["state"], [wanted])
        plain = self.make(self.capture(), key, name="plain.json")
        stated = json.loads(plain.read_text())["statement"]
        self.assertEqual((stated["state"], stated["self_tests"]), ([], []))
        self.assertNotIn("state", self.run_pianola("receipt", "check", plain, "--key", key).stdout)

    def test_other_first_contents_are_another_state(self):
        """Another value that a reset fills in, the binary sealed again."""
        key = self.key()
        binary = self.capture("trained_lstm_int8")
        before = json.loads(self.make(binary, key).read_text())["statement"]["state"][0]["prologue"]
        shown = json.loads(self.run_pianola("inspect", binary, "--commands", "--json").stdout)
        trace = next(trace for trace in shown["traces"] if trace["name"] == "reset state")
        self.assertEqual(trace["command_list"][0]["command"], "fill")
        last = trace["command_list"][1]["word"] - 1
        contents = bytearray(binary.read_bytes())
        contents[int.from_bytes(contents[108:112], "little") + trace["offset"] + 4 * last] ^= 1
        changed = self.write("changed.ptb", cli_support.checked(bytes(contents), shown))
        after = json.loads(self.make(changed, key).read_text())["statement"]["state"][0]["prologue"]
        self.assertNotEqual(after["commands_sha256"], before["commands_sha256"])
        self.assertEqual({**after, "commands_sha256": ""}, {**before, "commands_sha256": ""})

    def test_what_a_statement_must_say_of_self_tests_and_state(self):
        key = self.key()
        accepted = json.loads(self.make(self.capture("trained_lstm_int8", "--self-test", "1"), key).read_text())
        places = [("self_tests", 0, name) for name in accepted["statement"]["self_tests"][0]]
        state = accepted["statement"]["state"][0]
        places += [("state", 0, name) for name in state]
        places += [("state", 0, "prologue", name) for name in state["prologue"]]
        for place in places:
            for wrong in (None, "x", -1, "missing"):
                statement = json.loads(json.dumps(accepted["statement"]))
                inner = statement
                for name in place[:-1]:
                    inner = inner[name]
                if wrong == "missing":
                    del inner[place[-1]]
                elif (place[-1] in ("prologue", "set_up") and wrong is None) or (place[-1] in ("name", "memory")
                                                                                and wrong == "x"):
                    continue
                else:
                    inner[place[-1]] = wrong
                text = self.write("statement", json.dumps(statement, sort_keys=True, separators=(",", ":")))
                subprocess.run(["openssl", "pkeyutl", "-sign", "-rawin", "-inkey", key, "-in", text, "-out",
                                self.folder / "signature"], check=True)
                signed = {**accepted, "statement": statement,
                          "signature": (self.folder / "signature").read_bytes().hex()}
                run = self.run_pianola("receipt", "check", self.write("signed.json", signed), "--key", key,
                                       code=REFUSED)
                self.assertIn("signed, but no statement of a verdict", run.stderr, f"{place}: {wrong}")

    def test_a_receipt_needs_a_key(self):
        self.run_pianola("verify", self.capture(), "--receipt", "r.json", code=USAGE)


if __name__ == "__main__":
    cli_support.main()
