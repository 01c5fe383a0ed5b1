# SPDX-License-Identifier: GPL-2.0-or-later
# The tests that run the program from outside.

# Labels name what is left out. The quick tests, which `./bootstrap.sh test` and .ci/run have, are those without the first:
#   full         guests, browsers, packages, builds of their own, what takes long: `./bootstrap.sh test all` and `.ci/run full`
#   gate         of these, what .ci/run has: four guests and some more
# In the build with sanitizers, where a start of the program takes several times as long, .ci/run leaves out these too:
#   more-data    runs the code that tests without the label run, with another CPU's data or with more of the same; full has it
#   unsanitized  runs no code that is built with sanitizers: scripts, builds of its own, the simulator (which runs in Valgrind)
function(label_tests label)
  foreach(test ${ARGN})
    set_property(TEST ${test} APPEND PROPERTY LABELS ${label})
  endforeach()
endfunction()

# One CPU of each kind: of formulas, of counters, of vendors' files. The others have more data, and run the same code.
set(KINDS haswell skylakex icelakex sapphirerapids alderlake-core alderlake-atom amdzen4 neoverse-v1 generic-intel generic-amd generic-arm)

add_script_test(golden.expectations ${Python3_EXECUTABLE} tests/golden/expect.py --check ${REFERENCE})

# Who may include whom, and who may touch which library (docs/ARCHITECTURE.md).
add_script_test(arch.includes ${Python3_EXECUTABLE} tests/arch/includes.py)

# The length of C files.
add_script_test(arch.sizes ${Python3_EXECUTABLE} tests/arch/sizes.py)

# What SECURITY.md says is started and written.
add_script_test(arch.security ${Python3_EXECUTABLE} tests/arch/security.py)

# Plain English in documentation, comments and messages.
add_script_test(arch.english ${Python3_EXECUTABLE} tests/arch/english.py)

# The changes in series of numbers, against the algorithm's definition and Otava's published results.
add_script_test(history.change_points ${Python3_EXECUTABLE} -B tests/history/change_points.py)

# The commit and branch of a checkout, beside git's.
add_script_test(history.checkouts ${Python3_EXECUTABLE} -B tests/history/checkouts.py)

# Golden cases: what is printed about known counts.
add_script_test(golden.reports ${Python3_EXECUTABLE} tests/golden/check.py)
add_script_test(golden.plans ${Python3_EXECUTABLE} tests/golden/plans.py)

# Equality with the vendors' formulas by random draws, of every CPU with published ones; and the general form of Intel's formulas,
# for machines without PERF_METRICS. More draws take longer.
add_script_test(equality.cpus ${Python3_EXECUTABLE} -B tests/equality/equality.py --draws 2)
add_script_test(equality.general ${Python3_EXECUTABLE} -B tests/equality/general.py --draws 2)
add_script_test(equality.cpus_draws ${Python3_EXECUTABLE} -B tests/equality/equality.py --draws 20)
add_script_test(equality.general_draws ${Python3_EXECUTABLE} -B tests/equality/general.py --draws 20)
label_tests(full equality.cpus_draws equality.general_draws)

# Plans of all shipped CPUs, proven by integer programming and by the kernel's rules for groups.
add_script_test(plan.kinds ${Python3_EXECUTABLE} -B tests/plan/check.py ${KINDS})
add_script_test(plan.cpus ${Python3_EXECUTABLE} -B tests/plan/check.py)
label_tests(full plan.cpus)

# And for virtual machines: Intel's formulas from general events, few counters, no fixed ones.
add_script_test(plan.general-form ${Python3_EXECUTABLE} -B tests/plan/general.py)

# The same groups under Linux' own constraint tables and scheduler.
add_script_test(plan.kernel ${Python3_EXECUTABLE} -B tests/plan/kernel.py)

# The shipped data are what `topdown import` makes of the vendors' data.
add_script_test(import.shipped ${Python3_EXECUTABLE} tests/import/shipped.py)

# The tree that the import makes of an arm64 core in Linux is Arm's own, where Arm publishes one.
add_script_test(import.arm_form ${Python3_EXECUTABLE} tests/import/arm_form.py)

# What Linux publishes of a CPU gives the numbers that perfmon's files give.
add_script_test(import.perf_kinds ${Python3_EXECUTABLE} -B tests/import/perf_form.py haswell skylakex icelakex sapphirerapids alderlake)
add_script_test(import.perf ${Python3_EXECUTABLE} -B tests/import/perf_form.py)
label_tests(full import.perf)

