#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <assert.h>
struct point { short x; char c; double d; unsigned b : 3, e : 7; int arr[3]; };
union u { float f; unsigned i; long long l; };
static int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
static int add(int a, int b) { return a + b; } static int sub(int a, int b) { return a - b; }
int apply(int (*f)(int, int), int a, int b) { return f(a, b); }
struct point make(int k) { struct point p = { k, 'a' + k, k / 3.0, k & 7, k * 3, { k, k + 1, k + 2 } }; return p; }
int global[10];
int cmp(const void *a, const void *b) { return *(int*)a - *(int*)b; }
int main(int argc, char **argv) {
  int r = fib(7); assert(r == 13);
  assert(apply(add, 3, 4) == 7 && apply(sub, 3, 4) == -1);
  struct point p = make(5), q; q = p; assert(q.arr[2] == 7 && q.b == 5 && q.e == 15);
  memcpy(&q, &p, sizeof p); assert(memcmp(&q, &p, sizeof p) == 0);
  union u u; u.f = 1.5f; assert(u.i == 0x3fc00000);
  char s[20]; strcpy(s, "hello"); strcat(s, " you"); assert(strlen(s) == 9); assert(strcmp(s, "hello you") == 0);
  for (int i = 0; i < 10; i++) global[i] = (i * 7) % 10;
  int *dyn = malloc(5 * sizeof(int)); for (int i = 0; i < 5; i++) dyn[i] = i * i; dyn = realloc(dyn, 8 * sizeof(int)); assert(dyn[4] == 16); free(dyn);
  switch (r) { case 1: return 1; case 13: r = 2; break; default: r = 3; }
  double d = 0; for (int i = 1; i < 6; i++) d += 1.0 / i; printf("%d %f %s\n", r, d, s); assert(d > 2.28 && d < 2.29);
  unsigned char uc = 250; uc += 10; assert(uc == 4); long long big = 1LL << 40; assert(big >> 38 == 4);
  int x = -7; assert(x / 2 == -3 && x % 2 == -1 && (x >> 1) == -4);
  return r;
}
