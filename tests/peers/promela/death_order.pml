/* 15 states, 24 transitions, ok */
active [3] proctype P() { skip }
