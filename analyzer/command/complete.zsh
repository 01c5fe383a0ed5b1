#compdef topdown
# SPDX-License-Identifier: GPL-2.0-or-later
# zsh completion of topdown: the program itself says which words fit.

_topdown()
{
	local -a lines found shown
	local kind from line word what

	lines=("${(@f)$(${(Q)words[1]} completion words -- "${(@Q)words[2,CURRENT-1]}" "${(Q)PREFIX}" 2>/dev/null)}")
	read -r kind from <<<"${lines[1]}"
	for line in "${(@)lines[2,-1]}"; do
		word=${line%%$'\t'*} what=${line#*$'\t'}
		[[ -n $word ]] || continue
		found+=("$word")
		shown+=("$word${what:+  -- $what}")
	done
	if (( $#found )); then
		compadd -M 'm:{[:lower:][:upper:]}={[:upper:][:lower:]}' -l -d shown -a found && [[ $kind == words ]] && return
	fi
	case $kind in
	files|folders)
		(( from == 0 )) || compset -p $from
		if [[ $kind == files ]]; then _files; else _files -/; fi
		;;
	program)
		shift $(( from + 1 )) words
		(( CURRENT -= from + 1 ))
		(( $#found )) || _normal
		;;
	esac
}

if [[ $zsh_eval_context[-1] == loadautofunc ]]; then
	_topdown "$@"
else
	compdef _topdown topdown
fi
