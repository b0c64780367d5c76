// The option string: domains at both sides of every limit, refusals, and the public facts.
#include "spec/options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace skcts {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// The options of a string that must be accepted without a warning.
Options accepted(std::string_view text) {
  const OptionParse parse = parse_options(text);
  EXPECT_FALSE(parse.refusal.has_value())
      << text << ": " << (parse.refusal ? to_string(*parse.refusal) : "");
  EXPECT_THAT(parse.warnings, IsEmpty()) << text;
  return parse.options.value_or(Options{.split_mode = -1});
}

/// The refusal of a string that must be refused, printed; "accepted" otherwise.
std::string refused(std::string_view text) {
  const OptionParse parse = parse_options(text);
  EXPECT_NE(parse.options.has_value(), parse.refusal.has_value()) << text;
  return parse.refusal ? to_string(*parse.refusal) : "accepted";
}

TEST(Options, HaveTheDocumentedDefaults) {
  const Options options;
  EXPECT_EQ(options.func_align, 512);
  EXPECT_EQ(options.preload_code, PreloadCode::per_func);
  EXPECT_EQ(options.early_start, 1);
  EXPECT_FALSE(options.stream_fusion);
  EXPECT_FALSE(options.debug_dcci_all);
  EXPECT_FALSE(options.debug_sync_all);
  EXPECT_FALSE(options.feed_sync_all);
  EXPECT_FALSE(options.profiling);
  EXPECT_THAT(options.compile_options, IsEmpty());
  EXPECT_EQ(options.strict_scope_check, "");
  EXPECT_THAT(options.dcci_before_kernel_start, IsEmpty());
  EXPECT_THAT(options.dcci_after_kernel_end, IsEmpty());
  EXPECT_THAT(options.dcci_disable_on_kernel, IsEmpty());
  EXPECT_EQ(options.split_mode, 4);
  EXPECT_EQ(options.debug_aic_num, 0);
  EXPECT_EQ(options.debug_aiv_num, 0);
}

// SKB-21: a string with nothing in it, or none at all, means the defaults.
TEST(OptionString, WithNothingInItMeansTheDefaults) {
  EXPECT_EQ(accepted(std::string_view()), Options{});
  for (const char* text : {"", " ", "\t \n", "\"\"", "\" \"", " \"\" ", ":", " : : ", "\":\""}) {
    EXPECT_EQ(accepted(text), Options{}) << text;
  }
}

TEST(OptionString, ReadsEveryOption) {
  const Options options = accepted(
      "func-align=64:preload-code=max:early-start=2:stream-fusion=1:debug-dcci-all=1:"
      "debug-sync-all=1:feed-sync-all=1:profiling=1:compile-options=-g,-O3:"
      "strict-scope-check=abort:dcci-before-kernel-start=Add:dcci-after-kernel-end=Mul,Sub:"
      "dcci-disable-on-kernel=Div:split-mode=7:debug-aic-num=3:debug-aiv-num=6");
  const Options expected = {.func_align = 64,
                            .preload_code = PreloadCode::max,
                            .early_start = 2,
                            .stream_fusion = true,
                            .debug_dcci_all = true,
                            .debug_sync_all = true,
                            .feed_sync_all = true,
                            .profiling = true,
                            .compile_options = {"-g", "-O3"},
                            .strict_scope_check = "abort",
                            .dcci_before_kernel_start = {"Add"},
                            .dcci_after_kernel_end = {"Mul", "Sub"},
                            .dcci_disable_on_kernel = {"Div"},
                            .split_mode = 7,
                            .debug_aic_num = 3,
                            .debug_aiv_num = 6};
  EXPECT_EQ(options, expected);
}

TEST(OptionString, TrimsBlanksAndOuterQuotes) {
  const Options expected{.early_start = 0, .split_mode = 2};
  for (const char* text : {"early-start=0:split-mode=2", "\"early-start=0:split-mode=2\"",
                           "  early-start = 0 :\tsplit-mode\t=\n2 ",
                           " \" early-start=0 : split-mode=2 \" ", "early-start=0::split-mode=2:",
                           "\"\"early-start=0:split-mode=2\"\"", "\"early-start=0:split-mode=2"}) {
    EXPECT_EQ(accepted(text), expected) << text;
  }
}

TEST(OptionString, KeepsQuotesThatAreNotOuter) {
  EXPECT_THAT(refused("early-start=\"0\":split-mode=2"), HasSubstr("option value is '\"0\"'"));
}

