#!/usr/bin/env python3
"""Ports outside of the tree, through every command: the example of docs/guide/porting.md, and the device of
../shared/experiments/port.

Both are built in a folder of their own, as docs/guide/porting.md says, and reach the tools by --plugin: nothing in the
tree changes. The second one was written against older interfaces; ADAPTED is what it takes to bring it to these.
"""
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "cli"))
import cli_support  # noqa: E402
from cli_support import OPTIONS, REFUSED, USAGE  # noqa: E402

COPY_HEADER, COPY_END = "0x40001", {"npu_target": "0x10003", "memcpy_target": "0x10002"}

# (text, what stands in its place) in memcpy_npu.h.
ADAPTED = (
    ("runtime/device/", "pianola/"),
    ("  PatchKind patch_kind(", "  KernelIdentity kernel(std::uint32_t) const noexcept override { return {}; }\n"
     "  PatchKind patch_kind("),
    ("d.clock_khz=1000U;", "d.clock_khz=1000U; d.cost_model=1U;"),
    ("decode(WordSpan w, DecodedCommand&", "decode(WordSpan w, DecodeState&, DecodedCommand&"),
    ("DecodeError e; (void)cs_.decode(WordSpan{w+i,n-i},c,e)",
     "DecodeError e; DecodeState s; (void)cs_.decode(WordSpan{w+i,n-i},s,c,e)"),
    ("queue_digest(std::uint64_t d, const QueueCommand& q, std::uint64_t t) const noexcept override {",
     "seal(std::uint64_t d, std::uint32_t number, std::uint64_t t, QueueCommand& q) const noexcept override {"
     " q.check = static_cast<std::uint32_t>(fnv(fnv(number, q.address + q.size_bytes), q.value));"),
    ("digest_=cs_.queue_digest(digest_,q,t)",
     "QueueCommand sealed = q; digest_ = cs_.seal(digest_, number_, t, sealed); number_ += 1U"),
    ("reset() noexcept override {", "reset() noexcept override { number_ = 0U;"),
    ("d.dram_banks=1U;",
     "d.dram_banks=1U; d.attestation=Attestation::kDigest; d.costs=CostKind::kExact; d.weights_layout=1U;"),
    ("program_region(const RegionConfig&) noexcept override {",
     "program_region(const RegionConfig& r) noexcept override { if (regions_ < 8U) held_[regions_] = r;"),
    ("  ~McDevice() = default;", "  ~McDevice() = default;\n"
     "  Status programmed_region(std::uint32_t i, RegionConfig& r) const noexcept override {"
     " if (i >= regions_) return Status::kInvalidArgument; r = held_[i]; return Status::kOk; }\n"
     "  ByteSpan bound_source(std::uint32_t s) const noexcept override {"
     " return s < src_.size() ? src_[s] : ByteSpan{}; }\n"
     "  ByteSpan bound_destination(std::uint32_t s) const noexcept override {"
     " return s < dst_.size() ? ByteSpan{dst_[s]} : ByteSpan{}; }"),
    ("  McCommandSet cs_;", "  std::uint32_t number_{0U}; std::array<RegionConfig, 8U> held_{}; McCommandSet cs_;"),
)
MEMCPY_TARGET = """
#include "hal/host/plugin.h"
#include "memcpy_npu.h"
namespace {
using namespace pianola;
class Simulated final : public Simulator {
  public:
    Device& device() noexcept override { return device_; }
    Platform& platform() noexcept override { return platform_; }
  private:
    npu::McDevice device_;
    npu::McPlatform platform_;
};
class McTarget final : public Target {
  public:
    DeviceDescription usual_device() const override {
        DeviceDescription device;
        (void)npu::McDevice{}.describe(device);
        return device;
    }
    std::string what_is_wrong_with(const DeviceDescription& device) const override {
        return (device.dram_bytes == npu::kDramBytes) ? "" : "it has 64 KiB of DRAM";
    }
    const CommandSet& command_set() const noexcept override { return commands_; }
    const char* kernel_name(std::uint32_t) const noexcept override { return nullptr; }
    Offers offers() const noexcept override { Offers offers; offers.simulator = true; return offers; }
    std::unique_ptr<Simulator> simulate(const DeviceDescription&, const SimulatorOptions&) const override {
        return std::make_unique<Simulated>();
    }
  private:
    npu::McCommandSet commands_;
};
const Target& target() { static const McTarget the_target; return the_target; }
}
extern "C" [[gnu::visibility("default")]] const pianola::TargetPlugin kPianolaTargetPlugin{
    pianola::kPluginAbiVersion, pianola::kPluginAbiBytes, target};
"""
MEMCPY_LISTS = """
add_library(memcpy_target MODULE memcpy_target.cpp)
target_include_directories(memcpy_target PRIVATE "${PIANOLA_SOURCE}")
target_link_libraries(memcpy_target PRIVATE pianola_runtime)
"""


def adapt(text):
    """The device of ../shared for today's interfaces."""
    for old, new in ADAPTED:
        assert old in text, old
        text = text.replace(old, new)
    return text


