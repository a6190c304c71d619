mtype = { req, ack };
chan c = [0] of { mtype, byte };
chan d = [0] of { mtype };
byte got;
active proctype Client() { byte n = 3; c!req(n); d?ack; assert(got == 4) }
active proctype Server() { byte v; c?req(v); got = v; d!ack }
