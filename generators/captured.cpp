#include "generators/captured.h"

#include <algorithm>

#include "spec/aclgraph_options.h"

namespace skcts::generators {

Around captured_refreshes(std::string_view name, std::int32_t sk_bind, const Options& options) {
  const auto names = [name](const std::vector<std::string>& list) {
    return std::any_of(list.begin(), list.end(), [name](const std::string& pattern) {
      return matches_kernel_pattern(pattern, name);
    });
  };
  const bool before = names(options.dcci_before_kernel_start);
  const bool after = names(options.dcci_after_kernel_end);
  const bool listed = names(options.dcci_disable_on_kernel);
  const bool told = (sk_bind & sk_bind::disable_dcci) != 0;
  const bool by_list_alone = listed && !told && !before && !after;
  return {before, after || by_list_alone || !(listed || told)};
}

bool captured_call_works(Op call, std::int32_t sk_bind, const Options& options) {
  const std::int32_t bit =
      call == Op::set_next_task_start ? sk_bind::early_start_set : sk_bind::early_start_wait;
  return options.early_start == 1 && (sk_bind & bit) != 0 && !options.debug_sync_all &&
         !options.per_op_max_core_num;
}

}  // namespace skcts::generators
