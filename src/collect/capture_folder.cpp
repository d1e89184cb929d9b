#include "collect/capture_folder.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

#include "base/file.h"

namespace tacho {
namespace {

/// Each file of /proc/PID is told as unreadable once, not for every process.
constexpr size_t kMostTold = 50;

std::string_view file_name(std::string_view path) {
  return path.substr(path.rfind('/') + 1);
}

}  // namespace

bool CaptureFolder::make_parent(const std::string& path) {
  std::string parent = path.substr(0, path.rfind('/'));
  if (!folders_.insert(parent).second) return true;
  auto made = make_folders(parent, 0755);
  if (!made) error_ = made.error();
  return made.has_value();
}

std::optional<std::string_view> CaptureFolder::copy(const std::string& path) {
  if (error_) return std::nullopt;
  auto text = machine_.read(path.c_str(), buffer_);
  if (!text) {
    bool missing = text.error().code == Errc::not_found || text.error().code == Errc::gone;
    if (!missing && summary_.unreadable.size() < kMostTold &&
        refused_.emplace(file_name(path)).second) {
      summary_.unreadable.push_back(text.error().what);
    }
    return std::nullopt;
  }
  write(path, *text);
  return *text;
}

void CaptureFolder::write(const std::string& path, std::string_view text) {
  if (error_) return;
  std::string target = folder_ + "/" + path;
  if (!make_parent(target)) return;
  auto fd = open_file(target, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW, 0644);
  if (!fd) {
    error_ = fd.error();
    return;
  }
  if (auto written = write_all(fd->get(), text); !written) {
    error_ = Error{written.error().code, fmt::format("{}: {}", target, written.error().what)};
    return;
  }
  ++summary_.files;
  summary_.bytes += text.size();
}

void CaptureFolder::copy_link(const std::string& path) {
  if (auto target = machine_.link(path.c_str())) make_link(path, *target);
}

void CaptureFolder::make_link(const std::string& path, const std::string& target) {
  if (error_) return;
  std::string link = folder_ + "/" + path;
  if (!make_parent(link)) return;
  if (symlink(target.c_str(), link.c_str()) == 0) {
    ++summary_.files;
  } else if (errno != EEXIST) {
    error_ = fail_errno(errno, link).value();
  }
}

}  // namespace tacho
