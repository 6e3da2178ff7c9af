extern int g_first[];  // violates
extern int g_second[4];
