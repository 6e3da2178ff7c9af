/* instruction_counter: a plugin of the emulator that counts the instructions of one core, section by section.
 *
 * A section goes from the first instruction of the function `begin` to the first of the function `end`; between `pause`
 * and `resume` the core's instructions are not counted. `cut`, whose own instruction is not counted, ends a section and
 * begins the next; where no section is counted, it does nothing. Which functions these are, and for which ranges of
 * addresses to count apart, a file says that its user writes, one word and its numbers per line:
 *
 *     core N | begin A | end A | pause A | resume A | cut A
 *     range FIRST BEYOND | leaf FIRST BEYOND | skip FIRST BEYOND
 *     parts
 *
 * with addresses in hexadecimal and ranges ascending. A leaf is a range whose code calls nothing: its instructions are
 * counted for the leaf, and once more for the range that called it. Those of a skipped range, an interrupt handler, are
 * not counted.
 *
 * The result goes to another file: "section <number> <instructions>" and then, where there were any, "range <index>
 * <instructions>" and "called <index of the caller> <instructions in leaves>".
 *
 * With the word `parts` in the setup the result has instead, before each section, the parts that pauses divide it into,
 * as many as there are: "part <instructions>" between a resume and the next pause, "edge <instructions>" before the
 * first pause and after the last resume. Their sum is the section. Instructions are then counted in runs without a
 * branch, which is several times faster: an emulated block is left in its middle for a fault alone.
 *
 *     -plugin instruction_counter.so,setup=FILE,result=FILE
 */
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "qemu_plugin.h"

enum { MAX_RANGES = 4096, MAX_SECTIONS = 1024, NO_RANGE = MAX_RANGES };

struct range {
    uint64_t first;
    uint64_t beyond;
    bool is_leaf;
    bool is_skipped;
};

struct section {
    uint64_t total;
    uint64_t in_range[MAX_RANGES + 1]; /* the last: in none */
    uint64_t called_by[MAX_RANGES + 1];
};

static unsigned int counted_core;
static uint64_t begin_address, end_address, pause_address, resume_address, cut_address;
static struct range ranges[MAX_RANGES];
static size_t range_count;
static struct section sections[MAX_SECTIONS];
static size_t section_count;     /* begun so far */
static size_t caller = NO_RANGE; /* the range that was left for a leaf */
static bool is_open, is_paused, is_confused;
static char result_file[4096];
static bool has_parts;
static bool is_edge;     /* of the part that is under way */
static uint64_t part;    /* its instructions */
static uint64_t section_total;
static FILE* parts_file; /* the result, written as parts end */

static void count(unsigned int vcpu, void* data) {
    if (vcpu != counted_core || !is_open || is_paused) {
        return;
    }
    struct section* section = &sections[section_count - 1];
    const size_t range = (uintptr_t)data;
    if (range != NO_RANGE && ranges[range].is_skipped) {
        return;
    }
    section->total += 1;
    section->in_range[range] += 1;
    if (range != NO_RANGE && ranges[range].is_leaf) {
        section->called_by[caller] += 1;
    } else {
        caller = range;
    }
}

/* A run of so many instructions begins. */
static void count_run(unsigned int vcpu, void* data) {
    if (vcpu == counted_core && is_open && !is_paused) {
        section_total += (uintptr_t)data;
        part += (uintptr_t)data;
    }
}

static void end_part(bool at_end) {
    if (has_parts) {
        fprintf(parts_file, "%s %" PRIu64 "\n", (is_edge || at_end) ? "edge" : "part", part);
    }
    part = 0;
    is_edge = false;
}

static void count_marker(unsigned int vcpu, void* data) {
    if (has_parts) {
        count_run(vcpu, (void*)(uintptr_t)1);
    } else {
        count(vcpu, data);
    }
}