TEST(OptionString, IgnoresAnItemWithoutEqualsAndWarns) {
  const OptionParse parse = parse_options("early-start: nonsense :split-mode=2");
  ASSERT_TRUE(parse.options.has_value());
  EXPECT_EQ(*parse.options, Options{.split_mode = 2});
  EXPECT_THAT(parse.warnings, ElementsAre("option item 'early-start' was ignored: it is not of "
                                          "the form name=value",
                                          "option item 'nonsense' was ignored: it is not of "
                                          "the form name=value"));
}

TEST(OptionString, KeepsTheWarningsOfARefusedString) {
  const OptionParse parse = parse_options("nonsense:foo=1");
  EXPECT_TRUE(parse.refusal.has_value());
  EXPECT_EQ(parse.warnings.size(), 1U);
}

TEST(OptionString, SplitsAnItemAtItsFirstEquals) {
  EXPECT_THAT(accepted("compile-options=-DX=1").compile_options, ElementsAre("-DX=1"));
  EXPECT_THAT(refused("early-start==1"), HasSubstr("option value is '=1'"));
}

// ---- domains, both sides of each limit -----------------------------------------------------

TEST(OptionString, FuncAlignIsZeroOrAPowerOfTwo) {
  for (const std::int64_t good : {std::int64_t{0}, std::int64_t{2}, std::int64_t{4},
                                  std::int64_t{512}, std::int64_t{1} << 62}) {
    EXPECT_EQ(accepted(fmt::format("func-align={}", good)).func_align, good);
  }
  EXPECT_EQ(accepted("func-align=0064").func_align, 64);
  for (const char* bad : {"1", "3", "6", "511", "513", "-2", "+2", "2.0", "0x10", "two", "2 2",
                          "9223372036854775807", "9223372036854775808"}) {
    EXPECT_EQ(refused(fmt::format("func-align={}", bad)),
              fmt::format("func-align: option value is '{}'; expected 0 or a power of two from "
                          "2 to 2^62",
                          bad));
  }
}

TEST(OptionString, PreloadCodeIsOneOfThreeWords) {
  EXPECT_EQ(accepted("preload-code=max").preload_code, PreloadCode::max);
  EXPECT_EQ(accepted("preload-code=per-func").preload_code, PreloadCode::per_func);
  EXPECT_EQ(accepted("preload-code=none").preload_code, PreloadCode::none);
  EXPECT_EQ(refused("preload-code=per_func"),
            "preload-code: option value is 'per_func'; expected max, per-func or none (did you "
            "mean 'per-func'?)");
  EXPECT_NE(refused("preload-code=Max"), "accepted");
  EXPECT_NE(refused("preload-code=0"), "accepted");
}

TEST(OptionString, EarlyStartIsZeroOneOrTwo) {
  for (const int good : {0, 1, 2}) {
    EXPECT_EQ(accepted(fmt::format("early-start={}", good)).early_start, good);
  }
  for (const char* bad : {"-1", "3", "01", "1.0", "on"}) {
    EXPECT_EQ(refused(fmt::format("early-start={}", bad)),
              fmt::format("early-start: option value is '{}'; expected 0, 1 or 2", bad));
  }
}

TEST(OptionString, SwitchesAreZeroOrOne) {
  const std::pair<const char*, bool Options::*> switches[] = {
      {"stream-fusion", &Options::stream_fusion},   {"debug-dcci-all", &Options::debug_dcci_all},
      {"debug-sync-all", &Options::debug_sync_all}, {"feed-sync-all", &Options::feed_sync_all},
      {"profiling", &Options::profiling},
  };
  for (const auto& [key, member] : switches) {
    EXPECT_FALSE(accepted(fmt::format("{}=0", key)).*member) << key;
    EXPECT_TRUE(accepted(fmt::format("{}=1", key)).*member) << key;
    Options only_this;
    only_this.*member = true;
    EXPECT_EQ(accepted(fmt::format("{}=1", key)), only_this) << key;
    for (const char* bad : {"2", "-1", "00", "true", "yes", "on"}) {
      EXPECT_EQ(refused(fmt::format("{}={}", key, bad)),
                fmt::format("{}: option value is '{}'; expected 0 or 1", key, bad));
    }
  }
}

TEST(OptionString, SplitModeIsOneToSixtyFour) {
  for (const int good : {1, 2, 4, 63, 64}) {
    EXPECT_EQ(accepted(fmt::format("split-mode={}", good)).split_mode, good);
  }
  EXPECT_EQ(accepted("split-mode=04").split_mode, 4);
  for (const char* bad : {"0", "65", "-1", "+4", "4.0", "four", "99999999999999999999"}) {
    EXPECT_EQ(refused(fmt::format("split-mode={}", bad)),
              fmt::format("split-mode: option value is '{}'; expected 1..64", bad));
  }
}

