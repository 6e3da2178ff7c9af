/* What the plugins use of version 1 of the emulator's plugin interface, as QEMU documents it ("QEMU TCG Plugins"):
 * Debian's packages of QEMU bring no header. A plugin includes this in its one source. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#define EXPORTED __attribute__((visibility("default")))

typedef uint64_t qemu_plugin_id_t;
typedef struct qemu_info_t qemu_info_t; /* not looked into */
struct qemu_plugin_tb;
struct qemu_plugin_insn;
enum qemu_plugin_cb_flags { QEMU_PLUGIN_CB_NO_REGS };

typedef void (*vcpu_callback)(unsigned int vcpu, void* data);
typedef void (*translation_callback)(qemu_plugin_id_t id, struct qemu_plugin_tb* block);
typedef void (*exit_callback)(qemu_plugin_id_t id, void* data);

extern void qemu_plugin_register_vcpu_tb_trans_cb(qemu_plugin_id_t id, translation_callback callback);
extern void qemu_plugin_register_atexit_cb(qemu_plugin_id_t id, exit_callback callback, void* data);
extern void qemu_plugin_register_vcpu_insn_exec_cb(struct qemu_plugin_insn* instruction, vcpu_callback callback,
                                                   enum qemu_plugin_cb_flags flags, void* data);
extern size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb* block);
extern struct qemu_plugin_insn* qemu_plugin_tb_get_insn(const struct qemu_plugin_tb* block, size_t index);
extern uint64_t qemu_plugin_insn_vaddr(const struct qemu_plugin_insn* instruction);
extern size_t qemu_plugin_insn_size(const struct qemu_plugin_insn* instruction);

EXPORTED extern int qemu_plugin_version;
EXPORTED int qemu_plugin_install(qemu_plugin_id_t id, const qemu_info_t* info, int argc, char** argv);

int qemu_plugin_version = 1;
