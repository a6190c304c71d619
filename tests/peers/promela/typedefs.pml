/* 28 states, 40 transitions, ok */
typedef In { byte v[2]; bit f }; typedef Out { In i[2]; short s }; Out o[2]; active [2] proctype P() { byte k = _pid; o[k].i[1].v[k] = 3; o[1].s = -1; o[k].i[0].f = o[0].i[1].v[0] }