# Where perfmon's and Linux' texts differ, each with its cause.
add_script_test(vendors.differences ${Python3_EXECUTABLE} -B tests/vendors/differences.py)
add_script_test(vendors.sheets ${Python3_EXECUTABLE} -B tests/vendors/sheets.py)

# The command line, as its users meet it.
foreach(topic formats kernel_events refusal bootstrap native_first simulate guest_l3 simulate_odd children anchor doctor repeats streams look words installed manual man_pages perf_stat brief errors matching list selection metrics common glossary explain same_plan whole_cores parts hybrid_plan causes last little
    fetch_reference version general_form rented generic interrupt signals widths first live_screen saved_series read_once outputs)
  add_script_test(cli.${topic} ${Python3_EXECUTABLE} -B tests/cli/${topic}.py)
endforeach()

# Each signal to each command.
add_script_test(cli.signals_all ${Python3_EXECUTABLE} -B tests/cli/signals.py --all)
label_tests(full cli.signals_all)

# Each system call fails in turn: some of them, and all.
add_script_test(faults.few ${Python3_EXECUTABLE} -B tests/faults/injected.py)
add_script_test(faults.all ${Python3_EXECUTABLE} -B tests/faults/injected.py --all)
set_tests_properties(faults.few PROPERTIES COST 30)
set_tests_properties(faults.all PROPERTIES COST 250)
label_tests(full faults.all)
label_tests(unsanitized faults.few) # beside LeakSanitizer nothing can be traced
label_tests(unsanitized cli.signals) # AddressSanitizer takes SIGSEGV for itself, and no program with it runs under Valgrind

# Inputs of all readers, damaged: 8 of each by a seed, and 400.
add_script_test(faults.mutated ${Python3_EXECUTABLE} -B tests/faults/mutated.py)
add_script_test(faults.mutated_all ${Python3_EXECUTABLE} -B tests/faults/mutated.py --each 400 --seed 2)
label_tests(full faults.mutated_all)

# Commands, words and views of the command line.
foreach(topic perf_data)
  add_script_test(cli.${topic} ${Python3_EXECUTABLE} -B tests/cli/${topic}.py)
endforeach()
foreach(topic stacks mapped anchored) # sampled, by time
  add_script_test(cli.${topic} ${Python3_EXECUTABLE} -B tests/cli/${topic}.py)
endforeach()

foreach(topic help completion foreign import bottlenecks syscalls assessment ticket units flat_values what_if)
  add_script_test(cli.${topic} ${Python3_EXECUTABLE} -B tests/cli/${topic}.py)
endforeach()

# Measurements over time: what is in a history, and what must not hurt it.
foreach(topic history history_damage)
  add_script_test(cli.${topic} ${Python3_EXECUTABLE} -B tests/cli/${topic}.py)
endforeach()

# The ceilings of this machine and of one that is made up; and the instructions of the kernels that measure them.
add_script_test(cli.roofline ${Python3_EXECUTABLE} -B tests/cli/roofline.py)
add_script_test(cli.roofline_places ${Python3_EXECUTABLE} -B tests/cli/roofline_places.py)
set_tests_properties(cli.roofline PROPERTIES COST 60)
add_script_test(ceilings.instructions ${Python3_EXECUTABLE} -B tests/ceilings/instructions.py)
add_script_test(ceilings.instructions_arm64 ${Python3_EXECUTABLE} -B tests/ceilings/instructions_arm64.py)
label_tests(unsanitized ceilings.instructions ceilings.instructions_arm64)

# Kernels with a known answer: simulated, and in all forms.
add_script_test(cli.verify ${Python3_EXECUTABLE} -B tests/cli/verify.py)
set_tests_properties(cli.verify PROPERTIES COST 100)
label_tests(unsanitized cli.verify)

# The steps of docs/TUTORIAL.md.
add_script_test(docs.tutorial ${Python3_EXECUTABLE} -B tests/tutorial/tutorial.py)
set_tests_properties(docs.tutorial PROPERTIES COST 60)
label_tests(unsanitized docs.tutorial)

