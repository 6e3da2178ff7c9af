#define PIANOLA_TEXT(a) #a  // violates
#define PIANOLA_SUM(a, b) ((a) + (b))
