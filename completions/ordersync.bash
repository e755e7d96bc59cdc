# Completions of ordersync for bash 3.2 and later: asks the command what fits.
_ordersync() {
    local line kind="" tab=$'\t'
    local -a shown=()
    COMPREPLY=()
    while IFS= read -r line; do
        if [[ -z $kind ]]; then
            kind=$line
        else
            COMPREPLY+=("${line%%"$tab"*}")
            shown+=("${line/"$tab"/  }")
        fi
    done < <(command ordersync __complete bash "$COMP_CWORD" -- "${COMP_WORDS[@]}" 2>/dev/null)
    if [[ $kind == files ]]; then
        local current=$2
        [[ $current != "=" ]] || current=""
        compopt -o filenames 2>/dev/null
        while IFS= read -r line; do
            COMPREPLY+=("$line")
        done < <(compgen -f -- "$current")
    elif [[ ${COMP_TYPE:-9} -eq 63 && ${#shown[@]} -gt 1 ]]; then
        # Tab was pressed again: the candidates are only listed, nothing is inserted.
        COMPREPLY=("${shown[@]}")
    elif [[ ${#COMPREPLY[@]} -eq 1 && ${COMPREPLY[0]} == *[=/,] ]]; then
        compopt -o nospace 2>/dev/null
    fi
}

# bash before 4.4 cannot keep the order.
complete -o nosort -F _ordersync ordersync 2>/dev/null || complete -F _ordersync ordersync
