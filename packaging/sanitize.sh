#!/usr/bin/env bash
# Runs the native tests under the address and undefined-behaviour sanitizers:
#
#   PYTHON=.venv/bin/python packaging/sanitize.sh [arguments of pytest]
#
# The library with the sanitizers takes the place of the usual one meanwhile.
set -euo pipefail
cd "$(dirname "$0")/.."

build=build/sanitize
library=engine/kernels/paceline_cpu.so
python=${PYTHON:-.venv/bin/python}
PATH+=:$PWD/.venv/bin # where packaging/dev.py puts CMake and Ninja if the system has none

cmake -S engine/kernels/csrc -B $build -G Ninja -DPACELINE_SANITIZE=ON \
  -DCMAKE_BUILD_TYPE=Debug -DCMAKE_CXX_FLAGS=-O1 >/dev/null
cmake --build $build

# Renamed, not overwritten: a process may have the usual one mapped.
usual=$build/usual.so
if [[ -e $library ]]; then mv $library $usual; fi
restore() { if [[ -e $usual ]]; then mv $usual $library; else rm -f $library; fi; }
trap restore EXIT
cmake --install $build --prefix $build/installed >/dev/null
mv $build/installed/$library $library

# Python was built without the sanitizers, so their runtime must be there first; what Python itself
# keeps until it ends is no leak of ours.
preload=$("${CXX:-c++}" -print-file-name=libasan.so)
preload+=:$("${CXX:-c++}" -print-file-name=libubsan.so)
preload+=:$("${CXX:-c++}" -print-file-name=libstdc++.so)
LD_PRELOAD=$preload ASAN_OPTIONS=detect_leaks=0 UBSAN_OPTIONS=print_stacktrace=1 \
  "$python" -m pytest --numprocesses=2 --dist=worksteal tests/engine/kernels/native "$@"
