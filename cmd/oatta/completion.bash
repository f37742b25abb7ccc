# Completion of oatta in bash: source <(oatta completion bash)

_oatta() {
    local IFS=$'\n' program="${COMP_WORDS[0]/#\~/$HOME}"
    COMPREPLY=($("$program" __complete -- "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null | cut -f1))
}

# Where the program knows no word, the shell offers files.
complete -o bashdefault -o default -F _oatta oatta