TEST(OptionString, CoreCountsAreDigits) {
  for (const int good : {0, 1, 20, 1000}) {
    EXPECT_EQ(accepted(fmt::format("debug-aic-num={}", good)).debug_aic_num, good);
    EXPECT_EQ(accepted(fmt::format("debug-aiv-num={}", good)).debug_aiv_num, good);
  }
  for (const char* key : {"debug-aic-num", "debug-aiv-num"}) {
    for (const char* bad : {"-1", "+1", "x", "1x", "1.5", "2147483648"}) {
      EXPECT_EQ(refused(fmt::format("{}={}", key, bad)),
                fmt::format("{}: option value is '{}'; expected a number of cores from 0 up, "
                            "in digits",
                            key, bad));
    }
    EXPECT_NE(accepted(fmt::format("{}=2147483647", key)), Options{});
  }
}

TEST(OptionString, ListsAreSeparatedByCommas) {
  const std::pair<const char*, std::vector<std::string> Options::*> lists[] = {
      {"compile-options", &Options::compile_options},
      {"dcci-before-kernel-start", &Options::dcci_before_kernel_start},
      {"dcci-after-kernel-end", &Options::dcci_after_kernel_end},
      {"dcci-disable-on-kernel", &Options::dcci_disable_on_kernel},
  };
  for (const auto& [key, member] : lists) {
    EXPECT_THAT(accepted(fmt::format("{}=A", key)).*member, ElementsAre("A")) << key;
    EXPECT_THAT(accepted(fmt::format("{}= A , b,C d ", key)).*member, ElementsAre("A", "b", "C d"))
        << key;
    EXPECT_THAT(accepted(fmt::format("{}=,", key)).*member, IsEmpty()) << key;
  }
}

TEST(OptionString, StrictScopeCheckTakesAnyText) {
  for (const char* value : {"bypass", "abort", "foo"}) {
    EXPECT_EQ(accepted(fmt::format("strict-scope-check={}", value)).strict_scope_check, value);
  }
}

// ---- refusals ------------------------------------------------------------------------------

TEST(OptionString, RefusesAMissingNameOrValue) {
  EXPECT_EQ(refused("=1"), "=1: the option has no name; expected name=value");
  EXPECT_EQ(refused("="), "=: the option has no name; expected name=value");
  const std::string no_value =
      ": the option has no value; expected name=value (leave the option out to take its "
      "default)";
  for (const std::string_view key : known_options()) {
    EXPECT_EQ(refused(fmt::format("{}=", key)), std::string(key) + no_value);
    EXPECT_EQ(refused(fmt::format("{} =  ", key)), std::string(key) + no_value);
  }
}

TEST(OptionString, RefusesAnOptionGivenTwice) {
  EXPECT_EQ(refused("split-mode=2:early-start=1:split-mode=2"),
            "split-mode: the option is given twice; expected it once");
  EXPECT_EQ(refused("dcci-before-kernel-start=A:dcci-before-kernel-start=B"),
            "dcci-before-kernel-start: the option is given twice; expected it once");
  // The second one's value is not looked at, and an item without '=' gives no option.
  EXPECT_THAT(refused("split-mode=2:split-mode=0"), HasSubstr("given twice"));
  EXPECT_EQ(parse_options("split-mode:split-mode=2").options, (Options{.split_mode = 2}));
}

TEST(OptionString, RefusesAnUnknownNameAndOffersTheNearest) {
  EXPECT_EQ(refused("early-strat=1"),
            fmt::format("early-strat: unknown option; expected one of {} (did you mean "
                        "'early-start'?)",
                        join_names(known_options())));
  EXPECT_EQ(refused("foo=1"),
            fmt::format("foo: unknown option; expected one of {}", join_names(known_options())));
  EXPECT_THAT(refused("Early-Start=1"), HasSubstr("did you mean 'early-start'?"));
}

TEST(OptionString, RefusesUnderscores) {
  EXPECT_THAT(refused("early_start=1"),
              HasSubstr("(option names are written with hyphens: 'early-start')"));
  for (std::string key : {"feed_sync_all", "split_mode", "func_align", "debug_aic_num"}) {
    EXPECT_THAT(refused(key + "=1"), HasSubstr("written with hyphens")) << key;
  }
}

