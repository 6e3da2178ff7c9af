/* What the board's build knows of its binary, in C; the board's glue adds the machine. */
#ifndef BOARD_CONFIG_H
#define BOARD_CONFIG_H

#include "app.h"

#ifdef __cplusplus
extern "C" {
#endif

const app_environment_t* board_config(void);

#ifdef __cplusplus
}
#endif

#endif
