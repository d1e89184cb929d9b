#include "cli/commands.h"

int main(int argc, char** argv) {
  return tacho::cli::dispatch(argc, argv);
}
