// How each operator defect is made: which legal mix it needs, and the one edit.
#pragma once

#include <vector>

#include "generators/defects.h"
#include "generators/generate.h"
#include "generators/random.h"
#include "generators/site.h"

namespace skcts::generators {

/// What an edit may look at.
struct EditPlace {
  const std::vector<Site>& sites;
  const Profile& profile;
  Choice& choice;
};

/// Makes the edit in the case. False: this mix has no place where it would break the rule; the
/// case is then undefined.
using EditFunction = bool (*)(Case& c, const EditPlace& place);

/// NPU architectures on which an edit breaks its rule.
enum class Machines : std::uint8_t { all, only_2201, only_3510 };

struct DefectRow {
  OperatorDefect defect;
  Focus focus;  ///< Of the legal mix.
  EditFunction edit;
  Machines machines = Machines::all;
};

/// One row a defect.
std::span<const DefectRow> defect_rows();

// The edits, by chapter.
namespace edits {
bool drop_feed(Case& c, const EditPlace& p);
bool raise_launch(Case& c, const EditPlace& p);
bool narrow_hand_made(Case& c, const EditPlace& p);
bool narrow_sync_all(Case& c, const EditPlace& p);
bool count_wider_than_sync(Case& c, const EditPlace& p);
bool drop_raise(Case& c, const EditPlace& p);
bool skip_raise(Case& c, const EditPlace& p);
bool double_raise(Case& c, const EditPlace& p);
bool drop_flag_wait(Case& c, const EditPlace& p);
bool double_flag_wait(Case& c, const EditPlace& p);
bool wrong_raise_id(Case& c, const EditPlace& p);
bool raise_before_store(Case& c, const EditPlace& p);
bool wait_after_load(Case& c, const EditPlace& p);
bool raise_too_often(Case& c, const EditPlace& p);
bool reserved_id(Case& c, const EditPlace& p);
bool reserved_id_modulo(Case& c, const EditPlace& p);
bool vector_sync_for_cube(Case& c, const EditPlace& p);
bool cube_sync_without_cubes(Case& c, const EditPlace& p);
bool dirty_workspace(Case& c, const EditPlace& p);
bool too_many_cores(Case& c, const EditPlace& p);
bool wrong_raise_pipe(Case& c, const EditPlace& p);
bool drop_exchange_sync(Case& c, const EditPlace& p);
bool one_id(Case& c, const EditPlace& p);
bool one_id_for_two_pipes(Case& c, const EditPlace& p);
bool flags_without_type(Case& c, const EditPlace& p);
bool skip_sync_on_one_core(Case& c, const EditPlace& p);
bool one_more_sync(Case& c, const EditPlace& p);
bool cached_poll(Case& c, const EditPlace& p);
bool raise_on_one_vector(Case& c, const EditPlace& p);
bool matmul_on_both(Case& c, const EditPlace& p);
bool split_by_core(Case& c, const EditPlace& p);
bool add_on_both(Case& c, const EditPlace& p);
bool drop_hand_over_barrier(Case& c, const EditPlace& p);
bool late_writer_refresh(Case& c, const EditPlace& p);
bool drop_reader_refresh(Case& c, const EditPlace& p);
bool share_line(Case& c, const EditPlace& p);
bool leave_dirty(Case& c, const EditPlace& p);
bool drop_pipes_barrier(Case& c, const EditPlace& p);
bool drop_event_set(Case& c, const EditPlace& p);
bool skip_event_set(Case& c, const EditPlace& p);
bool double_event_set(Case& c, const EditPlace& p);
bool drop_event_wait(Case& c, const EditPlace& p);
bool other_event_id(Case& c, const EditPlace& p);
bool late_event_wait(Case& c, const EditPlace& p);
bool drop_final_barrier(Case& c, const EditPlace& p);
bool leave_vector_work(Case& c, const EditPlace& p);
bool drop_event_pair(Case& c, const EditPlace& p);
bool drop_vector_barrier(Case& c, const EditPlace& p);
bool short_load(Case& c, const EditPlace& p);
bool skip_set_next(Case& c, const EditPlace& p);
bool skip_wait_pre(Case& c, const EditPlace& p);
bool double_set_next(Case& c, const EditPlace& p);
bool double_wait_pre(Case& c, const EditPlace& p);
bool store_after_set_next(Case& c, const EditPlace& p);
bool load_before_wait_pre(Case& c, const EditPlace& p);
bool sync_after_set_next(Case& c, const EditPlace& p);
bool sync_before_wait_pre(Case& c, const EditPlace& p);
bool drop_outside_raise(Case& c, const EditPlace& p);
bool drop_outside_wait(Case& c, const EditPlace& p);
}  // namespace edits

}  // namespace skcts::generators
