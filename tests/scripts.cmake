# SPDX-License-Identifier: GPL-2.0-or-later
# The tests that run the program from outside.

add_script_test(golden.expectations ${Python3_EXECUTABLE} tests/golden/expect.py --check ${REFERENCE})

# Who may include whom, and who may touch which library (docs/ARCHITECTURE.md).
add_script_test(arch.includes ${Python3_EXECUTABLE} tests/arch/includes.py)

# Golden cases: what is printed about known counts.
add_script_test(golden.reports ${Python3_EXECUTABLE} tests/golden/check.py)
add_script_test(golden.plans ${Python3_EXECUTABLE} tests/golden/plans.py)

# Equality with the vendors' formulas by random draws.
foreach(cpu
    sandybridge jaketown ivybridge ivytown haswell haswellx broadwell broadwellde broadwellx skylake skylakex cascadelakex
    icelake icelakex tigerlake rocketlake alderlake:core alderlake:atom alderlaken sapphirerapids sapphirerapidshbm
    emeraldrapids meteorlake:core meteorlake:atom graniterapids sierraforest grandridge lunarlake:core arrowlake:core
    clearwaterforest elkhartlake amdzen1 amdzen2 amdzen3 amdzen4 amdzen5 neoverse-n1 neoverse-n2 neoverse-n2-r0p0
    neoverse-n2-r0p1 neoverse-n2-r0p3 neoverse-n3 neoverse-v1 neoverse-v2 neoverse-v3)
  string(REPLACE ":" "-" test ${cpu})
  add_script_test(equality.${test} ${Python3_EXECUTABLE} tests/equality/equality.py ${cpu})
endforeach()

# Plans of all shipped CPUs, proven by integer programming and by the kernel's rules for groups.
foreach(file ${CPU_FILES})
  get_filename_component(cpu ${file} NAME_WE)
  add_script_test(plan.${cpu} ${Python3_EXECUTABLE} -B tests/plan/check.py ${cpu})
endforeach()

# The shipped data are what `topdown import` makes of the vendors' data.
add_script_test(import.shipped ${Python3_EXECUTABLE} tests/import/shipped.py)

# What Linux publishes of a CPU gives the numbers that perfmon's files give.
foreach(folder
    sandybridge jaketown ivybridge ivytown haswell haswellx broadwell broadwellde broadwellx skylake skylakex cascadelakex
    icelake icelakex tigerlake rocketlake alderlake alderlaken sapphirerapids emeraldrapids meteorlake sierraforest
    grandridge elkhartlake)
  add_script_test(import.perf-${folder} ${Python3_EXECUTABLE} tests/import/perf_form.py ${folder})
endforeach()

# The command line, as its users meet it.
foreach(topic kernel_events refusal bootstrap simulate simulate_odd anchor doctor repeats streams look words installed manual perf_stat list selection metrics explain same_plan whole_cores hybrid_plan)
  add_script_test(cli.${topic} ${Python3_EXECUTABLE} -B tests/cli/${topic}.py)
endforeach()

# A real PMU, where there is one.
add_script_test(live.pmu ${Python3_EXECUTABLE} -B tests/live/live.py)
set_tests_properties(live.pmu PROPERTIES RUN_SERIAL ON)

# The static program, which is one file.
add_script_test(cli.static ${Python3_EXECUTABLE} -B tests/cli/static.py)
# What the simulator says of programs whose bottleneck is known.
add_script_test(simulated.kernels ${Python3_EXECUTABLE} tests/kernels/check.py)
add_script_test(simulated.sample ${Python3_EXECUTABLE} -B tests/kernels/sample.py)
add_script_test(simulated.lines ${Python3_EXECUTABLE} -B tests/kernels/lines.py)

# What tells the bench of the simulator whether its host is idle.
add_script_test(bench.host ${Python3_EXECUTABLE} -B tests/bench/host_test.py)

# Bad input through the program: what it says, and with which status it ends.
file(GLOB BAD_CASES CONFIGURE_DEPENDS bad/*/cmd)
foreach(cmd ${BAD_CASES})
  get_filename_component(folder ${cmd} DIRECTORY)
  get_filename_component(case ${folder} NAME)
  add_script_test(bad.${case} ${Python3_EXECUTABLE} tests/bad/run.py ${case})
endforeach()
