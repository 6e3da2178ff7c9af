#version 460
#extension GL_GOOGLE_include_directive : require
// Chains the digest and number of executed commands, from the queue's ring, the trace's words and the marks of the
// trace's commands. kernel_pipelines.h describes bindings and results.
//
// Runs as the last dispatch of a recorded trace, and alone for the queue commands up to a NOTIFY.
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require

layout(local_size_x = 1) in;

layout(push_constant) uniform AttestConstants {
    uint trace_words;
    uint mark_stride;
    uint ring_words;
    uint records;
} push;

layout(set = 0, binding = 0) readonly buffer WordsBuffer { uint words[]; };
layout(set = 0, binding = 1) buffer MarksBuffer { uint marks[]; };
layout(set = 0, binding = 2) readonly buffer RingBuffer { uint ring[]; };
layout(set = 0, binding = 3) buffer RecordsBuffer { uint records[]; };

// Opcodes: hal/devices/refdev/command_encoding.h.
const uint kLaunch = 0x17u;
const uint kDispatch = 0xC3u;
const uint kCopy = 0x2Bu;
const uint kFill = 0x3Cu;
const uint kWrite = 0x66u;
const uint kRead = 0x71u;
const uint kReplay = 0x8Eu;
const uint kRecordEvent = 0x99u;
const uint kWaitEvent = 0xA5u;
const uint kNotify = 0xB2u;
const uint kOpcodeMask = 0xFFu;
const uint kLengthShift = 16u;

const uint kCopyMark = 0x1000u;
const uint kFillMark = 0x1001u;

const uint kPosition = 0u;
const uint kExecuted = 1u;
const uint kDigest = 2u;
const uint kToken = 4u;
const uint kFault = 5u;
const uint kFaultCommand = 6u;
const uint kSequence = 7u;
const uint kLimit = 8u;
const uint kHeadWords = 16u;
const uint kRecordWords = 4u;

// Of DeviceFault.
const uint kUnknownCommand = 1u;
const uint kBadArgument = 2u;
const uint kTraceOverrun = 6u;
const uint kLost = 7u;

const uint kEnd = 0x5Au;
const uint kSemaphoreMark = 18u;  // its kernel; an unsatisfied wait leaves none

// A queue command's check: hal/devices/refdev/queue_command.h.
const uint kCheckKeys[6] =
    uint[](0x9E3779B1u, 0x85EBCA77u, 0xC2B2AE3Du, 0xD3A2646Du, 0xB55A4F09u, 0xA3CC7D55u);
const uint kCheckShift = 8u;

uint executed;
uint sequence;
uint fault = 0u;

uint64_t chain(uint64_t digest, uint word) {
    return (digest ^ uint64_t(word)) * 0x00000100000001B3UL;
}

uint64_t chain_wide(uint64_t digest, uint64_t value) {
    return chain(chain(digest, uint(value)), uint(value >> 32));
}

uint queue_command_words(uint opcode) {
    if ((opcode == kWrite) || (opcode == kRead)) {
        return 5u;
    }
    if ((opcode == kReplay) || (opcode == kRecordEvent) || (opcode == kWaitEvent)) {
        return 3u;
    }
    return (opcode == kNotify) ? 2u : 0u;
}

// Digest of one command; its mark names the kernel that has run, and changes the digest if it is another one.
uint64_t chain_command(uint64_t digest, uint at, uint mark) {
    const uint opcode = words[at] & kOpcodeMask;
    const uint64_t with_header = chain(digest, words[at]);
    if ((opcode == kLaunch) || (opcode == kDispatch)) {
        if (mark == 0u) {
            fault = (words[at + ((opcode == kLaunch) ? 1u : 2u)] == kSemaphoreMark) ? kBadArgument : kLost;
        }
        const uint64_t with_kernel = chain(with_header, mark);
        return (opcode == kLaunch) ? with_kernel : chain(with_kernel, words[at + 1u]);
    }
    const uint expected = (opcode == kCopy) ? kCopyMark : ((opcode == kFill) ? kFillMark : 0u);
    if (mark != expected) {
        fault = kLost;
    }
    return with_header;
}

