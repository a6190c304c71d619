"""What is done to a program before it is explored, by the passes of LLVM and by changes of its text between them."""