# README.md, the commands of docs/jobs/, and the page of all nodes that the target `glossary` writes: build/glossary.md.
add_script_test(docs.readme ${Python3_EXECUTABLE} -B tests/docs/readme.py)
add_script_test(docs.jobs ${Python3_EXECUTABLE} -B tests/docs/jobs.py)
add_script_test(docs.schemas ${Python3_EXECUTABLE} -B tests/docs/schemas.py)
add_script_test(docs.glossary ${Python3_EXECUTABLE} -B tests/docs/glossary.py --check)
add_custom_target(glossary COMMAND ${CMAKE_COMMAND} -E env "TOPDOWN=$<TARGET_FILE:topdown>" ${Python3_EXECUTABLE} -B tests/docs/glossary.py
  ${CMAKE_BINARY_DIR}/glossary.md DEPENDS topdown WORKING_DIRECTORY ${CMAKE_SOURCE_DIR} USES_TERMINAL VERBATIM)

# Samples of time, and of a made-up PMU.
add_script_test(cli.sample ${Python3_EXECUTABLE} -B tests/cli/sample.py)

# Records of real hardware, where they are.
add_script_test(field.records ${Python3_EXECUTABLE} -B tests/field/field.py)
# Single records with what the report of each has to have; the repository has its own.
add_script_test(field.cases ${Python3_EXECUTABLE} -B tests/field/cases.py)

# What people paste: the shared field records, and what plan --format perf prints, run by a perf of the test's own.
add_script_test(pasted.records ${Python3_EXECUTABLE} -B tests/pasted/records.py)
add_script_test(pasted.plan ${Python3_EXECUTABLE} -B tests/pasted/plan.py)

# A real PMU, where there is one.
add_script_test(live.pmu ${Python3_EXECUTABLE} -B tests/live/live.py)
set_tests_properties(live.pmu PROPERTIES RUN_SERIAL ON)

# The static program, which is one file.
add_script_test(cli.static ${Python3_EXECUTABLE} -B tests/cli/static.py)
# What the simulator says of programs whose bottleneck is known.
add_script_test(simulated.kernels ${Python3_EXECUTABLE} tests/kernels/check.py)
add_script_test(simulated.units ${Python3_EXECUTABLE} -B tests/kernels/units.py)
add_script_test(simulated.sample ${Python3_EXECUTABLE} -B tests/kernels/sample.py)
add_script_test(simulated.lines ${Python3_EXECUTABLE} -B tests/kernels/lines.py)
add_script_test(simulated.roofs ${Python3_EXECUTABLE} -B tests/kernels/roofs.py)

# Of the ceilings cli.roofline has the rest, of units and lines simulated.lines.
label_tests(more-data cli.completion cli.help equality.general unit.plan_random plan.general-form plan.kernel pasted.plan
  simulated.kernels simulated.sample simulated.roofs simulated.units)
# The longest begin first, behind those of guests: at the end no core shall wait for one of them.
set_tests_properties(plan.general-form plan.kernel cli.static cli.installed cli.anchor cli.simulate cli.children pasted.plan
  simulated.kernels simulated.sample vendors.differences unit.plan_random unit.plan PROPERTIES COST 100)
label_tests(unsanitized arch.includes arch.sizes arch.security arch.english golden.expectations vendors.differences vendors.sheets cli.static cli.installed
  cli.bootstrap cli.fetch_reference)

# The check by which the simulator's bench decides whether its host is idle.
add_script_test(bench.host ${Python3_EXECUTABLE} -B tests/bench/host_test.py)
label_tests(unsanitized bench.host)

# Bad input through the program, a row for each folder of tests/bad/: what it says, and with which status it ends.
add_script_test(bad.cases ${Python3_EXECUTABLE} -B tests/bad/run.py)

# What `topdown export` writes, read by others.
# Plots of pages: what is drawn stands where its value says.
add_script_test(page.plots ${Python3_EXECUTABLE} -B tests/plots/plots.py)