uint64_t trace_digest() {
    uint64_t digest = uint64_t(0u);
    uint at = 0u;
    uint number = 0u;
    bool has_ended = false;
    while ((fault == 0u) && !has_ended) {
        const uint length = (at < push.trace_words) ? (words[at] >> kLengthShift) : 0u;
        if ((length == 0u) || (length > (push.trace_words - at))) {
            fault = kTraceOverrun;
        } else {
            const uint place = number * push.mark_stride;
            digest = chain_command(digest, at, marks[place]);
            marks[place] = 0u;
            has_ended = (words[at] & kOpcodeMask) == kEnd;
            number += 1u;
            at += length;
        }
    }
    executed += number;
    return digest;
}

void publish(uint token, uint64_t digest) {
    const uint first = kHeadWords + ((token % push.records) * kRecordWords);
    records[first] = token;
    records[first + 1u] = executed;
    records[first + 2u] = uint(digest);
    records[first + 3u] = uint(digest >> 32);
    records[kToken] = token;
}

// Whether the check of the command in the ring matches its words and its number.
bool is_sealed(uint position, uint length) {
    const uint mask = push.ring_words - 1u;
    const uint header = ring[position & mask];
    uint64_t sum = uint64_t(sequence) * uint64_t(kCheckKeys[0]);
    sum += uint64_t((header & kOpcodeMask) | (length << kLengthShift)) * uint64_t(kCheckKeys[1]);
    for (uint i = 1u; i < length; ++i) {
        sum += uint64_t(ring[(position + i) & mask]) * uint64_t(kCheckKeys[i + 1u]);
    }
    return (header >> kCheckShift) == (uint(sum >> 16) & 0xFFFFFFu);
}

uint64_t chain_queue_command(uint64_t digest, uint position, uint length) {
    const uint mask = push.ring_words - 1u;
    digest = chain(digest, (ring[position & mask] & kOpcodeMask) | (length << kLengthShift));
    for (uint i = 1u; i < length; ++i) {
        digest = chain(digest, ring[(position + i) & mask]);
    }
    return digest;
}

void main() {
    if (records[kFault] != 0u) {
        return;
    }
    executed = records[kExecuted];
    sequence = records[kSequence];
    uint64_t digest = uint64_t(records[kDigest]) | (uint64_t(records[kDigest + 1u]) << 32);
    uint position = records[kPosition];
    const uint limit = records[kLimit];
    const bool has_trace = push.trace_words != 0u;
    bool goes_on = true;
    bool is_replayed = false;
    while (goes_on && (position != limit)) {
        const uint opcode = ring[position & (push.ring_words - 1u)] & kOpcodeMask;
        const uint length = queue_command_words(opcode);
        if ((length == 0u) || (length > (limit - position)) || !is_sealed(position, length)) {
            fault = kUnknownCommand;
            goes_on = false;
        } else if ((opcode == kReplay) && !has_trace) {
            goes_on = false;  // the trace's own attestation handles it
        } else {
            digest = chain_queue_command(digest, position, length);
            executed += 1u;
            sequence += 1u;
            position += length;
            is_replayed = opcode == kReplay;
            goes_on = !is_replayed && ((opcode != kNotify) || has_trace);
            if (opcode == kNotify) {
                publish(ring[(position - 1u) & (push.ring_words - 1u)], digest);
            }
        }
    }
    if (has_trace && (fault == 0u)) {
        fault = is_replayed ? 0u : kLost;
        digest = chain_wide(digest, (fault == 0u) ? trace_digest() : uint64_t(0u));
    }
    records[kPosition] = position;
    records[kExecuted] = executed;
    records[kDigest] = uint(digest);
    records[kDigest + 1u] = uint(digest >> 32);
    records[kSequence] = sequence;
    records[kFaultCommand] = executed;
    records[kFault] = fault;
}
