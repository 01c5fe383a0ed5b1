# SPDX-License-Identifier: GPL-2.0-or-later
# fish completion of topdown: the program itself says which words fit.

function __topdown_complete
    set -l words (commandline -opc)
    set -l current (string trim -l -c "'\"" -- (commandline -ct))
    set -l lines ($words[1] completion words -- $words[2..-1] "$current" 2>/dev/null)
    set -l directive (string split ' ' -- $lines[1])
    set -l from $directive[2]

    test (count $lines) -gt 1; and printf '%s\n' $lines[2..-1]
    switch "$directive[1]"
        case files folders
            set -l before (string sub -l $from -- $current)
            set -l value (string sub -s (math $from + 1) -- $current)
            set -l paths __fish_complete_path
            test $directive[1] = folders; and set paths __fish_complete_directories
            for path in ($paths "$value")
                echo $before$path
            end
        case program
            test (count $lines) -gt 1; and return
            set -l rest (string escape -- $words[(math $from + 2)..-1])
            complete -C (string join ' ' -- $rest $current)
    end
end

complete -c topdown -f -a '(__topdown_complete)'
