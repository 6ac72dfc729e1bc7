/* An engine in C: the token rule, asked and answered in lines of JSON on standard input and output.
   cc -O2 -o engine examples/engine.c && mtplx audit stdio:./engine */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char line[1 << 20];

/* The numbers of the array called name; how many there are. */
static int row(const char *name, double *out) {
    const char *at = strstr(line, name);
    int n = 0;
    for (at = at ? strchr(at, '[') : NULL; at && *at != ']'; at = strpbrk(at, ",]"))
        out[n++] = strtod(++at, NULL);
    return n;
}

/* The inverse CDF of weights / sum(weights), in id order. */
static int draw(const double *weights, int n, double u) {
    double total = 0, through = 0;
    int last = 0;
    for (int i = 0; i < n; i++) total += weights[i];
    for (int i = 0; i < n; i++) {
        if (weights[i] > 0) last = i;
        if (u * total < (through += weights[i])) return i;
    }
    return last;
}

int main(void) {
    static double p[1 << 16], q[1 << 16], residual[1 << 16], coins[64];
    while (fgets(line, sizeof line, stdin)) {
        if (strstr(line, "\"about\"")) {
            puts("{\"value\": {\"name\": \"token rule in C\", \"offers\": [\"verify_token\"]}}");
        } else {
            int n = row("\"p\"", p), draft = atoi(strchr(strstr(line, "\"draft\""), ':') + 1);
            if (row("\"q\"", q) != n || draft < 0 || draft >= n) {
                puts("{\"error\": \"p, q and draft are not of one vocabulary\"}");
            } else {
                row("\"coins\"", coins);
                for (int i = 0; i < n; i++) residual[i] = p[i] > q[i] ? p[i] - q[i] : 0;
                if (coins[0] * q[draft] < p[draft]) printf("{\"value\": %d, \"read\": 1}\n", draft);
                else printf("{\"value\": %d, \"read\": 2}\n", draw(residual, n, coins[1]));
            }
        }
        fflush(stdout);
    }
}
