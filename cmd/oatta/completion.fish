# Completion of oatta in fish: oatta completion fish > ~/.config/fish/completions/oatta.fish

function __oatta_complete
    set -l words (commandline -opc)
    set -l current (commandline -ct)
    $words[1] __complete -- $words[2..-1] "$current" 2>/dev/null
end

# Where the program knows no word, the shell offers files.
complete -c oatta -n 'count (__oatta_complete) >/dev/null' -f -a '(__oatta_complete)'
