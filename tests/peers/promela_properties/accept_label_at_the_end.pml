/* acceptance -a: violated */
byte x; chan c = [0] of { byte }; active proctype P() { x = 1; accept: end: c!1 }
