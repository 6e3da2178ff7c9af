/* Stands in for the Default Error Tracer's header: app.c prints what arrives here, an ECU has its own. */
#ifndef DET_H
#define DET_H

#include "Std_Types.h"

/* A bug of the caller: found while developing. */
Std_ReturnType Det_ReportError(uint16 ModuleId, uint8 InstanceId, uint8 ApiId, uint8 ErrorId);
/* A fault that can happen in the field. */
Std_ReturnType Det_ReportRuntimeError(uint16 ModuleId, uint8 InstanceId, uint8 ApiId, uint8 ErrorId);

#endif