static void on_begin(unsigned int vcpu, void* data) {
    if (vcpu != counted_core) {
        return;
    }
    if (is_open || (!has_parts && section_count == MAX_SECTIONS)) {
        is_confused = true;
        return;
    }
    is_open = true;
    is_paused = false;
    section_count += 1;
    part = 0;
    section_total = 0;
    is_edge = true;
    count_marker(vcpu, data);
}

static void on_end(unsigned int vcpu, void* data) {
    (void)data;
    if (vcpu == counted_core) {
        is_confused = is_confused || !is_open || is_paused;
        if (is_open) {
            end_part(true);
        }
        if (is_open && has_parts) {
            fprintf(parts_file, "section %zu %" PRIu64 "\n", section_count - 1, section_total);
        }
        is_open = false;
    }
}

static void on_pause(unsigned int vcpu, void* data) {
    count_marker(vcpu, data);
    if (vcpu == counted_core) {
        is_confused = is_confused || is_paused;
        if (is_open && !is_paused) {
            end_part(false);
        }
        is_paused = true;
    }
}

static void on_resume(unsigned int vcpu, void* data) {
    (void)data;
    if (vcpu == counted_core) {
        is_confused = is_confused || !is_paused;
        is_paused = false;
    }
}

static void on_cut(unsigned int vcpu, void* data) {
    (void)data;
    if (vcpu != counted_core || !is_open || is_paused) {
        return;
    }
    if (section_count == MAX_SECTIONS) {
        is_confused = true;
        return;
    }
    section_count += 1;
}

static size_t range_of(uint64_t address) {
    size_t low = 0;
    size_t high = range_count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (ranges[middle].beyond <= address) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return (low < range_count && ranges[low].first <= address) ? low : (size_t)NO_RANGE;
}

static vcpu_callback callback_at(uint64_t address) {
    if (address == begin_address) {
        return on_begin;
    }
    if (address == end_address) {
        return on_end;
    }
    if (address == pause_address) {
        return on_pause;
    }
    if (address == cut_address) {
        return on_cut;
    }
    return (address == resume_address) ? on_resume : count;
}

/* Runs end at markers, whose own instruction is their callback's. What is skipped is no part of a run. */
static void on_translation_in_runs(qemu_plugin_id_t id, struct qemu_plugin_tb* block) {
    (void)id;
    const size_t instructions = qemu_plugin_tb_n_insns(block);
    struct qemu_plugin_insn* first = NULL;
    uintptr_t length = 0;
    for (size_t i = 0; i <= instructions; ++i) {
        struct qemu_plugin_insn* instruction = (i < instructions) ? qemu_plugin_tb_get_insn(block, i) : NULL;
        const uint64_t address = (instruction != NULL) ? qemu_plugin_insn_vaddr(instruction) : 0;
        const vcpu_callback callback = (instruction != NULL) ? callback_at(address) : NULL;
        if (instruction != NULL && callback == count) {
            const size_t range = range_of(address);
            first = (first == NULL) ? instruction : first;
            length += (range == NO_RANGE || !ranges[range].is_skipped) ? 1 : 0;
            continue;
        }
        if (length != 0) {
            qemu_plugin_register_vcpu_insn_exec_cb(first, count_run, QEMU_PLUGIN_CB_NO_REGS, (void*)length);
        }
        first = NULL;
        length = 0;
        if (instruction != NULL) {
            qemu_plugin_register_vcpu_insn_exec_cb(instruction, callback, QEMU_PLUGIN_CB_NO_REGS, NULL);
        }
    }
}

static void on_translation(qemu_plugin_id_t id, struct qemu_plugin_tb* block) {
    (void)id;
    const size_t instructions = qemu_plugin_tb_n_insns(block);
    for (size_t i = 0; i < instructions; ++i) {
        struct qemu_plugin_insn* instruction = qemu_plugin_tb_get_insn(block, i);
        const uint64_t address = qemu_plugin_insn_vaddr(instruction);
        qemu_plugin_register_vcpu_insn_exec_cb(instruction, callback_at(address), QEMU_PLUGIN_CB_NO_REGS,
                                               (void*)(uintptr_t)range_of(address));
    }
}