def build(folder):
    """The plugins' files, by name."""
    project = folder / "npu"
    shutil.copytree(OPTIONS.source / "docs/examples/port", project)
    names = ["npu_target"]
    device = cli_support.shared() / "experiments/port/memcpy_npu.h"
    if device.is_file():
        names.append("memcpy_target")
        (project / "memcpy_npu.h").write_text(adapt(device.read_text(encoding="utf-8")), encoding="utf-8")
        (project / "memcpy_target.cpp").write_text(MEMCPY_TARGET, encoding="utf-8")
        with (project / "CMakeLists.txt").open("a", encoding="utf-8") as lists:
            lists.write(MEMCPY_LISTS)
    made = folder / "build"
    subprocess.run([
        "cmake", "-S", project, "-B", made, "-G", "Ninja", f"-DPIANOLA_SOURCE={OPTIONS.source}",
        f"-DCMAKE_CXX_COMPILER={OPTIONS.compiler}", "-DCMAKE_BUILD_TYPE=Release", "-DPIANOLA_PROFILE=kHost",
        "-DPIANOLA_CCACHE=ON"
    ], check=True, stdout=subprocess.DEVNULL)
    subprocess.run(["cmake", "--build", made, "--parallel", "2", "--target", *names], check=True,
                   stdout=subprocess.DEVNULL)
    return {name: next(made.rglob(f"lib{name}.so")) for name in names}


class Ports(cli_support.CliTest):
    """Every command that takes a binary, on one for each port."""

    plugins = {}
    FAMILIES = {"npu_target": "example-npu", "memcpy_target": "memcpy-npu"}

    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.plugins = build(pathlib.Path(folder.name))

    def each(self):
        """Name of the family, options, and a binary, of each port that is there."""
        for name, library in self.plugins.items():
            with self.subTest(port=name):
                binary = self.folder / f"{name}.ptb"
                subprocess.run([OPTIONS.binary_maker, library, binary, COPY_HEADER, COPY_END[name]], check=True)
                yield self.FAMILIES[name], ("--plugin", library), binary

    def test_all_ports_are_there(self):
        if "memcpy_target" not in self.plugins:
            self.skipTest("../shared/experiments/port is not there: the example alone was tested")
        self.assertEqual(sorted(self.plugins), sorted(self.FAMILIES))

    def test_verify(self):
        for family, plugin, binary in self.each():
            self.assertIn("accepted", self.run_pianola("verify", binary, *plugin).stdout)
            self.assertIn(f"no device family '{family}'", self.run_pianola("verify", binary, code=REFUSED).stdout)

    def test_inspect(self):
        for family, plugin, binary in self.each():
            shown = json.loads(self.run_pianola("inspect", binary, *plugin, "--commands", "--json").stdout)
            self.assertEqual(
                (shown["target"]["device_family"], shown["target"]["attestation"], shown["target"]["costs"]),
                (family, "digest", "exact"))
            self.assertEqual([command["command"] for command in shown["traces"][0]["command_list"]],
                             ["copy", "copy", "end"])

    def test_run(self):
        data = bytes(range(64))
        self.write("in.bin", data)
        for _, plugin, binary in self.each():
            self.run_pianola("run", binary, *plugin, "--input", "in.bin", "--output", "out.bin", "--repeat", "3")
            self.assertEqual((self.folder / "out.bin").read_bytes(), data)
            (self.folder / "out.bin").unlink()

    def test_size_and_embed(self):
        for family, plugin, binary in self.each():
            shown = json.loads(self.run_pianola("size", binary, *plugin, "--json").stdout)
            self.assertEqual((shown["device"]["family"], shown["device"]["attestation"]), (family, "digest"))
            self.run_pianola("size", binary, *plugin, "--header")
            self.run_pianola("embed", binary, *plugin, "-o", f"{binary.stem}.c")
            self.assertIn(f"{binary.stem}[", (self.folder / f"{binary.stem}.c").read_text(encoding="utf-8"))

    def test_sign_and_receipt(self):
        self.run_pianola("keygen", "-o", "key.pem")
        for family, plugin, binary in self.each():
            signed = f"{binary.stem}_signed.ptb"
            self.run_pianola("sign", binary, *plugin, "--key", "key.pem", "-o", signed)
            self.run_pianola("verify", signed, *plugin, "--key", "key.pem", "--receipt", "r.json", "--receipt-key",
                             "key.pem")
            shown = json.loads(
                self.run_pianola("receipt", "check", "r.json", "--key", "key.pem", "--binary", signed, "--json").stdout)
            self.assertEqual((shown["device"]["family"], shown["device"]["costs"]), (family, "exact"))

    def test_mutate(self):
        for _, plugin, binary in self.each():
            totals = json.loads(
                self.run_pianola("mutate", binary, *plugin, "--report-only", "--count", "8", "--json").stdout)["totals"]
            self.assertEqual(totals["as_expected"], totals["mutants"])
            self.assertGreater(totals["mutants"], 100)

    def test_timeline_and_log(self):
        for family, plugin, binary in self.each():
            self.assertIn(f"as-captured is not there: device family {family}",
                          self.run_pianola("timeline", binary, *plugin).stdout)
            self.assertIn(f"device family {family} has no execution logs",
                          self.run_pianola("log", "show", binary, *plugin, code=USAGE).stderr)


if __name__ == "__main__":
    cli_support.main(needs_models=False, more=["--compiler", "--binary-maker"])
