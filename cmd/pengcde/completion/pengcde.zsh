#compdef pengcde
# Completes pengcde in zsh, after compinit: source <(pengcde completion zsh)
_pengcde() {
	local -a found
	found=(${(f)"$("${words[1]}" complete -- "${(@)words[2,CURRENT]}" 2>/dev/null)"})
	if (( $#found )); then
		compadd -- $found
	else
		_files
	fi
}
compdef _pengcde pengcde
