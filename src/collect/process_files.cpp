#include "collect/process_files.h"

namespace tacho {
namespace {

constexpr std::array<const char*, kProcessFiles> kNames{"stat", "schedstat", "io", "status",
                                                        "statm"};

}  // namespace

ProcessFiles::~ProcessFiles() {
  for (const Fd& fd : fds_) {
    if (fd) budget_.give();
  }
}

Result<std::string_view> ProcessFiles::read(ProcessFile file, const Machine& machine,
                                            Buffer& buffer) {
  auto index = static_cast<size_t>(file);
  if (refused_[index]) return tl::unexpected(Error{Errc::no_permission, ""});
  if (epoch_ != machine.epoch()) {
    for (Fd& fd : fds_) {
      if (fd) budget_.give();
      fd.reset();
    }
    epoch_ = machine.epoch();
  }
  Fd once;
  Fd* fd = &fds_[index];
  if (!*fd) {
    std::array<char, 64> path;
    auto end = fmt::format_to_n(path.data(), path.size() - 1, "proc/{}/{}", pid_, kNames[index]);
    *end.out = '\0';
    auto opened = machine.open(path.data());
    if (!opened) {
      refused_[index] = opened.error().code == Errc::no_permission;
      return tl::unexpected(opened.error());
    }
    if (budget_.take()) {
      *fd = std::move(*opened);
    } else {
      once = std::move(*opened);
      fd = &once;
    }
  }
  auto text = Machine::read_record(*fd, buffer);
  if (!text) refused_[index] = text.error().code == Errc::no_permission;
  return text;
}

}  // namespace tacho
