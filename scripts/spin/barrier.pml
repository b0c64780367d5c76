/* N vector cores. Each stores its word by MTE3, goes through SyncAll (drain the pipes, raise flag 14
   in mode 0, wait for it), loads its neighbour's word past the cache and stores what it saw. Each
   step is one of the explorer's; processes stay, so that their ends are no states. RACE: without the
   SyncAll. */
#ifndef N
#define N 2
#endif

bit x[N], y[N];
bit flight[N];
byte arrived[N], counter[N];
byte ended;

proctype scalar(byte c) {
  bit r;
  byte k, here;
  atomic { flight[c] = 1 }
#ifndef RACE
  flight[c] == 0;
  atomic {
    arrived[c]++;
    for (k : 0 .. N - 1) {
      if
      :: arrived[k] > 0 -> here++
      :: else
      fi
    }
    if
    :: here == N ->
       for (k : 0 .. N - 1) { arrived[k]--; counter[k]++ }
    :: else
    fi
    k = 0; here = 0
  }
  atomic { counter[c] > 0 -> counter[c]-- }
#endif
  r = x[(c + 1) % N];
  skip; /* the store past the cache is issued */
  atomic { y[c] = r; r = 0; ended++ } /* and lands */
end: false
}

proctype mte3(byte c) {
  atomic { flight[c] -> x[c] = 0; flight[c] = 0; ended++ }
end: false
}

init {
  byte c;
  atomic {
    for (c : 0 .. N - 1) {
      x[c] = 1; y[c] = 1;
      run scalar(c); run mte3(c)
    }
    c = 0
  }
  atomic {
    ended == 2 * N;
    for (c : 0 .. N - 1) { assert(y[c] == 0) }
  }
}
