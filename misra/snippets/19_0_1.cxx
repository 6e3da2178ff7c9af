#if 0
#els  // violates
/* a comment */ #undef PIANOLA_ONE  // violates
#endif
%:undef PIANOLA_TWO  // violates
int f();
