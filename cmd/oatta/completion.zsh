#compdef oatta
# Completion of oatta in zsh: source <(oatta completion zsh), below compinit; or this file as _oatta in a folder of $fpath.

_oatta() {
    local line
    local -a found
    for line in "${(@f)$(${~words[1]} __complete -- "${(@)words[2,CURRENT]}" 2>/dev/null)}"; do
        [[ -n $line ]] && found+=("${${line%%$'\t'*}//:/\\:}:${line#*$'\t'}")
    done
    # Where the program knows no word, the shell offers files.
    if (( $#found )); then
        _describe 'oatta' found
    else
        _files
    fi
}

if [[ $funcstack[1] == _oatta ]]; then
    _oatta "$@"
else
    compdef _oatta oatta
fi
