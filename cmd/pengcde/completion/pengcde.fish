# Completes pengcde in fish: source (pengcde completion fish | psub)
function __pengcde_complete
	set -l words (commandline -opc)
	set -l last (commandline -ct)
	set -l found ($words[1] complete -- $words[2..-1] "$last" 2>/dev/null)
	if test (count $found) -gt 0
		printf '%s\n' $found
	else
		__fish_complete_path "$last"
	end
end
complete -c pengcde -f -a '(__pengcde_complete)'
