"""The folder of a campaign: what was asked for, the results of its shards, and which of them are there.

  campaign.json      campaign, arguments, shards and the SHA-256 of every file that results depend on; `configuration`
                     is the SHA-256 over all of these
  shards/NNNN.json   result of a shard, with the configuration that it was made with and the SHA-256 of what it holds
  failed/NNNN.txt    why a shard has no result
  log/               output of shards and of merging
  report             what a run without shards writes

A result is written under another name, flushed, then renamed: a file of that name is whole, whatever ended the writer.
"""
import glob
import hashlib
import json
import os
import pathlib

from definitions import ROOT, all_definitions, filled, python_of

FORMAT = 1


class Refused(Exception):
    """What was asked for cannot be done; the text says why, in one line."""


def _sha256(data):
    return hashlib.sha256(data).hexdigest()


def write_whole(path, text):
    """Writes a file so that it is there with all of its bytes, or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_name(f"{path.name}.{os.uname().nodename}-{os.getpid()}.partial")
    with open(partial, "w", encoding="utf-8") as stream:
        stream.write(text)
        stream.flush()
        os.fsync(stream.fileno())
    partial.replace(path)


def models_folder():
    """As the tests find it."""
    return pathlib.Path(os.environ.get("PIANOLA_SHARED", ROOT.parent / "shared")).resolve() / "models"


class Campaign:
    """A campaign in its folder."""

    def __init__(self, folder, asked):
        self.folder, self.asked = folder.resolve(), asked
        self.build = pathlib.Path(asked["build"])
        more = asked["definitions"]
        self.definition = all_definitions(pathlib.Path(more) if more else None)[asked["campaign"]]
        self.shards = asked["shards"]

    @classmethod
    def new(cls, folder, **asked):
        """One that is to be run. Its configuration is not known before it is prepared."""
        return cls(folder, {"format": FORMAT, **asked})

    @classmethod
    def load(cls, folder):
        """One that was submitted."""
        file = folder / "campaign.json"
        try:
            asked = json.loads(file.read_text(encoding="utf-8"))
            if asked["format"] != FORMAT or asked["configuration"] != cls.configuration_of(asked):
                raise Refused(f"{file}: format {asked['format']}, or it was changed: submit the campaign anew")
            return cls(folder, asked)
        except FileNotFoundError:
            raise Refused(f"{file} is not there: the folder of a campaign that was submitted is needed") from None
        except (ValueError, KeyError, TypeError) as error:
            raise Refused(f"{file}: damaged: {error!r}") from None

    @staticmethod
    def configuration_of(asked):
        """What all results of a campaign have in common: everything but where it runs."""
        what = {key: asked[key] for key in ("format", "campaign", "arguments", "shards", "commands", "uses")}
        return _sha256(json.dumps(what, sort_keys=True).encode())

    def save(self):
        """Fixes the campaign: what its results depend on is taken from the files as they are."""
        definition = self.definition
        self.asked["commands"] = {"part": list(definition.part), "merge": list(definition.merge)}
        self.asked["uses"] = self.uses()
        self.asked["configuration"] = self.configuration_of(self.asked)
        write_whole(self.folder / "campaign.json", json.dumps(self.asked, indent=1) + "\n")

    @property
    def configuration(self):
        """The digest that every result must have."""
        return self.asked["configuration"]

    def _values(self, **more):
        return {"root": ROOT, "build": self.build, "bin": self.build / "bin", "out": self.folder,
                "python": python_of(self.build), "models": models_folder(), "shards": self.shards, **more}

    def command(self, words, parts=(), **more):
        """A command of the definition, ready to run in ROOT."""
        arguments = self.asked["arguments"] or self.definition.defaults
        return filled(words, self._values(**more), {"arguments": arguments, "parts": parts})

    def uses(self):
        """{name: SHA-256} of every file that results depend on; names tell nothing of where the tree lies."""
        found = {}
        values = {name: str(value) for name, value in self._values().items()}
        for pattern in self.definition.uses:
            files = sorted(file for file in glob.glob(pattern.format(**values), recursive=True)
                           if os.path.isfile(file) and "__pycache__" not in file)
            if not files:
                raise Refused(f"{pattern.format(**values)} is not there: build it, or see docs/guide/slurm.md")
            base = pattern.split("*")[0].rpartition("/")[0]
            for file in files:
                name = f"{base}/{os.path.relpath(file, base.format(**values))}"
                found[name] = _sha256(pathlib.Path(file).read_bytes())
        for number, word in enumerate(self.asked["arguments"]):
            if (ROOT / word).is_file():
                found[f"argument {number}"] = _sha256((ROOT / word).read_bytes())
        return found

    def changed(self):
        """The names of files that are no longer as they were when the campaign was submitted."""
        now, then = self.uses(), self.asked["uses"]
        return sorted(name for name in {*now, *then} if now.get(name) != then.get(name))

    def result_file(self, shard):
        """Where the result of a shard lies."""
        return self.folder / f"shards/{shard:04}.json"

    def failure_file(self, shard):
        """Where it says why a shard has none."""
        return self.folder / f"failed/{shard:04}.txt"

    def log_file(self, shard):
        """What the program has printed."""
        return self.folder / f"log/{shard:04}.txt"

    def keep(self, shard, code, text):
        """Keeps what the program of a shard has written."""
        result = {"format": FORMAT, "campaign": self.asked["campaign"], "shard": shard, "shards": self.shards,
                  "configuration": self.configuration, "code": code, "sha256": _sha256(text.encode()), "text": text}
        write_whole(self.result_file(shard), json.dumps(result) + "\n")
        self.failure_file(shard).unlink(missing_ok=True)

    def result(self, shard):
        """(result, ""), or (None, why it cannot be used)."""
        try:
            result = json.loads(self.result_file(shard).read_text(encoding="utf-8"))
            if result["format"] != FORMAT or result["sha256"] != _sha256(result["text"].encode()):
                return None, "damaged: its contents are not those that were written"
            if (result["campaign"], result["shards"]) != (self.asked["campaign"], self.shards):
                return None, f"of another campaign: {result['campaign']} in {result['shards']} shards"
            if result["configuration"] != self.configuration:
                return None, "of another build, seed or other arguments: its configuration is another one"
            if result["shard"] != shard:
                return None, f"the result of shard {result['shard']}"
            return result, ""
        except FileNotFoundError:
            failure = self.failure_file(shard)
            return None, failure.read_text(encoding="utf-8").strip() if failure.is_file() else "missing"
        except (ValueError, KeyError, TypeError, AttributeError):
            return None, "damaged: no whole JSON document"

    def faults(self):
        """{shard: why it has no result that can be used}."""
        found = {shard: self.result(shard)[1] for shard in range(1, self.shards + 1)}
        return {shard: why for shard, why in found.items() if why}

    def strangers(self):
        """Files among the results that are none; those under way have another name."""
        wanted = {self.result_file(shard).name for shard in range(1, self.shards + 1)}
        return sorted(file.name for file in (self.folder / "shards").glob("*")
                      if file.name not in wanted and not file.name.endswith(".partial"))
