// Dumps of ExecutionLog objects, read with care.
//
// The host's reader for hal/devices/refdev/execution_log.h, which defines the bytes. A dump may come from a debugger, a
// board or `pianola run --log`; nothing in it is trusted.
#pragma once

#include <string>
#include <vector>

#include "hal/devices/refdev/command_encoding.h"
#include "hal/host/target.h"

namespace pianola::refdev {

// One log per queue. The problem of the dump, with its byte; empty if there is none.
[[nodiscard]] std::string read_execution_logs(ByteSpan dump, std::vector<QueueLog>& logs);

// A command of that kind, with its name as docs/reference/device.md has it, in lower case.
[[nodiscard]] LoggedCommand logged_command(Opcode opcode, std::uint32_t kernel_id);

}  // namespace pianola::refdev
