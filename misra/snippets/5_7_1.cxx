/* one
   /* two */  // violates
/* three */
int f();
