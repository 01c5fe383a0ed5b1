# SPDX-License-Identifier: GPL-2.0-or-later
# The tests that run the program from outside.

add_script_test(golden.expectations ${Python3_EXECUTABLE} tests/golden/expect.py --check ${REFERENCE})
