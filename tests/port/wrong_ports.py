#!/usr/bin/env python3
"""Wrong ports: the example port with one thing wrong in each, as sources to compile, with the check that must name it.

Every wrong port is the example's sources in a namespace of its own, with each text of a change replaced, which must occur once. So
that a change of the example that moves such a text is noticed here.

Usage: wrong_ports.py EXAMPLE_FOLDER OUTPUT_FOLDER    writes wrong_NAME.cpp and wrong_list.cpp; prints the names and their checks
"""
import pathlib
import re
import sys

SOURCES = ("npu.h", "npu_command_set.cpp", "npu_device.cpp")
# name: (check, (text, its replacement)...)
WRONG = {
    # describe
    "describe_changes": ("PORT-DESCRIBE-SAME", ("description.clock_khz = 100'000U;", "description.clock_khz = 100'000U + queues_[0].executed;")),
    "describe_no_clock": ("PORT-DESCRIBE-SANE", ("description.clock_khz = 100'000U;", "")),
    "describe_memory_wraps": ("PORT-DESCRIBE-SANE", ("description.dram_banks = 1U;", "description.l1_base = UINT32_MAX; description.l1_bytes = 64U;")),
    # platform
    "clock_stands_still": ("PORT-CLOCK-RUNS", ("idle() noexcept override { time_us_ += 1U; }", "idle() noexcept override {}")),
    "clock_runs_backward": ("PORT-CLOCK-BACK", ("return time_us_; }", "return 1'000'000'000U - time_us_; }")),
    "clock_wraps_at_8_bits": ("PORT-CLOCK-BACK", ("return time_us_; }", "return time_us_ & 0xFFU; }")),
    "counter_left_alone": ("PORT-COUNTER-READ", ("version = security_version_;", "(void)version;")),
    "counter_not_raised": ("PORT-COUNTER-RAISE", ("security_version_ = version;", "(void)version;")),
    "safe_state_not_entered": ("PORT-SAFE-STATE", ("override { safe_state_entries_ += 1U; }", "override {}")),
    "watchdog_served_by_idle": ("PORT-WATCHDOG", ("time_us_ += 1U; }", "time_us_ += 1U; watchdog_services_ += 1U; }")),
    # decode
    "decode_beyond_its_span": ("PORT-DECODE-SPAN", (" || (words.size() < kWords)) {", ") {")),
    "decode_longer_than_its_words": ("PORT-DECODE-TOTAL", ("command.length_words = kWords;\n    if", "command.length_words = words[3];\n    if")),
    "decode_length_0": ("PORT-DECODE-TOTAL", ("command.length_words = kWords;\n    if", "command.length_words = words[3] & 1U;\n    if")),
    "decode_reads_the_next_word": (
        "PORT-DECODE-TOTAL", ("    if (words.empty()) {", "    if (words.empty() || (words[words.size()] == kEnd)) {"),
    ),
    "decode_has_a_counter": (
        "PORT-DECODE-PURE",
        ("Status CommandSet::decode(", "std::uint32_t g_calls = 0U;\nStatus CommandSet::decode("),
        ("command.cost_cycles = move_cycles(words[3]);", "g_calls += 1U; command.cost_cycles = move_cycles(words[3]) + (g_calls % 7U == 0U ? 1U : 0U);"),
    ),
    "decode_keeps_what_was_left_over": ("PORT-DECODE-PURE", ("    command = DecodedCommand{};\n", "    command.extents.clear();\n")),
    "decode_write_extent_short": (
        "PORT-TOUCH-WRITE", ("add(words[1], words[3], Access::kWrite", "add(words[1], words[3] - (words[3] > 1U ? 1U : 0U), Access::kWrite"),
    ),
    "decode_write_extent_long": ("PORT-TOUCH-WRITE", ("add(words[1], words[2], Access::kWrite", "add(words[1], words[2] + 1U, Access::kWrite")),
    "decode_write_extent_elsewhere": ("PORT-TOUCH-WRITE", ("add(words[1], words[2], Access::kWrite", "add(words[1] - 1U, words[2], Access::kWrite")),
    "decode_read_extent_short": (
        "PORT-TOUCH-READ", ("add(words[2], words[3], Access::kRead", "add(words[2], words[3] - (words[3] > 1U ? 1U : 0U), Access::kRead"),
    ),
    "decode_read_extent_missing": ("PORT-TOUCH-READ", ("!command.extents.add(words[2], words[3], Access::kRead, \"source\") ||", "")),
    "decode_cost_too_low": ("PORT-COST", ("command.cost_cycles = move_cycles(words[3]);", "command.cost_cycles = move_cycles(words[3]) - 1U;")),
    "decode_no_field": ("PORT-DECODE-TOTAL", ("return refuse(error, \"value\", 3U, false);", "return refuse(error, nullptr, 3U, false);")),
    "patch_kind_of_a_size": ("PORT-DECODE-PATCH", ("((word == 1U) || (word == 2U)) ? PatchKind::kAddress", "(word != 0U) ? PatchKind::kAddress")),
    "queue_words_0": ("PORT-QUEUE-SIZES", ("    return kWordsPerCommand;", "    return 0U;")),
    # digests and checks
    "check_ignores_the_number": ("PORT-SEAL-WORDS", ("chain_command(chain(0U, number), command)", "chain_command(number - number, command)")),
    "check_ignores_the_slot_offset": (
        "PORT-SEAL-WORDS",
        ("chain_command(chain(0U, number), command);", "[&] { QueueCommand c = command; c.slot_offset = 0U; return chain_command(chain(0U, number), c); }();"),
    ),
    "check_is_constant": ("PORT-SEAL-WORDS", ("static_cast<std::uint32_t>(sum ^ (sum >> kHalf));", "static_cast<std::uint32_t>(sum - sum);")),
    "check_not_verified": ("PORT-CHECK-VERIFIED", ("sealed.check != command.check", "sealed.kind != command.kind")),
    "digest_ignores_the_value": ("PORT-DIGEST-WORDS", ("return chain(sum, command.value);", "return sum;")),
    "digest_ignores_the_trace": ("PORT-DIGEST-WORDS", ("(command.kind == QueueCommandKind::kReplay)\n", "(command.kind == QueueCommandKind::kUnspecified)\n")),
    "digest_forgets_what_was_before": ("PORT-DIGEST-WORDS", ("executed = chain_command(digest, command)", "executed = chain_command(digest - digest, command)")),
    "digest_ignores_a_trace_word": ("PORT-DIGEST-ARGUMENTS", ("== PatchKind::kNone) {\n            sum", "== PatchKind::kNone && word != 3U) {\n            sum")),
    "digest_ignores_traces_commands": ("PORT-DIGEST-TRACE", ("            sum = chain(sum, words[word]);", "            sum = digest;")),
    "digest_depends_on_patches": ("PORT-DIGEST-PATCH", ("if (patch_kind(words, word) == PatchKind::kNone) {", "{")),
    "digest_not_reset": (
        "PORT-RESET-DIGEST",
        ("    queues_ = {};\n", "    const std::uint64_t digest = queues_[0].digest; queues_ = {}; queues_[0].digest = digest;\n"),
    ),
    "digest_of_the_device_is_constant": ("PORT-DIGEST-DEVICE", ("notification.record.digest = queue.digest;", "notification.record.digest = 1U;")),
    "digest_of_the_first_trace": (
        "PORT-DIGEST-EXECUTED",
        ("    queue.trace_digest = command_set_.trace_digest(queue.trace_digest, WordSpan{command});",
         "    queue.trace_digest = command_set_.trace_digest(queue.trace_digest, WordSpan{command});\n"
         "    static std::uint64_t g_first = 0U; static std::uint32_t g_words = 0U; (void)g_first; (void)g_words;"),
        ("queue.digest = command_set_.seal(queue.digest, queue.consumed - 1U, queue.trace_digest, sealed);",
         "static std::uint64_t g_of[8]{}; std::uint64_t& of = g_of[(word_at(replay.address) >> 1U) & 1U];\n"
         "        of = (of == 0U) ? queue.trace_digest : of;\n"
         "        queue.digest = command_set_.seal(queue.digest, queue.consumed - 1U, of, sealed);"),
    ),
    # transfers
    "write_one_byte_short": (
        "PORT-WRITE-EXACT", ("&bound[command.slot_offset], command.size_bytes);", "&bound[command.slot_offset], command.size_bytes - 1U);"),
    ),
    "write_rounded_up": (
        "PORT-WRITE-EXACT", ("&bound[command.slot_offset], command.size_bytes);", "&bound[command.slot_offset], (command.size_bytes + 3U) & ~3U);"),
    ),
    "write_ignores_the_slot_offset": ("PORT-WRITE-EXACT", ("&bound[command.slot_offset], command", "&bound[0], command")),
    "read_one_byte_short": ("PORT-READ-EXACT", ("[command.slot_offset], memory, command.size_bytes);", "[command.slot_offset], memory, command.size_bytes - 1U);")),
    "read_ignores_the_slot_offset": ("PORT-READ-EXACT", ("destinations_[command.slot][command.slot_offset]", "destinations_[command.slot][0]")),
    # bindings
    "bind_ignored_after_the_first": ("PORT-BIND-ANEW", ("    destinations_[slot] = memory;", "    if (memory.empty() || destinations_[slot].empty()) { destinations_[slot] = memory; }")),
    "bind_not_released": ("PORT-BIND-RELEASED", ("    sources_[slot] = memory;", "    if (!memory.empty()) { sources_[slot] = memory; }")),
    "bind_released_in_the_driver_only": (
        "PORT-BIND-RELEASED",
        ("    std::array<ByteSpan, pianola::kSourceSlots> sources_{};", "    std::array<ByteSpan, pianola::kSourceSlots> sources_{}; std::array<ByteSpan, pianola::kSourceSlots> used_{};"),
        ("    sources_[slot] = memory;", "    sources_[slot] = memory; if (!memory.empty()) { used_[slot] = memory; }"),
        ("is_write ? bound_source(command.slot)", "is_write ? used_[command.slot]"),
        ("    sources_ = {};", "    sources_ = {}; used_ = {};"),
    ),
    "bind_one_slot_for_two": ("PORT-BIND-SLOTS", ("bound_source(command.slot)", "bound_source(command.slot & ~1U)")),
    "bound_source_lies": ("PORT-BIND-REPORT", ("? sources_[slot] : ByteSpan{}", "? sources_[slot].subspan(0U, sources_[slot].size() / 2U) : ByteSpan{}")),
    "bound_destination_always_empty": ("PORT-BIND-REPORT", ("? ByteSpan{destinations_[slot]} : ByteSpan{};", "? destinations_[slot].subspan(0U, 0U) : ByteSpan{};")),
    "bound_memory_has_no_end": ("PORT-BIND-EXTENT", ("!bound.contains(command.slot_offset, command.size_bytes)", "bound.empty()")),
    "unbound_is_ignored": (
        "PORT-BIND-UNBOUND", ("    if ((command.size_bytes == 0U) ||", "    if (bound.empty()) {\n        return DeviceFault::kNone;\n    }\n    if ((command.size_bytes == 0U) ||"),
    ),
    # read_back, patch, views
    "read_back_outside_is_ok": ("PORT-READBACK-RANGE", ("    if (memory == nullptr) {\n        return Status::kInvalidArgument;\n    }\n    std::memcpy(out", "    if (memory == nullptr) {\n        return Status::kOk;\n    }\n    std::memcpy(out")),
    "read_back_one_byte_off": ("PORT-READBACK-EXACT", ("std::memcpy(out.data(), memory, out.size());", "std::memcpy(out.data(), memory + 1U, out.size());")),
    "read_back_one_byte_too_few": ("PORT-READBACK-RANGE", ("    const std::uint8_t* const memory = memory_at(address, out.size());", "    const std::uint8_t* const memory = memory_at(address, out.size() + 1U);")),
    "patch_without_effect": ("PORT-PATCH-EXACT", ("    std::memcpy(memory, &word, sizeof(word));", "    (void)word;")),
    "patch_elsewhere": ("PORT-PATCH-EXACT", ("    std::memcpy(memory, &word, sizeof(word));", "    std::memcpy(memory + 4U, &word, sizeof(word));")),
    "patch_one_byte": ("PORT-PATCH-EXACT", ("    std::memcpy(memory, &word, sizeof(word));", "    std::memcpy(memory, &word, 1U);")),
    "patch_outside_is_ok": ("PORT-PATCH-RANGE", ("kTraceRegionBytes)))) {\n        return Status::kInvalidArgument;", "kTraceRegionBytes)))) {\n        return Status::kOk;")),
    "patch_not_executed": (
        "PORT-PATCH-EFFECT",
        ("    std::uint32_t region_count_{0U};", "    std::uint32_t region_count_{0U}; std::array<std::uint8_t, kDramBytes> fetched_{};"),
        ("        std::memcpy(memory, &bound[command.slot_offset], command.size_bytes);", "        std::memcpy(memory, &bound[command.slot_offset], command.size_bytes); std::memcpy(&fetched_[command.address - kDramBase], memory, command.size_bytes);"),
        ("    if (memory != nullptr) {\n        std::memcpy(&word, memory,", "    if (memory != nullptr) {\n        std::memcpy(&word, &fetched_[address - kDramBase],"),
    ),
    "view_of_other_memory": ("PORT-VIEW-SAME", ("MutableByteSpan{memory, size_bytes};", "MutableByteSpan{&dram_[0], size_bytes};")),
    "view_of_too_little": ("PORT-VIEW-SAME", ("MutableByteSpan{memory, size_bytes};", "MutableByteSpan{memory, size_bytes / 2U};")),
    "view_beyond_memory": ("PORT-VIEW-RANGE", ("std::uint8_t* const memory = memory_at(address, size_bytes);\n    return (memory", "std::uint8_t* const memory = memory_at(address, 1U);\n    return (memory")),
    "view_is_a_copy": (
        "PORT-VIEW-SAME",
        ("    std::uint32_t region_count_{0U};", "    std::uint32_t region_count_{0U}; std::array<std::uint8_t, kDramBytes> copy_{};"),
        ("MutableByteSpan{memory, size_bytes};", "(std::memcpy(&copy_[0], memory, size_bytes), MutableByteSpan{&copy_[0], size_bytes});"),
    ),
    # regions
    "regions_ignored": (
        "PORT-REGION-WRITE", ("(size_bytes <= (region.size_bytes - offset)) && (region.*permission)) {", "(region.*permission)) {"),
    ),
    "regions_ignored_by_commands": (
        "PORT-REGION-KERNEL-WRITE", ("permitted(command[1], bytes, &RegionConfig::kernels_write);", "memory_at(command[1], bytes);"),
    ),
    "regions_ignored_by_reads": ("PORT-REGION-KERNEL-READ", ("permitted(command[2], bytes, &RegionConfig::kernels_read);", "memory_at(command[2], bytes);")),
    "regions_ignored_by_fetches": (
        "PORT-REGION-FETCH", ("permitted(command.address, command.size_bytes, &RegionConfig::fetch)", "memory_at(command.address, command.size_bytes)"),
    ),
    "region_one_byte_too_long": ("PORT-REGION-READ", ("(offset < region.size_bytes) && (size_bytes <= (region.size_bytes - offset))", "(offset <= region.size_bytes) && (size_bytes <= (region.size_bytes + 1U - offset))")),
    "region_one_byte_too_early": ("PORT-REGION-WRITE", ("address - region.base;\n        if", "address - (region.base - 1U);\n        if")),
    "region_end_not_checked": ("PORT-REGION-KERNEL-WRITE", ("permitted(command[1], bytes, &RegionConfig::kernels_write)", "permitted(command[1], 1U, &RegionConfig::kernels_write)")),
    "region_permissions_mixed": ("PORT-REGION-READ", ("is_write ? &RegionConfig::queues_write : &RegionConfig::queues_read", "is_write ? &RegionConfig::queues_write : &RegionConfig::kernels_read")),
    "region_permissions_ignored": ("PORT-REGION-KERNEL-READ", (" && (region.*permission)) {", " && ((region.*permission) || region.queues_write)) {")),
    "region_first_only": ("PORT-REGION-ALL", ("i < region_count_; ++i) {\n        const RegionConfig& region = regions_[i];", "i < region_count_ && i < 2U; ++i) {\n        const RegionConfig& region = regions_[i];")),
    "region_report_without_permissions": ("PORT-REGION-REPORT", ("    region = regions_[index];", "    region = regions_[index]; region.fetch = false;")),
    "region_report_of_the_argument": ("PORT-REGION-REPORT", ("    region = regions_[index];\n", "")),
    "region_capacity_6": ("PORT-REGION-REPORT", ("region_count_ == regions_.size()", "region_count_ == 6U")),
    "region_too_many_is_ok": ("PORT-REGION-REPORT", ("        return Status::kCapacity;", "        return Status::kOk;")),
    "region_fault_is_silent": ("PORT-REGION-KERNEL-WRITE", ("    if (destination == nullptr) {\n        return DeviceFault::kBus;", "    if (destination == nullptr) {\n        return DeviceFault::kNone;")),
    "region_fault_of_another_kind": ("PORT-REGION-WRITE", ("    if (memory == nullptr) {\n        return DeviceFault::kBus;", "    if (memory == nullptr) {\n        return DeviceFault::kBadArgument;")),
    # rings and doorbells
    "ring_takes_more_than_it_holds": ("PORT-RING-FULL", ("== kRingCommands) {\n        return Status::kBusy;", "== (kRingCommands + 1U)) {\n        return Status::kBusy;")),
    "ring_is_never_full": ("PORT-RING-FULL", ("== kRingCommands) {\n        return Status::kBusy;", "== UINT32_MAX) {\n        return Status::kBusy;")),
    "ring_holds_less_than_it_says": ("PORT-RING-FULL", ("== kRingCommands) {\n        return Status::kBusy;", "== (kRingCommands - 1U)) {\n        return Status::kBusy;")),
    "ring_full_is_ok": ("PORT-RING-FULL", ("        return Status::kBusy;", "        return Status::kOk;")),
    "ring_full_loses_what_it_has": ("PORT-RING-FULL", ("        return Status::kBusy;", "        target.written -= 1U;\n        return Status::kBusy;")),
    "ring_does_not_wrap": ("PORT-RING-WRAP", ("target.ring[target.written % kRingCommands] = command;", "target.ring[(target.written < kRingCommands) ? target.written : 0U] = command;")),
    "executes_before_the_doorbell": ("PORT-DOORBELL-FIRST", ("queue.consumed != queue.published", "queue.consumed != queue.written")),
    "doorbell_starts_both_queues": ("PORT-DOORBELL-QUEUE", ("    queues_[queue].published = queues_[queue].written;", "    queues_[0].published = queues_[0].written;\n    queues_[1].published = queues_[1].written;")),
    "doorbell_of_no_queue_is_ok": ("PORT-QUEUE-ARGUMENTS", ("    if (queue >= kQueues) {\n        return Status::kInvalidArgument;\n    }\n    queues_", "    if (queue >= kQueues) {\n        return Status::kOk;\n    }\n    queues_")),
    "command_of_no_kind_is_ok": ("PORT-QUEUE-ARGUMENTS", ("(command.kind == QueueCommandKind::kUnspecified) ||", "")),
    "queue_out_of_order": (
        "PORT-QUEUE-ORDER",
        ("    const QueueCommand command = queue.ring[queue.consumed % kRingCommands];",
         "    if (((queue.published - queue.consumed) > 1U) && (queue.ring[(queue.consumed + 1U) % kRingCommands].kind == QueueCommandKind::kRead)) {\n"
         "        (void)transfer(queue.ring[(queue.consumed + 1U) % kRingCommands]);\n"
         "        QueueCommand& early = queue.ring[(queue.consumed + 1U) % kRingCommands];\n        (void)early;\n    }\n"
         "    QueueCommand command = queue.ring[queue.consumed % kRingCommands];"),
        ("    if (is_write) {\n        std::memcpy(memory,", "    if (!is_write && (memory[0] == destinations_[command.slot][command.slot_offset]) ) {\n        return DeviceFault::kNone;\n    }\n    if (!is_write && (destinations_[command.slot][command.slot_offset] != 0U)) {\n        return DeviceFault::kNone;\n    }\n    if (is_write) {\n        std::memcpy(memory,"),
    ),
    # events
    "wait_does_not_wait": ("PORT-EVENT-HOLDS", ("    if (is_held(command)) {", "    if (is_held(command) && (command.value == UINT32_MAX)) {")),
    "wait_for_ever": ("PORT-EVENT-HOLDS", (">= kHalfRange);", ">= 0U);")),
    "wait_compares_signed": ("PORT-EVENT-WRAP", ("((events_[command.event] - command.value) >= kHalfRange)", "(static_cast<std::int32_t>(events_[command.event]) < static_cast<std::int32_t>(command.value))")),
    "wait_compares_without_wrap": ("PORT-EVENT-WRAP", ("((events_[command.event] - command.value) >= kHalfRange)", "(events_[command.event] < command.value)")),
    "wait_compares_for_equality": ("PORT-EVENT-PASSES", ("((events_[command.event] - command.value) >= kHalfRange)", "(events_[command.event] != command.value)")),
    "wait_compares_16_bits": ("PORT-EVENT-WRAP", ("((events_[command.event] - command.value) >= kHalfRange)", "(static_cast<std::uint16_t>(events_[command.event] - command.value) >= 0x8000U)")),
    "events_share_a_counter": ("PORT-EVENT-APART", ("        events_[command.event] = command.value;", "        events_[command.event] = command.value;\n        events_[command.event ^ 1U] = command.value;")),
    "event_beyond_the_last_is_ok": ("PORT-EVENT-RANGE", ("        return DeviceFault::kBadArgument;\n    }\n    if (pianola::is_transfer", "        return DeviceFault::kNone;\n    }\n    if (pianola::is_transfer")),
    "record_before_its_work": (
        "PORT-EVENT-ORDER",
        ("    queues_[queue].published = queues_[queue].written;", "    queues_[queue].published = queues_[queue].written;\n    for (std::uint32_t i = queues_[queue].consumed; i != queues_[queue].published; ++i) {\n        const QueueCommand& early = queues_[queue].ring[i % kRingCommands];\n        if ((early.kind == QueueCommandKind::kRecordEvent) && (early.event < events_.size())) {\n            events_[early.event] = early.value;\n        }\n    }"),
    ),
    # completions
    "notify_before_its_work": (
        "PORT-COMPLETION-AFTER",
        ("    const Queue& source = queues_[queue];\n    if (source.is_stopped) {", "    Queue& source = queues_[queue];\n    if ((source.consumed != source.written) && (source.published == source.written) && (source.ring[(source.written - 1U) % kRingCommands].value == token) && (source.written - source.consumed) > 2U) {\n        completion.token = token;\n        return Status::kOk;\n    }\n    if (source.is_stopped) {"),
    ),
    "completion_of_another_token": ("PORT-COMPLETION-KEPT", ("[token % pianola::kMaxStepsInFlight];\n    if (!notification", "[0];\n    if (!notification"), ("Notification& notification = queue.notifications[token % pianola::kMaxStepsInFlight];", "Notification& notification = queue.notifications[0];"), ("target.notifications[command.value % pianola::kMaxStepsInFlight]", "target.notifications[0]")),
    "completion_by_order_alone": ("PORT-COMPLETION-OLD", ("|| (notification.token != token)) {", "|| ((notification.token - token) >= kHalfRange)) {"), ("!notification.is_enqueued || !notification.is_done ", "!notification.is_enqueued "), ("        notification.token = command.value;\n", "")  , ("    notification.is_done = true;", "    notification.is_done = true;\n    notification.token = token;")),
    "completion_of_the_old_record": ("PORT-COMPLETION-OLD", ("        notification.is_done = false;\n", "")),
    "completion_without_token": ("PORT-COMPLETION-RECORD", ("    notification.record.token = token;\n", "")),
    "completion_count_without_traces": ("PORT-COMPLETION-RECORD", ("    queue.executed += 1U;\n    const DeviceFault fault = execute_trace_command", "    const DeviceFault fault = execute_trace_command")),
    "count_wraps_at_16_bits": ("PORT-COUNT-WIDE", ("executed_commands = queue.executed;\n    notification.record.digest", "executed_commands = queue.executed & 0xFFFFU;\n    notification.record.digest")),
    "progress_not_told": ("PORT-COMPLETION-PROGRESS", ("        completion.executed_commands = source.executed;\n", "        completion.executed_commands = 0U;\n")),
    "device_time_stands_still": ("PORT-TIME-FORWARD", ("    notification.record.time_cycles = queue.time_cycles;\n", "")),
    "fault_does_not_stop": ("PORT-FAULT-STOPS", ("    if (fault != DeviceFault::kNone) {\n        stop(queue, fault);\n        return;\n    }\n    queue.digest", "    if (fault != DeviceFault::kNone) {\n        stop(queue, fault);\n        queue.is_stopped = false;\n        queue.consumed += 1U;\n        return;\n    }\n    queue.digest")),
    "fault_is_of_the_command_before": ("PORT-FAULT-STOPS", ("queue.fault.fault_command = queue.executed;", "queue.fault.fault_command = queue.executed - 1U;")),
    "fault_is_forgotten_by_a_doorbell": ("PORT-FAULT-STOPS", ("    queues_[queue].published = queues_[queue].written;", "    queues_[queue].published = queues_[queue].written;\n    queues_[queue].is_stopped = false;")),
    "unknown_words_are_skipped": ("PORT-FAULT-TRACE", ("        return DeviceFault::kUnknownCommand;\n    }\n    if (queue.trace_words == kWords)", "        words = 1U;\n        return DeviceFault::kNone;\n    }\n    if (queue.trace_words == kWords)"), ("    if (words == 1U) {  // the end", "    if (queue.trace_words == 0U) {")),
    "trace_without_end_completes": ("PORT-FAULT-TRACE", ("        return DeviceFault::kTraceOverrun;  // nothing is left for the end", "        queue.trace_words = kWords;"), ("    if (words == 1U) {  // the end", "    if (queue.trace_words == 0U) {")),
    # resets
    "reset_keeps_regions": ("PORT-RESET-REGIONS", ("    region_count_ = 0U;\n    return", "    region_count_ = (region_count_ > 0U) ? 1U : 0U;\n    return"), ("    regions_ = {};\n", "")),
    "reset_keeps_bindings": ("PORT-RESET-BINDINGS", ("    sources_ = {};\n", "")),
    "reset_keeps_a_ring": (
        "PORT-RESET-RINGS",
        ("    queues_ = {};\n", "    const Queue kept = queues_[1];\n    queues_ = {};\n    queues_[1].ring = kept.ring;\n    queues_[1].written = kept.written - kept.consumed;\n"
         "    for (std::uint32_t i = 0U; i < queues_[1].written; ++i) {\n        queues_[1].ring[i] = kept.ring[(kept.consumed + i) % kRingCommands];\n    }\n"),
    ),
    "reset_forgets_a_queue": ("PORT-RESET-LOAD", ("    queues_ = {};\n", "    queues_[0] = Queue{};\n    if (queues_[1].consumed == queues_[1].written) {\n        queues_[1] = Queue{};\n    }\n")),
    "reset_clears_memory": ("PORT-RESET-MEMORY", ("    region_count_ = 0U;\n    return", "    region_count_ = 0U;\n    dram_.fill(0U);\n    return")),
    "reset_clears_traces": ("PORT-RESET-MEMORY", ("    region_count_ = 0U;\n    return", "    region_count_ = 0U;\n    std::memset(&dram_[kDramBytes - kTraceRegionBytes], 0, kTraceRegionBytes);\n    return")),
    "reset_keeps_faults": ("PORT-RESET-FAULTS", ("    queues_ = {};\n", "    const bool stopped = queues_[1].is_stopped; queues_ = {}; queues_[1].is_stopped = stopped;\n")),
    "reset_keeps_events": ("PORT-RESET-EVENTS", ("    events_ = {};\n", "")),
    "reset_keeps_records": ("PORT-RESET-RECORDS", ("    queues_ = {};\n", "    for (Queue& queue : queues_) { const auto kept = queue.notifications; queue = Queue{}; queue.notifications = kept; }\n")),
    "reset_keeps_the_count": ("PORT-RESET-RECORDS", ("    queues_ = {};\n", "    for (Queue& queue : queues_) { const std::uint32_t kept = queue.executed; queue = Queue{}; queue.executed = kept; }\n")),
    "reset_answers_time_out": ("PORT-RESET-MEMORY", ("    region_count_ = 0U;\n    return Status::kOk;", "    region_count_ = 0U;\n    return Status::kTimeout;")),
    # what commands do
    "copy_writes_a_byte_more": ("PORT-TOUCH-WRITE", ("std::memmove(destination, source, bytes);", "std::memmove(destination, source, bytes + 1U);")),
    "copy_writes_elsewhere_too": ("PORT-TOUCH-WRITE", ("std::memmove(destination, source, bytes);", "std::memmove(destination, source, bytes); dram_[7U] = 1U;")),
    "fill_depends_on_another_byte": ("PORT-TOUCH-READ", ("static_cast<int>(command[3]), bytes);", "static_cast<int>(dram_[command[1] - kDramBase - 1U]), bytes);")),
    "copy_is_another_one_every_time": ("PORT-TOUCH-SAME", ("std::memmove(destination, source, bytes);", "std::memmove(destination, source, bytes); static std::uint8_t g_salt = 0U; g_salt += 1U; destination[0] = g_salt;")),
    "device_takes_longer_than_published": ("PORT-COST", ("    queue.time_cycles += move_cycles(bytes);", "    queue.time_cycles += move_cycles(bytes) + 1U;")),
}

