struct A {};
struct B : virtual A {};  // violates
struct C : A {};
