#!/bin/sh
# All sources are as clang-format leaves them. Exit code 77: skipped, there is no clang-format.
command -v clang-format >/dev/null || { echo "no clang-format here"; exit 77; }
cd "$1" && find src tests -name '*.h' -o -name '*.cpp' | xargs clang-format --dry-run -Werror
