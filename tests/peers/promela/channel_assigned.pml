/* 13 states, 12 transitions, ok */
chan a = [1] of { byte }; chan b = [1] of { byte }; chan c; active proctype P() { byte x; c = a; c!1; c = b; c!2; a?x; c?x; if :: c = a :: skip fi; c!3 }
