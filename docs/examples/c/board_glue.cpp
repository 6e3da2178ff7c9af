// The application in C on a board: the board's driver and command set, which are C++, as tables of C functions. The
// scenario is the word that the emulator is started with.
#include <array>

#include "docs/examples/c/app.h"
#include "docs/examples/c/board_config.h"
#include "docs/examples/c/tables.h"
#include "hal/boards/common/board.h"
#include "hal/boards/common/board_device.h"
#include "hal/boards/common/board_link.h"
#include "hal/boards/common/semihosting.h"
#include "hal/boards/common/shared_memory.h"
#include "hal/crypto/bearssl_verifier.h"
#include "hal/devices/refdev/refdev_command_set.h"
#include "road_signs_manifest.h"

namespace {

namespace board = pianola::board;
namespace manifest = pianola::manifest::road_signs;
namespace semihosting = pianola::semihosting;

const pianola::BearSslVerifier kBearSsl;

std::uint64_t now_us() {
    return board::now_us();
}

void idle() {
    if (board::device_cores() != 0U) {  // else the device needs this core
        board::wait_for_signal();
    }
}

void print(const char* text) {
    semihosting::print(text);
}

int run(const char* scenario) {
    static board::BoardLink link{manifest::kDeviceSpec, board::shared_state()};
    static board::BoardDevice device{manifest::kDeviceSpec, board::shared_state(), link};
    static const pianola::refdev::RefdevCommandSet kCommandSet;

    board::start_device_cores();
    app_environment_t environment = *board_config();
    environment.device = &pianola::tables::device();
    environment.device_context = static_cast<pianola::Device*>(&device);
    environment.command_set = &pianola::tables::command_set();
    environment.command_set_context = static_cast<const pianola::CommandSet*>(&kCommandSet);
    environment.verifier = &pianola::tables::verifier();
    environment.verifier_context = static_cast<const pianola::SignatureVerifier*>(&kBearSsl);
    environment.spare = {board::load_area().data(), board::load_area().size()};
    environment.now_us = now_us;
    environment.idle = idle;
    environment.print = print;
    return app_run(&environment, scenario);
}

}  // namespace

// Nothing on this board may ever get here; where it does, the core stops.
extern "C" bool pianola_on_violation(std::uintptr_t /*address*/, std::uintptr_t /*instruction*/) noexcept {
    return false;
}

int main() {
    std::array<char, 64U> scenario{};
    semihosting::exit(semihosting::command_line({scenario.data(), scenario.size()}) ? run(scenario.data()) : -1);
}
