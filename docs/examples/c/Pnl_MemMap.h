/* Memory mapping of the module Pnl: included after a PNL_START_SEC_... or PNL_STOP_SEC_... . A build that places the
 * module's sections puts its compiler's pragmas here; this one leaves all to the linker script, and refuses names that
 * it does not know. No include guard: it is included often. */
#if defined(PNL_START_SEC_CODE)
#undef PNL_START_SEC_CODE
#elif defined(PNL_STOP_SEC_CODE)
#undef PNL_STOP_SEC_CODE
#elif defined(PNL_START_SEC_CONST)
#undef PNL_START_SEC_CONST
#elif defined(PNL_STOP_SEC_CONST)
#undef PNL_STOP_SEC_CONST
#elif defined(PNL_START_SEC_VAR_INIT)
#undef PNL_START_SEC_VAR_INIT
#elif defined(PNL_STOP_SEC_VAR_INIT)
#undef PNL_STOP_SEC_VAR_INIT
#elif defined(PNL_START_SEC_VAR_CLEARED)
#undef PNL_START_SEC_VAR_CLEARED
#elif defined(PNL_STOP_SEC_VAR_CLEARED)
#undef PNL_STOP_SEC_VAR_CLEARED
#else
#error "Pnl_MemMap.h: no section that it knows"
#endif