add_script_test(cli.export ${Python3_EXECUTABLE} -B tests/cli/export.py)
add_script_test(cli.tracepoints ${Python3_EXECUTABLE} -B tests/cli/tracepoints.py)
add_script_test(cli.live_names ${Python3_EXECUTABLE} -B tests/cli/live_names.py)
label_tests(unsanitized cli.live_names) # which is slow there, and a screen does not wait for long
set_tests_properties(cli.live_names PROPERTIES RUN_SERIAL ON)
add_script_test(cli.ranks ${Python3_EXECUTABLE} -B tests/cli/ranks.py)
add_script_test(cli.ranks_launched ${Python3_EXECUTABLE} -B tests/cli/ranks_launched.py)
label_tests(full cli.ranks_launched)
add_script_test(cli.wall ${Python3_EXECUTABLE} -B tests/cli/wall.py)
add_script_test(cli.wall_known ${Python3_EXECUTABLE} -B tests/cli/wall_known.py)
label_tests(full cli.wall_known)
add_script_test(cli.wall_summed ${Python3_EXECUTABLE} -B tests/cli/wall_summed.py)
# Beside others programs get their CPUs late, by their own clocks too.
set_tests_properties(cli.wall cli.wall_summed PROPERTIES RUN_SERIAL ON)
# Its probes are in the C library of every process, and a simulated program that gets to one ends.
add_script_test(cli.latency ${Python3_EXECUTABLE} -B tests/cli/latency.py)
set_tests_properties(cli.latency PROPERTIES RUN_SERIAL ON)
add_script_test(cli.view ${Python3_EXECUTABLE} -B tests/cli/view.py)
add_script_test(cli.page_faults ${Python3_EXECUTABLE} -B tests/cli/page_faults.py)
foreach(form svg explored folded speedscope firefox pprof callgrind difference)
  add_script_test(export.${form} ${Python3_EXECUTABLE} -B tests/export/${form}.py)
endforeach()

# What is shown of a profile.
foreach(topic strangers large payloads payload_inputs views where_page page page_kinds page_truth)
  add_script_test(cli.${topic} ${Python3_EXECUTABLE} -B tests/cli/${topic}.py)
endforeach()

add_script_test(cli.payloads_all ${Python3_EXECUTABLE} -B tests/cli/payloads.py --all)
add_script_test(cli.payload_inputs_all ${Python3_EXECUTABLE} -B tests/cli/payload_inputs.py --all)
label_tests(full cli.payloads_all cli.payload_inputs_all)

# The kernel's own counters: programs that do so much of what it counts.
add_script_test(acts.software ${Python3_EXECUTABLE} -B tests/acts/software.py)

add_script_test(acts.steady ${Python3_EXECUTABLE} -B tests/acts/steady.py)

# Names and instructions of addresses, beside binutils' readers.
foreach(topic binaries elsewhere explored instructions sampled stripped)
  add_script_test(symbols.${topic} ${Python3_EXECUTABLE} -B tests/symbols/${topic}.py)
endforeach()

# A simulated program's counts by call stack, its system calls and requests, and what it would gain on other cores.
foreach(topic calls hidden mixed real_time system_calls requests what_if repaired loops skipped)
  add_script_test(simulated.${topic} ${Python3_EXECUTABLE} -B tests/simulated/${topic}.py)
endforeach()
label_tests(more-data simulated.calls) # cli.stacks and cli.odd_stacks have stacks of samples
label_tests(more-data simulated.what_if)
label_tests(unsanitized simulated.skipped) # all of it is in the simulator

# Sampled programs with odd chains of calls, and what stands in the way.
foreach(topic odd_stacks)
  add_script_test(cli.${topic} ${Python3_EXECUTABLE} -B tests/cli/${topic}.py)
endforeach()

# Simulations of long programs, and of parts of a program.
foreach(topic long_program region pinned)
  add_script_test(cli.${topic} ${Python3_EXECUTABLE} -B tests/cli/${topic}.py)
endforeach()
label_tests(more-data cli.long_program) # whose figures are those of gcc's loop

# Comparisons: their statistics beside scipy's.
add_script_test(compare.statistics ${Python3_EXECUTABLE} -B tests/compare/statistics.py)
set_tests_properties(compare.statistics PROPERTIES COST 100)
label_tests(unsanitized compare.statistics)
add_script_test(compare.planted ${Python3_EXECUTABLE} -B tests/compare/planted.py)
label_tests(unsanitized compare.planted)
add_script_test(cli.compare ${Python3_EXECUTABLE} -B tests/cli/compare.py)

# A gate as a CI job meets it, and what docs/CI.md says such a job runs.
foreach(topic gate ci_jobs)
  add_script_test(cli.${topic} ${Python3_EXECUTABLE} -B tests/cli/${topic}.py)
endforeach()
set_tests_properties(cli.gate cli.ci_jobs PROPERTIES COST 100)
# Nor for these.
set_tests_properties(cli.completion cli.manual cli.formats cli.help acts.steady simulated.calls simulated.what_if cli.outputs
  symbols.binaries import.perf_kinds plan.kinds PROPERTIES COST 80)
label_tests(unsanitized cli.ci_jobs)

# Changes that are none leave the gate green, regressions of 2 % do not: a dozen of what tests/bench/gate.py has.
add_script_test(bench.gate_few ${Python3_EXECUTABLE} -B tests/bench/gate.py --few)
set_tests_properties(bench.gate_few PROPERTIES COST 100)
label_tests(more-data bench.gate_few)

