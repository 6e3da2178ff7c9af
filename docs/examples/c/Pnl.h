/* Pnl: a complex device driver in the style of AUTOSAR Classic over Pianola's C API.
 *
 * One binary, one step at a time, transfers. Pnl_Init() before the operating system starts its cyclic tasks: it blocks
 * while the binary is validated and loaded. Pnl_MainFunction() from one cyclic task: it never blocks. Bugs of the
 * caller go to Det_ReportError(), faults to Det_ReportRuntimeError(); Pnl_GetStatus() has the detail, a value of
 * Pianola's own wide patterns, since E_OK is 0.
 */
#ifndef PNL_H
#define PNL_H

#include "Std_Types.h"
#include "pianola.h"

#define PNL_VENDOR_ID 0U   /* of the integrator */
#define PNL_MODULE_ID 255U /* complex drivers */
#define PNL_INSTANCE_ID 0U
#define PNL_SW_MAJOR_VERSION 1U
#define PNL_SW_MINOR_VERSION 0U
#define PNL_SW_PATCH_VERSION 0U

/* Services. */
#define PNL_SID_INIT 0x00U
#define PNL_SID_MAIN_FUNCTION 0x01U
#define PNL_SID_GET_VERSION_INFO 0x02U
#define PNL_SID_GET_STATUS 0x03U
#define PNL_SID_DE_INIT 0x04U

/* Bugs of the caller. */
#define PNL_E_PARAM_POINTER 0x10U
#define PNL_E_UNINIT 0x11U
#define PNL_E_ALREADY_INITIALIZED 0x12U
#define PNL_E_PARAM_CONFIG 0x13U
#define PNL_E_INIT_FAILED 0x14U /* the binary is refused: Pnl_GetVerdict() says why */
#define PNL_E_STATE 0x15U       /* a step is under way */

/* Faults. */
#define PNL_E_TIMEOUT 0x30U
#define PNL_E_DEVICE 0x31U
#define PNL_E_INTEGRITY 0x32U

/* Constant, in flash. */
typedef struct {
    const pnl_session_config_t* Session;
    const uint8* Binary; /* at a multiple of PNL_FILE_ALIGNMENT_BYTES; stays in place */
    uint32 BinaryBytes;
    uint8* Input; /* of exactly the binary's sizes; of this module from Pnl_Init() on */
    uint32 InputBytes;
    uint8* Output;
    uint32 OutputBytes;
    /* Fills in the next input and returns TRUE, or FALSE where there is none yet. */
    boolean (*Receive)(uint8* Input, uint32 InputBytes);
    /* Takes a result that has been verified. */
    void (*Send)(const uint8* Output, uint32 OutputBytes);
} Pnl_ConfigType;

void Pnl_Init(const Pnl_ConfigType* ConfigPtr);
void Pnl_DeInit(void);
void Pnl_MainFunction(void);
void Pnl_GetVersionInfo(Std_VersionInfoType* VersionInfoPtr);

/* What the last call of the session came to, and how many steps have completed. */
Std_ReturnType Pnl_GetStatus(pnl_status_t* StatusPtr, uint32* StepsPtr);
/* Of the last Pnl_Init(); for messages. */
const pnl_verdict_t* Pnl_GetVerdict(void);
/* The binary's self-test vectors: each an input, then its output. Empty where nothing is loaded. */
pnl_bytes_t Pnl_GetSelfTests(void);

#endif
