#version 460
#extension GL_GOOGLE_include_directive : require
// What the device has executed: chains digest and number of commands, from the queue's ring, the trace's words and the
// marks that the trace's commands have left. kernel_pipelines.h says what is bound and what is written.
//
// Place in the whole: the last dispatch of a recorded trace, and alone for the queue commands up to a NOTIFY.
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
const uint kHeadWords = 8u;
const uint kRecordWords = 4u;

uint executed;

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

// A command that has not left its mark, or another command's, spoils the digest.
uint64_t chain_command(uint64_t digest, uint at, uint mark) {
    const uint opcode = words[at] & kOpcodeMask;
    const uint64_t with_header = chain(digest, words[at]);
    if (opcode == kLaunch) {
        return chain(with_header, mark);
    }
    if (opcode == kDispatch) {
        return chain(chain(with_header, mark), words[at + 1u]);
    }
    const uint expected = (opcode == kCopy) ? kCopyMark : ((opcode == kFill) ? kFillMark : 0u);
    return (mark == expected) ? with_header : chain(with_header, mark);
}

uint64_t trace_digest() {
    uint64_t digest = uint64_t(0u);
    uint at = 0u;
    uint number = 0u;
    while (at < push.trace_words) {
        const uint length = words[at] >> kLengthShift;
        if ((length == 0u) || (length > (push.trace_words - at))) {
            break;
        }
        const uint place = number * push.mark_stride;
        digest = chain_command(digest, at, marks[place]);
        marks[place] = 0u;
        number += 1u;
        at += length;
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

void main() {
    executed = records[kExecuted];
    uint64_t digest = uint64_t(records[kDigest]) | (uint64_t(records[kDigest + 1u]) << 32);
    uint position = records[kPosition];
    const uint until = (push.trace_words != 0u) ? kReplay : kNotify;
    const uint mask = push.ring_words - 1u;
    bool goes_on = true;
    for (uint i = 0u; goes_on && (i < push.ring_words); ++i) {
        const uint opcode = ring[position & mask] & kOpcodeMask;
        const uint length = queue_command_words(opcode);
        goes_on = (length != 0u) && (opcode != until);
        if (length != 0u) {
            digest = chain(digest, opcode | (length << kLengthShift));
            for (uint word = 1u; word < length; ++word) {
                digest = chain(digest, ring[(position + word) & mask]);
            }
            executed += 1u;
            if (opcode == kNotify) {
                publish(ring[(position + 1u) & mask], digest);
            }
        }
        position += length;
    }
    if (push.trace_words != 0u) {
        digest = chain_wide(digest, trace_digest());
    }
    records[kPosition] = position;
    records[kExecuted] = executed;
    records[kDigest] = uint(digest);
    records[kDigest + 1u] = uint(digest >> 32);
}
