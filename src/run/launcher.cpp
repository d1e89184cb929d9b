#include "run/launcher.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace tacho {
namespace {

using Words = std::vector<std::string>;

/// When a launcher's work leaves the tree of its command.
enum class Leaves { always, with_subcommand, with_hosts };

struct Launcher {
  std::string_view name;
  Leaves leaves;
  Reach reach;
};

constexpr std::array kLaunchers{
    Launcher{"docker", Leaves::with_subcommand, Reach::container},
    Launcher{"podman", Leaves::with_subcommand, Reach::container},
    Launcher{"nerdctl", Leaves::with_subcommand, Reach::container},
    Launcher{"kubectl", Leaves::with_subcommand, Reach::elsewhere},
    // Tasks are children of slurmstepd, also on the machine where srun was called.
    Launcher{"srun", Leaves::always, Reach::elsewhere},
    Launcher{"mpirun", Leaves::with_hosts, Reach::elsewhere},
    Launcher{"mpiexec", Leaves::with_hosts, Reach::elsewhere},
    Launcher{"deepspeed", Leaves::with_hosts, Reach::elsewhere},
};

constexpr std::array<std::string_view, 5> kStarting{"run", "exec", "start", "compose", "create"};
constexpr std::array<std::string_view, 8> kHosts{
    "-H", "-host", "--host", "-hosts", "--hostfile", "-hostfile", "-machinefile", "--machinefile"};

std::string_view base_name(std::string_view path) {
  size_t slash = path.rfind('/');
  return slash == std::string_view::npos ? path : path.substr(slash + 1);
}

/// The launcher's name; of `python -m deepspeed…` the module's first part.
std::string_view launcher_name(const Words& command) {
  std::string_view name = base_name(command[0]);
  if (!name.starts_with("python")) return name;
  auto module = std::find(command.begin(), command.end(), "-m");
  if (module == command.end() || ++module == command.end()) return name;
  return std::string_view(*module).substr(0, module->find('.'));
}

bool names_any(const Words& command, const auto& options) {
  return std::any_of(command.begin() + 1, command.end(), [&](const std::string& word) {
    std::string_view option = std::string_view(word).substr(0, word.find('='));
    return std::find(options.begin(), options.end(), option) != options.end();
  });
}

bool leaves_its_tree(const Words& command, Leaves leaves) {
  switch (leaves) {
    case Leaves::always:
      return true;
    case Leaves::with_subcommand:
      return names_any(command, kStarting);
    case Leaves::with_hosts:
      return names_any(command, kHosts);
  }
  return false;
}

}  // namespace

Launch classify(const Words& command) {
  if (command.empty()) return {};
  std::string_view name = launcher_name(command);
  for (const Launcher& launcher : kLaunchers) {
    if (launcher.name != name || !leaves_its_tree(command, launcher.leaves)) continue;
    if (launcher.reach == Reach::container) {
      return {launcher.reach,
              {"{} starts its processes through a daemon: they are not in the recorded tree; run "
               "tacho inside the container to see them",
               {std::string(name)}}};
    }
    return {launcher.reach,
            {"{} starts processes outside this tree, some perhaps on other machines: run tacho "
             "beside each of them to see them",
             {std::string(name)}}};
  }
  return {};
}

}  // namespace tacho
