# Completions of ordersync for Elvish: asks the command what fits.
use str

set edit:completion:arg-completer[ordersync] = {|@words|
    var index = (- (count $words) 1)
    var answer = []
    try {
        set answer = [(e:ordersync __complete elvish (to-string $index) -- $@words 2>/dev/null)]
    } catch e {
    }
    if (== (count $answer) 0) {
    } elif (eq $answer[0] files) {
        edit:complete-filename $@words
    } else {
        for line $answer[1..] {
            var parts = [(str:split "\t" $line)]
            var value = $parts[0]
            var help = $parts[1]
            if (eq $help '') {
                edit:complex-candidate $value
            } else {
                edit:complex-candidate $value &display=$value' ('$help')'
            }
        }
    }
}
