"""Random small programs with threads, whose outcome depends on the order of their steps."""

from __future__ import annotations

from random import Random

_ATOMIC = ("a", "b", "c")
_GUARDED = ("p", "q")


def threaded_program(seed: int) -> str:
    """With RUNS as a macro it does the same again and again, each time with other pauses, and prints each outcome."""
    random = Random(seed)
    count = random.choice([2, 2, 2, 3])
    bodies = [_body(random, 5 - count) for _ in range(count)]
    threads = "\n".join(
        f"static void *thread{number}(void *unused) {{ int r = 0; PAUSE\n{body}\nr{number} = r; return NULL; }}"
        for number, body in enumerate(bodies)
    )
    results = ", ".join(f"r{number}" for number in range(count))
    start = " ".join(f"pthread_create(&t[{number}], NULL, thread{number}, NULL);" for number in range(count))
    join = " ".join(f"pthread_join(t[{number}], NULL);" for number in range(count))
    return f"""
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#ifdef RUNS
#include <stdlib.h>
#define PAUSE for (volatile int wait = rand() % 400; wait; wait--) {{}}
#else
#define RUNS 1
#define PAUSE
#endif
static atomic_int a, b, c;
static int p, q, {results};
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
{threads}
int main(void) {{
    for (int run = 0; run < RUNS; run++) {{
        a = b = c = 0;
        p = q = 0;
        pthread_t t[{count}];
        {start}
        {join}
        printf("%d %d %d %d %d{" %d" * count}\\n", a, b, c, p, q, {results});
    }}
    return 0;
}}
"""


def _body(random: Random, length: int) -> str:
    return "\n".join(f"    {_statement(random)}" for _ in range(length))


def _statement(random: Random) -> str:
    x, y = random.choice(_ATOMIC), random.choice(_ATOMIC)
    number = random.randint(1, 3)
    return random.choice(
        [
            f"{x} = {y} + {number};",
            f"{x} += {number}; PAUSE",
            f"r = r * 10 + {x}; PAUSE",
            f"if ({x} == {number}) {y} = {number + 1};",
            f"r += atomic_fetch_sub(&{x}, {number});",
            f"{{ int seen = {number}; "
            f"if (atomic_compare_exchange_strong(&{x}, &seen, {number + 2})) r++; else r += seen; }}",
            f"pthread_mutex_lock(&m); {_guarded(random)} {_guarded(random)} pthread_mutex_unlock(&m);",
            f"if (pthread_mutex_trylock(&m) == 0) {{ {_guarded(random)} pthread_mutex_unlock(&m); }} else r += 100;",
        ]
    )


def _guarded(random: Random) -> str:
    x, y = random.choice(_GUARDED), random.choice(_GUARDED)
    return random.choice([f"{x} = {y} + {random.randint(1, 3)};", f"r += {x};", f"{x}++;", f"{x} = a;"])
