"""C and C++ programs: compiled to LLVM IR, read, and checked instruction by instruction."""
