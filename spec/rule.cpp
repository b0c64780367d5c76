// The contract, sentence by sentence. Sources: "development page" is CANN's page on SuperKernel
// development, "option table" the scope options of TorchAir's SuperKernel page, "machine §n",
// "semantics §n" and "composition §n" the project's notes on the machine, on what can be claimed
// of it and on public composers; "derived" has no sentence in a source.
#include "spec/rule.h"

#include <array>

#include "spec/check.h"

namespace skcts {

namespace {

using enum RuleKind;

constexpr RulePath both_paths = RulePath::both;
constexpr RulePath only_ge = RulePath::ge;

constexpr std::array<Rule, 8> core_rules = {{
    {RuleId::core_1, "CORE-1", guarantee, Chapter::core,
     "The launch has the maximum core count of its sub kernels",
     "A SuperKernel launches the largest core count that one of its sub kernels has. A and V are "
     "the largest numbers of AIC and AIV cores of a sub kernel of n blocks (AIC kinds n and 0, AIV "
     "kinds 0 and n, MIX 1:1 n and n, MIX 1:2 n and 2n). Only AIV kinds give 0:1 with V blocks, "
     "only AIC kinds 1:0 with A. Otherwise a MIX 1:2 sub kernel or V > A gives 1:2 with max(A, V/2 "
     "rounded up) blocks, and everything else 1:1 with A blocks. Beside cube work an odd V "
     "therefore launches one AIV more than any sub kernel has.",
     "", "development page; CORE-7", both_paths, ""},
    {RuleId::core_2, "CORE-2", guarantee, Chapter::core,
     "A sub kernel has effects on its own cores only",
     "A sub kernel of n blocks runs on its own cores only: an AIV kind where GetBlockIdx is below "
     "n, an AIC kind or MIX on all cores of the blocks 0 to n-1. On every other core it has no "
     "effect on memory.",
     "", "machine §1.5, §8", both_paths, ""},
    {RuleId::core_3, "CORE-3", guarantee, Chapter::core,
     "GetBlockNum is the sub kernel's own number",
     "GetBlockNum inside a sub kernel returns the number of blocks of that sub kernel, fused or "
     "alone, however many cores the SuperKernel launches. On the aclgraph path this does not bind "
     "directly launched kernels, which read the SuperKernel's number.",
     "", "development page", both_paths, ""},
    {RuleId::core_4, "CORE-4", guarantee, Chapter::core,
     "Full-core sync completes at the width of the launch",
     "Full-core synchronisation in a sub kernel that has as many cores as the SuperKernel launches "
     "completes.",
     "", "development page", both_paths, ""},
    {RuleId::core_5, "CORE-5", restriction, Chapter::core,
     "Full-core sync needs the SuperKernel's core count",
     "A sub kernel that synchronises all cores must have as many cores as the SuperKernel "
     "launches; the rounding of CORE-1 counts, so that an AIV sub kernel of 3 is narrower than its "
     "launch of 4 beside cube work. A platform may leave the two unfused instead.",
     "stalls and times out, at a full-core wait at or after the call that is one too many",
     "development page", both_paths, ""},
    {RuleId::core_6, "CORE-6", guarantee, Chapter::core,
     "debug-aic-num and debug-aiv-num set the launch",
     "debug-aic-num and debug-aiv-num set the launch. Only the ratios 1:0, 0:1, 1:1 and 1:2 are "
     "accepted, never more cores than the hardware has and not fewer than the mix needs; no result "
     "of a portable operator changes. The sources disagree: the option table forbids more than the "
     "natural launch, the self-verification page raises one operator to the whole chip, the "
     "composer demands not less.",
     "a bad value is refused", "option table; composition §1.3", only_ge, ""},
    {RuleId::core_7, "CORE-7", guarantee, Chapter::core,
     "The launch has every core that a sub kernel needs",
     "The launch holds the blocks and the ratio of each of its sub kernels: a MIX 1:2 sub kernel "
     "has both vector cores of each of its blocks, whatever it is fused with. One public composer "
     "breaks this for a MIX 1:2 sub kernel beside a cube sub kernel at least twice as wide.",
     "", "FUSE-1; composition §1.4, §11", both_paths, ""},
    {RuleId::core_8, "CORE-8", guarantee, Chapter::core, "A mix wider than the chip is refused",
     "A mix that needs more cores than the chip has is refused.", "", "derived", both_paths, ""},
}};

constexpr std::array<Rule, 16> sync_rules = {{
    {RuleId::sync_1, "SYNC-1", guarantee, Chapter::sync,
     "feed-sync-all=1 lets a narrower SyncAll complete",
     "With feed-sync-all=1 a SyncAll in a sub kernel narrower than the launch completes: the "
     "remaining cores take part once for each SyncAll call.",
     "", "development page", only_ge, ""},
    {RuleId::sync_2, "SYNC-2", guarantee, Chapter::sync, "feed-sync-all changes no result",
     "A mix that completes without feed-sync-all has the same results with it.", "",
     "development page", only_ge, ""},
    {RuleId::sync_3, "SYNC-3", restriction, Chapter::sync,
     "Hand-made full-core sync needs the launch's core count",
     "Full-core synchronisation made by hand from CrossCoreSetFlag and CrossCoreWaitFlag needs a "
     "sub kernel with as many cores as the SuperKernel launches. feed-sync-all does not help it.",
     "stalls", "development page", both_paths, ""},
    {RuleId::sync_4, "SYNC-4", guarantee, Chapter::sync, "Modes 1 and 2 work at any width",
     "Cross-core flags of modes 1 and 2, which stay inside one AI Core, work in a MIX sub kernel "
     "of any width.",
     "", "machine §3", both_paths, ""},
    {RuleId::sync_5, "SYNC-5", restriction, Chapter::sync,
     "Every set has its wait and every wait its set",
     "On every core and in every branch each cross-core set is consumed by a wait and each wait is "
     "fed by a set. A raise that nobody consumes stays in the counter and releases a later wait "
     "too early; a wait without a raise never ends.",
     "data after it is undefined, or it stalls", "machine §3.6", both_paths, ""},
    {RuleId::sync_6, "SYNC-6", restriction, Chapter::sync, "A flag counter never exceeds 15",
     "The counter of a cross-core flag never holds more than 15 raises.", "error or stall (L-9)",
     "machine §3.4", both_paths, ""},
    {RuleId::sync_7, "SYNC-7", restriction, Chapter::sync,
     "User flag ids stay clear of the reserved ones",
     "Flag ids that an operator takes, counted modulo 16, stay clear of 11 to 14, which SyncAll, "
     "inter-operator sync and early start use, and, beside N Matmul objects, of 15 and of 0 to "
     "2N-1.",
     "stalls, or data is undefined", "machine §3.7", both_paths, ""},
    {RuleId::sync_8, "SYNC-8", restriction, Chapter::sync, "SyncAll<false> needs both core kinds",
     "SyncAll<false> needs a sub kernel that itself runs on both core kinds; feed-sync-all does "
     "not help otherwise. SyncAll<true> orders vector cores only, never a cube core.",
     "stalls, or cube work is not ordered", "machine §4.1", both_paths, ""},
    {RuleId::sync_9, "SYNC-9", restriction, Chapter::sync,
     "Soft SyncAll: kinds, workspace and core number",
     "The soft SyncAll is for vector kinds. It needs a zeroed workspace of 32 bytes a core that "
     "nobody else uses, and at most as many cores as are resident.",
     "released early, or stalls", "machine §4.4", both_paths, ""},
    {RuleId::sync_10, "SYNC-10", permission, Chapter::sync,
     "Consecutive sets of one core in any order",
     "Consecutive CrossCoreSetFlag calls of one core may take effect in any order; each follows "
     "the earlier work of its own pipe.",
     "", "machine §3.2", both_paths, ""},
    {RuleId::sync_11, "SYNC-11", restriction, Chapter::sync,
     "Two cores on the same GM bytes are ordered",
     "Where two cores of one sub kernel access the same GM bytes, one of them writing, a flag or "
     "barrier orders them that is set on the pipe carrying the data, or after that pipe is "
     "drained.",
     "data is undefined", "machine §3.2, §5.2", both_paths, ""},
    {RuleId::sync_12, "SYNC-12", restriction, Chapter::sync,
     "One mode and one pipe per core and flag id at a time",
     "At any time a core uses a flag id in one mode and from one pipe. It changes the mode only "
     "when all its sets and waits of that id are done; other cores may use another mode meanwhile.",
     "a wait is released by the wrong raise", "machine §3.5; semantics §2", both_paths, ""},
    {RuleId::sync_13, "SYNC-13", restriction, Chapter::sync,
     "Cross-core flags and hard SyncAll in MIX types only",
     "Cross-core flags and the hard SyncAll are used in MIX types only. SyncAll in AIV_ONLY counts "
     "as MIX_AIV_1_0 (L-13).",
     "error when run alone", "machine §3.6", both_paths, ""},
    {RuleId::sync_14, "SYNC-14", restriction, Chapter::sync,
     "The same SyncAll calls on all cores of a kind",
     "All cores of one kind make the same sequence of SyncAll calls.", "as CORE-5",
     "derived; machine §4.1", both_paths, ""},
    {RuleId::sync_15, "SYNC-15", restriction, Chapter::sync,
     "3510: one waiting pipe per core and flag id",
     "On NPU architecture 3510, where a wait blocks one pipe only, a single pipe of a core waits "
     "for a flag id.",
     "undefined", "derived", both_paths, ""},
    {RuleId::sync_16, "SYNC-16", restriction, Chapter::sync,
     "A polled word bypasses or refreshes the data cache",
     "A word that is polled is stored and read past the data cache (DMA, WriteGmByPassDCache, "
     "ReadGmByPassDCache) or refreshed before each read, and no core holds its line dirty.",
     "may stall, may pass early", "derived; machine §5.6", both_paths, ""},
}};

constexpr std::array<Rule, 4> ratio_rules = {{
    {RuleId::ratio_1, "RATIO-1", guarantee, Chapter::ratio,
     "MIX 1:1 may run at 1:2 with the same results",
     "A SuperKernel may run a KERNEL_TYPE_MIX_AIC_1_1 sub kernel at 1:2. One that keeps RATIO-2, "
     "RATIO-3 and RATIO-4 completes at both ratios with the same results.",
     "", "development page", both_paths, ""},
    {RuleId::ratio_2, "RATIO-2", restriction, Chapter::ratio,
     "No AIV is singled out for the AIC/AIV flags",
     "No vector core is singled out for the hardware flags between AIC and AIV (modes 1 and 2): "
     "all vector cores of the block call them.",
     "stalls", "development page", both_paths, ""},
    {RuleId::ratio_3, "RATIO-3", restriction, Chapter::ratio,
     "In MIX 1:1, Matmul is called from AIV0 only",
     "In a MIX 1:1 sub kernel only AIV0 calls the high-level Matmul interface.", "stalls",
     "development page", both_paths, ""},
    {RuleId::ratio_4, "RATIO-4", restriction, Chapter::ratio,
     "Work is split by the launch's indices",
     "Work is split by block and sub-block indices as the launch defines them, not by an assumed "
     "ratio: at 1:2 the vector cores of a MIX 1:1 sub kernel of n blocks see block indices up to "
     "2n-1.",
     "wrong data, or data written twice", "machine §8", both_paths, ""},
}};

constexpr std::array<Rule, 11> cache_rules = {{
    {RuleId::cache_1, "CACHE-1", guarantee, Chapter::cache,
     "GetValue and SetValue refresh the line they touch",
     "By default GetValue and SetValue of a GlobalTensor refresh the one cache line they touch, "
     "and nothing is inserted before or after the sub kernel. The page reads as if every access "
     "refreshed; the public headers refresh when the line changes and, for stores, at the latest "
     "when the tensor object dies (L-19, L-34). A refresh, inserted or called, has landed when "
     "inter-operator sync, or SetNextTaskStart after it, releases the next sub kernel; inside a "
     "sub kernel L-25 applies.",
     "", "development page; machine §5.6", only_ge, ""},
    {RuleId::cache_2, "CACHE-2", guarantee, Chapter::cache,
     "dcci-before-kernel-start refreshes before the call",
     "Before a sub kernel listed in dcci-before-kernel-start is called the whole data cache is "
     "refreshed, on the cores and at the place of semantics §4. Its own scalar accesses then need "
     "refresh nothing.",
     "", "development page; option table", only_ge, ""},
    {RuleId::cache_3, "CACHE-3", guarantee, Chapter::cache,
     "dcci-after-kernel-end refreshes after the call",
     "After a sub kernel listed in dcci-after-kernel-end was called the whole data cache is "
     "refreshed, and its own scalar accesses need refresh nothing. The development page spells the "
     "option dcci-after-kernel-start; a case file may use that alias, with a warning, and a target "
     "never sees it.",
     "", "development page; option table", only_ge, ""},
    {RuleId::cache_4, "CACHE-4", permission, Chapter::cache,
     "dcci-disable-on-kernel: nothing is inserted",
     "For a sub kernel listed in dcci-disable-on-kernel nothing is inserted inside, before or "
     "after it.",
     "", "development page; option table", only_ge, ""},
    {RuleId::cache_5, "CACHE-5", guarantee, Chapter::cache,
     "Tiling offload: whole-cache refresh on both sides",
     "With tiling offload (binary reuse) the whole data cache is refreshed before and after every "
     "sub kernel, nothing is inserted into GetValue and SetValue, and the three dcci lists have no "
     "effect.",
     "", "development page", only_ge, ""},
    {RuleId::cache_6, "CACHE-6", guarantee, Chapter::cache,
     "Stand-alone, the end of the operator refreshes",
     "In an operator launched alone the compiler refreshes the whole data cache at its end.", "",
     "development page", both_paths, ""},
    {RuleId::cache_7, "CACHE-7", restriction, Chapter::cache,
     "Shared scalar accesses to GM are covered by a refresh",
     "Every scalar access to GM that another core or a DMA also touches is covered by a refresh "
     "and, where one core hands over inside a sub kernel, by a DataSyncBarrier. This holds for "
     "writes through operator(), raw pointers and operators with the refresh disabled too; "
     "semantics §4 lists the shortest sequences.",
     "stale or lost data", "development page; semantics §3, §4", both_paths, ""},
    {RuleId::cache_8, "CACHE-8", restriction, Chapter::cache,
     "Nobody else writes a line that may be dirty",
     "While a core may hold a line dirty, from the first touch until the write-back has landed, "
     "nobody else writes any word of that line, by scalar store or by DMA.",
     "one of the stores is lost", "machine §5.2", both_paths, ""},
    {RuleId::cache_9, "CACHE-9", advice, Chapter::cache,
     "GetValue and SetValue cost a refresh each",
     "In a SuperKernel each GetValue and SetValue costs a refresh. The number of inserted "
     "refreshes is reported for each option set.",
     "slow", "development page", both_paths, ""},
    {RuleId::cache_10, "CACHE-10", advice, Chapter::cache,
     "Binary reuse saves compile time and changes no more",
     "--op_relocatable_kernel_binary makes a sub kernel one of binary reuse, to which CACHE-5 "
     "applies, and saves compile time. It changes no outcome beyond that.",
     "", "development page", both_paths, ""},
    {RuleId::cache_11, "CACHE-11", restriction, Chapter::cache,
     "No result is left dirty at the end",
     "A sub kernel leaves none of its results dirty in a data cache when it ends.",
     "seen late, or lost (950, L-37)", "development page; semantics §4", both_paths, "",
     "a verdict on what a 950 may lose (L-37)"},
}};

constexpr std::array<Rule, 7> pipe_rules = {{
    {RuleId::pipe_1, "PIPE-1", guarantee, Chapter::pipe,
     "Stand-alone, TPipe::Destroy ends with PIPE_ALL",
     "In an operator launched alone TPipe::Destroy ends with PipeBarrier<PIPE_ALL>. In a "
     "SuperKernel on A2 and A3 it may do without.",
     "", "development page", both_paths, ""},
    {RuleId::pipe_2, "PIPE-2", restriction, Chapter::pipe,
     "Several TPipes need a PIPE_ALL of their own between",
     "An operator with several TPipe objects, or one that calls Destroy itself, places its own "
     "PipeBarrier<PIPE_ALL> between them where their buffers overlap.",
     "data is overwritten", "development page", both_paths, ""},
    {RuleId::pipe_3, "PIPE-3", guarantee, Chapter::pipe,
     "Barriers and events order pipes, fused or not",
     "PipeBarrier, SetFlag and WaitFlag order the pipes of a core as machine §2.3 and §2.4 say, "
     "fused or not.",
     "", "machine §2", both_paths, ""},
    {RuleId::pipe_4, "PIPE-4", restriction, Chapter::pipe,
     "Sets and waits of an event alternate, set first",
     "Sets and waits of one event identity alternate in the core's issue order, the set first, "
     "across TPipe objects and sub kernels. Ids count modulo 8, and two ids fetched with "
     "FetchEventID are not in use at once.",
     "undefined (L-4); leaks into the next sub kernel", "machine §2.4; semantics §1", both_paths,
     ""},
    {RuleId::pipe_5, "PIPE-5", restriction, Chapter::pipe,
     "All work is ordered before the last MTE3 or FIX",
     "All pipe work of a sub kernel, the cube core's MTE3 (L1 to GM) included, is ordered before "
     "its last MTE3 (vector) or FIX (cube) instruction or before a PIPE_ALL: inter-operator sync "
     "drains only those two pipes, in every launch kind, unless a mix launch runs with "
     "early-start=0 (L-14).",
     "what is left over may overwrite local memory or read late",
     "machine §4.2, §6; semantics §2",
     both_paths, ""},
    {RuleId::pipe_6, "PIPE-6", restriction, Chapter::pipe,
     "Pipes of one core on the same bytes are ordered",
     "Where two pipes of a core, or two overlapping instructions of one pipe, access the same "
     "bytes, one of them writing, an event, a barrier or a queue orders them.",
     "data is undefined", "machine §2.2", both_paths, ""},
    {RuleId::pipe_7, "PIPE-7", restriction, Chapter::pipe,
     "Local memory is written first, registers are restored",
     "No word of local memory is read before the sub kernel wrote it, and register state (mask, "
     "atomic mode) is restored at its end.",
     "undefined", "derived", both_paths, ""},
}};

constexpr std::array<Rule, 7> task_rules = {{
    {RuleId::task_1, "TASK-1", guarantee, Chapter::task,
     "Sub kernels run in sequence without interfering",
     "Sub kernels are called in sequence, and inter-operator sync keeps them from interfering: "
     "what sub kernel k stored by DMA, and by scalar access as semantics §4 says, is seen by k+1, "
     "and nothing that k used is disturbed by k+1.",
     "", "development page", both_paths, ""},
    {RuleId::task_2, "TASK-2", guarantee, Chapter::task,
     "SetNextTaskStart: what came before it is complete",
     "What came before SetNextTaskStart on the named pipe is complete for later sub kernels; what "
     "follows it may run in parallel with them. The parallelism is a permission: a platform that "
     "never overlaps conforms.",
     "", "development page", both_paths, ""},
    {RuleId::task_3, "TASK-3", guarantee, Chapter::task,
     "What follows WaitPreTaskEnd starts late enough",
     "Instructions after WaitPreTaskEnd start only when every earlier sub kernel has ended or has "
     "called SetNextTaskStart on all its cores. Those before it may run in parallel with earlier "
     "sub kernels.",
     "", "development page", both_paths, ""},
    {RuleId::task_4, "TASK-4", restriction, Chapter::task, "Both calls exactly once on every core",
     "SetNextTaskStart and WaitPreTaskEnd are each called exactly once on every core, in every "
     "tiling key or in none.",
     "stalls, or the next pair is released early", "machine §7.4", both_paths, ""},
    {RuleId::task_5, "TASK-5", restriction, Chapter::task,
     "Heads and tails touch nothing of their neighbours",
     "What follows SetNextTaskStart or precedes WaitPreTaskEnd touches no data of the sub kernels "
     "it may run beside (semantics §2 says how far that reaches), nor local memory that their "
     "pipes may still use, unless a PIPE_ALL separates the two.",
     "data race", "machine §7.4", both_paths, ""},
    {RuleId::task_6, "TASK-6", advice, Chapter::task, "Both calls shorten the critical path",
     "SetNextTaskStart and WaitPreTaskEnd shorten the critical path. The time each saves is "
     "reported from the model's cost table.",
     "", "development page", both_paths, ""},
    {RuleId::task_7, "TASK-7", restriction, Chapter::task, "No full-core sync in a head or tail",
     "No full-core synchronisation stands between SetNextTaskStart and the end of the sub kernel, "
     "or between its start and WaitPreTaskEnd.",
     "released early, and nothing stalls", "derived; semantics §1", both_paths, ""},
}};

constexpr std::array<Rule, 5> fuse_rules = {{
    {RuleId::fuse_1, "FUSE-1", guarantee, Chapter::fuse,
     "Fusion changes no memory of portable sub kernels",
     "A mix of portable sub kernels (semantics §5) leaves the same memory fused as when each is "
     "launched alone, in an order that keeps stream order and events.",
     "", "development page", both_paths, ""},
    {RuleId::fuse_2, "FUSE-2", guarantee, Chapter::fuse,
     "Transparency under every option set and scope cut",
     "FUSE-1 holds for every option set that the rules allow (feed-sync-all, early start, "
     "stream-fusion, split mode, debug-sync-all, debug-dcci-all, code preload), and wherever the "
     "scope marks cut the list: nested marks, an unmarked operator between.",
     "", "composition §7; option table", both_paths, ""},
    {RuleId::fuse_3, "FUSE-3", guarantee, Chapter::fuse,
     "An option string is accepted or refused as documented",
     "An option string is accepted or refused as composition §7 says, and a refused one launches "
     "nothing.",
     "", "option table", only_ge, ""},
    {RuleId::fuse_4, "FUSE-4", guarantee, Chapter::fuse,
     "A refused, failed or ended launch leaves no trace",
     "A launch that was refused or failed, and a stall that was ended, leave the next launch "
     "unaffected: no flag, cache line or workspace value carries over, or the target says that it "
     "is lost.",
     "", "machine §3.6", both_paths, ""},
    {RuleId::fuse_5, "FUSE-5", guarantee, Chapter::fuse,
     "Stream fusion keeps the order of the events",
     "Stream fusion keeps the order that the events between the two streams ask for.", "",
     "composition §3", both_paths, ""},
}};

/// What the composer of captured graphs promises beside the other chapters (RulePath::both).
constexpr std::array<Rule, 9> acl_rules = {{
    {RuleId::acl_1, "ACL-1", guarantee, Chapter::acl,
     "A launch of one core kind is a plain one",
     "The launch has the type and blocks of CORE-1. Vector sub kernels alone are launched as "
     "AIV_ONLY, cube sub kernels alone as AIC_ONLY: no core of the other kind takes part.",
     "", "composition §1.4", RulePath::aclgraph, ""},
    {RuleId::acl_2, "ACL-2", guarantee, Chapter::acl,
     "GetBlockNum of a directly launched kernel is the launch's",
     "GetBlockNum inside a directly launched sub kernel returns the blocks of the launch. "
     "skNumBlocks returns how many cores of the reading core's kind run the sub kernel: n on AIC; "
     "on AIV n for an AIV sub kernel and a MIX 1:1 one in a 1:1 launch, 2n for MIX 1:2 and for a "
     "MIX 1:1 sub kernel in a 1:2 launch.",
     "", "composition §2.3", RulePath::aclgraph, ""},
    {RuleId::acl_3, "ACL-3", guarantee, Chapter::acl,
     "Stream order, dependencies and nothing else",
     "A sub kernel starts after the one before it in its stream and after those whose events it "
     "waits for have ended on all their cores (TASK-1, FUSE-5); their MTE3 (vector) and FIX (cube) "
     "work is done. Sub kernels of several streams are fused whatever stream_fusion says, which "
     "is 1 by default.",
     "", "composition §3.8", RulePath::aclgraph, ""},
    {RuleId::acl_4, "ACL-4", guarantee, Chapter::acl,
     "Early start asks for the option and the capability",
     "With early_start=1, which is not the default, SetNextTaskStart takes part in a sub kernel "
     "whose SK_BIND tells bit 2, WaitPreTaskEnd in one that tells bit 1, as TASK-1 to TASK-3 "
     "say. Without option or bit the call does nothing.",
     "", "composition §3.8, §5.6", RulePath::aclgraph, ""},
    {RuleId::acl_5, "ACL-5", guarantee, Chapter::acl,
     "A refresh follows each sub kernel that does not do without",
     "On its own cores a sub kernel is preceded by a refresh of the whole data cache when "
     "dcci_before_kernel_start names it, and followed by one when dcci_after_kernel_end names it "
     "or nothing disables it. What disables it is bit 4 of its SK_BIND, or "
     "dcci_disable_on_kernel; but with that list alone, named in neither other list and without "
     "the bit, the refresh behind it stays. GetValue and SetValue refresh nothing by themselves. "
     "The lists hold patterns of kernel names.",
     "", "composition §5.5", RulePath::aclgraph, ""},
    {RuleId::acl_6, "ACL-6", guarantee, Chapter::acl,
     "No option makes a launch fail",
     "An option with a value outside its range keeps its default, of an option that is given "
     "twice the first one stands, an unknown one is passed over, each with a warning. No launch "
     "is refused for an option.",
     "", "composition §7.4", RulePath::aclgraph, ""},
    {RuleId::acl_7, "ACL-7", guarantee, Chapter::acl,
     "A sub kernel in batch mode is cut off from other widths",
     "A sub kernel in batch mode counts with the cores of both kinds: twice its cube cores where "
     "it has no vector core, half its vector cores rounded up where it has no cube core. With the "
     "largest counts so far of what is merged, a new SuperKernel begins before a sub kernel in "
     "batch mode that has fewer cores of a kind (kinds that it has none of left aside), and, once "
     "one in batch mode is merged, before any sub kernel that has more of a kind. Bit 8 of SK_BIND "
     "takes the batch mode away.",
     "", "composition §8.2", RulePath::aclgraph, ""},
    {RuleId::acl_8, "ACL-8", guarantee, Chapter::acl,
     "Scopes are sets of names",
     "The scope marks in force around a sub kernel form a set of names; neighbours with the same "
     "set are fused, others are not. An unnamed range makes what it holds unfusible. Where "
     "no sub kernel of a list has a named mark, all of them that are fusible form one scope.",
     "", "composition §8.2", RulePath::aclgraph, ""},
    {RuleId::acl_9, "ACL-9", guarantee, Chapter::acl,
     "debug_per_op_max_core_num launches each by itself",
     "With debug_per_op_max_core_num=1 each sub kernel is a SuperKernel of its own, launched as "
     "MIX 1:2: one in batch mode with as many blocks as it has cube cores, or half its vector "
     "cores rounded up; any other on the whole chip. CORE-2 holds.",
     "", "composition §1.4", RulePath::aclgraph, ""},
}};

template <std::size_t... counts>
constexpr std::array<Rule, (counts + ...)> join(const std::array<Rule, counts>&... chapters) {
  std::array<Rule, (counts + ...)> all{};
  std::size_t next = 0;
  const auto append = [&](const auto& chapter) {
    for (const Rule& rule : chapter) all[next++] = rule;
  };
  (append(chapters), ...);
  return all;
}

constexpr std::array<Rule, rule_count> all_rules =
    join(core_rules, sync_rules, ratio_rules, cache_rules, pipe_rules, task_rules, fuse_rules,
         acl_rules);

constexpr bool indexed_by_id() {
  for (std::size_t i = 0; i < all_rules.size(); ++i) {
    if (static_cast<std::size_t>(all_rules[i].id) != i) return false;
  }
  return true;
}
static_assert(indexed_by_id());

}  // namespace

std::span<const Rule> rules() {
  return all_rules;
}

const Rule& rule(RuleId id) {
  const auto index = static_cast<std::size_t>(id);
  SKCTS_CHECK(index < all_rules.size(), "there is no rule {}", index);
  return all_rules[index];
}

std::optional<RuleId> find_rule(std::string_view name) {
  for (const Rule& entry : all_rules) {
    if (entry.name == name) return entry.id;
  }
  return std::nullopt;
}

std::string_view to_string(RuleId id) {
  return rule(id).name;
}

std::string_view to_string(RuleKind kind) {
  switch (kind) {
    case RuleKind::guarantee: return "guarantee";
    case RuleKind::restriction: return "restriction";
    case RuleKind::advice: return "advice";
    case RuleKind::permission: return "permission";
  }
  SKCTS_CHECK(false, "rule kind {}", static_cast<int>(kind));
}

std::string_view to_string(RulePath path) {
  switch (path) {
    case RulePath::both: return "both";
    case RulePath::ge: return "ge";
    case RulePath::aclgraph: return "aclgraph";
  }
  SKCTS_CHECK(false, "rule path {}", static_cast<int>(path));
}

std::string_view to_string(Chapter chapter) {
  switch (chapter) {
    case Chapter::core: return "CORE";
    case Chapter::sync: return "SYNC";
    case Chapter::ratio: return "RATIO";
    case Chapter::cache: return "CACHE";
    case Chapter::pipe: return "PIPE";
    case Chapter::task: return "TASK";
    case Chapter::fuse: return "FUSE";
    case Chapter::acl: return "ACL";
  }
  SKCTS_CHECK(false, "chapter {}", static_cast<int>(chapter));
}

char kind_letter(RuleKind kind) {
  switch (kind) {
    case RuleKind::guarantee: return 'G';
    case RuleKind::restriction: return 'R';
    case RuleKind::advice: return 'A';
    case RuleKind::permission: return 'P';
  }
  SKCTS_CHECK(false, "rule kind {}", static_cast<int>(kind));
}

}  // namespace skcts
