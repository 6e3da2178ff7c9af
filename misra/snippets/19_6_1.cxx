#pragma pack(1)  // violates
int f();