# Pages in a browser.
add_script_test(browser.pages ${Python3_EXECUTABLE} -B tests/browser/pages.py)
set_tests_properties(browser.pages PROPERTIES COST 90)
label_tests(unsanitized browser.pages)
# Pages used by clicks and keys.
add_script_test(browser.use ${Python3_EXECUTABLE} -B tests/browser/use.py)
set_tests_properties(browser.use PROPERTIES COST 30)
label_tests(unsanitized browser.use)
# The intervals of a measurement on its page.
add_script_test(browser.payloads ${Python3_EXECUTABLE} -B tests/browser/payloads.py)
label_tests(unsanitized browser.payloads)
add_script_test(browser.faults ${Python3_EXECUTABLE} -B tests/browser/faults.py)
label_tests(unsanitized browser.faults)
add_script_test(browser.explorer ${Python3_EXECUTABLE} -B tests/browser/explorer.py)
set_tests_properties(browser.explorer PROPERTIES COST 90)
label_tests(unsanitized browser.explorer)
add_script_test(browser.intervals ${Python3_EXECUTABLE} -B tests/browser/intervals.py)

# Pages of the sample sessions, to look at: docs/gallery/index.html.
add_custom_target(gallery COMMAND ${CMAKE_COMMAND} -E env "TOPDOWN=$<TARGET_FILE:topdown>" ${Python3_EXECUTABLE} -B tests/browser/gallery.py
  docs/gallery DEPENDS topdown WORKING_DIRECTORY ${CMAKE_SOURCE_DIR} USES_TERMINAL VERBATIM)

# What is installed: hardened programs, prefixes, licences of packages; the Debian packages, and those in a fresh system, which
# takes root and apt's mirror.
foreach(topic hardened prefixes licences debs chroot)
  add_script_test(package.${topic} ${Python3_EXECUTABLE} -B tests/package/${topic}.py)
  label_tests("package;full;unsanitized" package.${topic})
endforeach()
set_tests_properties(cli.bootstrap package.prefixes PROPERTIES RESOURCE_LOCK installed) # the manifest of the build folder
# They begin early: the second waits for the first, and the tests' last minute for neither.
set_tests_properties(package.debs PROPERTIES FIXTURES_SETUP debs COST 250)
set_tests_properties(package.chroot PROPERTIES FIXTURES_REQUIRED debs COST 250)
# All of these, the packages for rpm, and the tarballs of packaging/release.sh.
set(PACKAGE_CHECK ${CMAKE_COMMAND} -E env "TOPDOWN=$<TARGET_FILE:topdown>" "TOPDOWN_BUILD=${CMAKE_BINARY_DIR}" ${Python3_EXECUTABLE} -B)
add_custom_target(check_packages COMMAND ${CMAKE_CTEST_COMMAND} --test-dir ${CMAKE_BINARY_DIR} -R "^package[.]" --output-on-failure
  COMMAND ${PACKAGE_CHECK} tests/package/rpm.py COMMAND ${PACKAGE_CHECK} tests/package/release.py
  DEPENDS topdown WORKING_DIRECTORY ${CMAKE_SOURCE_DIR} USES_TERMINAL VERBATIM)

# What takes long, builds something, or needs what the quick tests do not install.
label_tests(full plan.general-form plan.kernel pasted.plan vendors.differences simulated.kernels simulated.sample simulated.calls
  simulated.what_if simulated.roofs simulated.loops simulated.lines cli.static cli.installed cli.bootstrap cli.man_pages cli.verify
  cli.long_program cli.pinned cli.anchor cli.ci_jobs cli.manual cli.simulate_odd cli.roofline cli.formats compare.planted docs.jobs
  docs.tutorial bench.gate_few ceilings.instructions_arm64 browser.pages browser.use browser.payloads browser.intervals browser.explorer browser.faults)
# What takes long, and is the only test of its subject: .ci/run has it all the same.
label_tests("full;gate" cli.gate cli.simulate cli.children acts.software)
label_tests(more-data plan.kinds import.perf_kinds)

# Each beside others of its kind: cli.stacks, cli.mapped and symbols.sampled have samples, cli.page has pages, and so on.
label_tests(more-data cli.sample cli.anchored cli.assessment cli.page_truth cli.region cli.perf_stat cli.matching cli.rented cli.parts
  symbols.stripped simulated.system_calls)
