// Registers of a Cortex-A9's memory management unit, in coprocessor 15.
//
// Names and numbers: "ARM Architecture Reference Manual ARMv7-A and ARMv7-R edition", Arm, DDI 0406.
#pragma once

#include "hal/arch/arm_ar/instructions.h"

namespace pianola::arm_a {

using arm_ar::SystemRegister;

using Ttbr0 = SystemRegister<0U, 2U, 0U, 0U>;  // the table of 1 MiB sections
using Ttbcr = SystemRegister<0U, 2U, 0U, 2U>;
using Dacr = SystemRegister<0U, 3U, 0U, 0U>;     // which domains' permissions count
using Tlbiall = SystemRegister<0U, 8U, 7U, 0U>;  // invalidate cached table entries

}  // namespace pianola::arm_a
