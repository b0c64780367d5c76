/* N pairs. A vector core stores a word by its MTE3 pipe and raises a flag behind it; the cube core
   of the block waits for the flag, loads the word past its cache and stores what it saw. Each step
   is one of the explorer's: a store starts when it is issued, the raise fires when the store is
   done. Processes stay, so that their ends are no states. RACE: the raise stands on another pipe and waits for nothing. */
#ifndef N
#define N 2
#endif

bit x[N], y[N];       /* X: 1 until it is stored to; Y: what the cube saw */
bit flight[N];        /* the store has started and is not done */
bit reached[N];       /* the raise was issued and has not fired */
byte counter[N];
byte ended;

proctype vector_scalar(byte b) {
  atomic { flight[b] = 1 }
  atomic {
#ifdef RACE
    counter[b]++;
#else
    if
    :: flight[b] -> reached[b] = 1
    :: else -> counter[b]++
    fi;
#endif
    ended++
  }
end: false
}

proctype vector_mte3(byte b) {
  atomic {
    flight[b] -> x[b] = 0; flight[b] = 0;
    if
    :: reached[b] -> reached[b] = 0; counter[b]++
    :: else
    fi;
    ended++
  }
end: false
}

proctype cube_scalar(byte b) {
  bit r;
  atomic { counter[b] > 0 -> counter[b]-- }
  r = x[b];
  skip; /* the store past the cache is issued */
  atomic { y[b] = r; r = 0; ended++ } /* and lands */
end: false
}

init {
  byte b;
  atomic {
    for (b : 0 .. N - 1) {
      x[b] = 1; y[b] = 1;
      run vector_scalar(b); run vector_mte3(b); run cube_scalar(b)
    }
    b = 0
  }
  atomic {
    ended == 3 * N;
    for (b : 0 .. N - 1) { assert(y[b] == 0) }
  }
}