static void write_counts(FILE* file, const char* name, const uint64_t* counts) {
    for (size_t r = 0; r <= NO_RANGE; ++r) {
        if (counts[r] != 0) {
            fprintf(file, "%s %zu %" PRIu64 "\n", name, r, counts[r]);
        }
    }
}

static void on_exit(qemu_plugin_id_t id, void* data) {
    (void)id;
    (void)data;
    FILE* file = has_parts ? parts_file : fopen(result_file, "w");
    if (file == NULL) {
        perror(result_file);
        return;
    }
    if (is_confused || is_open) {
        fprintf(file, "confused\n"); /* the markers did not alternate: no number would mean anything */
    }
    for (size_t s = 0; s < section_count && !has_parts; ++s) {
        fprintf(file, "section %zu %" PRIu64 "\n", s, sections[s].total);
        write_counts(file, "range", sections[s].in_range);
        write_counts(file, "called", sections[s].called_by);
    }
    fclose(file);
}

static bool is_range(const char* word) {
    return strcmp(word, "range") == 0 || strcmp(word, "leaf") == 0 || strcmp(word, "skip") == 0;
}

static bool read_setup(const char* name) {
    FILE* file = fopen(name, "r");
    if (file == NULL) {
        perror(name);
        return false;
    }
    char word[16];
    bool is_right = true;
    while (is_right && fscanf(file, "%15s", word) == 1) {
        uint64_t* const target = strcmp(word, "begin") == 0    ? &begin_address
                                 : strcmp(word, "end") == 0    ? &end_address
                                 : strcmp(word, "pause") == 0  ? &pause_address
                                 : strcmp(word, "resume") == 0 ? &resume_address
                                 : strcmp(word, "cut") == 0    ? &cut_address
                                                               : NULL;
        if (strcmp(word, "parts") == 0) {
            has_parts = true;
        } else if (target != NULL) {
            is_right = fscanf(file, "%" SCNx64, target) == 1;
        } else if (strcmp(word, "core") == 0) {
            is_right = fscanf(file, "%u", &counted_core) == 1;
        } else if (is_range(word) && range_count < MAX_RANGES) {
            struct range* const range = &ranges[range_count];
            range->is_leaf = word[0] == 'l';
            range->is_skipped = word[0] == 's';
            is_right = fscanf(file, "%" SCNx64 " %" SCNx64, &range->first, &range->beyond) == 2;
            range_count += 1;
        } else {
            is_right = false;
        }
    }
    fclose(file);
    if (!is_right) {
        fprintf(stderr, "instruction_counter: %s: wrong line\n", name);
    }
    return is_right;
}

int qemu_plugin_install(qemu_plugin_id_t id, const qemu_info_t* info, int argc, char** argv) {
    (void)info;
    bool is_set_up = false;
    for (int i = 0; i < argc; ++i) {
        if (strncmp(argv[i], "setup=", 6) == 0) {
            is_set_up = read_setup(argv[i] + 6);
        } else if (strncmp(argv[i], "result=", 7) == 0) {
            snprintf(result_file, sizeof(result_file), "%s", argv[i] + 7);
        }
    }
    if (!is_set_up || result_file[0] == '\0') {
        fprintf(stderr, "instruction_counter: setup=FILE and result=FILE are needed\n");
        return -1;
    }
    parts_file = has_parts ? fopen(result_file, "w") : NULL;
    if (has_parts && parts_file == NULL) {
        perror(result_file);
        return -1;
    }
    qemu_plugin_register_vcpu_tb_trans_cb(id, has_parts ? on_translation_in_runs : on_translation);
    qemu_plugin_register_atexit_cb(id, on_exit, NULL);
    return 0;
}
