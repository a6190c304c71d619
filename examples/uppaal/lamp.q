/* it can be bright soon after a press */
E<> Lamp.bright and User.waited < 5

/* it is bright only then */
A[] Lamp.bright imply User.waited < 5
