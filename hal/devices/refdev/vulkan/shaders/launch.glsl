// Shared by every shader that executes a trace command: its argument words, mark and operands.
//
// A shader defines MARK before including this: the value that shows that it ran. kernel_pipelines.h describes the
// bindings. Arithmetic on integers wraps in shaders; shifts are by less than 32.
//
// The host launches an invocation for each written byte. A shader whose invocations compute more than one byte defines
// the pieces of its work: PIECE_BYTES, the written bytes of one, or PIECE_WORDS, the argument words whose product is
// their number, as in 3, 5; and LANES_PER_PIECE, where several invocations share one. CMakeLists.txt reads these lines.
// FOR_EACH gives the same results for any number of invocations.
#extension GL_EXT_shader_8bit_storage : require
#extension GL_EXT_shader_16bit_storage : require
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require

const uint kLanes = 64u;
layout(local_size_x = 64) in;

layout(push_constant) uniform PushConstants {
    uint first_word;
    uint offsets[6];
} push;

layout(set = 0, binding = 0) readonly buffer WordsBuffer { uint words[]; };
layout(set = 0, binding = 1) writeonly buffer MarkBuffer { uint mark; };

uint argument(uint index) {
    return words[push.first_word + index];
}

int signed_argument(uint index) {
    return int(words[push.first_word + index]);
}

// Called by every invocation.
void leave_mark() {
    if (gl_GlobalInvocationID.x == 0u) {
        mark = MARK;
    }
}

// Each invocation of the launch takes some of `count` pieces of work, at most 2^31.
#define FOR_EACH(at, count) \
    for (uint at = gl_GlobalInvocationID.x; at < (count); at += gl_NumWorkGroups.x * kLanes)

// Operand `k` as elements of 8, 16 or 32 bits: READ8(0, input) declares int input8(uint index), WRITE8(3, output)
// void output8(uint index, int value), STATE8 both. An operand may be declared in several widths, of which a launch
// uses one.
#define DECLARE_OPERAND(k, name, access, type, bits, scale)                                           \
    layout(set = 0, binding = 2 + k) access buffer name##_buffer##bits { type name##_elements##bits[]; }; \
    uint name##_place##bits(uint index) { return (push.offsets[k] >> scale) + index; }
#define DECLARE_LOAD(name, bits) \
    int name##bits(uint index) { return int(name##_elements##bits[name##_place##bits(index)]); }
#define DECLARE_STORE(name, type, bits) \
    void name##bits(uint index, int value) { name##_elements##bits[name##_place##bits(index)] = type(value); }

#define READ8(k, name) DECLARE_OPERAND(k, name, readonly, int8_t, 8, 0) DECLARE_LOAD(name, 8)
#define READ16(k, name) DECLARE_OPERAND(k, name, readonly, int16_t, 16, 1) DECLARE_LOAD(name, 16)
#define READ32(k, name) DECLARE_OPERAND(k, name, readonly, int, 32, 2) DECLARE_LOAD(name, 32)
#define WRITE8(k, name) DECLARE_OPERAND(k, name, writeonly, int8_t, 8, 0) DECLARE_STORE(name, int8_t, 8)
#define WRITE16(k, name) DECLARE_OPERAND(k, name, writeonly, int16_t, 16, 1) DECLARE_STORE(name, int16_t, 16)
#define WRITE32(k, name) DECLARE_OPERAND(k, name, writeonly, int, 32, 2) DECLARE_STORE(name, int, 32)
#define STATE8(k, name) DECLARE_OPERAND(k, name, , int8_t, 8, 0) DECLARE_LOAD(name, 8) DECLARE_STORE(name, int8_t, 8)
#define STATE16(k, name) \
    DECLARE_OPERAND(k, name, , int16_t, 16, 1) DECLARE_LOAD(name, 16) DECLARE_STORE(name, int16_t, 16)
#define STATE32(k, name) DECLARE_OPERAND(k, name, , int, 32, 2) DECLARE_LOAD(name, 32) DECLARE_STORE(name, int, 32)

// Element types, as argument words name them.
const uint kTypeInt8 = 1u;
const uint kTypeUint8 = 2u;
const uint kTypeInt16 = 3u;
const uint kTypeInt32 = 4u;

// Operands whose type an argument word chooses: int input_of(uint type, uint index), and void output_of() of type,
// index and value.
#define READ_OF_TYPES_8_16(name) \
    int name##_of(uint type, uint index) { return (type == kTypeInt8) ? name##8(index) : name##16(index); }
#define WRITE_OF_TYPES_8_16(name)                       \
    void name##_of(uint type, uint index, int value) { \
        if (type == kTypeInt8) {                        \
            name##8(index, value);                      \
        } else {                                        \
            name##16(index, value);                     \
        }                                               \
    }
#define READ_OF_TYPES_8_32(name) \
    int name##_of(uint type, uint index) { return (type == kTypeInt8) ? name##8(index) : name##32(index); }
#define WRITE_OF_TYPES_8_32(name)                       \
    void name##_of(uint type, uint index, int value) { \
        if (type == kTypeInt8) {                        \
            name##8(index, value);                      \
        } else {                                        \
            name##32(index, value);                     \
        }                                               \
    }
#define READ_OF_TYPES_8_16_32(name)                     \
    int name##_of(uint type, uint index) {             \
        if (type == kTypeInt8) {                        \
            return name##8(index);                      \
        }                                               \
        return (type == kTypeInt16) ? name##16(index) : name##32(index); \
    }
#define WRITE_OF_TYPES_8_16_32(name)                    \
    void name##_of(uint type, uint index, int value) { \
        if (type == kTypeInt8) {                        \
            name##8(index, value);                      \
        } else if (type == kTypeInt16) {                \
            name##16(index, value);                     \
        } else {                                        \
            name##32(index, value);                     \
        }                                               \
    }
