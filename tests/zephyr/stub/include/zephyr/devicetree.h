// Stands in for Zephyr's header: the few macros that the sample uses, made of its overlay by overlay_header.py. The
// memories that the overlay names are arrays of the host.
#pragma once

#include "zephyr_tree.h"