TEST(OptionString, RefusesNamesThatComposersReadButNeverAccept) {
  for (const char* key : {"link-mode", "preload-data"}) {
    EXPECT_EQ(refused(fmt::format("{}=1", key)),
              fmt::format("{}: is not supported: no composer accepts it in an option string", key));
    EXPECT_FALSE(is_known_option(key));
  }
}

TEST(OptionString, NeverTakesTheAliasOfCaseFiles) {
  EXPECT_THAT(refused("dcci-after-kernel-start=Add"),
              HasSubstr("(the option is 'dcci-after-kernel-end'; only case files may use the "
                        "alias (CACHE-3))"));
  EXPECT_FALSE(is_known_option("dcci-after-kernel-start"));
}

TEST(OptionString, GivesTheFirstRefusal) {
  const OptionParse parse = parse_options("foo=1:split-mode=0");
  ASSERT_TRUE(parse.refusal.has_value());
  EXPECT_EQ(parse.refusal->field, "foo");
  EXPECT_FALSE(parse.options.has_value());
}

// ---- the alias, items, names ---------------------------------------------------------------

TEST(OptionAliases, ReplaceTheKeyAndWarn) {
  const AliasedOptions resolved =
      resolve_option_aliases("\" early-start=0 : dcci-after-kernel-start = Add,Mul :x\"");
  EXPECT_EQ(resolved.text, "\" early-start=0 : dcci-after-kernel-end = Add,Mul :x\"");
  EXPECT_THAT(resolved.warnings,
              ElementsAre("option 'dcci-after-kernel-start' is read as 'dcci-after-kernel-end' "
                          "(CACHE-3)"));
  EXPECT_THAT(parse_options(resolved.text).options->dcci_after_kernel_end,
              ElementsAre("Add", "Mul"));
}

TEST(OptionAliases, LeaveEverythingElseAsItIs) {
  for (const char* text : {"", " ", "early-start=1", "dcci-after-kernel-end=A",
                           "dcci-after-kernel-start", "compile-options=dcci-after-kernel-start",
                           "dcci-before-kernel-start=dcci-after-kernel-start"}) {
    EXPECT_EQ(resolve_option_aliases(text), (AliasedOptions{.text = text, .warnings = {}}));
  }
}

TEST(OptionAliases, CountAsTheOptionTheyStandFor) {
  const AliasedOptions resolved =
      resolve_option_aliases("dcci-after-kernel-start=A:dcci-after-kernel-end=B");
  EXPECT_THAT(refused(resolved.text), HasSubstr("given twice"));
  EXPECT_EQ(resolve_option_aliases("dcci-after-kernel-start=A:dcci-after-kernel-start=B").text,
            "dcci-after-kernel-end=A:dcci-after-kernel-end=B");
}

TEST(OptionItems, AreSplitAndTrimmed) {
  EXPECT_THAT(split_option_items(" \"a = b=c :: d : =e:f= \" "),
              ElementsAre(OptionItem{"a = b=c", "a", "b=c", true}, OptionItem{"d", "d", "", false},
                          OptionItem{"=e", "", "e", true}, OptionItem{"f=", "f", "", true}));
  EXPECT_THAT(split_option_items(""), IsEmpty());
  EXPECT_THAT(split_option_items(std::string_view()), IsEmpty());
}

TEST(OptionNames, AreAllKnown) {
  EXPECT_EQ(known_options().size(), 16U);
  for (const std::string_view key : known_options()) EXPECT_TRUE(is_known_option(key)) << key;
  for (const char* key : {"", "foo", "early_start", "Early-start", "early-start "}) {
    EXPECT_FALSE(is_known_option(key)) << key;
  }
}

TEST(OptionPrinting, LeavesOutDefaults) {
  EXPECT_EQ(to_option_string(Options{}), "");
  EXPECT_EQ(to_option_string(accepted("split-mode=4:early-start=1:func-align=512")), "");
  EXPECT_EQ(to_option_string(accepted("split-mode=2:early-start=0:feed-sync-all=1")),
            "early-start=0:feed-sync-all=1:split-mode=2");
}

