/* executed_points: a plugin of the emulator that lists the instructions that a run executes between two addresses.
 *
 * From the first instruction of the function at `begin` on, until the first one at `end`, it counts how often each
 * instruction of the core is executed; then it writes a line "ADDRESS SIZE COUNT" for each, in the order in which they
 * were first executed, numbers in hexadecimal but for the last two, and ends the emulator.
 *
 *     -plugin executed_points.so,begin=ADDRESS,end=ADDRESS,result=FILE
 *
 * One core.
 */
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "qemu_plugin.h"

/* Text of the boards' images, in halfwords: what is beyond is not counted, and the run says so. */
enum { MAX_HALFWORDS = 1 << 20 };

struct point {
    uint64_t count;
    uint32_t order; /* of the first execution, from 1 */
    uint32_t size_bytes;
};

static struct point points[MAX_HALFWORDS];
static uint32_t seen;
static bool is_open;
static bool is_beyond;
static uint64_t begin_address;
static uint64_t end_address;
static char result_file[4096];

static void write_points(void) {
    FILE* file = fopen(result_file, "w");
    uint32_t* const by_order = calloc((size_t)seen + 1U, sizeof(*by_order));
    if (file == NULL || by_order == NULL) {
        perror(result_file);
        exit(1);
    }
    for (uint32_t i = 0; i < MAX_HALFWORDS; ++i) {
        if (points[i].count != 0) {
            by_order[points[i].order - 1U] = i;
        }
    }
    for (uint32_t n = 0; n < seen; ++n) {
        const struct point* const point = &points[by_order[n]];
        fprintf(file, "%" PRIx32 " %" PRIu32 " %" PRIu64 "\n", by_order[n] * 2U, point->size_bytes, point->count);
    }
    fclose(file);
    free(by_order);
    exit(is_beyond ? 1 : 0);
}

static void on_instruction(unsigned int vcpu, void* data) {
    (void)vcpu;
    const uint64_t address = (uintptr_t)data & ~(uintptr_t)1U;
    if (address == begin_address) {
        is_open = true;
    }
    if (!is_open) {
        return;
    }
    if (address == end_address) {
        write_points();
    }
    if (address / 2U >= MAX_HALFWORDS) {
        is_beyond = true;
        return;
    }
    struct point* const point = &points[address / 2U];
    if (point->count == 0) {
        seen += 1U;
        point->order = seen;
        point->size_bytes = ((uintptr_t)data & 1U) != 0 ? 4U : 2U;
    }
    point->count += 1U;
}

static void on_translation(qemu_plugin_id_t id, struct qemu_plugin_tb* block) {
    (void)id;
    const size_t instructions = qemu_plugin_tb_n_insns(block);
    for (size_t i = 0; i < instructions; ++i) {
        struct qemu_plugin_insn* const instruction = qemu_plugin_tb_get_insn(block, i);
        /* Addresses are even: the lowest bit says whether the instruction is a wide one. */
        const uint64_t wide = qemu_plugin_insn_size(instruction) == 4U ? 1U : 0U;
        qemu_plugin_register_vcpu_insn_exec_cb(instruction, on_instruction, QEMU_PLUGIN_CB_NO_REGS,
                                               (void*)(uintptr_t)(qemu_plugin_insn_vaddr(instruction) | wide));
    }
}

int qemu_plugin_install(qemu_plugin_id_t id, const qemu_info_t* info, int argc, char** argv) {
    (void)info;
    for (int i = 0; i < argc; ++i) {
        if (strncmp(argv[i], "begin=", 6) == 0) {
            begin_address = strtoull(argv[i] + 6, NULL, 16);
        } else if (strncmp(argv[i], "end=", 4) == 0) {
            end_address = strtoull(argv[i] + 4, NULL, 16);
        } else if (strncmp(argv[i], "result=", 7) == 0) {
            snprintf(result_file, sizeof(result_file), "%s", argv[i] + 7);
        }
    }
    if (begin_address == 0 || end_address == 0 || result_file[0] == '\0') {
        fprintf(stderr, "executed_points: begin=ADDRESS, end=ADDRESS and result=FILE are needed\n");
        return -1;
    }
    qemu_plugin_register_vcpu_tb_trans_cb(id, on_translation);
    return 0;
}
