// The Matmul service is reached through no facade yet.
#pragma once
#error \
    "lib/matmul_intf.h: the high-level Matmul is not in the facade; docs/ascendc.md lists what is"