TEST(OptionPrinting, ReadsBackEqual) {
  const std::string all =
      "func-align=0:preload-code=none:early-start=2:stream-fusion=1:debug-dcci-all=1:"
      "debug-sync-all=1:feed-sync-all=1:profiling=1:compile-options=-g,-DX=1:"
      "strict-scope-check=bypass:dcci-before-kernel-start=A,B:dcci-after-kernel-end=C:"
      "dcci-disable-on-kernel=D,E,F:split-mode=64:debug-aic-num=1:debug-aiv-num=2";
  EXPECT_EQ(to_option_string(accepted(all)), all);
  EXPECT_EQ(fmt::format("{}", accepted(all)), all);
  for (const OptionItem& item : split_option_items(all)) {
    EXPECT_EQ(to_option_string(accepted(item.text)), item.text);
  }
}

// ---- what public composers and reports show ------------------------------------------------

/// One observed reading of an option string.
struct Fact {
  std::string_view text;
  bool is_accepted;
  std::string_view canonical;  ///< of the options read; where accepted
  std::size_t warning_count = 0;
};

/// Observed on the public graph compiler's option reader. One further fact is not a reading of
/// the string: that reader can be told to turn underscores into hyphens first ("early_start=1"
/// then reads as early-start 1), which the ge path does not do. Two more belong to the other
/// path, where a value outside its range is never refused.
constexpr Fact facts[] = {
    {"\"early-start=1\"", true, ""},
    {"early-start=3", false, ""},
    {"early-start=", false, ""},
    {"=1", false, ""},
    {"early-start", true, "", 1},
    {"func-align=3", false, ""},
    {"func-align=1", false, ""},
    {"func-align=0", true, "func-align=0"},
    {"func-align=-2", false, ""},
    {"split-mode=0", false, ""},
    {"split-mode=64", true, "split-mode=64"},
    {"split-mode=2", true, "split-mode=2"},
    {"preload-code=all", false, ""},
    {"stream-fusion=2", false, ""},
    {"debug-aic-num=-1", false, ""},
    {"debug-aic-num=x", false, ""},
    {"link-mode=1", false, ""},
    {"preload-data=0", false, ""},
    {"early-start=1:early-start=1", false, ""},
    {"strict-scope-check=foo", true, "strict-scope-check=foo"},
    {"dcci-before-kernel-start= ", false, ""},
    {"feed-sync-all=yes", false, ""},
    {"early_start=1", false, ""},
    {"foo=1", false, ""},
    {"profiling=2", false, ""},
    {"debug-sync-all=2", false, ""},
    {"debug-dcci-all=on", false, ""},
    // Lists. An empty list is the absence of the option; given without a value it is refused.
    {"", true, ""},
    {"dcci-before-kernel-start=Add, , MatMul,", true, "dcci-before-kernel-start=Add,MatMul"},
    // SKB-21: readers that failed on an absent value or took a count of 0 for no count at all.
    {"debug-aiv-num=2:debug-aic-num=0", true, "debug-aiv-num=2"},
    {"debug-aic-num=", false, ""},
    {"debug-aiv-num=-2", false, ""},
    {"debug-aiv-num=two", false, ""},
};

TEST(OptionFacts, AreReadAsObserved) {
  for (const Fact& fact : facts) {
    const OptionParse parse = parse_options(fact.text);
    ASSERT_EQ(parse.options.has_value(), fact.is_accepted) << fact.text;
    EXPECT_EQ(parse.warnings.size(), fact.warning_count) << fact.text;
    if (parse.options) {
      EXPECT_EQ(to_option_string(*parse.options), fact.canonical) << fact.text;
    }
  }
}

/// Pairs of core counts (AIC, AIV) that were observed with some mix, accepted or not. Whether a
/// pair suits a mix and a machine is CORE-6; as a string each of them is read. The option table
/// calls the counts positive, its own examples give 0, and composers take 0 as "not given".
constexpr std::pair<int, int> core_counts[] = {
    {0, 0},   {10, 0},   {14, 28}, {0, 48},  {10, 1}, {1, 10},  {10, 40}, {10, 24}, {10, 10},
    {24, 48}, {10, 100}, {15, 0},  {0, 20},  {0, 40}, {20, 40}, {0, 5},   {10, 20}, {20, 20},
    {20, 38}, {10, 11},  {5, 10},  {25, 50}, {20, 0}, {24, 0},  {19, 0},  {24, 24}, {24, 47},
};

TEST(OptionFacts, CoreCountsAreReadWhateverTheirRatio) {
  for (const auto& [aic_count, aiv_count] : core_counts) {
    const Options options =
        accepted(fmt::format("debug-aic-num={}:debug-aiv-num={}", aic_count, aiv_count));
    EXPECT_EQ(options, (Options{.debug_aic_num = aic_count, .debug_aiv_num = aiv_count}));
  }
}

}  // namespace
}  // namespace skcts
