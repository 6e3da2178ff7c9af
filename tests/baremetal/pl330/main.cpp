#pragma GCC diagnostic ignored "-Wunused-result"
#pragma GCC diagnostic ignored "-Wold-style-cast"
#pragma GCC diagnostic ignored "-Wmissing-declarations"
#include "hal/boards/common/board.h"
#include "hal/boards/common/semihosting.h"
#include "hal/boards/zynq_a9/engine.h"
#include <cstring>
#include "hal/devices/pl330/command_set.h"
using namespace pianola;
static std::uint8_t g_in[1000], g_out[1000];
int main() {
  static board::ZynqLink g_link;
  static board::BoardEngine g_engine{board::kEngineSpec, g_link};
    semihosting::print(board::name());
    auto t0 = board::now_us();
    semihosting::print("\nreset ");
    semihosting::print_hex((std::uint32_t)g_engine.reset());
    RegionConfig r{0x01000000U, 4096, true, true, true, true, false};
    g_engine.program_region(r);
    for (int i = 0; i < 1000; ++i) g_in[i] = (std::uint8_t)(i * 7 + 1);
    g_engine.bind_source(2, ByteSpan{g_in, 1000});
    g_engine.bind_destination(0, MutableByteSpan{g_out, 1000});
    pl330::Pl330CommandSet set;
    QueueCommand w; w.kind = QueueCommandKind::kWrite; w.address = 0x01000040; w.size_bytes = 1000; w.slot = 2;
    set.seal(0, 0, 0, w); g_engine.enqueue(0, w);
    QueueCommand rd = w; rd.kind = QueueCommandKind::kRead; rd.slot = 0;
    set.seal(0, 1, 0, rd); g_engine.enqueue(0, rd);
    QueueCommand n; n.kind = QueueCommandKind::kNotify; n.value = 7; set.seal(0, 2, 0, n); g_engine.enqueue(0, n);
    g_engine.ring_doorbell(0);
    Completion c; Status s = Status::kPending; int turns = 0;
    while (s == Status::kPending && turns < 1000) { g_engine.service(); s = g_engine.completion(0, 7, c); ++turns; }
    semihosting::print("\nstatus "); semihosting::print_hex((std::uint32_t)s);
    semihosting::print("\nturns "); semihosting::print_number((std::uint64_t)turns);
    semihosting::print("\nfault "); semihosting::print_number((std::uint64_t)c.fault); semihosting::print(" "); semihosting::print_hex(c.fault_address);
    semihosting::print("\nsame "); semihosting::print_number(std::memcmp(g_in, g_out, 1000) == 0);
    semihosting::print("\npc "); semihosting::print_hex(g_link.read(0x104));
    semihosting::print("\nus "); semihosting::print_number(board::now_us() - t0);
    semihosting::print("\n");
    semihosting::exit(0);
}
