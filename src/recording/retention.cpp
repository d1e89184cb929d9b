// What a Writer drops, and when: to keep within what may be kept, and to go on when the disk is
// full.
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

#include "recording/folder.h"
#include "recording/index.h"
#include "recording/writer.h"

namespace tacho {
namespace {

/// A segment takes at most this part of what may be kept, so that dropping one loses little.
constexpr uint64_t kSegmentsAtLeast = 8;

uint64_t size_of_file(const std::string& path) {
  struct stat status {};
  return stat(path.c_str(), &status) == 0 ? static_cast<uint64_t>(status.st_size) : 0;
}

}  // namespace

uint64_t Writer::largest_segment() const {
  struct statvfs space {};
  uint64_t most = options_.retention.max_bytes;
  if (statvfs(folder_.c_str(), &space) == 0)
    most = std::min(most, uint64_t{space.f_blocks} * space.f_frsize);
  return most / kSegmentsAtLeast;
}

void Writer::remove_segment(const std::string& segment) {
  // The index first: a segment can do without, and an index alone would never be found again.
  unlink(path(index_name(segment)).c_str());
  unlink(path(segment).c_str());
}

bool Writer::drop_oldest(const std::string& why) {
  auto list = list_folder(folder_);
  if (!list) return false;
  for (const std::string& segment : list->segments) {
    if (segment == segment_) continue;
    remove_segment(segment);
    notes_.push_back(fmt::format("{} was dropped: {}", segment, why));
    return true;
  }
  return false;
}

bool Writer::drop_for_space() {
  const std::string why = "the file system is full";
  if (drop_oldest(why)) return true;
  // Tails that could not be turned into chunks for want of space.
  auto list = list_folder(folder_);
  for (const std::string& tail : list ? list->tails : std::vector<std::string>()) {
    if (tail == tail_name_) continue;
    unlink(path(tail).c_str());
    notes_.push_back(fmt::format("{} was dropped: {}", tail, why));
    return true;
  }
  // The present is worth more than the past.
  if (segment_.empty() || segment_bytes_ == 0) return false;
  remove_segment(segment_);
  notes_.push_back(fmt::format("{} was dropped: {}", std::exchange(segment_, ""), why));
  return true;
}

void Writer::enforce_retention(int64_t now_ns) {
  const Retention& keep = options_.retention;
  while (true) {
    auto list = list_folder(folder_);
    if (!list || list->segments.empty()) return;
    uint64_t total = 0;
    for (const auto& name : list->segments) {
      total += size_of_file(path(name)) + size_of_file(path(index_name(name)));
    }
    for (const auto& name : list->tails)
      total += size_of_file(path(name));
    struct statvfs space {};
    bool known = statvfs(folder_.c_str(), &space) == 0;
    std::string why;
    if (total > keep.max_bytes) why = "the recording is larger than it may be";
    if (known && uint64_t{space.f_bavail} * space.f_frsize < keep.min_free_bytes &&
        total > (4 << 20)) {
      why = "the file system is nearly full";
    }
    if (keep.max_age_ns > 0) {
      auto entries = load_index(folder_, list->segments.front(), nullptr);
      if (entries && !entries->empty() &&
          now_ns - entries->back().last_realtime_ns() > keep.max_age_ns) {
        why = "it is older than is kept";
      }
    }
    if (why.empty()) return;
    if (!drop_oldest(why)) {
      // Only the segment being written is left: it ends here, so that the next one can replace it.
      segment_.clear();
      return;
    }
  }
}

}  // namespace tacho
