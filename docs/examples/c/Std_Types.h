/* Stands in for AUTOSAR's header of this name: what Pnl.c needs of it. An ECU has its own, and its Platform_Types.h. */
#ifndef STD_TYPES_H
#define STD_TYPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef uint8_t uint8;
typedef uint16_t uint16;
typedef uint32_t uint32;
typedef bool boolean;
#define TRUE true
#define FALSE false
#define NULL_PTR NULL

typedef uint8 Std_ReturnType;
#define E_OK 0x00U
#define E_NOT_OK 0x01U

typedef struct {
    uint16 vendorID;
    uint16 moduleID;
    uint8 sw_major_version;
    uint8 sw_minor_version;
    uint8 sw_patch_version;
} Std_VersionInfoType;

#endif
