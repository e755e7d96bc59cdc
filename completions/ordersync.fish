# Completions of ordersync for fish: asks the command what fits.
function __ordersync_complete
    set -l words (commandline --current-process --tokenize --cut-at-cursor)
    set -l current (commandline --current-token --cut-at-cursor)
    set -l answer (command ordersync __complete fish (count $words) -- $words $current 2>/dev/null)
    if test "$answer[1]" = files
        set -l flag (string match --regex -- '^--[^=]*=' $current)
        for path in (__fish_complete_path (string replace --regex -- '^--[^=]*=' '' $current))
            echo -- "$flag$path"
        end
        return
    end
    printf '%s\n' $answer[2..-1]
end

complete --command ordersync --no-files --keep-order --arguments '(__ordersync_complete)'
