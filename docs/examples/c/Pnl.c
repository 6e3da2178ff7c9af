/* See Pnl.h. */
#include "Pnl.h"

#include "Det.h"

typedef enum { PNL_STATE_UNINIT = 0, PNL_STATE_READY, PNL_STATE_UNDER_WAY, PNL_STATE_FAILED } Pnl_StateType;

#define PNL_START_SEC_VAR_CLEARED
#include "Pnl_MemMap.h"
static pnl_session_t Pnl_Session;
static pnl_workspace_t Pnl_Workspace; /* free after Pnl_Init(): may lie over memory of other use */
static pnl_verdict_t Pnl_Verdict;
static const Pnl_ConfigType* Pnl_Config;
static Pnl_StateType Pnl_State;
#define PNL_STOP_SEC_VAR_CLEARED
#include "Pnl_MemMap.h"

#define PNL_START_SEC_VAR_INIT
#include "Pnl_MemMap.h"
static pnl_status_t Pnl_Status = PNL_INVALID_STATE;
#define PNL_STOP_SEC_VAR_INIT
#include "Pnl_MemMap.h"

#define PNL_START_SEC_CODE
#include "Pnl_MemMap.h"

static void Pnl_ReportError(uint8 ApiId, uint8 ErrorId) {
    (void)Det_ReportError(PNL_MODULE_ID, PNL_INSTANCE_ID, ApiId, ErrorId);
}

/* A fault has latched, or the module itself has made a mistake: nothing more is done until the next Pnl_Init(). */
static void Pnl_Fail(uint8 ApiId) {
    uint8 error = PNL_E_DEVICE;
    if (Pnl_Status == PNL_TIMEOUT) {
        error = PNL_E_TIMEOUT;
    } else if (Pnl_Status == PNL_INTEGRITY) {
        error = PNL_E_INTEGRITY;
    } else {
        /* all else counts as the device's */
    }
    Pnl_State = PNL_STATE_FAILED;
    (void)Det_ReportRuntimeError(PNL_MODULE_ID, PNL_INSTANCE_ID, ApiId, error);
}

static boolean Pnl_IsComplete(const Pnl_ConfigType* ConfigPtr) {
    return (ConfigPtr->Session != NULL_PTR) && (ConfigPtr->Binary != NULL_PTR) && (ConfigPtr->Input != NULL_PTR) &&
           (ConfigPtr->Output != NULL_PTR) && (ConfigPtr->Receive != NULL_PTR) && (ConfigPtr->Send != NULL_PTR);
}

/* One input and one output, of exactly the configured sizes. */
static boolean Pnl_Fits(const Pnl_ConfigType* ConfigPtr) {
    const pnl_plan_t* const plan = pnl_session_plan(&Pnl_Session);
    return (plan != NULL_PTR) && (plan->input_count == 1U) && (plan->output_count == 1U) &&
           (plan->inputs[0].bytes == ConfigPtr->InputBytes) && (plan->outputs[0].bytes == ConfigPtr->OutputBytes);
}

static pnl_status_t Pnl_Load(const Pnl_ConfigType* ConfigPtr) {
    pnl_status_t status =
        pnl_session_load(&Pnl_Session, ConfigPtr->Binary, ConfigPtr->BinaryBytes, &Pnl_Workspace, &Pnl_Verdict);
    if ((status == PNL_OK) && (!Pnl_Fits(ConfigPtr))) {
        status = PNL_INVALID_ARGUMENT;
    }
    if (status == PNL_OK) {
        status = pnl_session_self_test_all(&Pnl_Session, ConfigPtr->Output, ConfigPtr->OutputBytes);
    }
    if (status == PNL_OK) {
        status = pnl_session_confirm_start(&Pnl_Session); /* from here on nothing older is loaded */
    }
    return status;
}

void Pnl_Init(const Pnl_ConfigType* ConfigPtr) {
    if (Pnl_State != PNL_STATE_UNINIT) {
        Pnl_ReportError(PNL_SID_INIT, PNL_E_ALREADY_INITIALIZED);
    } else if (ConfigPtr == NULL_PTR) {
        Pnl_ReportError(PNL_SID_INIT, PNL_E_PARAM_POINTER);
    } else if (!Pnl_IsComplete(ConfigPtr)) {
        Pnl_ReportError(PNL_SID_INIT, PNL_E_PARAM_CONFIG);
    } else {
        Pnl_Status = pnl_session_init(&Pnl_Session, sizeof(Pnl_Session), ConfigPtr->Session);
        if (Pnl_Status != PNL_OK) {
            Pnl_ReportError(PNL_SID_INIT, PNL_E_PARAM_CONFIG);
        } else {
            Pnl_Config = ConfigPtr;
            Pnl_Status = Pnl_Load(ConfigPtr);
            if (Pnl_Status == PNL_OK) {
                Pnl_State = PNL_STATE_READY;
            } else if ((Pnl_Status == PNL_REFUSED) || (Pnl_Status == PNL_INVALID_ARGUMENT)) {
                Pnl_State = PNL_STATE_FAILED;
                Pnl_ReportError(PNL_SID_INIT, PNL_E_INIT_FAILED);
            } else {
                Pnl_Fail(PNL_SID_INIT);
            }
        }
    }
}

