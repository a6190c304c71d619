"""What is done beside searching, as it is told to who waits for it."""

COMPILING = "compiling the model"
REDUCING = "looking for what can be left out"
SAMPLING = "looking in the first states how much is left out"
CONFIRMING = "confirming by the interpreter what was found"
