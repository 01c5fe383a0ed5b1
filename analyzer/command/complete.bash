# SPDX-License-Identifier: GPL-2.0-or-later
# bash completion of topdown: the program itself says which words fit.

# The command line up to the cursor as the shell would split it; readline has split it at = and : as well.
# Sets words, and starts: where each of them begins in COMP_WORDS.
__topdown_words()
{
	local line=${COMP_LINE:0:COMP_POINT} part i

	words=() starts=()
	for ((i = 0; i <= COMP_CWORD; i++)); do
		part=${COMP_WORDS[i]}
		if ((i == 0)) || [[ $line == [[:blank:]]* || -z $line ]]; then
			words+=("") starts+=("$i")
			line=${line#"${line%%[![:blank:]]*}"}
		fi
		((i < COMP_CWORD)) || part=$line
		words[-1]+=$part
		line=${line#"$part"}
	done
}

# What the shell would make of a word with quotes.
__topdown_plain()
{
	plain=${1//\\/}
	plain=${plain#[\"\']}
	plain=${plain%[\"\']}
}

__topdown_program()
{
	local at=${starts[$1 + 1]}

	if declare -F _command_offset >/dev/null; then
		_command_offset "$at"
	else
		local kind=-f
		((at != COMP_CWORD)) || kind=-c
		compopt -o filenames
		mapfile -t COMPREPLY < <(compgen "$kind" -- "${COMP_WORDS[COMP_CWORD]}")
	fi
}

_topdown()
{
	local words starts word plain asked=() lines kind from before last

	COMPREPLY=()
	__topdown_words
	for word in "${words[@]:1}"; do
		__topdown_plain "$word"
		asked+=("$plain")
	done
	mapfile -t lines < <("${words[0]/#\~/$HOME}" completion words -- "${asked[@]}" 2>/dev/null)
	read -r kind from <<<"${lines[0]}"
	COMPREPLY=("${lines[@]:1}")
	COMPREPLY=("${COMPREPLY[@]%%$'\t'*}")
	if [[ $kind == program ]]; then
		((${#COMPREPLY[@]})) || __topdown_program "$from"
		return
	fi
	# readline replaces what is behind the last = or : only.
	last=${COMP_WORDS[COMP_CWORD]}
	before=${plain%"${last#[\"\']}"}
	[[ $last != [=:] ]] || before=$plain
	for word in "${!COMPREPLY[@]}"; do
		COMPREPLY[word]=${COMPREPLY[word]:${#before}}
	done
	[[ $kind != files ]] || mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY < <(compgen -f -- "${plain:from}")
	[[ $kind != folders ]] || mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY < <(compgen -d -- "${plain:from}")
	[[ $kind == words ]] || compopt -o filenames
}

complete -F _topdown topdown
