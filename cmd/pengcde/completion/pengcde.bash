# Completes pengcde in bash: source <(pengcde completion bash)
_pengcde() {
	local IFS=$'\n' last=${COMP_WORDS[COMP_CWORD]}
	[[ $last == "=" ]] && last=
	COMPREPLY=($("${COMP_WORDS[0]}" complete -- "${COMP_WORDS[@]:1:COMP_CWORD-1}" "$last" 2>/dev/null))
}
complete -o default -F _pengcde pengcde