void Pnl_DeInit(void) {
    if (Pnl_State == PNL_STATE_UNINIT) {
        Pnl_ReportError(PNL_SID_DE_INIT, PNL_E_UNINIT);
    } else {
        const pnl_status_t status = pnl_session_close(&Pnl_Session);
        if (status == PNL_INVALID_STATE) {
            Pnl_ReportError(PNL_SID_DE_INIT, PNL_E_STATE);
        } else {
            Pnl_State = PNL_STATE_UNINIT;
        }
    }
}

/* Collects the step that is under way, if it has completed. */
static void Pnl_Collect(void) {
    Pnl_Status = pnl_session_poll(&Pnl_Session);
    if (Pnl_Status == PNL_OK) {
        Pnl_State = PNL_STATE_READY;
        Pnl_Config->Send(Pnl_Config->Output, Pnl_Config->OutputBytes);
    } else if (Pnl_Status != PNL_PENDING) {
        Pnl_Fail(PNL_SID_MAIN_FUNCTION);
    } else {
        /* not yet */
    }
}

static void Pnl_StartNext(void) {
    if (Pnl_Config->Receive(Pnl_Config->Input, Pnl_Config->InputBytes)) {
        const pnl_bytes_t input = {Pnl_Config->Input, Pnl_Config->InputBytes};
        const pnl_memory_t output = {Pnl_Config->Output, Pnl_Config->OutputBytes};
        Pnl_Status = pnl_session_submit(&Pnl_Session, &input, 1U, &output, 1U);
        if (Pnl_Status == PNL_OK) {
            Pnl_State = PNL_STATE_UNDER_WAY;
        } else {
            Pnl_Fail(PNL_SID_MAIN_FUNCTION);
        }
    }
}

void Pnl_MainFunction(void) {
    if (Pnl_State == PNL_STATE_UNINIT) {
        Pnl_ReportError(PNL_SID_MAIN_FUNCTION, PNL_E_UNINIT);
    } else if (Pnl_State != PNL_STATE_FAILED) {
        Pnl_Status = pnl_session_scrub(&Pnl_Session);
        if (Pnl_Status != PNL_OK) {
            Pnl_Fail(PNL_SID_MAIN_FUNCTION);
        } else if (Pnl_State == PNL_STATE_UNDER_WAY) {
            Pnl_Collect();
        } else {
            Pnl_StartNext();
        }
    } else {
        /* reported when it failed */
    }
}

void Pnl_GetVersionInfo(Std_VersionInfoType* VersionInfoPtr) {
    if (VersionInfoPtr == NULL_PTR) {
        Pnl_ReportError(PNL_SID_GET_VERSION_INFO, PNL_E_PARAM_POINTER);
    } else {
        VersionInfoPtr->vendorID = PNL_VENDOR_ID;
        VersionInfoPtr->moduleID = PNL_MODULE_ID;
        VersionInfoPtr->sw_major_version = PNL_SW_MAJOR_VERSION;
        VersionInfoPtr->sw_minor_version = PNL_SW_MINOR_VERSION;
        VersionInfoPtr->sw_patch_version = PNL_SW_PATCH_VERSION;
    }
}

Std_ReturnType Pnl_GetStatus(pnl_status_t* StatusPtr, uint32* StepsPtr) {
    Std_ReturnType result = E_NOT_OK;
    if ((StatusPtr == NULL_PTR) || (StepsPtr == NULL_PTR)) {
        Pnl_ReportError(PNL_SID_GET_STATUS, PNL_E_PARAM_POINTER);
    } else {
        *StatusPtr = Pnl_Status;
        *StepsPtr = pnl_session_steps_completed(&Pnl_Session);
        result = E_OK;
    }
    return result;
}

const pnl_verdict_t* Pnl_GetVerdict(void) {
    return &Pnl_Verdict;
}

pnl_bytes_t Pnl_GetSelfTests(void) {
    return pnl_session_self_tests(&Pnl_Session);
}

#define PNL_STOP_SEC_CODE
#include "Pnl_MemMap.h"