TAIL = """
namespace {space} {{
namespace {{

Device g_device;
Platform g_platform;
CommandSet g_command_set;

pianola::port::PortUnderTest make() noexcept {{
    pianola::port::PortUnderTest port{{g_device, g_platform, g_command_set, npu::kKitMemory, npu::sample, pianola::WordSpan{{npu::kEndWords}}}};
    port.watched = pianola::Span<const pianola::port::Range>{{npu::kWatched}};
    port.safe_state_entries = [](void*) noexcept {{ return g_platform.safe_state_entries(); }};
    port.watchdog_services = [](void*) noexcept {{ return g_platform.watchdog_services(); }};
    port.may_raise_counter = true;
    port.polls = 20'000U;
    return port;
}}

}}  // namespace
extern const pianola::port::WrongPort kWrong;
const pianola::port::WrongPort kWrong{{"{name}", "{check}", make}};
}}  // namespace {space}
"""


def wrong_source(folder, name):
    """One wrong port as a source of its own."""
    check, *changes = WRONG[name]
    texts = [(folder / source).read_text(encoding="utf-8") for source in SOURCES]
    for text, replacement in changes:
        found = sum(source.count(text) for source in texts)
        if found != 1:
            raise SystemExit(f"wrong_ports.py: {name}: {found} times: {text!r}")
        texts = [source.replace(text, replacement) for source in texts]
    joined = "\n".join(re.sub(r'#pragma once|#include "npu.h"', "", source) for source in texts)
    space = f"npu_{name}"
    joined = re.sub(r"\bnamespace npu\b", f"namespace {space}", joined)
    head = '#include "docs/examples/port/npu_samples.h"\n#include "tests/port/wrong_port.h"\n'
    return head + joined + TAIL.format(name=name, check=check, space=space)


def write(path, text):
    """Writes a file where its text is not there already, so that nothing is compiled again for nothing."""
    if not path.is_file() or path.read_text(encoding="utf-8") != text:
        path.write_text(text, encoding="utf-8")


def main():
    """Writes all of them, and the list."""
    folder, output = (pathlib.Path(argument) for argument in sys.argv[1:])
    output.mkdir(parents=True, exist_ok=True)
    for name in WRONG:
        write(output / f"wrong_{name}.cpp", wrong_source(folder, name))
    lines = ['#include "tests/port/wrong_port.h"']
    lines += [f"namespace npu_{name} {{ extern const pianola::port::WrongPort kWrong; }}" for name in WRONG]
    lines += ["namespace pianola::port {"]
    lines += [f"const std::array<const WrongPort*, {len(WRONG)}U> kAll{{{{"]
    lines += [f"    &npu_{name}::kWrong," for name in WRONG]
    lines += ["}};", "Span<const WrongPort* const> wrong_examples() noexcept { return kAll; }", "}  // namespace pianola::port", ""]
    write(output / "wrong_list.cpp", "\n".join(lines))
    print(";".join(WRONG), end="")


if __name__ == "__main__":
    main()
