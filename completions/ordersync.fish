# Print an optspec for argparse to handle cmd's options that are independent of any subcommand.
function __fish_ordersync_global_optspecs
    string join \n profile= base-url= o/output= fields= jq= q/quiet v/verbose curl no-input accessible color= timeout= h/help V/version
end

function __fish_ordersync_needs_command
    # Figure out if the current invocation already has a command.
    set -l cmd (commandline -opc)
    set -e cmd[1]
    argparse -s (__fish_ordersync_global_optspecs) -- $cmd 2>/dev/null
    or return
    if set -q argv[1]
        # Also print the command, so this can be used to figure out what it is.
        echo $argv[1]
        return 1
    end
    return 0
end

function __fish_ordersync_using_subcommand
    set -l cmd (__fish_ordersync_needs_command)
    test -z "$cmd"
    and return 1
    contains -- $cmd[1] $argv
end

complete -c ordersync -n "__fish_ordersync_needs_command" -l profile -d 'Environment to use: `local`, or one of your profiles' -r
complete -c ordersync -n "__fish_ordersync_needs_command" -l base-url -d 'Address of the service, instead of the profile\'s' -r
complete -c ordersync -n "__fish_ordersync_needs_command" -s o -l output -d 'Output format' -r -f -a "table\t'A table for people'
json\t'One JSON document'
jsonl\t'One JSON document per line'
csv\t'Comma-separated values with a header'"
complete -c ordersync -n "__fish_ordersync_needs_command" -l fields -d 'Print only these fields; without a value, list them' -r
complete -c ordersync -n "__fish_ordersync_needs_command" -l jq -d 'Filter JSON output with a jq expression' -r
complete -c ordersync -n "__fish_ordersync_needs_command" -l color -d 'When to use color; auto: on a terminal' -r -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c ordersync -n "__fish_ordersync_needs_command" -l timeout -d 'Give up after this time (30s, 5m, 1h), rate limits and syncs included' -r
complete -c ordersync -n "__fish_ordersync_needs_command" -s q -l quiet -d 'Print only results and errors'
complete -c ordersync -n "__fish_ordersync_needs_command" -s v -l verbose -d 'Print each request (-vv: each HTTP exchange)'
complete -c ordersync -n "__fish_ordersync_needs_command" -l curl -d 'Print each request as a curl command, secrets redacted'
complete -c ordersync -n "__fish_ordersync_needs_command" -l no-input -d 'Never prompt in the terminal; a missing value is an error'
complete -c ordersync -n "__fish_ordersync_needs_command" -l accessible -d 'Plain output for screen readers: no animation, numbered prompts, words for symbols'
complete -c ordersync -n "__fish_ordersync_needs_command" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c ordersync -n "__fish_ordersync_needs_command" -s V -l version -d 'Print version'
complete -c ordersync -n "__fish_ordersync_needs_command" -f -a "retailers" -d 'List the retailers you can connect'
complete -c ordersync -n "__fish_ordersync_needs_command" -f -a "connect" -d 'Connect a retailer and fetch its orders'
complete -c ordersync -n "__fish_ordersync_needs_command" -f -a "connections" -d 'List connections, or show one'
complete -c ordersync -n "__fish_ordersync_needs_command" -f -a "fix" -d 'Repair an invalid connection'
complete -c ordersync -n "__fish_ordersync_needs_command" -f -a "sync" -d 'Fetch new orders'
complete -c ordersync -n "__fish_ordersync_needs_command" -f -a "sessions" -d 'Show or follow sync sessions'
complete -c ordersync -n "__fish_ordersync_needs_command" -f -a "mfa" -d 'Answer a retailer\'s verification request'
complete -c ordersync -n "__fish_ordersync_needs_command" -f -a "orders" -d 'List, show and export line items'
complete -c ordersync -n "__fish_ordersync_needs_command" -f -a "auth" -d 'Sign in and out, and show who is signed in'
complete -c ordersync -n "__fish_ordersync_needs_command" -f -a "profile" -d 'Show the signed-in user'
complete -c ordersync -n "__fish_ordersync_needs_command" -f -a "link-token" -d 'Create a token that opens the widget'
complete -c ordersync -n "__fish_ordersync_needs_command" -f -a "users" -d 'Show what your users share with you'
complete -c ordersync -n "__fish_ordersync_needs_command" -f -a "widget" -d 'Open the widget in the browser'
complete -c ordersync -n "__fish_ordersync_needs_command" -f -a "api" -d 'Send a request to any endpoint'
complete -c ordersync -n "__fish_ordersync_needs_command" -f -a "profiles" -d 'Manage named environments'
complete -c ordersync -n "__fish_ordersync_needs_command" -f -a "config" -d 'Show and change settings'
complete -c ordersync -n "__fish_ordersync_needs_command" -f -a "serve" -d 'Run the service'
complete -c ordersync -n "__fish_ordersync_needs_command" -f -a "admin" -d 'Manage the clients of a service'
complete -c ordersync -n "__fish_ordersync_needs_command" -f -a "sandbox" -d 'Control a sandbox: reset, break, clock, otp, fail'
complete -c ordersync -n "__fish_ordersync_needs_command" -f -a "demo" -d 'Run the whole workflow on simulated retailers'
complete -c ordersync -n "__fish_ordersync_needs_command" -f -a "doctor" -d 'Diagnose problems and suggest fixes'
complete -c ordersync -n "__fish_ordersync_needs_command" -f -a "smoke" -d 'Check an environment end to end, for CI'
complete -c ordersync -n "__fish_ordersync_needs_command" -f -a "completions" -d 'Print a shell completion script'
complete -c ordersync -n "__fish_ordersync_needs_command" -f -a "help" -d 'Show help for a command'
complete -c ordersync -n "__fish_ordersync_needs_command" -f -a "version" -d 'Print the version'
complete -c ordersync -n "__fish_ordersync_using_subcommand retailers; and not __fish_seen_subcommand_from list add remove check" -s s -l search -d 'Only retailers whose name contains this text; case and accents do not matter' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand retailers; and not __fish_seen_subcommand_from list add remove check" -l profile -d 'Environment to use: `local`, or one of your profiles' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand retailers; and not __fish_seen_subcommand_from list add remove check" -l base-url -d 'Address of the service, instead of the profile\'s' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand retailers; and not __fish_seen_subcommand_from list add remove check" -s o -l output -d 'Output format' -r -f -a "table\t'A table for people'
json\t'One JSON document'
jsonl\t'One JSON document per line'
csv\t'Comma-separated values with a header'"
complete -c ordersync -n "__fish_ordersync_using_subcommand retailers; and not __fish_seen_subcommand_from list add remove check" -l fields -d 'Print only these fields; without a value, list them' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand retailers; and not __fish_seen_subcommand_from list add remove check" -l jq -d 'Filter JSON output with a jq expression' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand retailers; and not __fish_seen_subcommand_from list add remove check" -l color -d 'When to use color; auto: on a terminal' -r -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c ordersync -n "__fish_ordersync_using_subcommand retailers; and not __fish_seen_subcommand_from list add remove check" -l timeout -d 'Give up after this time (30s, 5m, 1h), rate limits and syncs included' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand retailers; and not __fish_seen_subcommand_from list add remove check" -s q -l quiet -d 'Print only results and errors'
complete -c ordersync -n "__fish_ordersync_using_subcommand retailers; and not __fish_seen_subcommand_from list add remove check" -s v -l verbose -d 'Print each request (-vv: each HTTP exchange)'
complete -c ordersync -n "__fish_ordersync_using_subcommand retailers; and not __fish_seen_subcommand_from list add remove check" -l curl -d 'Print each request as a curl command, secrets redacted'
complete -c ordersync -n "__fish_ordersync_using_subcommand retailers; and not __fish_seen_subcommand_from list add remove check" -l no-input -d 'Never prompt in the terminal; a missing value is an error'
complete -c ordersync -n "__fish_ordersync_using_subcommand retailers; and not __fish_seen_subcommand_from list add remove check" -l accessible -d 'Plain output for screen readers: no animation, numbered prompts, words for symbols'
complete -c ordersync -n "__fish_ordersync_using_subcommand retailers; and not __fish_seen_subcommand_from list add remove check" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c ordersync -n "__fish_ordersync_using_subcommand retailers; and not __fish_seen_subcommand_from list add remove check" -f -a "list" -d 'List the retailers you can connect'
complete -c ordersync -n "__fish_ordersync_using_subcommand retailers; and not __fish_seen_subcommand_from list add remove check" -f -a "add" -d 'Add a shop by its address'
complete -c ordersync -n "__fish_ordersync_using_subcommand retailers; and not __fish_seen_subcommand_from list add remove check" -f -a "remove" -d 'Remove a shop that you added'
complete -c ordersync -n "__fish_ordersync_using_subcommand retailers; and not __fish_seen_subcommand_from list add remove check" -f -a "check" -d 'Try to read a shop: sign in and show the first orders, without storing anything'
complete -c ordersync -n "__fish_ordersync_using_subcommand retailers; and __fish_seen_subcommand_from list" -s s -l search -d 'Only retailers whose name contains this text; case and accents do not matter' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand retailers; and __fish_seen_subcommand_from list" -l profile -d 'Environment to use: `local`, or one of your profiles' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand retailers; and __fish_seen_subcommand_from list" -l base-url -d 'Address of the service, instead of the profile\'s' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand retailers; and __fish_seen_subcommand_from list" -s o -l output -d 'Output format' -r -f -a "table\t'A table for people'
json\t'One JSON document'
jsonl\t'One JSON document per line'
csv\t'Comma-separated values with a header'"
complete -c ordersync -n "__fish_ordersync_using_subcommand retailers; and __fish_seen_subcommand_from list" -l fields -d 'Print only these fields; without a value, list them' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand retailers; and __fish_seen_subcommand_from list" -l jq -d 'Filter JSON output with a jq expression' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand retailers; and __fish_seen_subcommand_from list" -l color -d 'When to use color; auto: on a terminal' -r -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c ordersync -n "__fish_ordersync_using_subcommand retailers; and __fish_seen_subcommand_from list" -l timeout -d 'Give up after this time (30s, 5m, 1h), rate limits and syncs included' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand retailers; and __fish_seen_subcommand_from list" -s q -l quiet -d 'Print only results and errors'
complete -c ordersync -n "__fish_ordersync_using_subcommand retailers; and __fish_seen_subcommand_from list" -s v -l verbose -d 'Print each request (-vv: each HTTP exchange)'
complete -c ordersync -n "__fish_ordersync_using_subcommand retailers; and __fish_seen_subcommand_from list" -l curl -d 'Print each request as a curl command, secrets redacted'
complete -c ordersync -n "__fish_ordersync_using_subcommand retailers; and __fish_seen_subcommand_from list" -l no-input -d 'Never prompt in the terminal; a missing value is an error'
complete -c ordersync -n "__fish_ordersync_using_subcommand retailers; and __fish_seen_subcommand_from list" -l accessible -d 'Plain output for screen readers: no animation, numbered prompts, words for symbols'
complete -c ordersync -n "__fish_ordersync_using_subcommand retailers; and __fish_seen_subcommand_from list" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c ordersync -n "__fish_ordersync_using_subcommand retailers; and __fish_seen_subcommand_from add" -l name -d 'Name of the shop; default: the one that the shop gives itself' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand retailers; and __fish_seen_subcommand_from add" -l time-zone -d 'Time zone of the shop\'s dates, Europe/Berlin for example; default: the shop\'s own' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand retailers; and __fish_seen_subcommand_from add" -l currency -d 'Currency of the shop, EUR for example; default: the shop\'s own' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand retailers; and __fish_seen_subcommand_from add" -l locale -d 'Language to request the pages in, de for example; default: the shop\'s own' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand retailers; and __fish_seen_subcommand_from add" -l profile -d 'Environment to use: `local`, or one of your profiles' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand retailers; and __fish_seen_subcommand_from add" -l base-url -d 'Address of the service, instead of the profile\'s' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand retailers; and __fish_seen_subcommand_from add" -s o -l output -d 'Output format' -r -f -a "table\t'A table for people'
json\t'One JSON document'
jsonl\t'One JSON document per line'
csv\t'Comma-separated values with a header'"
complete -c ordersync -n "__fish_ordersync_using_subcommand retailers; and __fish_seen_subcommand_from add" -l fields -d 'Print only these fields; without a value, list them' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand retailers; and __fish_seen_subcommand_from add" -l jq -d 'Filter JSON output with a jq expression' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand retailers; and __fish_seen_subcommand_from add" -l color -d 'When to use color; auto: on a terminal' -r -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c ordersync -n "__fish_ordersync_using_subcommand retailers; and __fish_seen_subcommand_from add" -l timeout -d 'Give up after this time (30s, 5m, 1h), rate limits and syncs included' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand retailers; and __fish_seen_subcommand_from add" -l allow-private-network -d 'Allow addresses on this machine and on private networks'
complete -c ordersync -n "__fish_ordersync_using_subcommand retailers; and __fish_seen_subcommand_from add" -s q -l quiet -d 'Print only results and errors'
complete -c ordersync -n "__fish_ordersync_using_subcommand retailers; and __fish_seen_subcommand_from add" -s v -l verbose -d 'Print each request (-vv: each HTTP exchange)'
complete -c ordersync -n "__fish_ordersync_using_subcommand retailers; and __fish_seen_subcommand_from add" -l curl -d 'Print each request as a curl command, secrets redacted'
complete -c ordersync -n "__fish_ordersync_using_subcommand retailers; and __fish_seen_subcommand_from add" -l no-input -d 'Never prompt in the terminal; a missing value is an error'
complete -c ordersync -n "__fish_ordersync_using_subcommand retailers; and __fish_seen_subcommand_from add" -l accessible -d 'Plain output for screen readers: no animation, numbered prompts, words for symbols'
complete -c ordersync -n "__fish_ordersync_using_subcommand retailers; and __fish_seen_subcommand_from add" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c ordersync -n "__fish_ordersync_using_subcommand retailers; and __fish_seen_subcommand_from remove" -l profile -d 'Environment to use: `local`, or one of your profiles' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand retailers; and __fish_seen_subcommand_from remove" -l base-url -d 'Address of the service, instead of the profile\'s' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand retailers; and __fish_seen_subcommand_from remove" -s o -l output -d 'Output format' -r -f -a "table\t'A table for people'
json\t'One JSON document'
jsonl\t'One JSON document per line'
csv\t'Comma-separated values with a header'"
complete -c ordersync -n "__fish_ordersync_using_subcommand retailers; and __fish_seen_subcommand_from remove" -l fields -d 'Print only these fields; without a value, list them' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand retailers; and __fish_seen_subcommand_from remove" -l jq -d 'Filter JSON output with a jq expression' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand retailers; and __fish_seen_subcommand_from remove" -l color -d 'When to use color; auto: on a terminal' -r -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c ordersync -n "__fish_ordersync_using_subcommand retailers; and __fish_seen_subcommand_from remove" -l timeout -d 'Give up after this time (30s, 5m, 1h), rate limits and syncs included' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand retailers; and __fish_seen_subcommand_from remove" -s y -l yes -d 'Do not ask'
complete -c ordersync -n "__fish_ordersync_using_subcommand retailers; and __fish_seen_subcommand_from remove" -s q -l quiet -d 'Print only results and errors'
complete -c ordersync -n "__fish_ordersync_using_subcommand retailers; and __fish_seen_subcommand_from remove" -s v -l verbose -d 'Print each request (-vv: each HTTP exchange)'
complete -c ordersync -n "__fish_ordersync_using_subcommand retailers; and __fish_seen_subcommand_from remove" -l curl -d 'Print each request as a curl command, secrets redacted'
complete -c ordersync -n "__fish_ordersync_using_subcommand retailers; and __fish_seen_subcommand_from remove" -l no-input -d 'Never prompt in the terminal; a missing value is an error'
complete -c ordersync -n "__fish_ordersync_using_subcommand retailers; and __fish_seen_subcommand_from remove" -l accessible -d 'Plain output for screen readers: no animation, numbered prompts, words for symbols'
complete -c ordersync -n "__fish_ordersync_using_subcommand retailers; and __fish_seen_subcommand_from remove" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c ordersync -n "__fish_ordersync_using_subcommand retailers; and __fish_seen_subcommand_from check" -l pages -d 'Try the saved pages of this folder' -r -f -a "(__fish_complete_directories)"
complete -c ordersync -n "__fish_ordersync_using_subcommand retailers; and __fish_seen_subcommand_from check" -l save -d 'Save the pages in this folder, which must not exist yet' -r -f -a "(__fish_complete_directories)"
complete -c ordersync -n "__fish_ordersync_using_subcommand retailers; and __fish_seen_subcommand_from check" -l credentials-file -d 'Read credentials from a JSON file that only you can read (chmod 600)' -r -F
complete -c ordersync -n "__fish_ordersync_using_subcommand retailers; and __fish_seen_subcommand_from check" -l mfa-option -d 'Verification method to choose (sms, email, …)' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand retailers; and __fish_seen_subcommand_from check" -l mfa-command -d 'Run a shell command that prints the code' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand retailers; and __fish_seen_subcommand_from check" -l profile -d 'Environment to use: `local`, or one of your profiles' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand retailers; and __fish_seen_subcommand_from check" -l base-url -d 'Address of the service, instead of the profile\'s' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand retailers; and __fish_seen_subcommand_from check" -s o -l output -d 'Output format' -r -f -a "table\t'A table for people'
json\t'One JSON document'
jsonl\t'One JSON document per line'
csv\t'Comma-separated values with a header'"
complete -c ordersync -n "__fish_ordersync_using_subcommand retailers; and __fish_seen_subcommand_from check" -l fields -d 'Print only these fields; without a value, list them' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand retailers; and __fish_seen_subcommand_from check" -l jq -d 'Filter JSON output with a jq expression' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand retailers; and __fish_seen_subcommand_from check" -l color -d 'When to use color; auto: on a terminal' -r -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c ordersync -n "__fish_ordersync_using_subcommand retailers; and __fish_seen_subcommand_from check" -l timeout -d 'Give up after this time (30s, 5m, 1h), rate limits and syncs included' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand retailers; and __fish_seen_subcommand_from check" -l credentials-stdin -d 'Read credentials as JSON from standard input'
complete -c ordersync -n "__fish_ordersync_using_subcommand retailers; and __fish_seen_subcommand_from check" -s y -l yes -d 'Skip the confirmation'
complete -c ordersync -n "__fish_ordersync_using_subcommand retailers; and __fish_seen_subcommand_from check" -l mfa-code-stdin -d 'Read the code from standard input, one line per attempt'
complete -c ordersync -n "__fish_ordersync_using_subcommand retailers; and __fish_seen_subcommand_from check" -s q -l quiet -d 'Print only results and errors'
complete -c ordersync -n "__fish_ordersync_using_subcommand retailers; and __fish_seen_subcommand_from check" -s v -l verbose -d 'Print each request (-vv: each HTTP exchange)'
complete -c ordersync -n "__fish_ordersync_using_subcommand retailers; and __fish_seen_subcommand_from check" -l curl -d 'Print each request as a curl command, secrets redacted'
complete -c ordersync -n "__fish_ordersync_using_subcommand retailers; and __fish_seen_subcommand_from check" -l no-input -d 'Never prompt in the terminal; a missing value is an error'
complete -c ordersync -n "__fish_ordersync_using_subcommand retailers; and __fish_seen_subcommand_from check" -l accessible -d 'Plain output for screen readers: no animation, numbered prompts, words for symbols'
complete -c ordersync -n "__fish_ordersync_using_subcommand retailers; and __fish_seen_subcommand_from check" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c ordersync -n "__fish_ordersync_using_subcommand connect" -s r -l retailer -d 'The same as RETAILER' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand connect" -l credentials-file -d 'Read credentials from a JSON file that only you can read (chmod 600)' -r -F
complete -c ordersync -n "__fish_ordersync_using_subcommand connect" -l mfa-option -d 'Verification method to choose (sms, email, …)' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand connect" -l mfa-command -d 'Run a shell command that prints the code' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand connect" -l profile -d 'Environment to use: `local`, or one of your profiles' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand connect" -l base-url -d 'Address of the service, instead of the profile\'s' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand connect" -s o -l output -d 'Output format' -r -f -a "table\t'A table for people'
json\t'One JSON document'
jsonl\t'One JSON document per line'
csv\t'Comma-separated values with a header'"
complete -c ordersync -n "__fish_ordersync_using_subcommand connect" -l fields -d 'Print only these fields; without a value, list them' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand connect" -l jq -d 'Filter JSON output with a jq expression' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand connect" -l color -d 'When to use color; auto: on a terminal' -r -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c ordersync -n "__fish_ordersync_using_subcommand connect" -l timeout -d 'Give up after this time (30s, 5m, 1h), rate limits and syncs included' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand connect" -l no-wait -d 'Do not wait for the sync to finish'
complete -c ordersync -n "__fish_ordersync_using_subcommand connect" -l credentials-stdin -d 'Read credentials as JSON from standard input'
complete -c ordersync -n "__fish_ordersync_using_subcommand connect" -s y -l yes -d 'Skip the confirmation'
complete -c ordersync -n "__fish_ordersync_using_subcommand connect" -l mfa-code-stdin -d 'Read the code from standard input, one line per attempt'
complete -c ordersync -n "__fish_ordersync_using_subcommand connect" -s q -l quiet -d 'Print only results and errors'
complete -c ordersync -n "__fish_ordersync_using_subcommand connect" -s v -l verbose -d 'Print each request (-vv: each HTTP exchange)'
complete -c ordersync -n "__fish_ordersync_using_subcommand connect" -l curl -d 'Print each request as a curl command, secrets redacted'
complete -c ordersync -n "__fish_ordersync_using_subcommand connect" -l no-input -d 'Never prompt in the terminal; a missing value is an error'
complete -c ordersync -n "__fish_ordersync_using_subcommand connect" -l accessible -d 'Plain output for screen readers: no animation, numbered prompts, words for symbols'
complete -c ordersync -n "__fish_ordersync_using_subcommand connect" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c ordersync -n "__fish_ordersync_using_subcommand connections; and not __fish_seen_subcommand_from list get remove" -l status -d 'Only connections with this status' -r -f -a "valid\t'The last sign-in worked'
invalid\t'The retailer refused the last sign-in: repair it with `fix`'
pending\t'The first sign-in is still going on'"
complete -c ordersync -n "__fish_ordersync_using_subcommand connections; and not __fish_seen_subcommand_from list get remove" -l profile -d 'Environment to use: `local`, or one of your profiles' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand connections; and not __fish_seen_subcommand_from list get remove" -l base-url -d 'Address of the service, instead of the profile\'s' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand connections; and not __fish_seen_subcommand_from list get remove" -s o -l output -d 'Output format' -r -f -a "table\t'A table for people'
json\t'One JSON document'
jsonl\t'One JSON document per line'
csv\t'Comma-separated values with a header'"
complete -c ordersync -n "__fish_ordersync_using_subcommand connections; and not __fish_seen_subcommand_from list get remove" -l fields -d 'Print only these fields; without a value, list them' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand connections; and not __fish_seen_subcommand_from list get remove" -l jq -d 'Filter JSON output with a jq expression' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand connections; and not __fish_seen_subcommand_from list get remove" -l color -d 'When to use color; auto: on a terminal' -r -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c ordersync -n "__fish_ordersync_using_subcommand connections; and not __fish_seen_subcommand_from list get remove" -l timeout -d 'Give up after this time (30s, 5m, 1h), rate limits and syncs included' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand connections; and not __fish_seen_subcommand_from list get remove" -s q -l quiet -d 'Print only results and errors'
complete -c ordersync -n "__fish_ordersync_using_subcommand connections; and not __fish_seen_subcommand_from list get remove" -s v -l verbose -d 'Print each request (-vv: each HTTP exchange)'
complete -c ordersync -n "__fish_ordersync_using_subcommand connections; and not __fish_seen_subcommand_from list get remove" -l curl -d 'Print each request as a curl command, secrets redacted'
complete -c ordersync -n "__fish_ordersync_using_subcommand connections; and not __fish_seen_subcommand_from list get remove" -l no-input -d 'Never prompt in the terminal; a missing value is an error'
complete -c ordersync -n "__fish_ordersync_using_subcommand connections; and not __fish_seen_subcommand_from list get remove" -l accessible -d 'Plain output for screen readers: no animation, numbered prompts, words for symbols'
complete -c ordersync -n "__fish_ordersync_using_subcommand connections; and not __fish_seen_subcommand_from list get remove" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c ordersync -n "__fish_ordersync_using_subcommand connections; and not __fish_seen_subcommand_from list get remove" -a "list" -d 'List connections'
complete -c ordersync -n "__fish_ordersync_using_subcommand connections; and not __fish_seen_subcommand_from list get remove" -a "get" -d 'Show one connection'
complete -c ordersync -n "__fish_ordersync_using_subcommand connections; and not __fish_seen_subcommand_from list get remove" -a "remove" -d 'Disconnect a retailer and delete its orders'
complete -c ordersync -n "__fish_ordersync_using_subcommand connections; and __fish_seen_subcommand_from list" -l status -d 'Only connections with this status' -r -f -a "valid\t'The last sign-in worked'
invalid\t'The retailer refused the last sign-in: repair it with `fix`'
pending\t'The first sign-in is still going on'"
complete -c ordersync -n "__fish_ordersync_using_subcommand connections; and __fish_seen_subcommand_from list" -l profile -d 'Environment to use: `local`, or one of your profiles' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand connections; and __fish_seen_subcommand_from list" -l base-url -d 'Address of the service, instead of the profile\'s' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand connections; and __fish_seen_subcommand_from list" -s o -l output -d 'Output format' -r -f -a "table\t'A table for people'
json\t'One JSON document'
jsonl\t'One JSON document per line'
csv\t'Comma-separated values with a header'"
complete -c ordersync -n "__fish_ordersync_using_subcommand connections; and __fish_seen_subcommand_from list" -l fields -d 'Print only these fields; without a value, list them' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand connections; and __fish_seen_subcommand_from list" -l jq -d 'Filter JSON output with a jq expression' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand connections; and __fish_seen_subcommand_from list" -l color -d 'When to use color; auto: on a terminal' -r -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c ordersync -n "__fish_ordersync_using_subcommand connections; and __fish_seen_subcommand_from list" -l timeout -d 'Give up after this time (30s, 5m, 1h), rate limits and syncs included' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand connections; and __fish_seen_subcommand_from list" -s q -l quiet -d 'Print only results and errors'
complete -c ordersync -n "__fish_ordersync_using_subcommand connections; and __fish_seen_subcommand_from list" -s v -l verbose -d 'Print each request (-vv: each HTTP exchange)'
complete -c ordersync -n "__fish_ordersync_using_subcommand connections; and __fish_seen_subcommand_from list" -l curl -d 'Print each request as a curl command, secrets redacted'
complete -c ordersync -n "__fish_ordersync_using_subcommand connections; and __fish_seen_subcommand_from list" -l no-input -d 'Never prompt in the terminal; a missing value is an error'
complete -c ordersync -n "__fish_ordersync_using_subcommand connections; and __fish_seen_subcommand_from list" -l accessible -d 'Plain output for screen readers: no animation, numbered prompts, words for symbols'
complete -c ordersync -n "__fish_ordersync_using_subcommand connections; and __fish_seen_subcommand_from list" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c ordersync -n "__fish_ordersync_using_subcommand connections; and __fish_seen_subcommand_from get" -l profile -d 'Environment to use: `local`, or one of your profiles' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand connections; and __fish_seen_subcommand_from get" -l base-url -d 'Address of the service, instead of the profile\'s' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand connections; and __fish_seen_subcommand_from get" -s o -l output -d 'Output format' -r -f -a "table\t'A table for people'
json\t'One JSON document'
jsonl\t'One JSON document per line'
csv\t'Comma-separated values with a header'"
complete -c ordersync -n "__fish_ordersync_using_subcommand connections; and __fish_seen_subcommand_from get" -l fields -d 'Print only these fields; without a value, list them' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand connections; and __fish_seen_subcommand_from get" -l jq -d 'Filter JSON output with a jq expression' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand connections; and __fish_seen_subcommand_from get" -l color -d 'When to use color; auto: on a terminal' -r -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c ordersync -n "__fish_ordersync_using_subcommand connections; and __fish_seen_subcommand_from get" -l timeout -d 'Give up after this time (30s, 5m, 1h), rate limits and syncs included' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand connections; and __fish_seen_subcommand_from get" -s q -l quiet -d 'Print only results and errors'
complete -c ordersync -n "__fish_ordersync_using_subcommand connections; and __fish_seen_subcommand_from get" -s v -l verbose -d 'Print each request (-vv: each HTTP exchange)'
complete -c ordersync -n "__fish_ordersync_using_subcommand connections; and __fish_seen_subcommand_from get" -l curl -d 'Print each request as a curl command, secrets redacted'
complete -c ordersync -n "__fish_ordersync_using_subcommand connections; and __fish_seen_subcommand_from get" -l no-input -d 'Never prompt in the terminal; a missing value is an error'
complete -c ordersync -n "__fish_ordersync_using_subcommand connections; and __fish_seen_subcommand_from get" -l accessible -d 'Plain output for screen readers: no animation, numbered prompts, words for symbols'
complete -c ordersync -n "__fish_ordersync_using_subcommand connections; and __fish_seen_subcommand_from get" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c ordersync -n "__fish_ordersync_using_subcommand connections; and __fish_seen_subcommand_from remove" -l profile -d 'Environment to use: `local`, or one of your profiles' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand connections; and __fish_seen_subcommand_from remove" -l base-url -d 'Address of the service, instead of the profile\'s' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand connections; and __fish_seen_subcommand_from remove" -s o -l output -d 'Output format' -r -f -a "table\t'A table for people'
json\t'One JSON document'
jsonl\t'One JSON document per line'
csv\t'Comma-separated values with a header'"
complete -c ordersync -n "__fish_ordersync_using_subcommand connections; and __fish_seen_subcommand_from remove" -l fields -d 'Print only these fields; without a value, list them' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand connections; and __fish_seen_subcommand_from remove" -l jq -d 'Filter JSON output with a jq expression' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand connections; and __fish_seen_subcommand_from remove" -l color -d 'When to use color; auto: on a terminal' -r -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c ordersync -n "__fish_ordersync_using_subcommand connections; and __fish_seen_subcommand_from remove" -l timeout -d 'Give up after this time (30s, 5m, 1h), rate limits and syncs included' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand connections; and __fish_seen_subcommand_from remove" -s y -l yes -d 'Remove without asking'
complete -c ordersync -n "__fish_ordersync_using_subcommand connections; and __fish_seen_subcommand_from remove" -s q -l quiet -d 'Print only results and errors'
complete -c ordersync -n "__fish_ordersync_using_subcommand connections; and __fish_seen_subcommand_from remove" -s v -l verbose -d 'Print each request (-vv: each HTTP exchange)'
complete -c ordersync -n "__fish_ordersync_using_subcommand connections; and __fish_seen_subcommand_from remove" -l curl -d 'Print each request as a curl command, secrets redacted'
complete -c ordersync -n "__fish_ordersync_using_subcommand connections; and __fish_seen_subcommand_from remove" -l no-input -d 'Never prompt in the terminal; a missing value is an error'
complete -c ordersync -n "__fish_ordersync_using_subcommand connections; and __fish_seen_subcommand_from remove" -l accessible -d 'Plain output for screen readers: no animation, numbered prompts, words for symbols'
complete -c ordersync -n "__fish_ordersync_using_subcommand connections; and __fish_seen_subcommand_from remove" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c ordersync -n "__fish_ordersync_using_subcommand fix" -s r -l retailer -d 'The same as NAME|ID' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand fix" -l credentials-file -d 'Read credentials from a JSON file that only you can read (chmod 600)' -r -F
complete -c ordersync -n "__fish_ordersync_using_subcommand fix" -l mfa-option -d 'Verification method to choose (sms, email, …)' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand fix" -l mfa-command -d 'Run a shell command that prints the code' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand fix" -l profile -d 'Environment to use: `local`, or one of your profiles' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand fix" -l base-url -d 'Address of the service, instead of the profile\'s' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand fix" -s o -l output -d 'Output format' -r -f -a "table\t'A table for people'
json\t'One JSON document'
jsonl\t'One JSON document per line'
csv\t'Comma-separated values with a header'"
complete -c ordersync -n "__fish_ordersync_using_subcommand fix" -l fields -d 'Print only these fields; without a value, list them' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand fix" -l jq -d 'Filter JSON output with a jq expression' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand fix" -l color -d 'When to use color; auto: on a terminal' -r -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c ordersync -n "__fish_ordersync_using_subcommand fix" -l timeout -d 'Give up after this time (30s, 5m, 1h), rate limits and syncs included' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand fix" -l no-wait -d 'Do not wait for the sync to finish'
complete -c ordersync -n "__fish_ordersync_using_subcommand fix" -l credentials-stdin -d 'Read credentials as JSON from standard input'
complete -c ordersync -n "__fish_ordersync_using_subcommand fix" -s y -l yes -d 'Skip the confirmation'
complete -c ordersync -n "__fish_ordersync_using_subcommand fix" -l mfa-code-stdin -d 'Read the code from standard input, one line per attempt'
complete -c ordersync -n "__fish_ordersync_using_subcommand fix" -s q -l quiet -d 'Print only results and errors'
complete -c ordersync -n "__fish_ordersync_using_subcommand fix" -s v -l verbose -d 'Print each request (-vv: each HTTP exchange)'
complete -c ordersync -n "__fish_ordersync_using_subcommand fix" -l curl -d 'Print each request as a curl command, secrets redacted'
complete -c ordersync -n "__fish_ordersync_using_subcommand fix" -l no-input -d 'Never prompt in the terminal; a missing value is an error'
complete -c ordersync -n "__fish_ordersync_using_subcommand fix" -l accessible -d 'Plain output for screen readers: no animation, numbered prompts, words for symbols'
complete -c ordersync -n "__fish_ordersync_using_subcommand fix" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c ordersync -n "__fish_ordersync_using_subcommand sync" -s c -l connection -d 'Sync this connection; the same as NAME|ID' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand sync" -s r -l retailer -d 'Sync the connection to this retailer; the same as NAME|ID' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand sync" -l mfa-option -d 'Verification method to choose (sms, email, …)' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand sync" -l mfa-command -d 'Run a shell command that prints the code' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand sync" -l profile -d 'Environment to use: `local`, or one of your profiles' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand sync" -l base-url -d 'Address of the service, instead of the profile\'s' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand sync" -s o -l output -d 'Output format' -r -f -a "table\t'A table for people'
json\t'One JSON document'
jsonl\t'One JSON document per line'
csv\t'Comma-separated values with a header'"
complete -c ordersync -n "__fish_ordersync_using_subcommand sync" -l fields -d 'Print only these fields; without a value, list them' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand sync" -l jq -d 'Filter JSON output with a jq expression' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand sync" -l color -d 'When to use color; auto: on a terminal' -r -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c ordersync -n "__fish_ordersync_using_subcommand sync" -l timeout -d 'Give up after this time (30s, 5m, 1h), rate limits and syncs included' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand sync" -l all -d 'Sync every connection that is not invalid (the default)'
complete -c ordersync -n "__fish_ordersync_using_subcommand sync" -l full -d 'Read every order again, settled and unchanged ones included'
complete -c ordersync -n "__fish_ordersync_using_subcommand sync" -l allow-skipped -d 'Do not fail if connections are skipped because they are invalid, wait for a code or are still syncing'
complete -c ordersync -n "__fish_ordersync_using_subcommand sync" -l no-wait -d 'Do not wait for the sync to finish'
complete -c ordersync -n "__fish_ordersync_using_subcommand sync" -l mfa-code-stdin -d 'Read the code from standard input, one line per attempt'
complete -c ordersync -n "__fish_ordersync_using_subcommand sync" -s q -l quiet -d 'Print only results and errors'
complete -c ordersync -n "__fish_ordersync_using_subcommand sync" -s v -l verbose -d 'Print each request (-vv: each HTTP exchange)'
complete -c ordersync -n "__fish_ordersync_using_subcommand sync" -l curl -d 'Print each request as a curl command, secrets redacted'
complete -c ordersync -n "__fish_ordersync_using_subcommand sync" -l no-input -d 'Never prompt in the terminal; a missing value is an error'
complete -c ordersync -n "__fish_ordersync_using_subcommand sync" -l accessible -d 'Plain output for screen readers: no animation, numbered prompts, words for symbols'
complete -c ordersync -n "__fish_ordersync_using_subcommand sync" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c ordersync -n "__fish_ordersync_using_subcommand sessions; and not __fish_seen_subcommand_from latest list get watch" -l profile -d 'Environment to use: `local`, or one of your profiles' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand sessions; and not __fish_seen_subcommand_from latest list get watch" -l base-url -d 'Address of the service, instead of the profile\'s' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand sessions; and not __fish_seen_subcommand_from latest list get watch" -s o -l output -d 'Output format' -r -f -a "table\t'A table for people'
json\t'One JSON document'
jsonl\t'One JSON document per line'
csv\t'Comma-separated values with a header'"
complete -c ordersync -n "__fish_ordersync_using_subcommand sessions; and not __fish_seen_subcommand_from latest list get watch" -l fields -d 'Print only these fields; without a value, list them' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand sessions; and not __fish_seen_subcommand_from latest list get watch" -l jq -d 'Filter JSON output with a jq expression' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand sessions; and not __fish_seen_subcommand_from latest list get watch" -l color -d 'When to use color; auto: on a terminal' -r -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c ordersync -n "__fish_ordersync_using_subcommand sessions; and not __fish_seen_subcommand_from latest list get watch" -l timeout -d 'Give up after this time (30s, 5m, 1h), rate limits and syncs included' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand sessions; and not __fish_seen_subcommand_from latest list get watch" -s q -l quiet -d 'Print only results and errors'
complete -c ordersync -n "__fish_ordersync_using_subcommand sessions; and not __fish_seen_subcommand_from latest list get watch" -s v -l verbose -d 'Print each request (-vv: each HTTP exchange)'
complete -c ordersync -n "__fish_ordersync_using_subcommand sessions; and not __fish_seen_subcommand_from latest list get watch" -l curl -d 'Print each request as a curl command, secrets redacted'
complete -c ordersync -n "__fish_ordersync_using_subcommand sessions; and not __fish_seen_subcommand_from latest list get watch" -l no-input -d 'Never prompt in the terminal; a missing value is an error'
complete -c ordersync -n "__fish_ordersync_using_subcommand sessions; and not __fish_seen_subcommand_from latest list get watch" -l accessible -d 'Plain output for screen readers: no animation, numbered prompts, words for symbols'
complete -c ordersync -n "__fish_ordersync_using_subcommand sessions; and not __fish_seen_subcommand_from latest list get watch" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c ordersync -n "__fish_ordersync_using_subcommand sessions; and not __fish_seen_subcommand_from latest list get watch" -f -a "latest" -d 'Show the latest session'
complete -c ordersync -n "__fish_ordersync_using_subcommand sessions; and not __fish_seen_subcommand_from latest list get watch" -f -a "list" -d 'List the latest session of each connection'
complete -c ordersync -n "__fish_ordersync_using_subcommand sessions; and not __fish_seen_subcommand_from latest list get watch" -f -a "get" -d 'Show a session'
complete -c ordersync -n "__fish_ordersync_using_subcommand sessions; and not __fish_seen_subcommand_from latest list get watch" -f -a "watch" -d 'Follow a session to its end'
complete -c ordersync -n "__fish_ordersync_using_subcommand sessions; and __fish_seen_subcommand_from latest" -l profile -d 'Environment to use: `local`, or one of your profiles' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand sessions; and __fish_seen_subcommand_from latest" -l base-url -d 'Address of the service, instead of the profile\'s' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand sessions; and __fish_seen_subcommand_from latest" -s o -l output -d 'Output format' -r -f -a "table\t'A table for people'
json\t'One JSON document'
jsonl\t'One JSON document per line'
csv\t'Comma-separated values with a header'"
complete -c ordersync -n "__fish_ordersync_using_subcommand sessions; and __fish_seen_subcommand_from latest" -l fields -d 'Print only these fields; without a value, list them' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand sessions; and __fish_seen_subcommand_from latest" -l jq -d 'Filter JSON output with a jq expression' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand sessions; and __fish_seen_subcommand_from latest" -l color -d 'When to use color; auto: on a terminal' -r -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c ordersync -n "__fish_ordersync_using_subcommand sessions; and __fish_seen_subcommand_from latest" -l timeout -d 'Give up after this time (30s, 5m, 1h), rate limits and syncs included' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand sessions; and __fish_seen_subcommand_from latest" -s q -l quiet -d 'Print only results and errors'
complete -c ordersync -n "__fish_ordersync_using_subcommand sessions; and __fish_seen_subcommand_from latest" -s v -l verbose -d 'Print each request (-vv: each HTTP exchange)'
complete -c ordersync -n "__fish_ordersync_using_subcommand sessions; and __fish_seen_subcommand_from latest" -l curl -d 'Print each request as a curl command, secrets redacted'
complete -c ordersync -n "__fish_ordersync_using_subcommand sessions; and __fish_seen_subcommand_from latest" -l no-input -d 'Never prompt in the terminal; a missing value is an error'
complete -c ordersync -n "__fish_ordersync_using_subcommand sessions; and __fish_seen_subcommand_from latest" -l accessible -d 'Plain output for screen readers: no animation, numbered prompts, words for symbols'
complete -c ordersync -n "__fish_ordersync_using_subcommand sessions; and __fish_seen_subcommand_from latest" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c ordersync -n "__fish_ordersync_using_subcommand sessions; and __fish_seen_subcommand_from list" -l profile -d 'Environment to use: `local`, or one of your profiles' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand sessions; and __fish_seen_subcommand_from list" -l base-url -d 'Address of the service, instead of the profile\'s' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand sessions; and __fish_seen_subcommand_from list" -s o -l output -d 'Output format' -r -f -a "table\t'A table for people'
json\t'One JSON document'
jsonl\t'One JSON document per line'
csv\t'Comma-separated values with a header'"
complete -c ordersync -n "__fish_ordersync_using_subcommand sessions; and __fish_seen_subcommand_from list" -l fields -d 'Print only these fields; without a value, list them' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand sessions; and __fish_seen_subcommand_from list" -l jq -d 'Filter JSON output with a jq expression' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand sessions; and __fish_seen_subcommand_from list" -l color -d 'When to use color; auto: on a terminal' -r -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c ordersync -n "__fish_ordersync_using_subcommand sessions; and __fish_seen_subcommand_from list" -l timeout -d 'Give up after this time (30s, 5m, 1h), rate limits and syncs included' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand sessions; and __fish_seen_subcommand_from list" -s q -l quiet -d 'Print only results and errors'
complete -c ordersync -n "__fish_ordersync_using_subcommand sessions; and __fish_seen_subcommand_from list" -s v -l verbose -d 'Print each request (-vv: each HTTP exchange)'
complete -c ordersync -n "__fish_ordersync_using_subcommand sessions; and __fish_seen_subcommand_from list" -l curl -d 'Print each request as a curl command, secrets redacted'
complete -c ordersync -n "__fish_ordersync_using_subcommand sessions; and __fish_seen_subcommand_from list" -l no-input -d 'Never prompt in the terminal; a missing value is an error'
complete -c ordersync -n "__fish_ordersync_using_subcommand sessions; and __fish_seen_subcommand_from list" -l accessible -d 'Plain output for screen readers: no animation, numbered prompts, words for symbols'
complete -c ordersync -n "__fish_ordersync_using_subcommand sessions; and __fish_seen_subcommand_from list" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c ordersync -n "__fish_ordersync_using_subcommand sessions; and __fish_seen_subcommand_from get" -l profile -d 'Environment to use: `local`, or one of your profiles' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand sessions; and __fish_seen_subcommand_from get" -l base-url -d 'Address of the service, instead of the profile\'s' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand sessions; and __fish_seen_subcommand_from get" -s o -l output -d 'Output format' -r -f -a "table\t'A table for people'
json\t'One JSON document'
jsonl\t'One JSON document per line'
csv\t'Comma-separated values with a header'"
complete -c ordersync -n "__fish_ordersync_using_subcommand sessions; and __fish_seen_subcommand_from get" -l fields -d 'Print only these fields; without a value, list them' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand sessions; and __fish_seen_subcommand_from get" -l jq -d 'Filter JSON output with a jq expression' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand sessions; and __fish_seen_subcommand_from get" -l color -d 'When to use color; auto: on a terminal' -r -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c ordersync -n "__fish_ordersync_using_subcommand sessions; and __fish_seen_subcommand_from get" -l timeout -d 'Give up after this time (30s, 5m, 1h), rate limits and syncs included' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand sessions; and __fish_seen_subcommand_from get" -s q -l quiet -d 'Print only results and errors'
complete -c ordersync -n "__fish_ordersync_using_subcommand sessions; and __fish_seen_subcommand_from get" -s v -l verbose -d 'Print each request (-vv: each HTTP exchange)'
complete -c ordersync -n "__fish_ordersync_using_subcommand sessions; and __fish_seen_subcommand_from get" -l curl -d 'Print each request as a curl command, secrets redacted'
complete -c ordersync -n "__fish_ordersync_using_subcommand sessions; and __fish_seen_subcommand_from get" -l no-input -d 'Never prompt in the terminal; a missing value is an error'
complete -c ordersync -n "__fish_ordersync_using_subcommand sessions; and __fish_seen_subcommand_from get" -l accessible -d 'Plain output for screen readers: no animation, numbered prompts, words for symbols'
complete -c ordersync -n "__fish_ordersync_using_subcommand sessions; and __fish_seen_subcommand_from get" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c ordersync -n "__fish_ordersync_using_subcommand sessions; and __fish_seen_subcommand_from watch" -l mfa-option -d 'Verification method to choose (sms, email, …)' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand sessions; and __fish_seen_subcommand_from watch" -l mfa-command -d 'Run a shell command that prints the code' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand sessions; and __fish_seen_subcommand_from watch" -l profile -d 'Environment to use: `local`, or one of your profiles' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand sessions; and __fish_seen_subcommand_from watch" -l base-url -d 'Address of the service, instead of the profile\'s' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand sessions; and __fish_seen_subcommand_from watch" -s o -l output -d 'Output format' -r -f -a "table\t'A table for people'
json\t'One JSON document'
jsonl\t'One JSON document per line'
csv\t'Comma-separated values with a header'"
complete -c ordersync -n "__fish_ordersync_using_subcommand sessions; and __fish_seen_subcommand_from watch" -l fields -d 'Print only these fields; without a value, list them' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand sessions; and __fish_seen_subcommand_from watch" -l jq -d 'Filter JSON output with a jq expression' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand sessions; and __fish_seen_subcommand_from watch" -l color -d 'When to use color; auto: on a terminal' -r -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c ordersync -n "__fish_ordersync_using_subcommand sessions; and __fish_seen_subcommand_from watch" -l timeout -d 'Give up after this time (30s, 5m, 1h), rate limits and syncs included' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand sessions; and __fish_seen_subcommand_from watch" -l mfa-code-stdin -d 'Read the code from standard input, one line per attempt'
complete -c ordersync -n "__fish_ordersync_using_subcommand sessions; and __fish_seen_subcommand_from watch" -s q -l quiet -d 'Print only results and errors'
complete -c ordersync -n "__fish_ordersync_using_subcommand sessions; and __fish_seen_subcommand_from watch" -s v -l verbose -d 'Print each request (-vv: each HTTP exchange)'
complete -c ordersync -n "__fish_ordersync_using_subcommand sessions; and __fish_seen_subcommand_from watch" -l curl -d 'Print each request as a curl command, secrets redacted'
complete -c ordersync -n "__fish_ordersync_using_subcommand sessions; and __fish_seen_subcommand_from watch" -l no-input -d 'Never prompt in the terminal; a missing value is an error'
complete -c ordersync -n "__fish_ordersync_using_subcommand sessions; and __fish_seen_subcommand_from watch" -l accessible -d 'Plain output for screen readers: no animation, numbered prompts, words for symbols'
complete -c ordersync -n "__fish_ordersync_using_subcommand sessions; and __fish_seen_subcommand_from watch" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c ordersync -n "__fish_ordersync_using_subcommand mfa" -l req-id -d 'Request id; needed only if several are open' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand mfa" -l batch -d 'Session id (batchId), its first characters, or a retailer; default: the latest session with an open request' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand mfa" -l option -d 'Verification method to choose (sms, email, …)' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand mfa" -l code-command -d 'Run a shell command that prints the code' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand mfa" -l profile -d 'Environment to use: `local`, or one of your profiles' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand mfa" -l base-url -d 'Address of the service, instead of the profile\'s' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand mfa" -s o -l output -d 'Output format' -r -f -a "table\t'A table for people'
json\t'One JSON document'
jsonl\t'One JSON document per line'
csv\t'Comma-separated values with a header'"
complete -c ordersync -n "__fish_ordersync_using_subcommand mfa" -l fields -d 'Print only these fields; without a value, list them' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand mfa" -l jq -d 'Filter JSON output with a jq expression' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand mfa" -l color -d 'When to use color; auto: on a terminal' -r -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c ordersync -n "__fish_ordersync_using_subcommand mfa" -l timeout -d 'Give up after this time (30s, 5m, 1h), rate limits and syncs included' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand mfa" -l code-stdin -d 'Read the code from standard input, one line per attempt'
complete -c ordersync -n "__fish_ordersync_using_subcommand mfa" -l no-wait -d 'Do not wait for the sync to finish'
complete -c ordersync -n "__fish_ordersync_using_subcommand mfa" -s q -l quiet -d 'Print only results and errors'
complete -c ordersync -n "__fish_ordersync_using_subcommand mfa" -s v -l verbose -d 'Print each request (-vv: each HTTP exchange)'
complete -c ordersync -n "__fish_ordersync_using_subcommand mfa" -l curl -d 'Print each request as a curl command, secrets redacted'
complete -c ordersync -n "__fish_ordersync_using_subcommand mfa" -l no-input -d 'Never prompt in the terminal; a missing value is an error'
complete -c ordersync -n "__fish_ordersync_using_subcommand mfa" -l accessible -d 'Plain output for screen readers: no animation, numbered prompts, words for symbols'
complete -c ordersync -n "__fish_ordersync_using_subcommand mfa" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c ordersync -n "__fish_ordersync_using_subcommand orders; and not __fish_seen_subcommand_from list get export summary sync" -l profile -d 'Environment to use: `local`, or one of your profiles' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand orders; and not __fish_seen_subcommand_from list get export summary sync" -l base-url -d 'Address of the service, instead of the profile\'s' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand orders; and not __fish_seen_subcommand_from list get export summary sync" -s o -l output -d 'Output format' -r -f -a "table\t'A table for people'
json\t'One JSON document'
jsonl\t'One JSON document per line'
csv\t'Comma-separated values with a header'"
complete -c ordersync -n "__fish_ordersync_using_subcommand orders; and not __fish_seen_subcommand_from list get export summary sync" -l fields -d 'Print only these fields; without a value, list them' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand orders; and not __fish_seen_subcommand_from list get export summary sync" -l jq -d 'Filter JSON output with a jq expression' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand orders; and not __fish_seen_subcommand_from list get export summary sync" -l color -d 'When to use color; auto: on a terminal' -r -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c ordersync -n "__fish_ordersync_using_subcommand orders; and not __fish_seen_subcommand_from list get export summary sync" -l timeout -d 'Give up after this time (30s, 5m, 1h), rate limits and syncs included' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand orders; and not __fish_seen_subcommand_from list get export summary sync" -s q -l quiet -d 'Print only results and errors'
complete -c ordersync -n "__fish_ordersync_using_subcommand orders; and not __fish_seen_subcommand_from list get export summary sync" -s v -l verbose -d 'Print each request (-vv: each HTTP exchange)'
complete -c ordersync -n "__fish_ordersync_using_subcommand orders; and not __fish_seen_subcommand_from list get export summary sync" -l curl -d 'Print each request as a curl command, secrets redacted'
complete -c ordersync -n "__fish_ordersync_using_subcommand orders; and not __fish_seen_subcommand_from list get export summary sync" -l no-input -d 'Never prompt in the terminal; a missing value is an error'
complete -c ordersync -n "__fish_ordersync_using_subcommand orders; and not __fish_seen_subcommand_from list get export summary sync" -l accessible -d 'Plain output for screen readers: no animation, numbered prompts, words for symbols'
complete -c ordersync -n "__fish_ordersync_using_subcommand orders; and not __fish_seen_subcommand_from list get export summary sync" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c ordersync -n "__fish_ordersync_using_subcommand orders; and not __fish_seen_subcommand_from list get export summary sync" -f -a "list" -d 'List line items, newest first'
complete -c ordersync -n "__fish_ordersync_using_subcommand orders; and not __fish_seen_subcommand_from list get export summary sync" -f -a "get" -d 'Show one line item, or those of an order'
complete -c ordersync -n "__fish_ordersync_using_subcommand orders; and not __fish_seen_subcommand_from list get export summary sync" -f -a "export" -d 'Export every line item as CSV, JSON, JSON lines, an Excel workbook or Parquet'
complete -c ordersync -n "__fish_ordersync_using_subcommand orders; and not __fish_seen_subcommand_from list get export summary sync" -f -a "summary" -d 'Sum up line items by month, retailer, category or brand'
complete -c ordersync -n "__fish_ordersync_using_subcommand orders; and not __fish_seen_subcommand_from list get export summary sync" -f -a "sync" -d 'Fetch the latest orders'
complete -c ordersync -n "__fish_ordersync_using_subcommand orders; and __fish_seen_subcommand_from list" -s r -l retailer -d 'Only this retailer: an id, a name, or part of a name' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand orders; and __fish_seen_subcommand_from list" -l since -d 'Only items ordered at or after this date (2025-10-16, 2026-06, yesterday, 30d, 2w, 3m, 1y) or time (2025-10-16T13:50:00Z)' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand orders; and __fish_seen_subcommand_from list" -l until -d 'Only items ordered before this date or time' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand orders; and __fish_seen_subcommand_from list" -l time-zone -d 'Time zone of days and months, and of times that are written without one (America/New_York, UTC); default: TZ, else the system\'s' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand orders; and __fish_seen_subcommand_from list" -s L -l limit -d 'Maximum number of items' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand orders; and __fish_seen_subcommand_from list" -l offset -d 'Number of items to skip' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand orders; and __fish_seen_subcommand_from list" -s s -l search -d 'Only items with this text in their name, brand, retailer or order number; case and accents do not matter' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand orders; and __fish_seen_subcommand_from list" -l status -d 'Only items with this status: pending, processing, shipped, delivered, completed, cancelled, returned, refunded, or missing if the retailer no longer lists the order' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand orders; and __fish_seen_subcommand_from list" -l sort -d 'Sort by date, price, total (of the order), item or retailer; -price and so on: descending' -r -f -a "date\t''
-date\t''
price\t''
-price\t''
total\t''
-total\t''
item\t''
-item\t''
retailer\t''
-retailer\t''"
complete -c ordersync -n "__fish_ordersync_using_subcommand orders; and __fish_seen_subcommand_from list" -l profile -d 'Environment to use: `local`, or one of your profiles' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand orders; and __fish_seen_subcommand_from list" -l base-url -d 'Address of the service, instead of the profile\'s' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand orders; and __fish_seen_subcommand_from list" -s o -l output -d 'Output format' -r -f -a "table\t'A table for people'
json\t'One JSON document'
jsonl\t'One JSON document per line'
csv\t'Comma-separated values with a header'"
complete -c ordersync -n "__fish_ordersync_using_subcommand orders; and __fish_seen_subcommand_from list" -l fields -d 'Print only these fields; without a value, list them' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand orders; and __fish_seen_subcommand_from list" -l jq -d 'Filter JSON output with a jq expression' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand orders; and __fish_seen_subcommand_from list" -l color -d 'When to use color; auto: on a terminal' -r -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c ordersync -n "__fish_ordersync_using_subcommand orders; and __fish_seen_subcommand_from list" -l timeout -d 'Give up after this time (30s, 5m, 1h), rate limits and syncs included' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand orders; and __fish_seen_subcommand_from list" -l all -d 'All items, however many there are; memory holds them'
complete -c ordersync -n "__fish_ordersync_using_subcommand orders; and __fish_seen_subcommand_from list" -l desc -d 'Sort in descending order'
complete -c ordersync -n "__fish_ordersync_using_subcommand orders; and __fish_seen_subcommand_from list" -l require-complete -d 'Fail (exit code 10), and write nothing, unless all orders of the retailers are known'
complete -c ordersync -n "__fish_ordersync_using_subcommand orders; and __fish_seen_subcommand_from list" -s q -l quiet -d 'Print only results and errors'
complete -c ordersync -n "__fish_ordersync_using_subcommand orders; and __fish_seen_subcommand_from list" -s v -l verbose -d 'Print each request (-vv: each HTTP exchange)'
complete -c ordersync -n "__fish_ordersync_using_subcommand orders; and __fish_seen_subcommand_from list" -l curl -d 'Print each request as a curl command, secrets redacted'
complete -c ordersync -n "__fish_ordersync_using_subcommand orders; and __fish_seen_subcommand_from list" -l no-input -d 'Never prompt in the terminal; a missing value is an error'
complete -c ordersync -n "__fish_ordersync_using_subcommand orders; and __fish_seen_subcommand_from list" -l accessible -d 'Plain output for screen readers: no animation, numbered prompts, words for symbols'
complete -c ordersync -n "__fish_ordersync_using_subcommand orders; and __fish_seen_subcommand_from list" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c ordersync -n "__fish_ordersync_using_subcommand orders; and __fish_seen_subcommand_from get" -l profile -d 'Environment to use: `local`, or one of your profiles' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand orders; and __fish_seen_subcommand_from get" -l base-url -d 'Address of the service, instead of the profile\'s' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand orders; and __fish_seen_subcommand_from get" -s o -l output -d 'Output format' -r -f -a "table\t'A table for people'
json\t'One JSON document'
jsonl\t'One JSON document per line'
csv\t'Comma-separated values with a header'"
complete -c ordersync -n "__fish_ordersync_using_subcommand orders; and __fish_seen_subcommand_from get" -l fields -d 'Print only these fields; without a value, list them' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand orders; and __fish_seen_subcommand_from get" -l jq -d 'Filter JSON output with a jq expression' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand orders; and __fish_seen_subcommand_from get" -l color -d 'When to use color; auto: on a terminal' -r -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c ordersync -n "__fish_ordersync_using_subcommand orders; and __fish_seen_subcommand_from get" -l timeout -d 'Give up after this time (30s, 5m, 1h), rate limits and syncs included' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand orders; and __fish_seen_subcommand_from get" -l adjustments -d 'List the discounts, shipping, taxes, fees, returns and refunds instead'
complete -c ordersync -n "__fish_ordersync_using_subcommand orders; and __fish_seen_subcommand_from get" -s q -l quiet -d 'Print only results and errors'
complete -c ordersync -n "__fish_ordersync_using_subcommand orders; and __fish_seen_subcommand_from get" -s v -l verbose -d 'Print each request (-vv: each HTTP exchange)'
complete -c ordersync -n "__fish_ordersync_using_subcommand orders; and __fish_seen_subcommand_from get" -l curl -d 'Print each request as a curl command, secrets redacted'
complete -c ordersync -n "__fish_ordersync_using_subcommand orders; and __fish_seen_subcommand_from get" -l no-input -d 'Never prompt in the terminal; a missing value is an error'
complete -c ordersync -n "__fish_ordersync_using_subcommand orders; and __fish_seen_subcommand_from get" -l accessible -d 'Plain output for screen readers: no animation, numbered prompts, words for symbols'
complete -c ordersync -n "__fish_ordersync_using_subcommand orders; and __fish_seen_subcommand_from get" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c ordersync -n "__fish_ordersync_using_subcommand orders; and __fish_seen_subcommand_from export" -s r -l retailer -d 'Only this retailer: an id, a name, or part of a name' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand orders; and __fish_seen_subcommand_from export" -l since -d 'Only items ordered at or after this date (2025-10-16, 2026-06, yesterday, 30d, 2w, 3m, 1y) or time (2025-10-16T13:50:00Z)' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand orders; and __fish_seen_subcommand_from export" -l until -d 'Only items ordered before this date or time' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand orders; and __fish_seen_subcommand_from export" -l time-zone -d 'Time zone of days and months, and of times that are written without one (America/New_York, UTC); default: TZ, else the system\'s' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand orders; and __fish_seen_subcommand_from export" -l format -d 'Export format; default: that of -o, else that of the file name (orders.jsonl), else csv' -r -f -a "csv\t'The standard fourteen columns'
json\t'An array of line items, as the service returns them'
jsonl\t'One line item per line'
xlsx\t'A workbook for Excel and other spreadsheets'
parquet\t'Typed columns, for analysis'"
complete -c ordersync -n "__fish_ordersync_using_subcommand orders; and __fish_seen_subcommand_from export" -l out -d 'File to write to; default: standard output' -r -F
complete -c ordersync -n "__fish_ordersync_using_subcommand orders; and __fish_seen_subcommand_from export" -l columns -d 'Export only these columns, in this order, or add some to the usual ones: +lineTotal,+mismatch,+lineNumber; without a value, list them' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand orders; and __fish_seen_subcommand_from export" -l delimiter -d 'Separate the columns of CSV with a comma, a semicolon, a tab (tab) or a bar (|)' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand orders; and __fish_seen_subcommand_from export" -l decimal -d 'Write decimals in CSV with a point or a comma; a German, French, Italian, Spanish or Dutch Excel opens a file with --excel-safe --delimiter \';\' --decimal ,' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand orders; and __fish_seen_subcommand_from export" -l compress -d 'Compress the export; default: as the file name says (.gz, .zst), else not' -r -f -a "zstd\t'For zstd, DuckDB and others'
gzip\t'For every program'"
complete -c ordersync -n "__fish_ordersync_using_subcommand orders; and __fish_seen_subcommand_from export" -l split-by -d 'Write a file for each month or retailer: orders-2026-01.csv' -r -f -a "retailer\t'Retailer: orders-merribazaar.csv'
month\t'Month of the order: orders-2026-01.csv'"
complete -c ordersync -n "__fish_ordersync_using_subcommand orders; and __fish_seen_subcommand_from export" -l since-last -d 'Export only what is new or changed since the last export of this name, marked as such; into a file' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand orders; and __fish_seen_subcommand_from export" -l page-size -d 'Most items per request, 2 to 1000; default: 1000, and fewer if the service refuses that' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand orders; and __fish_seen_subcommand_from export" -l profile -d 'Environment to use: `local`, or one of your profiles' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand orders; and __fish_seen_subcommand_from export" -l base-url -d 'Address of the service, instead of the profile\'s' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand orders; and __fish_seen_subcommand_from export" -s o -l output -d 'Output format' -r -f -a "table\t'A table for people'
json\t'One JSON document'
jsonl\t'One JSON document per line'
csv\t'Comma-separated values with a header'"
complete -c ordersync -n "__fish_ordersync_using_subcommand orders; and __fish_seen_subcommand_from export" -l fields -d 'Print only these fields; without a value, list them' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand orders; and __fish_seen_subcommand_from export" -l jq -d 'Filter JSON output with a jq expression' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand orders; and __fish_seen_subcommand_from export" -l color -d 'When to use color; auto: on a terminal' -r -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c ordersync -n "__fish_ordersync_using_subcommand orders; and __fish_seen_subcommand_from export" -l timeout -d 'Give up after this time (30s, 5m, 1h), rate limits and syncs included' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand orders; and __fish_seen_subcommand_from export" -l excel-safe -d 'Write CSV that is safe to open in Excel: ids stay text, nothing becomes a formula'
complete -c ordersync -n "__fish_ordersync_using_subcommand orders; and __fish_seen_subcommand_from export" -l replace -d 'With --since-last: replace a file that still holds earlier changes, and write one even if nothing is new'
complete -c ordersync -n "__fish_ordersync_using_subcommand orders; and __fish_seen_subcommand_from export" -l ignore-count -d 'Ignore the service\'s count of items (X-Total-Count), if it counts something else'
complete -c ordersync -n "__fish_ordersync_using_subcommand orders; and __fish_seen_subcommand_from export" -l assume-read -d 'With --since-last and a pipe: count as exported what is written to the pipe, read or not'
complete -c ordersync -n "__fish_ordersync_using_subcommand orders; and __fish_seen_subcommand_from export" -l resume -d 'Continue an interrupted export to the same file, however old; by itself, the last hour\'s'
complete -c ordersync -n "__fish_ordersync_using_subcommand orders; and __fish_seen_subcommand_from export" -l restart -d 'Discard an interrupted export to the same file and start over'
complete -c ordersync -n "__fish_ordersync_using_subcommand orders; and __fish_seen_subcommand_from export" -l require-complete -d 'Fail (exit code 10), and write nothing, unless all orders of the retailers are known'
complete -c ordersync -n "__fish_ordersync_using_subcommand orders; and __fish_seen_subcommand_from export" -s q -l quiet -d 'Print only results and errors'
complete -c ordersync -n "__fish_ordersync_using_subcommand orders; and __fish_seen_subcommand_from export" -s v -l verbose -d 'Print each request (-vv: each HTTP exchange)'
complete -c ordersync -n "__fish_ordersync_using_subcommand orders; and __fish_seen_subcommand_from export" -l curl -d 'Print each request as a curl command, secrets redacted'
complete -c ordersync -n "__fish_ordersync_using_subcommand orders; and __fish_seen_subcommand_from export" -l no-input -d 'Never prompt in the terminal; a missing value is an error'
complete -c ordersync -n "__fish_ordersync_using_subcommand orders; and __fish_seen_subcommand_from export" -l accessible -d 'Plain output for screen readers: no animation, numbered prompts, words for symbols'
complete -c ordersync -n "__fish_ordersync_using_subcommand orders; and __fish_seen_subcommand_from export" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c ordersync -n "__fish_ordersync_using_subcommand orders; and __fish_seen_subcommand_from summary" -s r -l retailer -d 'Only this retailer: an id, a name, or part of a name' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand orders; and __fish_seen_subcommand_from summary" -l since -d 'Only items ordered at or after this date (2025-10-16, 2026-06, yesterday, 30d, 2w, 3m, 1y) or time (2025-10-16T13:50:00Z)' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand orders; and __fish_seen_subcommand_from summary" -l until -d 'Only items ordered before this date or time' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand orders; and __fish_seen_subcommand_from summary" -l time-zone -d 'Time zone of days and months, and of times that are written without one (America/New_York, UTC); default: TZ, else the system\'s' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand orders; and __fish_seen_subcommand_from summary" -l by -d 'Group line items by' -r -f -a "month\t'Month of the order'
retailer\t'Retailer'
category\t'Category'
brand\t'Brand'"
complete -c ordersync -n "__fish_ordersync_using_subcommand orders; and __fish_seen_subcommand_from summary" -l page-size -d 'Most items per request, 2 to 1000; default: 1000, and fewer if the service refuses that' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand orders; and __fish_seen_subcommand_from summary" -l html -d 'Also write an HTML page with charts of all groupings; - for standard output' -r -F
complete -c ordersync -n "__fish_ordersync_using_subcommand orders; and __fish_seen_subcommand_from summary" -l profile -d 'Environment to use: `local`, or one of your profiles' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand orders; and __fish_seen_subcommand_from summary" -l base-url -d 'Address of the service, instead of the profile\'s' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand orders; and __fish_seen_subcommand_from summary" -s o -l output -d 'Output format' -r -f -a "table\t'A table for people'
json\t'One JSON document'
jsonl\t'One JSON document per line'
csv\t'Comma-separated values with a header'"
complete -c ordersync -n "__fish_ordersync_using_subcommand orders; and __fish_seen_subcommand_from summary" -l fields -d 'Print only these fields; without a value, list them' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand orders; and __fish_seen_subcommand_from summary" -l jq -d 'Filter JSON output with a jq expression' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand orders; and __fish_seen_subcommand_from summary" -l color -d 'When to use color; auto: on a terminal' -r -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c ordersync -n "__fish_ordersync_using_subcommand orders; and __fish_seen_subcommand_from summary" -l timeout -d 'Give up after this time (30s, 5m, 1h), rate limits and syncs included' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand orders; and __fish_seen_subcommand_from summary" -l ignore-count -d 'Ignore the service\'s count of items (X-Total-Count), if it counts something else'
complete -c ordersync -n "__fish_ordersync_using_subcommand orders; and __fish_seen_subcommand_from summary" -l require-complete -d 'Fail (exit code 10), and write nothing, unless all orders of the retailers are known'
complete -c ordersync -n "__fish_ordersync_using_subcommand orders; and __fish_seen_subcommand_from summary" -s q -l quiet -d 'Print only results and errors'
complete -c ordersync -n "__fish_ordersync_using_subcommand orders; and __fish_seen_subcommand_from summary" -s v -l verbose -d 'Print each request (-vv: each HTTP exchange)'
complete -c ordersync -n "__fish_ordersync_using_subcommand orders; and __fish_seen_subcommand_from summary" -l curl -d 'Print each request as a curl command, secrets redacted'
complete -c ordersync -n "__fish_ordersync_using_subcommand orders; and __fish_seen_subcommand_from summary" -l no-input -d 'Never prompt in the terminal; a missing value is an error'
complete -c ordersync -n "__fish_ordersync_using_subcommand orders; and __fish_seen_subcommand_from summary" -l accessible -d 'Plain output for screen readers: no animation, numbered prompts, words for symbols'
complete -c ordersync -n "__fish_ordersync_using_subcommand orders; and __fish_seen_subcommand_from summary" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c ordersync -n "__fish_ordersync_using_subcommand orders; and __fish_seen_subcommand_from sync" -s r -l retailer -d 'Sync the connection to this retailer; the same as NAME|ID' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand orders; and __fish_seen_subcommand_from sync" -l mfa-option -d 'Verification method to choose (sms, email, …)' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand orders; and __fish_seen_subcommand_from sync" -l mfa-command -d 'Run a shell command that prints the code' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand orders; and __fish_seen_subcommand_from sync" -l profile -d 'Environment to use: `local`, or one of your profiles' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand orders; and __fish_seen_subcommand_from sync" -l base-url -d 'Address of the service, instead of the profile\'s' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand orders; and __fish_seen_subcommand_from sync" -s o -l output -d 'Output format' -r -f -a "table\t'A table for people'
json\t'One JSON document'
jsonl\t'One JSON document per line'
csv\t'Comma-separated values with a header'"
complete -c ordersync -n "__fish_ordersync_using_subcommand orders; and __fish_seen_subcommand_from sync" -l fields -d 'Print only these fields; without a value, list them' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand orders; and __fish_seen_subcommand_from sync" -l jq -d 'Filter JSON output with a jq expression' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand orders; and __fish_seen_subcommand_from sync" -l color -d 'When to use color; auto: on a terminal' -r -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c ordersync -n "__fish_ordersync_using_subcommand orders; and __fish_seen_subcommand_from sync" -l timeout -d 'Give up after this time (30s, 5m, 1h), rate limits and syncs included' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand orders; and __fish_seen_subcommand_from sync" -l allow-skipped -d 'Do not fail if connections are skipped because they are invalid, wait for a code or are still syncing'
complete -c ordersync -n "__fish_ordersync_using_subcommand orders; and __fish_seen_subcommand_from sync" -l no-wait -d 'Do not wait for the sync to finish'
complete -c ordersync -n "__fish_ordersync_using_subcommand orders; and __fish_seen_subcommand_from sync" -l mfa-code-stdin -d 'Read the code from standard input, one line per attempt'
complete -c ordersync -n "__fish_ordersync_using_subcommand orders; and __fish_seen_subcommand_from sync" -s q -l quiet -d 'Print only results and errors'
complete -c ordersync -n "__fish_ordersync_using_subcommand orders; and __fish_seen_subcommand_from sync" -s v -l verbose -d 'Print each request (-vv: each HTTP exchange)'
complete -c ordersync -n "__fish_ordersync_using_subcommand orders; and __fish_seen_subcommand_from sync" -l curl -d 'Print each request as a curl command, secrets redacted'
complete -c ordersync -n "__fish_ordersync_using_subcommand orders; and __fish_seen_subcommand_from sync" -l no-input -d 'Never prompt in the terminal; a missing value is an error'
complete -c ordersync -n "__fish_ordersync_using_subcommand orders; and __fish_seen_subcommand_from sync" -l accessible -d 'Plain output for screen readers: no animation, numbered prompts, words for symbols'
complete -c ordersync -n "__fish_ordersync_using_subcommand orders; and __fish_seen_subcommand_from sync" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c ordersync -n "__fish_ordersync_using_subcommand auth; and not __fish_seen_subcommand_from login logout status token" -l profile -d 'Environment to use: `local`, or one of your profiles' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand auth; and not __fish_seen_subcommand_from login logout status token" -l base-url -d 'Address of the service, instead of the profile\'s' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand auth; and not __fish_seen_subcommand_from login logout status token" -s o -l output -d 'Output format' -r -f -a "table\t'A table for people'
json\t'One JSON document'
jsonl\t'One JSON document per line'
csv\t'Comma-separated values with a header'"
complete -c ordersync -n "__fish_ordersync_using_subcommand auth; and not __fish_seen_subcommand_from login logout status token" -l fields -d 'Print only these fields; without a value, list them' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand auth; and not __fish_seen_subcommand_from login logout status token" -l jq -d 'Filter JSON output with a jq expression' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand auth; and not __fish_seen_subcommand_from login logout status token" -l color -d 'When to use color; auto: on a terminal' -r -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c ordersync -n "__fish_ordersync_using_subcommand auth; and not __fish_seen_subcommand_from login logout status token" -l timeout -d 'Give up after this time (30s, 5m, 1h), rate limits and syncs included' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand auth; and not __fish_seen_subcommand_from login logout status token" -s q -l quiet -d 'Print only results and errors'
complete -c ordersync -n "__fish_ordersync_using_subcommand auth; and not __fish_seen_subcommand_from login logout status token" -s v -l verbose -d 'Print each request (-vv: each HTTP exchange)'
complete -c ordersync -n "__fish_ordersync_using_subcommand auth; and not __fish_seen_subcommand_from login logout status token" -l curl -d 'Print each request as a curl command, secrets redacted'
complete -c ordersync -n "__fish_ordersync_using_subcommand auth; and not __fish_seen_subcommand_from login logout status token" -l no-input -d 'Never prompt in the terminal; a missing value is an error'
complete -c ordersync -n "__fish_ordersync_using_subcommand auth; and not __fish_seen_subcommand_from login logout status token" -l accessible -d 'Plain output for screen readers: no animation, numbered prompts, words for symbols'
complete -c ordersync -n "__fish_ordersync_using_subcommand auth; and not __fish_seen_subcommand_from login logout status token" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c ordersync -n "__fish_ordersync_using_subcommand auth; and not __fish_seen_subcommand_from login logout status token" -f -a "login" -d 'Sign in to the service'
complete -c ordersync -n "__fish_ordersync_using_subcommand auth; and not __fish_seen_subcommand_from login logout status token" -f -a "logout" -d 'Sign out, here and at the service'
complete -c ordersync -n "__fish_ordersync_using_subcommand auth; and not __fish_seen_subcommand_from login logout status token" -f -a "status" -d 'Show who is signed in, and with which scopes'
complete -c ordersync -n "__fish_ordersync_using_subcommand auth; and not __fish_seen_subcommand_from login logout status token" -f -a "token" -d 'Print the access token, refreshed if needed'
complete -c ordersync -n "__fish_ordersync_using_subcommand auth; and __fish_seen_subcommand_from login" -l scopes -d 'Scopes to ask for, separated by spaces; default: the service\'s' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand auth; and __fish_seen_subcommand_from login" -l client-id -d 'OAuth client id; default: ordersync-cli' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand auth; and __fish_seen_subcommand_from login" -l client-secret-file -d 'File with the client secret (chmod 600); default: ORDERSYNC_CLIENT_SECRET' -r -F
complete -c ordersync -n "__fish_ordersync_using_subcommand auth; and __fish_seen_subcommand_from login" -l profile -d 'Environment to use: `local`, or one of your profiles' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand auth; and __fish_seen_subcommand_from login" -l base-url -d 'Address of the service, instead of the profile\'s' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand auth; and __fish_seen_subcommand_from login" -s o -l output -d 'Output format' -r -f -a "table\t'A table for people'
json\t'One JSON document'
jsonl\t'One JSON document per line'
csv\t'Comma-separated values with a header'"
complete -c ordersync -n "__fish_ordersync_using_subcommand auth; and __fish_seen_subcommand_from login" -l fields -d 'Print only these fields; without a value, list them' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand auth; and __fish_seen_subcommand_from login" -l jq -d 'Filter JSON output with a jq expression' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand auth; and __fish_seen_subcommand_from login" -l color -d 'When to use color; auto: on a terminal' -r -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c ordersync -n "__fish_ordersync_using_subcommand auth; and __fish_seen_subcommand_from login" -l timeout -d 'Give up after this time (30s, 5m, 1h), rate limits and syncs included' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand auth; and __fish_seen_subcommand_from login" -l browser -d 'Open the sign-in page in your browser (the default)'
complete -c ordersync -n "__fish_ordersync_using_subcommand auth; and __fish_seen_subcommand_from login" -l no-browser -d 'Print the address of the sign-in page instead of opening it'
complete -c ordersync -n "__fish_ordersync_using_subcommand auth; and __fish_seen_subcommand_from login" -l device -d 'Sign in on another device by entering a code there'
complete -c ordersync -n "__fish_ordersync_using_subcommand auth; and __fish_seen_subcommand_from login" -l with-token -d 'Read an access token from standard input'
complete -c ordersync -n "__fish_ordersync_using_subcommand auth; and __fish_seen_subcommand_from login" -l client-credentials -d 'Sign in as the client itself, for a back end (ORDERSYNC_CLIENT_ID, ORDERSYNC_CLIENT_SECRET)'
complete -c ordersync -n "__fish_ordersync_using_subcommand auth; and __fish_seen_subcommand_from login" -s q -l quiet -d 'Print only results and errors'
complete -c ordersync -n "__fish_ordersync_using_subcommand auth; and __fish_seen_subcommand_from login" -s v -l verbose -d 'Print each request (-vv: each HTTP exchange)'
complete -c ordersync -n "__fish_ordersync_using_subcommand auth; and __fish_seen_subcommand_from login" -l curl -d 'Print each request as a curl command, secrets redacted'
complete -c ordersync -n "__fish_ordersync_using_subcommand auth; and __fish_seen_subcommand_from login" -l no-input -d 'Never prompt in the terminal; a missing value is an error'
complete -c ordersync -n "__fish_ordersync_using_subcommand auth; and __fish_seen_subcommand_from login" -l accessible -d 'Plain output for screen readers: no animation, numbered prompts, words for symbols'
complete -c ordersync -n "__fish_ordersync_using_subcommand auth; and __fish_seen_subcommand_from login" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c ordersync -n "__fish_ordersync_using_subcommand auth; and __fish_seen_subcommand_from logout" -l profile -d 'Environment to use: `local`, or one of your profiles' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand auth; and __fish_seen_subcommand_from logout" -l base-url -d 'Address of the service, instead of the profile\'s' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand auth; and __fish_seen_subcommand_from logout" -s o -l output -d 'Output format' -r -f -a "table\t'A table for people'
json\t'One JSON document'
jsonl\t'One JSON document per line'
csv\t'Comma-separated values with a header'"
complete -c ordersync -n "__fish_ordersync_using_subcommand auth; and __fish_seen_subcommand_from logout" -l fields -d 'Print only these fields; without a value, list them' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand auth; and __fish_seen_subcommand_from logout" -l jq -d 'Filter JSON output with a jq expression' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand auth; and __fish_seen_subcommand_from logout" -l color -d 'When to use color; auto: on a terminal' -r -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c ordersync -n "__fish_ordersync_using_subcommand auth; and __fish_seen_subcommand_from logout" -l timeout -d 'Give up after this time (30s, 5m, 1h), rate limits and syncs included' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand auth; and __fish_seen_subcommand_from logout" -l local -d 'Delete the sign-in here without telling the service'
complete -c ordersync -n "__fish_ordersync_using_subcommand auth; and __fish_seen_subcommand_from logout" -s q -l quiet -d 'Print only results and errors'
complete -c ordersync -n "__fish_ordersync_using_subcommand auth; and __fish_seen_subcommand_from logout" -s v -l verbose -d 'Print each request (-vv: each HTTP exchange)'
complete -c ordersync -n "__fish_ordersync_using_subcommand auth; and __fish_seen_subcommand_from logout" -l curl -d 'Print each request as a curl command, secrets redacted'
complete -c ordersync -n "__fish_ordersync_using_subcommand auth; and __fish_seen_subcommand_from logout" -l no-input -d 'Never prompt in the terminal; a missing value is an error'
complete -c ordersync -n "__fish_ordersync_using_subcommand auth; and __fish_seen_subcommand_from logout" -l accessible -d 'Plain output for screen readers: no animation, numbered prompts, words for symbols'
complete -c ordersync -n "__fish_ordersync_using_subcommand auth; and __fish_seen_subcommand_from logout" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c ordersync -n "__fish_ordersync_using_subcommand auth; and __fish_seen_subcommand_from status" -l profile -d 'Environment to use: `local`, or one of your profiles' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand auth; and __fish_seen_subcommand_from status" -l base-url -d 'Address of the service, instead of the profile\'s' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand auth; and __fish_seen_subcommand_from status" -s o -l output -d 'Output format' -r -f -a "table\t'A table for people'
json\t'One JSON document'
jsonl\t'One JSON document per line'
csv\t'Comma-separated values with a header'"
complete -c ordersync -n "__fish_ordersync_using_subcommand auth; and __fish_seen_subcommand_from status" -l fields -d 'Print only these fields; without a value, list them' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand auth; and __fish_seen_subcommand_from status" -l jq -d 'Filter JSON output with a jq expression' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand auth; and __fish_seen_subcommand_from status" -l color -d 'When to use color; auto: on a terminal' -r -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c ordersync -n "__fish_ordersync_using_subcommand auth; and __fish_seen_subcommand_from status" -l timeout -d 'Give up after this time (30s, 5m, 1h), rate limits and syncs included' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand auth; and __fish_seen_subcommand_from status" -s q -l quiet -d 'Print only results and errors'
complete -c ordersync -n "__fish_ordersync_using_subcommand auth; and __fish_seen_subcommand_from status" -s v -l verbose -d 'Print each request (-vv: each HTTP exchange)'
complete -c ordersync -n "__fish_ordersync_using_subcommand auth; and __fish_seen_subcommand_from status" -l curl -d 'Print each request as a curl command, secrets redacted'
complete -c ordersync -n "__fish_ordersync_using_subcommand auth; and __fish_seen_subcommand_from status" -l no-input -d 'Never prompt in the terminal; a missing value is an error'
complete -c ordersync -n "__fish_ordersync_using_subcommand auth; and __fish_seen_subcommand_from status" -l accessible -d 'Plain output for screen readers: no animation, numbered prompts, words for symbols'
complete -c ordersync -n "__fish_ordersync_using_subcommand auth; and __fish_seen_subcommand_from status" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c ordersync -n "__fish_ordersync_using_subcommand auth; and __fish_seen_subcommand_from token" -l profile -d 'Environment to use: `local`, or one of your profiles' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand auth; and __fish_seen_subcommand_from token" -l base-url -d 'Address of the service, instead of the profile\'s' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand auth; and __fish_seen_subcommand_from token" -s o -l output -d 'Output format' -r -f -a "table\t'A table for people'
json\t'One JSON document'
jsonl\t'One JSON document per line'
csv\t'Comma-separated values with a header'"
complete -c ordersync -n "__fish_ordersync_using_subcommand auth; and __fish_seen_subcommand_from token" -l fields -d 'Print only these fields; without a value, list them' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand auth; and __fish_seen_subcommand_from token" -l jq -d 'Filter JSON output with a jq expression' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand auth; and __fish_seen_subcommand_from token" -l color -d 'When to use color; auto: on a terminal' -r -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c ordersync -n "__fish_ordersync_using_subcommand auth; and __fish_seen_subcommand_from token" -l timeout -d 'Give up after this time (30s, 5m, 1h), rate limits and syncs included' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand auth; and __fish_seen_subcommand_from token" -s q -l quiet -d 'Print only results and errors'
complete -c ordersync -n "__fish_ordersync_using_subcommand auth; and __fish_seen_subcommand_from token" -s v -l verbose -d 'Print each request (-vv: each HTTP exchange)'
complete -c ordersync -n "__fish_ordersync_using_subcommand auth; and __fish_seen_subcommand_from token" -l curl -d 'Print each request as a curl command, secrets redacted'
complete -c ordersync -n "__fish_ordersync_using_subcommand auth; and __fish_seen_subcommand_from token" -l no-input -d 'Never prompt in the terminal; a missing value is an error'
complete -c ordersync -n "__fish_ordersync_using_subcommand auth; and __fish_seen_subcommand_from token" -l accessible -d 'Plain output for screen readers: no animation, numbered prompts, words for symbols'
complete -c ordersync -n "__fish_ordersync_using_subcommand auth; and __fish_seen_subcommand_from token" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c ordersync -n "__fish_ordersync_using_subcommand profile" -l profile -d 'Environment to use: `local`, or one of your profiles' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand profile" -l base-url -d 'Address of the service, instead of the profile\'s' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand profile" -s o -l output -d 'Output format' -r -f -a "table\t'A table for people'
json\t'One JSON document'
jsonl\t'One JSON document per line'
csv\t'Comma-separated values with a header'"
complete -c ordersync -n "__fish_ordersync_using_subcommand profile" -l fields -d 'Print only these fields; without a value, list them' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand profile" -l jq -d 'Filter JSON output with a jq expression' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand profile" -l color -d 'When to use color; auto: on a terminal' -r -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c ordersync -n "__fish_ordersync_using_subcommand profile" -l timeout -d 'Give up after this time (30s, 5m, 1h), rate limits and syncs included' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand profile" -s q -l quiet -d 'Print only results and errors'
complete -c ordersync -n "__fish_ordersync_using_subcommand profile" -s v -l verbose -d 'Print each request (-vv: each HTTP exchange)'
complete -c ordersync -n "__fish_ordersync_using_subcommand profile" -l curl -d 'Print each request as a curl command, secrets redacted'
complete -c ordersync -n "__fish_ordersync_using_subcommand profile" -l no-input -d 'Never prompt in the terminal; a missing value is an error'
complete -c ordersync -n "__fish_ordersync_using_subcommand profile" -l accessible -d 'Plain output for screen readers: no animation, numbered prompts, words for symbols'
complete -c ordersync -n "__fish_ordersync_using_subcommand profile" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c ordersync -n "__fish_ordersync_using_subcommand link-token; and not __fish_seen_subcommand_from create" -l profile -d 'Environment to use: `local`, or one of your profiles' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand link-token; and not __fish_seen_subcommand_from create" -l base-url -d 'Address of the service, instead of the profile\'s' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand link-token; and not __fish_seen_subcommand_from create" -s o -l output -d 'Output format' -r -f -a "table\t'A table for people'
json\t'One JSON document'
jsonl\t'One JSON document per line'
csv\t'Comma-separated values with a header'"
complete -c ordersync -n "__fish_ordersync_using_subcommand link-token; and not __fish_seen_subcommand_from create" -l fields -d 'Print only these fields; without a value, list them' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand link-token; and not __fish_seen_subcommand_from create" -l jq -d 'Filter JSON output with a jq expression' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand link-token; and not __fish_seen_subcommand_from create" -l color -d 'When to use color; auto: on a terminal' -r -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c ordersync -n "__fish_ordersync_using_subcommand link-token; and not __fish_seen_subcommand_from create" -l timeout -d 'Give up after this time (30s, 5m, 1h), rate limits and syncs included' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand link-token; and not __fish_seen_subcommand_from create" -s q -l quiet -d 'Print only results and errors'
complete -c ordersync -n "__fish_ordersync_using_subcommand link-token; and not __fish_seen_subcommand_from create" -s v -l verbose -d 'Print each request (-vv: each HTTP exchange)'
complete -c ordersync -n "__fish_ordersync_using_subcommand link-token; and not __fish_seen_subcommand_from create" -l curl -d 'Print each request as a curl command, secrets redacted'
complete -c ordersync -n "__fish_ordersync_using_subcommand link-token; and not __fish_seen_subcommand_from create" -l no-input -d 'Never prompt in the terminal; a missing value is an error'
complete -c ordersync -n "__fish_ordersync_using_subcommand link-token; and not __fish_seen_subcommand_from create" -l accessible -d 'Plain output for screen readers: no animation, numbered prompts, words for symbols'
complete -c ordersync -n "__fish_ordersync_using_subcommand link-token; and not __fish_seen_subcommand_from create" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c ordersync -n "__fish_ordersync_using_subcommand link-token; and not __fish_seen_subcommand_from create" -f -a "create" -d 'Create a token that opens the widget for one of your users'
complete -c ordersync -n "__fish_ordersync_using_subcommand link-token; and __fish_seen_subcommand_from create" -l external-user-id -d 'Your own id of the user, 1 to 255 characters, always the same' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand link-token; and __fish_seen_subcommand_from create" -l return-url -d 'Address that the widget leads the user back to; one of the client\'s registered return URLs' -r -f
complete -c ordersync -n "__fish_ordersync_using_subcommand link-token; and __fish_seen_subcommand_from create" -l client-secret-file -d 'File with the client secret (chmod 600); default: ORDERSYNC_CLIENT_SECRET' -r -F
complete -c ordersync -n "__fish_ordersync_using_subcommand link-token; and __fish_seen_subcommand_from create" -l profile -d 'Environment to use: `local`, or one of your profiles' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand link-token; and __fish_seen_subcommand_from create" -l base-url -d 'Address of the service, instead of the profile\'s' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand link-token; and __fish_seen_subcommand_from create" -s o -l output -d 'Output format' -r -f -a "table\t'A table for people'
json\t'One JSON document'
jsonl\t'One JSON document per line'
csv\t'Comma-separated values with a header'"
complete -c ordersync -n "__fish_ordersync_using_subcommand link-token; and __fish_seen_subcommand_from create" -l fields -d 'Print only these fields; without a value, list them' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand link-token; and __fish_seen_subcommand_from create" -l jq -d 'Filter JSON output with a jq expression' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand link-token; and __fish_seen_subcommand_from create" -l color -d 'When to use color; auto: on a terminal' -r -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c ordersync -n "__fish_ordersync_using_subcommand link-token; and __fish_seen_subcommand_from create" -l timeout -d 'Give up after this time (30s, 5m, 1h), rate limits and syncs included' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand link-token; and __fish_seen_subcommand_from create" -s q -l quiet -d 'Print only results and errors'
complete -c ordersync -n "__fish_ordersync_using_subcommand link-token; and __fish_seen_subcommand_from create" -s v -l verbose -d 'Print each request (-vv: each HTTP exchange)'
complete -c ordersync -n "__fish_ordersync_using_subcommand link-token; and __fish_seen_subcommand_from create" -l curl -d 'Print each request as a curl command, secrets redacted'
complete -c ordersync -n "__fish_ordersync_using_subcommand link-token; and __fish_seen_subcommand_from create" -l no-input -d 'Never prompt in the terminal; a missing value is an error'
complete -c ordersync -n "__fish_ordersync_using_subcommand link-token; and __fish_seen_subcommand_from create" -l accessible -d 'Plain output for screen readers: no animation, numbered prompts, words for symbols'
complete -c ordersync -n "__fish_ordersync_using_subcommand link-token; and __fish_seen_subcommand_from create" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c ordersync -n "__fish_ordersync_using_subcommand users; and not __fish_seen_subcommand_from share" -l profile -d 'Environment to use: `local`, or one of your profiles' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand users; and not __fish_seen_subcommand_from share" -l base-url -d 'Address of the service, instead of the profile\'s' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand users; and not __fish_seen_subcommand_from share" -s o -l output -d 'Output format' -r -f -a "table\t'A table for people'
json\t'One JSON document'
jsonl\t'One JSON document per line'
csv\t'Comma-separated values with a header'"
complete -c ordersync -n "__fish_ordersync_using_subcommand users; and not __fish_seen_subcommand_from share" -l fields -d 'Print only these fields; without a value, list them' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand users; and not __fish_seen_subcommand_from share" -l jq -d 'Filter JSON output with a jq expression' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand users; and not __fish_seen_subcommand_from share" -l color -d 'When to use color; auto: on a terminal' -r -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c ordersync -n "__fish_ordersync_using_subcommand users; and not __fish_seen_subcommand_from share" -l timeout -d 'Give up after this time (30s, 5m, 1h), rate limits and syncs included' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand users; and not __fish_seen_subcommand_from share" -s q -l quiet -d 'Print only results and errors'
complete -c ordersync -n "__fish_ordersync_using_subcommand users; and not __fish_seen_subcommand_from share" -s v -l verbose -d 'Print each request (-vv: each HTTP exchange)'
complete -c ordersync -n "__fish_ordersync_using_subcommand users; and not __fish_seen_subcommand_from share" -l curl -d 'Print each request as a curl command, secrets redacted'
complete -c ordersync -n "__fish_ordersync_using_subcommand users; and not __fish_seen_subcommand_from share" -l no-input -d 'Never prompt in the terminal; a missing value is an error'
complete -c ordersync -n "__fish_ordersync_using_subcommand users; and not __fish_seen_subcommand_from share" -l accessible -d 'Plain output for screen readers: no animation, numbered prompts, words for symbols'
complete -c ordersync -n "__fish_ordersync_using_subcommand users; and not __fish_seen_subcommand_from share" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c ordersync -n "__fish_ordersync_using_subcommand users; and not __fish_seen_subcommand_from share" -f -a "share" -d 'Show what one of your users shares with you'
complete -c ordersync -n "__fish_ordersync_using_subcommand users; and __fish_seen_subcommand_from share" -l link-token -d 'Link token, or `-` to read it from standard input; prefer `-` or ORDERSYNC_LINK_TOKEN: others on this machine can see arguments' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand users; and __fish_seen_subcommand_from share" -l client-secret-file -d 'File with the client secret (chmod 600); default: ORDERSYNC_CLIENT_SECRET' -r -F
complete -c ordersync -n "__fish_ordersync_using_subcommand users; and __fish_seen_subcommand_from share" -l profile -d 'Environment to use: `local`, or one of your profiles' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand users; and __fish_seen_subcommand_from share" -l base-url -d 'Address of the service, instead of the profile\'s' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand users; and __fish_seen_subcommand_from share" -s o -l output -d 'Output format' -r -f -a "table\t'A table for people'
json\t'One JSON document'
jsonl\t'One JSON document per line'
csv\t'Comma-separated values with a header'"
complete -c ordersync -n "__fish_ordersync_using_subcommand users; and __fish_seen_subcommand_from share" -l fields -d 'Print only these fields; without a value, list them' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand users; and __fish_seen_subcommand_from share" -l jq -d 'Filter JSON output with a jq expression' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand users; and __fish_seen_subcommand_from share" -l color -d 'When to use color; auto: on a terminal' -r -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c ordersync -n "__fish_ordersync_using_subcommand users; and __fish_seen_subcommand_from share" -l timeout -d 'Give up after this time (30s, 5m, 1h), rate limits and syncs included' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand users; and __fish_seen_subcommand_from share" -s q -l quiet -d 'Print only results and errors'
complete -c ordersync -n "__fish_ordersync_using_subcommand users; and __fish_seen_subcommand_from share" -s v -l verbose -d 'Print each request (-vv: each HTTP exchange)'
complete -c ordersync -n "__fish_ordersync_using_subcommand users; and __fish_seen_subcommand_from share" -l curl -d 'Print each request as a curl command, secrets redacted'
complete -c ordersync -n "__fish_ordersync_using_subcommand users; and __fish_seen_subcommand_from share" -l no-input -d 'Never prompt in the terminal; a missing value is an error'
complete -c ordersync -n "__fish_ordersync_using_subcommand users; and __fish_seen_subcommand_from share" -l accessible -d 'Plain output for screen readers: no animation, numbered prompts, words for symbols'
complete -c ordersync -n "__fish_ordersync_using_subcommand users; and __fish_seen_subcommand_from share" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c ordersync -n "__fish_ordersync_using_subcommand widget; and not __fish_seen_subcommand_from open" -l profile -d 'Environment to use: `local`, or one of your profiles' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand widget; and not __fish_seen_subcommand_from open" -l base-url -d 'Address of the service, instead of the profile\'s' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand widget; and not __fish_seen_subcommand_from open" -s o -l output -d 'Output format' -r -f -a "table\t'A table for people'
json\t'One JSON document'
jsonl\t'One JSON document per line'
csv\t'Comma-separated values with a header'"
complete -c ordersync -n "__fish_ordersync_using_subcommand widget; and not __fish_seen_subcommand_from open" -l fields -d 'Print only these fields; without a value, list them' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand widget; and not __fish_seen_subcommand_from open" -l jq -d 'Filter JSON output with a jq expression' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand widget; and not __fish_seen_subcommand_from open" -l color -d 'When to use color; auto: on a terminal' -r -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c ordersync -n "__fish_ordersync_using_subcommand widget; and not __fish_seen_subcommand_from open" -l timeout -d 'Give up after this time (30s, 5m, 1h), rate limits and syncs included' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand widget; and not __fish_seen_subcommand_from open" -s q -l quiet -d 'Print only results and errors'
complete -c ordersync -n "__fish_ordersync_using_subcommand widget; and not __fish_seen_subcommand_from open" -s v -l verbose -d 'Print each request (-vv: each HTTP exchange)'
complete -c ordersync -n "__fish_ordersync_using_subcommand widget; and not __fish_seen_subcommand_from open" -l curl -d 'Print each request as a curl command, secrets redacted'
complete -c ordersync -n "__fish_ordersync_using_subcommand widget; and not __fish_seen_subcommand_from open" -l no-input -d 'Never prompt in the terminal; a missing value is an error'
complete -c ordersync -n "__fish_ordersync_using_subcommand widget; and not __fish_seen_subcommand_from open" -l accessible -d 'Plain output for screen readers: no animation, numbered prompts, words for symbols'
complete -c ordersync -n "__fish_ordersync_using_subcommand widget; and not __fish_seen_subcommand_from open" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c ordersync -n "__fish_ordersync_using_subcommand widget; and not __fish_seen_subcommand_from open" -f -a "open" -d 'Open the widget for one of your users in the browser'
complete -c ordersync -n "__fish_ordersync_using_subcommand widget; and __fish_seen_subcommand_from open" -l external-user-id -d 'Your own id of the user, 1 to 255 characters; default in a sandbox: a new one each time' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand widget; and __fish_seen_subcommand_from open" -l return-url -d 'Address that the widget leads the user back to; one of the client\'s registered return URLs' -r -f
complete -c ordersync -n "__fish_ordersync_using_subcommand widget; and __fish_seen_subcommand_from open" -l client-secret-file -d 'File with the client secret (chmod 600); default: ORDERSYNC_CLIENT_SECRET' -r -F
complete -c ordersync -n "__fish_ordersync_using_subcommand widget; and __fish_seen_subcommand_from open" -l profile -d 'Environment to use: `local`, or one of your profiles' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand widget; and __fish_seen_subcommand_from open" -l base-url -d 'Address of the service, instead of the profile\'s' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand widget; and __fish_seen_subcommand_from open" -s o -l output -d 'Output format' -r -f -a "table\t'A table for people'
json\t'One JSON document'
jsonl\t'One JSON document per line'
csv\t'Comma-separated values with a header'"
complete -c ordersync -n "__fish_ordersync_using_subcommand widget; and __fish_seen_subcommand_from open" -l fields -d 'Print only these fields; without a value, list them' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand widget; and __fish_seen_subcommand_from open" -l jq -d 'Filter JSON output with a jq expression' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand widget; and __fish_seen_subcommand_from open" -l color -d 'When to use color; auto: on a terminal' -r -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c ordersync -n "__fish_ordersync_using_subcommand widget; and __fish_seen_subcommand_from open" -l timeout -d 'Give up after this time (30s, 5m, 1h), rate limits and syncs included' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand widget; and __fish_seen_subcommand_from open" -l no-browser -d 'Print the address of the page instead of opening a browser'
complete -c ordersync -n "__fish_ordersync_using_subcommand widget; and __fish_seen_subcommand_from open" -s q -l quiet -d 'Print only results and errors'
complete -c ordersync -n "__fish_ordersync_using_subcommand widget; and __fish_seen_subcommand_from open" -s v -l verbose -d 'Print each request (-vv: each HTTP exchange)'
complete -c ordersync -n "__fish_ordersync_using_subcommand widget; and __fish_seen_subcommand_from open" -l curl -d 'Print each request as a curl command, secrets redacted'
complete -c ordersync -n "__fish_ordersync_using_subcommand widget; and __fish_seen_subcommand_from open" -l no-input -d 'Never prompt in the terminal; a missing value is an error'
complete -c ordersync -n "__fish_ordersync_using_subcommand widget; and __fish_seen_subcommand_from open" -l accessible -d 'Plain output for screen readers: no animation, numbered prompts, words for symbols'
complete -c ordersync -n "__fish_ordersync_using_subcommand widget; and __fish_seen_subcommand_from open" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c ordersync -n "__fish_ordersync_using_subcommand api" -s f -l raw-field -d 'Add a string field' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand api" -s F -l field -d 'Add a typed field: true, false, null, numbers, objects and arrays are JSON; @FILE and @- are read; the rest is a string' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand api" -l input -d 'Read the body from a file, or from standard input (`-`); fields are then sent as the query' -r -F
complete -c ordersync -n "__fish_ordersync_using_subcommand api" -s H -l header -d 'Add a header; not for secrets, which others on this machine could see' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand api" -l profile -d 'Environment to use: `local`, or one of your profiles' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand api" -l base-url -d 'Address of the service, instead of the profile\'s' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand api" -s o -l output -d 'Output format' -r -f -a "table\t'A table for people'
json\t'One JSON document'
jsonl\t'One JSON document per line'
csv\t'Comma-separated values with a header'"
complete -c ordersync -n "__fish_ordersync_using_subcommand api" -l fields -d 'Print only these fields; without a value, list them' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand api" -l jq -d 'Filter JSON output with a jq expression' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand api" -l color -d 'When to use color; auto: on a terminal' -r -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c ordersync -n "__fish_ordersync_using_subcommand api" -l timeout -d 'Give up after this time (30s, 5m, 1h), rate limits and syncs included' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand api" -l paginate -d 'Fetch all pages of a list as one JSON array'
complete -c ordersync -n "__fish_ordersync_using_subcommand api" -l slurp -d 'With --paginate: give all items to --jq at once, instead of page by page; memory holds them'
complete -c ordersync -n "__fish_ordersync_using_subcommand api" -l silent -d 'Do not print the response body'
complete -c ordersync -n "__fish_ordersync_using_subcommand api" -s i -l include -d 'Print the status and headers before the body'
complete -c ordersync -n "__fish_ordersync_using_subcommand api" -s q -l quiet -d 'Print only results and errors'
complete -c ordersync -n "__fish_ordersync_using_subcommand api" -s v -l verbose -d 'Print each request (-vv: each HTTP exchange)'
complete -c ordersync -n "__fish_ordersync_using_subcommand api" -l curl -d 'Print each request as a curl command, secrets redacted'
complete -c ordersync -n "__fish_ordersync_using_subcommand api" -l no-input -d 'Never prompt in the terminal; a missing value is an error'
complete -c ordersync -n "__fish_ordersync_using_subcommand api" -l accessible -d 'Plain output for screen readers: no animation, numbered prompts, words for symbols'
complete -c ordersync -n "__fish_ordersync_using_subcommand api" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c ordersync -n "__fish_ordersync_using_subcommand profiles; and not __fish_seen_subcommand_from list use add remove" -l profile -d 'Environment to use: `local`, or one of your profiles' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand profiles; and not __fish_seen_subcommand_from list use add remove" -l base-url -d 'Address of the service, instead of the profile\'s' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand profiles; and not __fish_seen_subcommand_from list use add remove" -s o -l output -d 'Output format' -r -f -a "table\t'A table for people'
json\t'One JSON document'
jsonl\t'One JSON document per line'
csv\t'Comma-separated values with a header'"
complete -c ordersync -n "__fish_ordersync_using_subcommand profiles; and not __fish_seen_subcommand_from list use add remove" -l fields -d 'Print only these fields; without a value, list them' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand profiles; and not __fish_seen_subcommand_from list use add remove" -l jq -d 'Filter JSON output with a jq expression' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand profiles; and not __fish_seen_subcommand_from list use add remove" -l color -d 'When to use color; auto: on a terminal' -r -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c ordersync -n "__fish_ordersync_using_subcommand profiles; and not __fish_seen_subcommand_from list use add remove" -l timeout -d 'Give up after this time (30s, 5m, 1h), rate limits and syncs included' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand profiles; and not __fish_seen_subcommand_from list use add remove" -s q -l quiet -d 'Print only results and errors'
complete -c ordersync -n "__fish_ordersync_using_subcommand profiles; and not __fish_seen_subcommand_from list use add remove" -s v -l verbose -d 'Print each request (-vv: each HTTP exchange)'
complete -c ordersync -n "__fish_ordersync_using_subcommand profiles; and not __fish_seen_subcommand_from list use add remove" -l curl -d 'Print each request as a curl command, secrets redacted'
complete -c ordersync -n "__fish_ordersync_using_subcommand profiles; and not __fish_seen_subcommand_from list use add remove" -l no-input -d 'Never prompt in the terminal; a missing value is an error'
complete -c ordersync -n "__fish_ordersync_using_subcommand profiles; and not __fish_seen_subcommand_from list use add remove" -l accessible -d 'Plain output for screen readers: no animation, numbered prompts, words for symbols'
complete -c ordersync -n "__fish_ordersync_using_subcommand profiles; and not __fish_seen_subcommand_from list use add remove" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c ordersync -n "__fish_ordersync_using_subcommand profiles; and not __fish_seen_subcommand_from list use add remove" -f -a "list" -d 'List profiles'
complete -c ordersync -n "__fish_ordersync_using_subcommand profiles; and not __fish_seen_subcommand_from list use add remove" -f -a "use" -d 'Switch to a profile'
complete -c ordersync -n "__fish_ordersync_using_subcommand profiles; and not __fish_seen_subcommand_from list use add remove" -f -a "add" -d 'Add or change a profile'
complete -c ordersync -n "__fish_ordersync_using_subcommand profiles; and not __fish_seen_subcommand_from list use add remove" -f -a "remove" -d 'Remove a profile'
complete -c ordersync -n "__fish_ordersync_using_subcommand profiles; and __fish_seen_subcommand_from list" -l profile -d 'Environment to use: `local`, or one of your profiles' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand profiles; and __fish_seen_subcommand_from list" -l base-url -d 'Address of the service, instead of the profile\'s' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand profiles; and __fish_seen_subcommand_from list" -s o -l output -d 'Output format' -r -f -a "table\t'A table for people'
json\t'One JSON document'
jsonl\t'One JSON document per line'
csv\t'Comma-separated values with a header'"
complete -c ordersync -n "__fish_ordersync_using_subcommand profiles; and __fish_seen_subcommand_from list" -l fields -d 'Print only these fields; without a value, list them' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand profiles; and __fish_seen_subcommand_from list" -l jq -d 'Filter JSON output with a jq expression' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand profiles; and __fish_seen_subcommand_from list" -l color -d 'When to use color; auto: on a terminal' -r -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c ordersync -n "__fish_ordersync_using_subcommand profiles; and __fish_seen_subcommand_from list" -l timeout -d 'Give up after this time (30s, 5m, 1h), rate limits and syncs included' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand profiles; and __fish_seen_subcommand_from list" -s q -l quiet -d 'Print only results and errors'
complete -c ordersync -n "__fish_ordersync_using_subcommand profiles; and __fish_seen_subcommand_from list" -s v -l verbose -d 'Print each request (-vv: each HTTP exchange)'
complete -c ordersync -n "__fish_ordersync_using_subcommand profiles; and __fish_seen_subcommand_from list" -l curl -d 'Print each request as a curl command, secrets redacted'
complete -c ordersync -n "__fish_ordersync_using_subcommand profiles; and __fish_seen_subcommand_from list" -l no-input -d 'Never prompt in the terminal; a missing value is an error'
complete -c ordersync -n "__fish_ordersync_using_subcommand profiles; and __fish_seen_subcommand_from list" -l accessible -d 'Plain output for screen readers: no animation, numbered prompts, words for symbols'
complete -c ordersync -n "__fish_ordersync_using_subcommand profiles; and __fish_seen_subcommand_from list" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c ordersync -n "__fish_ordersync_using_subcommand profiles; and __fish_seen_subcommand_from use" -l profile -d 'Environment to use: `local`, or one of your profiles' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand profiles; and __fish_seen_subcommand_from use" -l base-url -d 'Address of the service, instead of the profile\'s' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand profiles; and __fish_seen_subcommand_from use" -s o -l output -d 'Output format' -r -f -a "table\t'A table for people'
json\t'One JSON document'
jsonl\t'One JSON document per line'
csv\t'Comma-separated values with a header'"
complete -c ordersync -n "__fish_ordersync_using_subcommand profiles; and __fish_seen_subcommand_from use" -l fields -d 'Print only these fields; without a value, list them' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand profiles; and __fish_seen_subcommand_from use" -l jq -d 'Filter JSON output with a jq expression' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand profiles; and __fish_seen_subcommand_from use" -l color -d 'When to use color; auto: on a terminal' -r -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c ordersync -n "__fish_ordersync_using_subcommand profiles; and __fish_seen_subcommand_from use" -l timeout -d 'Give up after this time (30s, 5m, 1h), rate limits and syncs included' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand profiles; and __fish_seen_subcommand_from use" -s q -l quiet -d 'Print only results and errors'
complete -c ordersync -n "__fish_ordersync_using_subcommand profiles; and __fish_seen_subcommand_from use" -s v -l verbose -d 'Print each request (-vv: each HTTP exchange)'
complete -c ordersync -n "__fish_ordersync_using_subcommand profiles; and __fish_seen_subcommand_from use" -l curl -d 'Print each request as a curl command, secrets redacted'
complete -c ordersync -n "__fish_ordersync_using_subcommand profiles; and __fish_seen_subcommand_from use" -l no-input -d 'Never prompt in the terminal; a missing value is an error'
complete -c ordersync -n "__fish_ordersync_using_subcommand profiles; and __fish_seen_subcommand_from use" -l accessible -d 'Plain output for screen readers: no animation, numbered prompts, words for symbols'
complete -c ordersync -n "__fish_ordersync_using_subcommand profiles; and __fish_seen_subcommand_from use" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c ordersync -n "__fish_ordersync_using_subcommand profiles; and __fish_seen_subcommand_from add" -l client-id -d 'OAuth client id to sign in with' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand profiles; and __fish_seen_subcommand_from add" -l client-secret-file -d 'File with the client secret (chmod 600)' -r -F
complete -c ordersync -n "__fish_ordersync_using_subcommand profiles; and __fish_seen_subcommand_from add" -l scopes -d 'Scopes to ask for, separated by spaces' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand profiles; and __fish_seen_subcommand_from add" -l profile -d 'Environment to use: `local`, or one of your profiles' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand profiles; and __fish_seen_subcommand_from add" -l base-url -d 'Address of the service, instead of the profile\'s' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand profiles; and __fish_seen_subcommand_from add" -s o -l output -d 'Output format' -r -f -a "table\t'A table for people'
json\t'One JSON document'
jsonl\t'One JSON document per line'
csv\t'Comma-separated values with a header'"
complete -c ordersync -n "__fish_ordersync_using_subcommand profiles; and __fish_seen_subcommand_from add" -l fields -d 'Print only these fields; without a value, list them' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand profiles; and __fish_seen_subcommand_from add" -l jq -d 'Filter JSON output with a jq expression' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand profiles; and __fish_seen_subcommand_from add" -l color -d 'When to use color; auto: on a terminal' -r -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c ordersync -n "__fish_ordersync_using_subcommand profiles; and __fish_seen_subcommand_from add" -l timeout -d 'Give up after this time (30s, 5m, 1h), rate limits and syncs included' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand profiles; and __fish_seen_subcommand_from add" -l use -d 'Switch to it, too'
complete -c ordersync -n "__fish_ordersync_using_subcommand profiles; and __fish_seen_subcommand_from add" -s q -l quiet -d 'Print only results and errors'
complete -c ordersync -n "__fish_ordersync_using_subcommand profiles; and __fish_seen_subcommand_from add" -s v -l verbose -d 'Print each request (-vv: each HTTP exchange)'
complete -c ordersync -n "__fish_ordersync_using_subcommand profiles; and __fish_seen_subcommand_from add" -l curl -d 'Print each request as a curl command, secrets redacted'
complete -c ordersync -n "__fish_ordersync_using_subcommand profiles; and __fish_seen_subcommand_from add" -l no-input -d 'Never prompt in the terminal; a missing value is an error'
complete -c ordersync -n "__fish_ordersync_using_subcommand profiles; and __fish_seen_subcommand_from add" -l accessible -d 'Plain output for screen readers: no animation, numbered prompts, words for symbols'
complete -c ordersync -n "__fish_ordersync_using_subcommand profiles; and __fish_seen_subcommand_from add" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c ordersync -n "__fish_ordersync_using_subcommand profiles; and __fish_seen_subcommand_from remove" -l profile -d 'Environment to use: `local`, or one of your profiles' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand profiles; and __fish_seen_subcommand_from remove" -l base-url -d 'Address of the service, instead of the profile\'s' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand profiles; and __fish_seen_subcommand_from remove" -s o -l output -d 'Output format' -r -f -a "table\t'A table for people'
json\t'One JSON document'
jsonl\t'One JSON document per line'
csv\t'Comma-separated values with a header'"
complete -c ordersync -n "__fish_ordersync_using_subcommand profiles; and __fish_seen_subcommand_from remove" -l fields -d 'Print only these fields; without a value, list them' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand profiles; and __fish_seen_subcommand_from remove" -l jq -d 'Filter JSON output with a jq expression' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand profiles; and __fish_seen_subcommand_from remove" -l color -d 'When to use color; auto: on a terminal' -r -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c ordersync -n "__fish_ordersync_using_subcommand profiles; and __fish_seen_subcommand_from remove" -l timeout -d 'Give up after this time (30s, 5m, 1h), rate limits and syncs included' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand profiles; and __fish_seen_subcommand_from remove" -s q -l quiet -d 'Print only results and errors'
complete -c ordersync -n "__fish_ordersync_using_subcommand profiles; and __fish_seen_subcommand_from remove" -s v -l verbose -d 'Print each request (-vv: each HTTP exchange)'
complete -c ordersync -n "__fish_ordersync_using_subcommand profiles; and __fish_seen_subcommand_from remove" -l curl -d 'Print each request as a curl command, secrets redacted'
complete -c ordersync -n "__fish_ordersync_using_subcommand profiles; and __fish_seen_subcommand_from remove" -l no-input -d 'Never prompt in the terminal; a missing value is an error'
complete -c ordersync -n "__fish_ordersync_using_subcommand profiles; and __fish_seen_subcommand_from remove" -l accessible -d 'Plain output for screen readers: no animation, numbered prompts, words for symbols'
complete -c ordersync -n "__fish_ordersync_using_subcommand profiles; and __fish_seen_subcommand_from remove" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c ordersync -n "__fish_ordersync_using_subcommand config; and not __fish_seen_subcommand_from get set unset list path" -l profile -d 'Environment to use: `local`, or one of your profiles' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand config; and not __fish_seen_subcommand_from get set unset list path" -l base-url -d 'Address of the service, instead of the profile\'s' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand config; and not __fish_seen_subcommand_from get set unset list path" -s o -l output -d 'Output format' -r -f -a "table\t'A table for people'
json\t'One JSON document'
jsonl\t'One JSON document per line'
csv\t'Comma-separated values with a header'"
complete -c ordersync -n "__fish_ordersync_using_subcommand config; and not __fish_seen_subcommand_from get set unset list path" -l fields -d 'Print only these fields; without a value, list them' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand config; and not __fish_seen_subcommand_from get set unset list path" -l jq -d 'Filter JSON output with a jq expression' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand config; and not __fish_seen_subcommand_from get set unset list path" -l color -d 'When to use color; auto: on a terminal' -r -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c ordersync -n "__fish_ordersync_using_subcommand config; and not __fish_seen_subcommand_from get set unset list path" -l timeout -d 'Give up after this time (30s, 5m, 1h), rate limits and syncs included' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand config; and not __fish_seen_subcommand_from get set unset list path" -s q -l quiet -d 'Print only results and errors'
complete -c ordersync -n "__fish_ordersync_using_subcommand config; and not __fish_seen_subcommand_from get set unset list path" -s v -l verbose -d 'Print each request (-vv: each HTTP exchange)'
complete -c ordersync -n "__fish_ordersync_using_subcommand config; and not __fish_seen_subcommand_from get set unset list path" -l curl -d 'Print each request as a curl command, secrets redacted'
complete -c ordersync -n "__fish_ordersync_using_subcommand config; and not __fish_seen_subcommand_from get set unset list path" -l no-input -d 'Never prompt in the terminal; a missing value is an error'
complete -c ordersync -n "__fish_ordersync_using_subcommand config; and not __fish_seen_subcommand_from get set unset list path" -l accessible -d 'Plain output for screen readers: no animation, numbered prompts, words for symbols'
complete -c ordersync -n "__fish_ordersync_using_subcommand config; and not __fish_seen_subcommand_from get set unset list path" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c ordersync -n "__fish_ordersync_using_subcommand config; and not __fish_seen_subcommand_from get set unset list path" -f -a "get" -d 'Print a setting\'s value'
complete -c ordersync -n "__fish_ordersync_using_subcommand config; and not __fish_seen_subcommand_from get set unset list path" -f -a "set" -d 'Save a setting in config.toml, for the profile in use'
complete -c ordersync -n "__fish_ordersync_using_subcommand config; and not __fish_seen_subcommand_from get set unset list path" -f -a "unset" -d 'Remove a setting from config.toml'
complete -c ordersync -n "__fish_ordersync_using_subcommand config; and not __fish_seen_subcommand_from get set unset list path" -f -a "list" -d 'List all settings, their values and where they come from'
complete -c ordersync -n "__fish_ordersync_using_subcommand config; and not __fish_seen_subcommand_from get set unset list path" -f -a "path" -d 'Print the path of config.toml'
complete -c ordersync -n "__fish_ordersync_using_subcommand config; and __fish_seen_subcommand_from get" -l profile -d 'Environment to use: `local`, or one of your profiles' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand config; and __fish_seen_subcommand_from get" -l base-url -d 'Address of the service, instead of the profile\'s' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand config; and __fish_seen_subcommand_from get" -s o -l output -d 'Output format' -r -f -a "table\t'A table for people'
json\t'One JSON document'
jsonl\t'One JSON document per line'
csv\t'Comma-separated values with a header'"
complete -c ordersync -n "__fish_ordersync_using_subcommand config; and __fish_seen_subcommand_from get" -l fields -d 'Print only these fields; without a value, list them' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand config; and __fish_seen_subcommand_from get" -l jq -d 'Filter JSON output with a jq expression' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand config; and __fish_seen_subcommand_from get" -l color -d 'When to use color; auto: on a terminal' -r -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c ordersync -n "__fish_ordersync_using_subcommand config; and __fish_seen_subcommand_from get" -l timeout -d 'Give up after this time (30s, 5m, 1h), rate limits and syncs included' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand config; and __fish_seen_subcommand_from get" -s q -l quiet -d 'Print only results and errors'
complete -c ordersync -n "__fish_ordersync_using_subcommand config; and __fish_seen_subcommand_from get" -s v -l verbose -d 'Print each request (-vv: each HTTP exchange)'
complete -c ordersync -n "__fish_ordersync_using_subcommand config; and __fish_seen_subcommand_from get" -l curl -d 'Print each request as a curl command, secrets redacted'
complete -c ordersync -n "__fish_ordersync_using_subcommand config; and __fish_seen_subcommand_from get" -l no-input -d 'Never prompt in the terminal; a missing value is an error'
complete -c ordersync -n "__fish_ordersync_using_subcommand config; and __fish_seen_subcommand_from get" -l accessible -d 'Plain output for screen readers: no animation, numbered prompts, words for symbols'
complete -c ordersync -n "__fish_ordersync_using_subcommand config; and __fish_seen_subcommand_from get" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c ordersync -n "__fish_ordersync_using_subcommand config; and __fish_seen_subcommand_from set" -l profile -d 'Environment to use: `local`, or one of your profiles' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand config; and __fish_seen_subcommand_from set" -l base-url -d 'Address of the service, instead of the profile\'s' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand config; and __fish_seen_subcommand_from set" -s o -l output -d 'Output format' -r -f -a "table\t'A table for people'
json\t'One JSON document'
jsonl\t'One JSON document per line'
csv\t'Comma-separated values with a header'"
complete -c ordersync -n "__fish_ordersync_using_subcommand config; and __fish_seen_subcommand_from set" -l fields -d 'Print only these fields; without a value, list them' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand config; and __fish_seen_subcommand_from set" -l jq -d 'Filter JSON output with a jq expression' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand config; and __fish_seen_subcommand_from set" -l color -d 'When to use color; auto: on a terminal' -r -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c ordersync -n "__fish_ordersync_using_subcommand config; and __fish_seen_subcommand_from set" -l timeout -d 'Give up after this time (30s, 5m, 1h), rate limits and syncs included' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand config; and __fish_seen_subcommand_from set" -s q -l quiet -d 'Print only results and errors'
complete -c ordersync -n "__fish_ordersync_using_subcommand config; and __fish_seen_subcommand_from set" -s v -l verbose -d 'Print each request (-vv: each HTTP exchange)'
complete -c ordersync -n "__fish_ordersync_using_subcommand config; and __fish_seen_subcommand_from set" -l curl -d 'Print each request as a curl command, secrets redacted'
complete -c ordersync -n "__fish_ordersync_using_subcommand config; and __fish_seen_subcommand_from set" -l no-input -d 'Never prompt in the terminal; a missing value is an error'
complete -c ordersync -n "__fish_ordersync_using_subcommand config; and __fish_seen_subcommand_from set" -l accessible -d 'Plain output for screen readers: no animation, numbered prompts, words for symbols'
complete -c ordersync -n "__fish_ordersync_using_subcommand config; and __fish_seen_subcommand_from set" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c ordersync -n "__fish_ordersync_using_subcommand config; and __fish_seen_subcommand_from unset" -l profile -d 'Environment to use: `local`, or one of your profiles' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand config; and __fish_seen_subcommand_from unset" -l base-url -d 'Address of the service, instead of the profile\'s' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand config; and __fish_seen_subcommand_from unset" -s o -l output -d 'Output format' -r -f -a "table\t'A table for people'
json\t'One JSON document'
jsonl\t'One JSON document per line'
csv\t'Comma-separated values with a header'"
complete -c ordersync -n "__fish_ordersync_using_subcommand config; and __fish_seen_subcommand_from unset" -l fields -d 'Print only these fields; without a value, list them' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand config; and __fish_seen_subcommand_from unset" -l jq -d 'Filter JSON output with a jq expression' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand config; and __fish_seen_subcommand_from unset" -l color -d 'When to use color; auto: on a terminal' -r -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c ordersync -n "__fish_ordersync_using_subcommand config; and __fish_seen_subcommand_from unset" -l timeout -d 'Give up after this time (30s, 5m, 1h), rate limits and syncs included' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand config; and __fish_seen_subcommand_from unset" -s q -l quiet -d 'Print only results and errors'
complete -c ordersync -n "__fish_ordersync_using_subcommand config; and __fish_seen_subcommand_from unset" -s v -l verbose -d 'Print each request (-vv: each HTTP exchange)'
complete -c ordersync -n "__fish_ordersync_using_subcommand config; and __fish_seen_subcommand_from unset" -l curl -d 'Print each request as a curl command, secrets redacted'
complete -c ordersync -n "__fish_ordersync_using_subcommand config; and __fish_seen_subcommand_from unset" -l no-input -d 'Never prompt in the terminal; a missing value is an error'
complete -c ordersync -n "__fish_ordersync_using_subcommand config; and __fish_seen_subcommand_from unset" -l accessible -d 'Plain output for screen readers: no animation, numbered prompts, words for symbols'
complete -c ordersync -n "__fish_ordersync_using_subcommand config; and __fish_seen_subcommand_from unset" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c ordersync -n "__fish_ordersync_using_subcommand config; and __fish_seen_subcommand_from list" -l profile -d 'Environment to use: `local`, or one of your profiles' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand config; and __fish_seen_subcommand_from list" -l base-url -d 'Address of the service, instead of the profile\'s' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand config; and __fish_seen_subcommand_from list" -s o -l output -d 'Output format' -r -f -a "table\t'A table for people'
json\t'One JSON document'
jsonl\t'One JSON document per line'
csv\t'Comma-separated values with a header'"
complete -c ordersync -n "__fish_ordersync_using_subcommand config; and __fish_seen_subcommand_from list" -l fields -d 'Print only these fields; without a value, list them' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand config; and __fish_seen_subcommand_from list" -l jq -d 'Filter JSON output with a jq expression' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand config; and __fish_seen_subcommand_from list" -l color -d 'When to use color; auto: on a terminal' -r -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c ordersync -n "__fish_ordersync_using_subcommand config; and __fish_seen_subcommand_from list" -l timeout -d 'Give up after this time (30s, 5m, 1h), rate limits and syncs included' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand config; and __fish_seen_subcommand_from list" -s q -l quiet -d 'Print only results and errors'
complete -c ordersync -n "__fish_ordersync_using_subcommand config; and __fish_seen_subcommand_from list" -s v -l verbose -d 'Print each request (-vv: each HTTP exchange)'
complete -c ordersync -n "__fish_ordersync_using_subcommand config; and __fish_seen_subcommand_from list" -l curl -d 'Print each request as a curl command, secrets redacted'
complete -c ordersync -n "__fish_ordersync_using_subcommand config; and __fish_seen_subcommand_from list" -l no-input -d 'Never prompt in the terminal; a missing value is an error'
complete -c ordersync -n "__fish_ordersync_using_subcommand config; and __fish_seen_subcommand_from list" -l accessible -d 'Plain output for screen readers: no animation, numbered prompts, words for symbols'
complete -c ordersync -n "__fish_ordersync_using_subcommand config; and __fish_seen_subcommand_from list" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c ordersync -n "__fish_ordersync_using_subcommand config; and __fish_seen_subcommand_from path" -l profile -d 'Environment to use: `local`, or one of your profiles' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand config; and __fish_seen_subcommand_from path" -l base-url -d 'Address of the service, instead of the profile\'s' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand config; and __fish_seen_subcommand_from path" -s o -l output -d 'Output format' -r -f -a "table\t'A table for people'
json\t'One JSON document'
jsonl\t'One JSON document per line'
csv\t'Comma-separated values with a header'"
complete -c ordersync -n "__fish_ordersync_using_subcommand config; and __fish_seen_subcommand_from path" -l fields -d 'Print only these fields; without a value, list them' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand config; and __fish_seen_subcommand_from path" -l jq -d 'Filter JSON output with a jq expression' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand config; and __fish_seen_subcommand_from path" -l color -d 'When to use color; auto: on a terminal' -r -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c ordersync -n "__fish_ordersync_using_subcommand config; and __fish_seen_subcommand_from path" -l timeout -d 'Give up after this time (30s, 5m, 1h), rate limits and syncs included' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand config; and __fish_seen_subcommand_from path" -s q -l quiet -d 'Print only results and errors'
complete -c ordersync -n "__fish_ordersync_using_subcommand config; and __fish_seen_subcommand_from path" -s v -l verbose -d 'Print each request (-vv: each HTTP exchange)'
complete -c ordersync -n "__fish_ordersync_using_subcommand config; and __fish_seen_subcommand_from path" -l curl -d 'Print each request as a curl command, secrets redacted'
complete -c ordersync -n "__fish_ordersync_using_subcommand config; and __fish_seen_subcommand_from path" -l no-input -d 'Never prompt in the terminal; a missing value is an error'
complete -c ordersync -n "__fish_ordersync_using_subcommand config; and __fish_seen_subcommand_from path" -l accessible -d 'Plain output for screen readers: no animation, numbered prompts, words for symbols'
complete -c ordersync -n "__fish_ordersync_using_subcommand config; and __fish_seen_subcommand_from path" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c ordersync -n "__fish_ordersync_using_subcommand serve" -l public-url -d 'Public address of the service; default in a sandbox: the one it listens on' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand serve" -l tls-certificate -d 'Serve https with this certificate chain (PEM)' -r -F
complete -c ordersync -n "__fish_ordersync_using_subcommand serve" -l tls-key -d 'Private key of the certificate (PEM, chmod 600)' -r -F
complete -c ordersync -n "__fish_ordersync_using_subcommand serve" -l otp-gateway -d 'POST one-time passwords to this address, signed with --otp-gateway-secret-file or ORDERSYNC_OTP_GATEWAY_SECRET' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand serve" -l otp-gateway-secret-file -d 'File with the secret that signs requests to --otp-gateway (chmod 600); unused without a gateway' -r -F
complete -c ordersync -n "__fish_ordersync_using_subcommand serve" -l otp-per-hour -d 'One-time passwords sent in any hour at most; as many again where the phone\'s owner has signed in before' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand serve" -l otp-prefixes -d 'Send one-time passwords only to numbers that begin with one of these, such as +1,+44; default: to any' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand serve" -l listen -d 'Address to listen on; port 0 picks a free port and prints it' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand serve" -l metrics-listen -d 'Show /metrics, and nothing else, at this address as well, to everybody who reaches it, without TLS' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand serve" -l database -d 'Store: an SQLite file, postgres://USER@HOST/DATABASE, or @FILE with such an address; default: ORDERSYNC_DATABASE_URL, or serve.sqlite3 in your data folder' -r -F
complete -c ordersync -n "__fish_ordersync_using_subcommand serve" -l retailers -d 'Read the operator\'s own retailers from this TOML file' -r -F
complete -c ordersync -n "__fish_ordersync_using_subcommand serve" -l rate-limit -d 'Requests allowed per client in any 60 seconds, or in another window (100/6s), or `off`' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand serve" -l max-connections -d 'Connections open at a time; at the limit, the one idle longest is closed' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand serve" -l max-connections-per-address -d 'Connections open at a time from one address; does not apply with --behind-proxy' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand serve" -l retention -d 'Keep a finished sync session and its events for this many days; a connection\'s latest one stays' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand serve" -l parallel-syncs -d 'Number of syncs to work on at a time' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand serve" -l drain -d 'Before it stops, serve on for this long while /readyz answers 503, so that a load balancer can turn to other nodes' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand serve" -l log -d 'Log format, on standard error' -r -f -a "json\t'A JSON object per line'
text\t'Text'"
complete -c ordersync -n "__fish_ordersync_using_subcommand serve" -l speed -d 'Speed of the simulated retailers; 1 = real time' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand serve" -l seed -d 'Begin with the clients, users, connections and orders of this TOML file; a store takes one such file' -r -F
complete -c ordersync -n "__fish_ordersync_using_subcommand serve" -l key-file -d 'File with the root key (32 bytes in base64, chmod 600); a sandbox creates one next to its database. Repeatable, and a file may have several lines: the first key seals, all of them open what was sealed' -r -F
complete -c ordersync -n "__fish_ordersync_using_subcommand serve" -l profile -d 'Environment to use: `local`, or one of your profiles' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand serve" -l base-url -d 'Address of the service, instead of the profile\'s' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand serve" -s o -l output -d 'Output format' -r -f -a "table\t'A table for people'
json\t'One JSON document'
jsonl\t'One JSON document per line'
csv\t'Comma-separated values with a header'"
complete -c ordersync -n "__fish_ordersync_using_subcommand serve" -l fields -d 'Print only these fields; without a value, list them' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand serve" -l jq -d 'Filter JSON output with a jq expression' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand serve" -l color -d 'When to use color; auto: on a terminal' -r -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c ordersync -n "__fish_ordersync_using_subcommand serve" -l timeout -d 'Give up after this time (30s, 5m, 1h), rate limits and syncs included' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand serve" -l sandbox -d 'Serve simulated retailers and the sandbox controls'
complete -c ordersync -n "__fish_ordersync_using_subcommand serve" -l behind-proxy -d 'Trust a proxy in front that terminates TLS and sets X-Forwarded-For'
complete -c ordersync -n "__fish_ordersync_using_subcommand serve" -l otp-log -d 'Log one-time passwords, for trying out: anyone who reads the log can sign in as any user'
complete -c ordersync -n "__fish_ordersync_using_subcommand serve" -l metrics-public -d 'Let --metrics-listen take an address outside loopback and private networks, such as 0.0.0.0'
complete -c ordersync -n "__fish_ordersync_using_subcommand serve" -s q -l quiet -d 'Print only results and errors'
complete -c ordersync -n "__fish_ordersync_using_subcommand serve" -s v -l verbose -d 'Print each request (-vv: each HTTP exchange)'
complete -c ordersync -n "__fish_ordersync_using_subcommand serve" -l curl -d 'Print each request as a curl command, secrets redacted'
complete -c ordersync -n "__fish_ordersync_using_subcommand serve" -l no-input -d 'Never prompt in the terminal; a missing value is an error'
complete -c ordersync -n "__fish_ordersync_using_subcommand serve" -l accessible -d 'Plain output for screen readers: no animation, numbered prompts, words for symbols'
complete -c ordersync -n "__fish_ordersync_using_subcommand serve" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c ordersync -n "__fish_ordersync_using_subcommand admin; and not __fish_seen_subcommand_from clients sessions users retailers store keys audit" -l profile -d 'Environment to use: `local`, or one of your profiles' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand admin; and not __fish_seen_subcommand_from clients sessions users retailers store keys audit" -l base-url -d 'Address of the service, instead of the profile\'s' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand admin; and not __fish_seen_subcommand_from clients sessions users retailers store keys audit" -s o -l output -d 'Output format' -r -f -a "table\t'A table for people'
json\t'One JSON document'
jsonl\t'One JSON document per line'
csv\t'Comma-separated values with a header'"
complete -c ordersync -n "__fish_ordersync_using_subcommand admin; and not __fish_seen_subcommand_from clients sessions users retailers store keys audit" -l fields -d 'Print only these fields; without a value, list them' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand admin; and not __fish_seen_subcommand_from clients sessions users retailers store keys audit" -l jq -d 'Filter JSON output with a jq expression' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand admin; and not __fish_seen_subcommand_from clients sessions users retailers store keys audit" -l color -d 'When to use color; auto: on a terminal' -r -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c ordersync -n "__fish_ordersync_using_subcommand admin; and not __fish_seen_subcommand_from clients sessions users retailers store keys audit" -l timeout -d 'Give up after this time (30s, 5m, 1h), rate limits and syncs included' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand admin; and not __fish_seen_subcommand_from clients sessions users retailers store keys audit" -s q -l quiet -d 'Print only results and errors'
complete -c ordersync -n "__fish_ordersync_using_subcommand admin; and not __fish_seen_subcommand_from clients sessions users retailers store keys audit" -s v -l verbose -d 'Print each request (-vv: each HTTP exchange)'
complete -c ordersync -n "__fish_ordersync_using_subcommand admin; and not __fish_seen_subcommand_from clients sessions users retailers store keys audit" -l curl -d 'Print each request as a curl command, secrets redacted'
complete -c ordersync -n "__fish_ordersync_using_subcommand admin; and not __fish_seen_subcommand_from clients sessions users retailers store keys audit" -l no-input -d 'Never prompt in the terminal; a missing value is an error'
complete -c ordersync -n "__fish_ordersync_using_subcommand admin; and not __fish_seen_subcommand_from clients sessions users retailers store keys audit" -l accessible -d 'Plain output for screen readers: no animation, numbered prompts, words for symbols'
complete -c ordersync -n "__fish_ordersync_using_subcommand admin; and not __fish_seen_subcommand_from clients sessions users retailers store keys audit" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c ordersync -n "__fish_ordersync_using_subcommand admin; and not __fish_seen_subcommand_from clients sessions users retailers store keys audit" -f -a "clients" -d 'Create, list, limit, disable and enable clients'
complete -c ordersync -n "__fish_ordersync_using_subcommand admin; and not __fish_seen_subcommand_from clients sessions users retailers store keys audit" -f -a "sessions" -d 'List syncs that are not over; cancel and retry them'
complete -c ordersync -n "__fish_ordersync_using_subcommand admin; and not __fish_seen_subcommand_from clients sessions users retailers store keys audit" -f -a "users" -d 'Find, export and delete users'
complete -c ordersync -n "__fish_ordersync_using_subcommand admin; and not __fish_seen_subcommand_from clients sessions users retailers store keys audit" -f -a "retailers" -d 'Add and remove shops, list retailers, and pause their syncs'
complete -c ordersync -n "__fish_ordersync_using_subcommand admin; and not __fish_seen_subcommand_from clients sessions users retailers store keys audit" -f -a "store" -d 'Back up and check the store'
complete -c ordersync -n "__fish_ordersync_using_subcommand admin; and not __fish_seen_subcommand_from clients sessions users retailers store keys audit" -f -a "keys" -d 'List root keys, seal everything under a new one, and retire old ones'
complete -c ordersync -n "__fish_ordersync_using_subcommand admin; and not __fish_seen_subcommand_from clients sessions users retailers store keys audit" -f -a "audit" -d 'List what operators changed, sign-ins and deletions, newest first'
complete -c ordersync -n "__fish_ordersync_using_subcommand admin; and __fish_seen_subcommand_from clients" -l database -d 'Store of the service: an SQLite file, postgres://USER@HOST/DATABASE, or @FILE with such an address; default: ORDERSYNC_DATABASE_URL, or serve.sqlite3 in your data folder' -r -F
complete -c ordersync -n "__fish_ordersync_using_subcommand admin; and __fish_seen_subcommand_from clients" -l profile -d 'Environment to use: `local`, or one of your profiles' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand admin; and __fish_seen_subcommand_from clients" -l base-url -d 'Address of the service, instead of the profile\'s' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand admin; and __fish_seen_subcommand_from clients" -s o -l output -d 'Output format' -r -f -a "table\t'A table for people'
json\t'One JSON document'
jsonl\t'One JSON document per line'
csv\t'Comma-separated values with a header'"
complete -c ordersync -n "__fish_ordersync_using_subcommand admin; and __fish_seen_subcommand_from clients" -l fields -d 'Print only these fields; without a value, list them' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand admin; and __fish_seen_subcommand_from clients" -l jq -d 'Filter JSON output with a jq expression' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand admin; and __fish_seen_subcommand_from clients" -l color -d 'When to use color; auto: on a terminal' -r -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c ordersync -n "__fish_ordersync_using_subcommand admin; and __fish_seen_subcommand_from clients" -l timeout -d 'Give up after this time (30s, 5m, 1h), rate limits and syncs included' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand admin; and __fish_seen_subcommand_from clients" -s q -l quiet -d 'Print only results and errors'
complete -c ordersync -n "__fish_ordersync_using_subcommand admin; and __fish_seen_subcommand_from clients" -s v -l verbose -d 'Print each request (-vv: each HTTP exchange)'
complete -c ordersync -n "__fish_ordersync_using_subcommand admin; and __fish_seen_subcommand_from clients" -l curl -d 'Print each request as a curl command, secrets redacted'
complete -c ordersync -n "__fish_ordersync_using_subcommand admin; and __fish_seen_subcommand_from clients" -l no-input -d 'Never prompt in the terminal; a missing value is an error'
complete -c ordersync -n "__fish_ordersync_using_subcommand admin; and __fish_seen_subcommand_from clients" -l accessible -d 'Plain output for screen readers: no animation, numbered prompts, words for symbols'
complete -c ordersync -n "__fish_ordersync_using_subcommand admin; and __fish_seen_subcommand_from clients" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c ordersync -n "__fish_ordersync_using_subcommand admin; and __fish_seen_subcommand_from clients" -f -a "create" -d 'Create a client; its secret is shown only once'
complete -c ordersync -n "__fish_ordersync_using_subcommand admin; and __fish_seen_subcommand_from clients" -f -a "list" -d 'List clients'
complete -c ordersync -n "__fish_ordersync_using_subcommand admin; and __fish_seen_subcommand_from clients" -f -a "update" -d 'Change a client\'s redirect URIs, return URLs and frame ancestors'
complete -c ordersync -n "__fish_ordersync_using_subcommand admin; and __fish_seen_subcommand_from clients" -f -a "rotate-secret" -d 'Replace a client\'s secret; the new one is shown only once'
complete -c ordersync -n "__fish_ordersync_using_subcommand admin; and __fish_seen_subcommand_from clients" -f -a "enable" -d 'Enable a disabled client; its users sign in again'
complete -c ordersync -n "__fish_ordersync_using_subcommand admin; and __fish_seen_subcommand_from clients" -f -a "limit" -d 'Set how many requests a client may make in a minute'
complete -c ordersync -n "__fish_ordersync_using_subcommand admin; and __fish_seen_subcommand_from clients" -f -a "disable" -d 'Disable a client and revoke its tokens'
complete -c ordersync -n "__fish_ordersync_using_subcommand admin; and __fish_seen_subcommand_from sessions" -l database -d 'Store of the service: an SQLite file, postgres://USER@HOST/DATABASE, or @FILE with such an address; default: ORDERSYNC_DATABASE_URL, or serve.sqlite3 in your data folder' -r -F
complete -c ordersync -n "__fish_ordersync_using_subcommand admin; and __fish_seen_subcommand_from sessions" -l profile -d 'Environment to use: `local`, or one of your profiles' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand admin; and __fish_seen_subcommand_from sessions" -l base-url -d 'Address of the service, instead of the profile\'s' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand admin; and __fish_seen_subcommand_from sessions" -s o -l output -d 'Output format' -r -f -a "table\t'A table for people'
json\t'One JSON document'
jsonl\t'One JSON document per line'
csv\t'Comma-separated values with a header'"
complete -c ordersync -n "__fish_ordersync_using_subcommand admin; and __fish_seen_subcommand_from sessions" -l fields -d 'Print only these fields; without a value, list them' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand admin; and __fish_seen_subcommand_from sessions" -l jq -d 'Filter JSON output with a jq expression' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand admin; and __fish_seen_subcommand_from sessions" -l color -d 'When to use color; auto: on a terminal' -r -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c ordersync -n "__fish_ordersync_using_subcommand admin; and __fish_seen_subcommand_from sessions" -l timeout -d 'Give up after this time (30s, 5m, 1h), rate limits and syncs included' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand admin; and __fish_seen_subcommand_from sessions" -s q -l quiet -d 'Print only results and errors'
complete -c ordersync -n "__fish_ordersync_using_subcommand admin; and __fish_seen_subcommand_from sessions" -s v -l verbose -d 'Print each request (-vv: each HTTP exchange)'
complete -c ordersync -n "__fish_ordersync_using_subcommand admin; and __fish_seen_subcommand_from sessions" -l curl -d 'Print each request as a curl command, secrets redacted'
complete -c ordersync -n "__fish_ordersync_using_subcommand admin; and __fish_seen_subcommand_from sessions" -l no-input -d 'Never prompt in the terminal; a missing value is an error'
complete -c ordersync -n "__fish_ordersync_using_subcommand admin; and __fish_seen_subcommand_from sessions" -l accessible -d 'Plain output for screen readers: no animation, numbered prompts, words for symbols'
complete -c ordersync -n "__fish_ordersync_using_subcommand admin; and __fish_seen_subcommand_from sessions" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c ordersync -n "__fish_ordersync_using_subcommand admin; and __fish_seen_subcommand_from sessions" -f -a "list" -d 'List the syncs of all users that are not over, with what they wait for'
complete -c ordersync -n "__fish_ordersync_using_subcommand admin; and __fish_seen_subcommand_from sessions" -f -a "show" -d 'Show the syncs of a session'
complete -c ordersync -n "__fish_ordersync_using_subcommand admin; and __fish_seen_subcommand_from sessions" -f -a "cancel" -d 'End the syncs of a session; what they have stored stays'
complete -c ordersync -n "__fish_ordersync_using_subcommand admin; and __fish_seen_subcommand_from sessions" -f -a "retry" -d 'Let the syncs of a session go on at once; start those again that failed'
complete -c ordersync -n "__fish_ordersync_using_subcommand admin; and __fish_seen_subcommand_from users" -l database -d 'Store of the service: an SQLite file, postgres://USER@HOST/DATABASE, or @FILE with such an address; default: ORDERSYNC_DATABASE_URL, or serve.sqlite3 in your data folder' -r -F
complete -c ordersync -n "__fish_ordersync_using_subcommand admin; and __fish_seen_subcommand_from users" -l profile -d 'Environment to use: `local`, or one of your profiles' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand admin; and __fish_seen_subcommand_from users" -l base-url -d 'Address of the service, instead of the profile\'s' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand admin; and __fish_seen_subcommand_from users" -s o -l output -d 'Output format' -r -f -a "table\t'A table for people'
json\t'One JSON document'
jsonl\t'One JSON document per line'
csv\t'Comma-separated values with a header'"
complete -c ordersync -n "__fish_ordersync_using_subcommand admin; and __fish_seen_subcommand_from users" -l fields -d 'Print only these fields; without a value, list them' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand admin; and __fish_seen_subcommand_from users" -l jq -d 'Filter JSON output with a jq expression' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand admin; and __fish_seen_subcommand_from users" -l color -d 'When to use color; auto: on a terminal' -r -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c ordersync -n "__fish_ordersync_using_subcommand admin; and __fish_seen_subcommand_from users" -l timeout -d 'Give up after this time (30s, 5m, 1h), rate limits and syncs included' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand admin; and __fish_seen_subcommand_from users" -s q -l quiet -d 'Print only results and errors'
complete -c ordersync -n "__fish_ordersync_using_subcommand admin; and __fish_seen_subcommand_from users" -s v -l verbose -d 'Print each request (-vv: each HTTP exchange)'
complete -c ordersync -n "__fish_ordersync_using_subcommand admin; and __fish_seen_subcommand_from users" -l curl -d 'Print each request as a curl command, secrets redacted'
complete -c ordersync -n "__fish_ordersync_using_subcommand admin; and __fish_seen_subcommand_from users" -l no-input -d 'Never prompt in the terminal; a missing value is an error'
complete -c ordersync -n "__fish_ordersync_using_subcommand admin; and __fish_seen_subcommand_from users" -l accessible -d 'Plain output for screen readers: no animation, numbered prompts, words for symbols'
complete -c ordersync -n "__fish_ordersync_using_subcommand admin; and __fish_seen_subcommand_from users" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c ordersync -n "__fish_ordersync_using_subcommand admin; and __fish_seen_subcommand_from users" -f -a "find" -d 'Find a user by id, phone number, or a client\'s own identifier'
complete -c ordersync -n "__fish_ordersync_using_subcommand admin; and __fish_seen_subcommand_from users" -f -a "export" -d 'Write everything that is stored of a user into a zip archive'
complete -c ordersync -n "__fish_ordersync_using_subcommand admin; and __fish_seen_subcommand_from users" -f -a "delete" -d 'Delete a user with all connections, orders and sign-ins'
complete -c ordersync -n "__fish_ordersync_using_subcommand admin; and __fish_seen_subcommand_from users" -f -a "redelete" -d 'Delete users again who are back after a restore'
complete -c ordersync -n "__fish_ordersync_using_subcommand admin; and __fish_seen_subcommand_from users" -f -a "unbind" -d 'Unbind a client\'s own user identifier, after USER_ALREADY_BOUND'
complete -c ordersync -n "__fish_ordersync_using_subcommand admin; and __fish_seen_subcommand_from retailers" -l retailers -d 'File of retailers that `serve --retailers` reads; `add` creates it if it does not exist' -r -F
complete -c ordersync -n "__fish_ordersync_using_subcommand admin; and __fish_seen_subcommand_from retailers" -l database -d 'Store of the service: an SQLite file, postgres://USER@HOST/DATABASE, or @FILE with such an address; default: ORDERSYNC_DATABASE_URL, or serve.sqlite3 in your data folder' -r -F
complete -c ordersync -n "__fish_ordersync_using_subcommand admin; and __fish_seen_subcommand_from retailers" -l profile -d 'Environment to use: `local`, or one of your profiles' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand admin; and __fish_seen_subcommand_from retailers" -l base-url -d 'Address of the service, instead of the profile\'s' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand admin; and __fish_seen_subcommand_from retailers" -s o -l output -d 'Output format' -r -f -a "table\t'A table for people'
json\t'One JSON document'
jsonl\t'One JSON document per line'
csv\t'Comma-separated values with a header'"
complete -c ordersync -n "__fish_ordersync_using_subcommand admin; and __fish_seen_subcommand_from retailers" -l fields -d 'Print only these fields; without a value, list them' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand admin; and __fish_seen_subcommand_from retailers" -l jq -d 'Filter JSON output with a jq expression' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand admin; and __fish_seen_subcommand_from retailers" -l color -d 'When to use color; auto: on a terminal' -r -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c ordersync -n "__fish_ordersync_using_subcommand admin; and __fish_seen_subcommand_from retailers" -l timeout -d 'Give up after this time (30s, 5m, 1h), rate limits and syncs included' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand admin; and __fish_seen_subcommand_from retailers" -s q -l quiet -d 'Print only results and errors'
complete -c ordersync -n "__fish_ordersync_using_subcommand admin; and __fish_seen_subcommand_from retailers" -s v -l verbose -d 'Print each request (-vv: each HTTP exchange)'
complete -c ordersync -n "__fish_ordersync_using_subcommand admin; and __fish_seen_subcommand_from retailers" -l curl -d 'Print each request as a curl command, secrets redacted'
complete -c ordersync -n "__fish_ordersync_using_subcommand admin; and __fish_seen_subcommand_from retailers" -l no-input -d 'Never prompt in the terminal; a missing value is an error'
complete -c ordersync -n "__fish_ordersync_using_subcommand admin; and __fish_seen_subcommand_from retailers" -l accessible -d 'Plain output for screen readers: no animation, numbered prompts, words for symbols'
complete -c ordersync -n "__fish_ordersync_using_subcommand admin; and __fish_seen_subcommand_from retailers" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c ordersync -n "__fish_ordersync_using_subcommand admin; and __fish_seen_subcommand_from retailers" -f -a "add" -d 'Add a shop by its address'
complete -c ordersync -n "__fish_ordersync_using_subcommand admin; and __fish_seen_subcommand_from retailers" -f -a "remove" -d 'Remove a shop that no user of the service has connected'
complete -c ordersync -n "__fish_ordersync_using_subcommand admin; and __fish_seen_subcommand_from retailers" -f -a "list" -d 'List retailers that users have connected, with their syncs and pauses'
complete -c ordersync -n "__fish_ordersync_using_subcommand admin; and __fish_seen_subcommand_from retailers" -f -a "pause" -d 'Let all syncs of a retailer wait'
complete -c ordersync -n "__fish_ordersync_using_subcommand admin; and __fish_seen_subcommand_from retailers" -f -a "resume" -d 'Let the syncs of a paused retailer go on'
complete -c ordersync -n "__fish_ordersync_using_subcommand admin; and __fish_seen_subcommand_from store" -l database -d 'Store of the service: an SQLite file, postgres://USER@HOST/DATABASE, or @FILE with such an address; default: ORDERSYNC_DATABASE_URL, or serve.sqlite3 in your data folder' -r -F
complete -c ordersync -n "__fish_ordersync_using_subcommand admin; and __fish_seen_subcommand_from store" -l profile -d 'Environment to use: `local`, or one of your profiles' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand admin; and __fish_seen_subcommand_from store" -l base-url -d 'Address of the service, instead of the profile\'s' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand admin; and __fish_seen_subcommand_from store" -s o -l output -d 'Output format' -r -f -a "table\t'A table for people'
json\t'One JSON document'
jsonl\t'One JSON document per line'
csv\t'Comma-separated values with a header'"
complete -c ordersync -n "__fish_ordersync_using_subcommand admin; and __fish_seen_subcommand_from store" -l fields -d 'Print only these fields; without a value, list them' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand admin; and __fish_seen_subcommand_from store" -l jq -d 'Filter JSON output with a jq expression' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand admin; and __fish_seen_subcommand_from store" -l color -d 'When to use color; auto: on a terminal' -r -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c ordersync -n "__fish_ordersync_using_subcommand admin; and __fish_seen_subcommand_from store" -l timeout -d 'Give up after this time (30s, 5m, 1h), rate limits and syncs included' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand admin; and __fish_seen_subcommand_from store" -s q -l quiet -d 'Print only results and errors'
complete -c ordersync -n "__fish_ordersync_using_subcommand admin; and __fish_seen_subcommand_from store" -s v -l verbose -d 'Print each request (-vv: each HTTP exchange)'
complete -c ordersync -n "__fish_ordersync_using_subcommand admin; and __fish_seen_subcommand_from store" -l curl -d 'Print each request as a curl command, secrets redacted'
complete -c ordersync -n "__fish_ordersync_using_subcommand admin; and __fish_seen_subcommand_from store" -l no-input -d 'Never prompt in the terminal; a missing value is an error'
complete -c ordersync -n "__fish_ordersync_using_subcommand admin; and __fish_seen_subcommand_from store" -l accessible -d 'Plain output for screen readers: no animation, numbered prompts, words for symbols'
complete -c ordersync -n "__fish_ordersync_using_subcommand admin; and __fish_seen_subcommand_from store" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c ordersync -n "__fish_ordersync_using_subcommand admin; and __fish_seen_subcommand_from store" -f -a "backup" -d 'Write a copy of the store as it is at one moment'
complete -c ordersync -n "__fish_ordersync_using_subcommand admin; and __fish_seen_subcommand_from store" -f -a "check" -d 'Check that the store is sound: its file, references and counts'
complete -c ordersync -n "__fish_ordersync_using_subcommand admin; and __fish_seen_subcommand_from store" -f -a "migrate" -d 'Bring the store up to date with this version of ordersync'
complete -c ordersync -n "__fish_ordersync_using_subcommand admin; and __fish_seen_subcommand_from store" -f -a "copy" -d 'Copy a whole store from an SQLite file into an empty PostgreSQL database'
complete -c ordersync -n "__fish_ordersync_using_subcommand admin; and __fish_seen_subcommand_from keys" -l database -d 'SQLite file of the service; default: serve.sqlite3 in your data folder' -r -F
complete -c ordersync -n "__fish_ordersync_using_subcommand admin; and __fish_seen_subcommand_from keys" -l profile -d 'Environment to use: `local`, or one of your profiles' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand admin; and __fish_seen_subcommand_from keys" -l base-url -d 'Address of the service, instead of the profile\'s' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand admin; and __fish_seen_subcommand_from keys" -s o -l output -d 'Output format' -r -f -a "table\t'A table for people'
json\t'One JSON document'
jsonl\t'One JSON document per line'
csv\t'Comma-separated values with a header'"
complete -c ordersync -n "__fish_ordersync_using_subcommand admin; and __fish_seen_subcommand_from keys" -l fields -d 'Print only these fields; without a value, list them' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand admin; and __fish_seen_subcommand_from keys" -l jq -d 'Filter JSON output with a jq expression' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand admin; and __fish_seen_subcommand_from keys" -l color -d 'When to use color; auto: on a terminal' -r -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c ordersync -n "__fish_ordersync_using_subcommand admin; and __fish_seen_subcommand_from keys" -l timeout -d 'Give up after this time (30s, 5m, 1h), rate limits and syncs included' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand admin; and __fish_seen_subcommand_from keys" -s q -l quiet -d 'Print only results and errors'
complete -c ordersync -n "__fish_ordersync_using_subcommand admin; and __fish_seen_subcommand_from keys" -s v -l verbose -d 'Print each request (-vv: each HTTP exchange)'
complete -c ordersync -n "__fish_ordersync_using_subcommand admin; and __fish_seen_subcommand_from keys" -l curl -d 'Print each request as a curl command, secrets redacted'
complete -c ordersync -n "__fish_ordersync_using_subcommand admin; and __fish_seen_subcommand_from keys" -l no-input -d 'Never prompt in the terminal; a missing value is an error'
complete -c ordersync -n "__fish_ordersync_using_subcommand admin; and __fish_seen_subcommand_from keys" -l accessible -d 'Plain output for screen readers: no animation, numbered prompts, words for symbols'
complete -c ordersync -n "__fish_ordersync_using_subcommand admin; and __fish_seen_subcommand_from keys" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c ordersync -n "__fish_ordersync_using_subcommand admin; and __fish_seen_subcommand_from keys" -f -a "list" -d 'List the root keys of the store by fingerprint, with how many values each seals'
complete -c ordersync -n "__fish_ordersync_using_subcommand admin; and __fish_seen_subcommand_from keys" -f -a "rotate" -d 'Seal everything under the first key that is sealed under an earlier one'
complete -c ordersync -n "__fish_ordersync_using_subcommand admin; and __fish_seen_subcommand_from keys" -f -a "retire" -d 'Retire a key under which nothing is sealed any more'
complete -c ordersync -n "__fish_ordersync_using_subcommand admin; and __fish_seen_subcommand_from audit" -l database -d 'SQLite file of the service; default: serve.sqlite3 in your data folder' -r -F
complete -c ordersync -n "__fish_ordersync_using_subcommand admin; and __fish_seen_subcommand_from audit" -l since -d 'Only entries at or after this date (2025-10-16, 2026-06, yesterday, 7d, 2w, 3m, 1y) or time' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand admin; and __fish_seen_subcommand_from audit" -l user -d 'Only entries about this user, even if the user was deleted' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand admin; and __fish_seen_subcommand_from audit" -s L -l limit -d 'Maximum number of entries' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand admin; and __fish_seen_subcommand_from audit" -l before -d 'Only entries older than the one with this id, to continue a list' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand admin; and __fish_seen_subcommand_from audit" -l profile -d 'Environment to use: `local`, or one of your profiles' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand admin; and __fish_seen_subcommand_from audit" -l base-url -d 'Address of the service, instead of the profile\'s' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand admin; and __fish_seen_subcommand_from audit" -s o -l output -d 'Output format' -r -f -a "table\t'A table for people'
json\t'One JSON document'
jsonl\t'One JSON document per line'
csv\t'Comma-separated values with a header'"
complete -c ordersync -n "__fish_ordersync_using_subcommand admin; and __fish_seen_subcommand_from audit" -l fields -d 'Print only these fields; without a value, list them' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand admin; and __fish_seen_subcommand_from audit" -l jq -d 'Filter JSON output with a jq expression' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand admin; and __fish_seen_subcommand_from audit" -l color -d 'When to use color; auto: on a terminal' -r -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c ordersync -n "__fish_ordersync_using_subcommand admin; and __fish_seen_subcommand_from audit" -l timeout -d 'Give up after this time (30s, 5m, 1h), rate limits and syncs included' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand admin; and __fish_seen_subcommand_from audit" -s q -l quiet -d 'Print only results and errors'
complete -c ordersync -n "__fish_ordersync_using_subcommand admin; and __fish_seen_subcommand_from audit" -s v -l verbose -d 'Print each request (-vv: each HTTP exchange)'
complete -c ordersync -n "__fish_ordersync_using_subcommand admin; and __fish_seen_subcommand_from audit" -l curl -d 'Print each request as a curl command, secrets redacted'
complete -c ordersync -n "__fish_ordersync_using_subcommand admin; and __fish_seen_subcommand_from audit" -l no-input -d 'Never prompt in the terminal; a missing value is an error'
complete -c ordersync -n "__fish_ordersync_using_subcommand admin; and __fish_seen_subcommand_from audit" -l accessible -d 'Plain output for screen readers: no animation, numbered prompts, words for symbols'
complete -c ordersync -n "__fish_ordersync_using_subcommand admin; and __fish_seen_subcommand_from audit" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c ordersync -n "__fish_ordersync_using_subcommand sandbox; and not __fish_seen_subcommand_from token reset unbind break clock otp fail" -l profile -d 'Environment to use: `local`, or one of your profiles' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand sandbox; and not __fish_seen_subcommand_from token reset unbind break clock otp fail" -l base-url -d 'Address of the service, instead of the profile\'s' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand sandbox; and not __fish_seen_subcommand_from token reset unbind break clock otp fail" -s o -l output -d 'Output format' -r -f -a "table\t'A table for people'
json\t'One JSON document'
jsonl\t'One JSON document per line'
csv\t'Comma-separated values with a header'"
complete -c ordersync -n "__fish_ordersync_using_subcommand sandbox; and not __fish_seen_subcommand_from token reset unbind break clock otp fail" -l fields -d 'Print only these fields; without a value, list them' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand sandbox; and not __fish_seen_subcommand_from token reset unbind break clock otp fail" -l jq -d 'Filter JSON output with a jq expression' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand sandbox; and not __fish_seen_subcommand_from token reset unbind break clock otp fail" -l color -d 'When to use color; auto: on a terminal' -r -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c ordersync -n "__fish_ordersync_using_subcommand sandbox; and not __fish_seen_subcommand_from token reset unbind break clock otp fail" -l timeout -d 'Give up after this time (30s, 5m, 1h), rate limits and syncs included' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand sandbox; and not __fish_seen_subcommand_from token reset unbind break clock otp fail" -s q -l quiet -d 'Print only results and errors'
complete -c ordersync -n "__fish_ordersync_using_subcommand sandbox; and not __fish_seen_subcommand_from token reset unbind break clock otp fail" -s v -l verbose -d 'Print each request (-vv: each HTTP exchange)'
complete -c ordersync -n "__fish_ordersync_using_subcommand sandbox; and not __fish_seen_subcommand_from token reset unbind break clock otp fail" -l curl -d 'Print each request as a curl command, secrets redacted'
complete -c ordersync -n "__fish_ordersync_using_subcommand sandbox; and not __fish_seen_subcommand_from token reset unbind break clock otp fail" -l no-input -d 'Never prompt in the terminal; a missing value is an error'
complete -c ordersync -n "__fish_ordersync_using_subcommand sandbox; and not __fish_seen_subcommand_from token reset unbind break clock otp fail" -l accessible -d 'Plain output for screen readers: no animation, numbered prompts, words for symbols'
complete -c ordersync -n "__fish_ordersync_using_subcommand sandbox; and not __fish_seen_subcommand_from token reset unbind break clock otp fail" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c ordersync -n "__fish_ordersync_using_subcommand sandbox; and not __fish_seen_subcommand_from token reset unbind break clock otp fail" -f -a "token" -d 'Print an access token for one of the sandbox\'s users'
complete -c ordersync -n "__fish_ordersync_using_subcommand sandbox; and not __fish_seen_subcommand_from token reset unbind break clock otp fail" -f -a "reset" -d 'Delete a user\'s connections, sessions, orders and bindings'
complete -c ordersync -n "__fish_ordersync_using_subcommand sandbox; and not __fish_seen_subcommand_from token reset unbind break clock otp fail" -f -a "unbind" -d 'Unbind a client\'s identifier from its user'
complete -c ordersync -n "__fish_ordersync_using_subcommand sandbox; and not __fish_seen_subcommand_from token reset unbind break clock otp fail" -f -a "break" -d 'Make a connection invalid, as if the password had changed'
complete -c ordersync -n "__fish_ordersync_using_subcommand sandbox; and not __fish_seen_subcommand_from token reset unbind break clock otp fail" -f -a "clock" -d 'Advance, freeze or unfreeze the user\'s clock'
complete -c ordersync -n "__fish_ordersync_using_subcommand sandbox; and not __fish_seen_subcommand_from token reset unbind break clock otp fail" -f -a "otp" -d 'List the one-time passwords sent to a user\'s phone'
complete -c ordersync -n "__fish_ordersync_using_subcommand sandbox; and not __fish_seen_subcommand_from token reset unbind break clock otp fail" -f -a "fail" -d 'Make the next requests of the user, or of a client, fail, wait or lose their answer'
complete -c ordersync -n "__fish_ordersync_using_subcommand sandbox; and __fish_seen_subcommand_from token" -l phone -d 'Phone number of the user: +15550100 to +15550199' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand sandbox; and __fish_seen_subcommand_from token" -l client-id -d 'Client to issue the token to; default: the sandbox\'s own' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand sandbox; and __fish_seen_subcommand_from token" -l scopes -d 'Scopes, separated by spaces; default: all' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand sandbox; and __fish_seen_subcommand_from token" -l profile -d 'Environment to use: `local`, or one of your profiles' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand sandbox; and __fish_seen_subcommand_from token" -l base-url -d 'Address of the service, instead of the profile\'s' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand sandbox; and __fish_seen_subcommand_from token" -s o -l output -d 'Output format' -r -f -a "table\t'A table for people'
json\t'One JSON document'
jsonl\t'One JSON document per line'
csv\t'Comma-separated values with a header'"
complete -c ordersync -n "__fish_ordersync_using_subcommand sandbox; and __fish_seen_subcommand_from token" -l fields -d 'Print only these fields; without a value, list them' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand sandbox; and __fish_seen_subcommand_from token" -l jq -d 'Filter JSON output with a jq expression' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand sandbox; and __fish_seen_subcommand_from token" -l color -d 'When to use color; auto: on a terminal' -r -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c ordersync -n "__fish_ordersync_using_subcommand sandbox; and __fish_seen_subcommand_from token" -l timeout -d 'Give up after this time (30s, 5m, 1h), rate limits and syncs included' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand sandbox; and __fish_seen_subcommand_from token" -s q -l quiet -d 'Print only results and errors'
complete -c ordersync -n "__fish_ordersync_using_subcommand sandbox; and __fish_seen_subcommand_from token" -s v -l verbose -d 'Print each request (-vv: each HTTP exchange)'
complete -c ordersync -n "__fish_ordersync_using_subcommand sandbox; and __fish_seen_subcommand_from token" -l curl -d 'Print each request as a curl command, secrets redacted'
complete -c ordersync -n "__fish_ordersync_using_subcommand sandbox; and __fish_seen_subcommand_from token" -l no-input -d 'Never prompt in the terminal; a missing value is an error'
complete -c ordersync -n "__fish_ordersync_using_subcommand sandbox; and __fish_seen_subcommand_from token" -l accessible -d 'Plain output for screen readers: no animation, numbered prompts, words for symbols'
complete -c ordersync -n "__fish_ordersync_using_subcommand sandbox; and __fish_seen_subcommand_from token" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c ordersync -n "__fish_ordersync_using_subcommand sandbox; and __fish_seen_subcommand_from reset" -l profile -d 'Environment to use: `local`, or one of your profiles' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand sandbox; and __fish_seen_subcommand_from reset" -l base-url -d 'Address of the service, instead of the profile\'s' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand sandbox; and __fish_seen_subcommand_from reset" -s o -l output -d 'Output format' -r -f -a "table\t'A table for people'
json\t'One JSON document'
jsonl\t'One JSON document per line'
csv\t'Comma-separated values with a header'"
complete -c ordersync -n "__fish_ordersync_using_subcommand sandbox; and __fish_seen_subcommand_from reset" -l fields -d 'Print only these fields; without a value, list them' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand sandbox; and __fish_seen_subcommand_from reset" -l jq -d 'Filter JSON output with a jq expression' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand sandbox; and __fish_seen_subcommand_from reset" -l color -d 'When to use color; auto: on a terminal' -r -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c ordersync -n "__fish_ordersync_using_subcommand sandbox; and __fish_seen_subcommand_from reset" -l timeout -d 'Give up after this time (30s, 5m, 1h), rate limits and syncs included' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand sandbox; and __fish_seen_subcommand_from reset" -l all -d 'Reset all users, not just the signed-in one'
complete -c ordersync -n "__fish_ordersync_using_subcommand sandbox; and __fish_seen_subcommand_from reset" -s y -l yes -d 'Do not ask; on the local profile the command asks before it deletes anything'
complete -c ordersync -n "__fish_ordersync_using_subcommand sandbox; and __fish_seen_subcommand_from reset" -s q -l quiet -d 'Print only results and errors'
complete -c ordersync -n "__fish_ordersync_using_subcommand sandbox; and __fish_seen_subcommand_from reset" -s v -l verbose -d 'Print each request (-vv: each HTTP exchange)'
complete -c ordersync -n "__fish_ordersync_using_subcommand sandbox; and __fish_seen_subcommand_from reset" -l curl -d 'Print each request as a curl command, secrets redacted'
complete -c ordersync -n "__fish_ordersync_using_subcommand sandbox; and __fish_seen_subcommand_from reset" -l no-input -d 'Never prompt in the terminal; a missing value is an error'
complete -c ordersync -n "__fish_ordersync_using_subcommand sandbox; and __fish_seen_subcommand_from reset" -l accessible -d 'Plain output for screen readers: no animation, numbered prompts, words for symbols'
complete -c ordersync -n "__fish_ordersync_using_subcommand sandbox; and __fish_seen_subcommand_from reset" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c ordersync -n "__fish_ordersync_using_subcommand sandbox; and __fish_seen_subcommand_from unbind" -l client-id -d 'Client; default: that of your token' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand sandbox; and __fish_seen_subcommand_from unbind" -l profile -d 'Environment to use: `local`, or one of your profiles' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand sandbox; and __fish_seen_subcommand_from unbind" -l base-url -d 'Address of the service, instead of the profile\'s' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand sandbox; and __fish_seen_subcommand_from unbind" -s o -l output -d 'Output format' -r -f -a "table\t'A table for people'
json\t'One JSON document'
jsonl\t'One JSON document per line'
csv\t'Comma-separated values with a header'"
complete -c ordersync -n "__fish_ordersync_using_subcommand sandbox; and __fish_seen_subcommand_from unbind" -l fields -d 'Print only these fields; without a value, list them' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand sandbox; and __fish_seen_subcommand_from unbind" -l jq -d 'Filter JSON output with a jq expression' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand sandbox; and __fish_seen_subcommand_from unbind" -l color -d 'When to use color; auto: on a terminal' -r -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c ordersync -n "__fish_ordersync_using_subcommand sandbox; and __fish_seen_subcommand_from unbind" -l timeout -d 'Give up after this time (30s, 5m, 1h), rate limits and syncs included' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand sandbox; and __fish_seen_subcommand_from unbind" -s q -l quiet -d 'Print only results and errors'
complete -c ordersync -n "__fish_ordersync_using_subcommand sandbox; and __fish_seen_subcommand_from unbind" -s v -l verbose -d 'Print each request (-vv: each HTTP exchange)'
complete -c ordersync -n "__fish_ordersync_using_subcommand sandbox; and __fish_seen_subcommand_from unbind" -l curl -d 'Print each request as a curl command, secrets redacted'
complete -c ordersync -n "__fish_ordersync_using_subcommand sandbox; and __fish_seen_subcommand_from unbind" -l no-input -d 'Never prompt in the terminal; a missing value is an error'
complete -c ordersync -n "__fish_ordersync_using_subcommand sandbox; and __fish_seen_subcommand_from unbind" -l accessible -d 'Plain output for screen readers: no animation, numbered prompts, words for symbols'
complete -c ordersync -n "__fish_ordersync_using_subcommand sandbox; and __fish_seen_subcommand_from unbind" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c ordersync -n "__fish_ordersync_using_subcommand sandbox; and __fish_seen_subcommand_from break" -l profile -d 'Environment to use: `local`, or one of your profiles' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand sandbox; and __fish_seen_subcommand_from break" -l base-url -d 'Address of the service, instead of the profile\'s' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand sandbox; and __fish_seen_subcommand_from break" -s o -l output -d 'Output format' -r -f -a "table\t'A table for people'
json\t'One JSON document'
jsonl\t'One JSON document per line'
csv\t'Comma-separated values with a header'"
complete -c ordersync -n "__fish_ordersync_using_subcommand sandbox; and __fish_seen_subcommand_from break" -l fields -d 'Print only these fields; without a value, list them' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand sandbox; and __fish_seen_subcommand_from break" -l jq -d 'Filter JSON output with a jq expression' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand sandbox; and __fish_seen_subcommand_from break" -l color -d 'When to use color; auto: on a terminal' -r -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c ordersync -n "__fish_ordersync_using_subcommand sandbox; and __fish_seen_subcommand_from break" -l timeout -d 'Give up after this time (30s, 5m, 1h), rate limits and syncs included' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand sandbox; and __fish_seen_subcommand_from break" -s q -l quiet -d 'Print only results and errors'
complete -c ordersync -n "__fish_ordersync_using_subcommand sandbox; and __fish_seen_subcommand_from break" -s v -l verbose -d 'Print each request (-vv: each HTTP exchange)'
complete -c ordersync -n "__fish_ordersync_using_subcommand sandbox; and __fish_seen_subcommand_from break" -l curl -d 'Print each request as a curl command, secrets redacted'
complete -c ordersync -n "__fish_ordersync_using_subcommand sandbox; and __fish_seen_subcommand_from break" -l no-input -d 'Never prompt in the terminal; a missing value is an error'
complete -c ordersync -n "__fish_ordersync_using_subcommand sandbox; and __fish_seen_subcommand_from break" -l accessible -d 'Plain output for screen readers: no animation, numbered prompts, words for symbols'
complete -c ordersync -n "__fish_ordersync_using_subcommand sandbox; and __fish_seen_subcommand_from break" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c ordersync -n "__fish_ordersync_using_subcommand sandbox; and __fish_seen_subcommand_from clock" -l advance -d 'Move forward by this many seconds and wait until everything due by then is done' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand sandbox; and __fish_seen_subcommand_from clock" -l profile -d 'Environment to use: `local`, or one of your profiles' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand sandbox; and __fish_seen_subcommand_from clock" -l base-url -d 'Address of the service, instead of the profile\'s' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand sandbox; and __fish_seen_subcommand_from clock" -s o -l output -d 'Output format' -r -f -a "table\t'A table for people'
json\t'One JSON document'
jsonl\t'One JSON document per line'
csv\t'Comma-separated values with a header'"
complete -c ordersync -n "__fish_ordersync_using_subcommand sandbox; and __fish_seen_subcommand_from clock" -l fields -d 'Print only these fields; without a value, list them' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand sandbox; and __fish_seen_subcommand_from clock" -l jq -d 'Filter JSON output with a jq expression' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand sandbox; and __fish_seen_subcommand_from clock" -l color -d 'When to use color; auto: on a terminal' -r -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c ordersync -n "__fish_ordersync_using_subcommand sandbox; and __fish_seen_subcommand_from clock" -l timeout -d 'Give up after this time (30s, 5m, 1h), rate limits and syncs included' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand sandbox; and __fish_seen_subcommand_from clock" -l freeze -d 'Stop the clock'
complete -c ordersync -n "__fish_ordersync_using_subcommand sandbox; and __fish_seen_subcommand_from clock" -l unfreeze -d 'Let the clock run again'
complete -c ordersync -n "__fish_ordersync_using_subcommand sandbox; and __fish_seen_subcommand_from clock" -s q -l quiet -d 'Print only results and errors'
complete -c ordersync -n "__fish_ordersync_using_subcommand sandbox; and __fish_seen_subcommand_from clock" -s v -l verbose -d 'Print each request (-vv: each HTTP exchange)'
complete -c ordersync -n "__fish_ordersync_using_subcommand sandbox; and __fish_seen_subcommand_from clock" -l curl -d 'Print each request as a curl command, secrets redacted'
complete -c ordersync -n "__fish_ordersync_using_subcommand sandbox; and __fish_seen_subcommand_from clock" -l no-input -d 'Never prompt in the terminal; a missing value is an error'
complete -c ordersync -n "__fish_ordersync_using_subcommand sandbox; and __fish_seen_subcommand_from clock" -l accessible -d 'Plain output for screen readers: no animation, numbered prompts, words for symbols'
complete -c ordersync -n "__fish_ordersync_using_subcommand sandbox; and __fish_seen_subcommand_from clock" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c ordersync -n "__fish_ordersync_using_subcommand sandbox; and __fish_seen_subcommand_from otp" -l profile -d 'Environment to use: `local`, or one of your profiles' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand sandbox; and __fish_seen_subcommand_from otp" -l base-url -d 'Address of the service, instead of the profile\'s' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand sandbox; and __fish_seen_subcommand_from otp" -s o -l output -d 'Output format' -r -f -a "table\t'A table for people'
json\t'One JSON document'
jsonl\t'One JSON document per line'
csv\t'Comma-separated values with a header'"
complete -c ordersync -n "__fish_ordersync_using_subcommand sandbox; and __fish_seen_subcommand_from otp" -l fields -d 'Print only these fields; without a value, list them' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand sandbox; and __fish_seen_subcommand_from otp" -l jq -d 'Filter JSON output with a jq expression' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand sandbox; and __fish_seen_subcommand_from otp" -l color -d 'When to use color; auto: on a terminal' -r -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c ordersync -n "__fish_ordersync_using_subcommand sandbox; and __fish_seen_subcommand_from otp" -l timeout -d 'Give up after this time (30s, 5m, 1h), rate limits and syncs included' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand sandbox; and __fish_seen_subcommand_from otp" -s q -l quiet -d 'Print only results and errors'
complete -c ordersync -n "__fish_ordersync_using_subcommand sandbox; and __fish_seen_subcommand_from otp" -s v -l verbose -d 'Print each request (-vv: each HTTP exchange)'
complete -c ordersync -n "__fish_ordersync_using_subcommand sandbox; and __fish_seen_subcommand_from otp" -l curl -d 'Print each request as a curl command, secrets redacted'
complete -c ordersync -n "__fish_ordersync_using_subcommand sandbox; and __fish_seen_subcommand_from otp" -l no-input -d 'Never prompt in the terminal; a missing value is an error'
complete -c ordersync -n "__fish_ordersync_using_subcommand sandbox; and __fish_seen_subcommand_from otp" -l accessible -d 'Plain output for screen readers: no animation, numbered prompts, words for symbols'
complete -c ordersync -n "__fish_ordersync_using_subcommand sandbox; and __fish_seen_subcommand_from otp" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c ordersync -n "__fish_ordersync_using_subcommand sandbox; and __fish_seen_subcommand_from fail" -l status -d 'Answer with this HTTP status, 400 to 599' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand sandbox; and __fish_seen_subcommand_from fail" -l code -d 'Answer with this error code and its status, `UNAVAILABLE` for example' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand sandbox; and __fish_seen_subcommand_from fail" -l latency -d 'Wait this long before the answer' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand sandbox; and __fish_seen_subcommand_from fail" -l count -d 'How many requests this happens to' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand sandbox; and __fish_seen_subcommand_from fail" -l client-id -d 'Requests of this client, for any user: its own at /oauth/token and /v1/ as well; default: your user\'s' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand sandbox; and __fish_seen_subcommand_from fail" -l method -d 'Only requests with this method' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand sandbox; and __fish_seen_subcommand_from fail" -l path -d 'Only requests to this path, /sync/orders/{id} for example' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand sandbox; and __fish_seen_subcommand_from fail" -l retry-after -d 'Value of the header Retry-After; 1 for a 429 or 503 if not given' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand sandbox; and __fish_seen_subcommand_from fail" -l after-page -d 'Only requests for later pages of a list than this one' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand sandbox; and __fish_seen_subcommand_from fail" -l after-bytes -d 'With --drop: send this much of the answer\'s body first' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand sandbox; and __fish_seen_subcommand_from fail" -l profile -d 'Environment to use: `local`, or one of your profiles' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand sandbox; and __fish_seen_subcommand_from fail" -l base-url -d 'Address of the service, instead of the profile\'s' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand sandbox; and __fish_seen_subcommand_from fail" -s o -l output -d 'Output format' -r -f -a "table\t'A table for people'
json\t'One JSON document'
jsonl\t'One JSON document per line'
csv\t'Comma-separated values with a header'"
complete -c ordersync -n "__fish_ordersync_using_subcommand sandbox; and __fish_seen_subcommand_from fail" -l fields -d 'Print only these fields; without a value, list them' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand sandbox; and __fish_seen_subcommand_from fail" -l jq -d 'Filter JSON output with a jq expression' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand sandbox; and __fish_seen_subcommand_from fail" -l color -d 'When to use color; auto: on a terminal' -r -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c ordersync -n "__fish_ordersync_using_subcommand sandbox; and __fish_seen_subcommand_from fail" -l timeout -d 'Give up after this time (30s, 5m, 1h), rate limits and syncs included' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand sandbox; and __fish_seen_subcommand_from fail" -l drop -d 'Carry the request out, but close the connection without an answer'
complete -c ordersync -n "__fish_ordersync_using_subcommand sandbox; and __fish_seen_subcommand_from fail" -l clear -d 'Forget the failures that are still waiting for requests'
complete -c ordersync -n "__fish_ordersync_using_subcommand sandbox; and __fish_seen_subcommand_from fail" -s q -l quiet -d 'Print only results and errors'
complete -c ordersync -n "__fish_ordersync_using_subcommand sandbox; and __fish_seen_subcommand_from fail" -s v -l verbose -d 'Print each request (-vv: each HTTP exchange)'
complete -c ordersync -n "__fish_ordersync_using_subcommand sandbox; and __fish_seen_subcommand_from fail" -l curl -d 'Print each request as a curl command, secrets redacted'
complete -c ordersync -n "__fish_ordersync_using_subcommand sandbox; and __fish_seen_subcommand_from fail" -l no-input -d 'Never prompt in the terminal; a missing value is an error'
complete -c ordersync -n "__fish_ordersync_using_subcommand sandbox; and __fish_seen_subcommand_from fail" -l accessible -d 'Plain output for screen readers: no animation, numbered prompts, words for symbols'
complete -c ordersync -n "__fish_ordersync_using_subcommand sandbox; and __fish_seen_subcommand_from fail" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c ordersync -n "__fish_ordersync_using_subcommand demo" -l out -d 'File to export to; if another file is there, it is kept and the export goes beside it' -r -F
complete -c ordersync -n "__fish_ordersync_using_subcommand demo" -l profile -d 'Environment to use: `local`, or one of your profiles' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand demo" -l base-url -d 'Address of the service, instead of the profile\'s' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand demo" -s o -l output -d 'Output format' -r -f -a "table\t'A table for people'
json\t'One JSON document'
jsonl\t'One JSON document per line'
csv\t'Comma-separated values with a header'"
complete -c ordersync -n "__fish_ordersync_using_subcommand demo" -l fields -d 'Print only these fields; without a value, list them' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand demo" -l jq -d 'Filter JSON output with a jq expression' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand demo" -l color -d 'When to use color; auto: on a terminal' -r -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c ordersync -n "__fish_ordersync_using_subcommand demo" -l timeout -d 'Give up after this time (30s, 5m, 1h), rate limits and syncs included' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand demo" -s q -l quiet -d 'Print only results and errors'
complete -c ordersync -n "__fish_ordersync_using_subcommand demo" -s v -l verbose -d 'Print each request (-vv: each HTTP exchange)'
complete -c ordersync -n "__fish_ordersync_using_subcommand demo" -l curl -d 'Print each request as a curl command, secrets redacted'
complete -c ordersync -n "__fish_ordersync_using_subcommand demo" -l no-input -d 'Never prompt in the terminal; a missing value is an error'
complete -c ordersync -n "__fish_ordersync_using_subcommand demo" -l accessible -d 'Plain output for screen readers: no animation, numbered prompts, words for symbols'
complete -c ordersync -n "__fish_ordersync_using_subcommand demo" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c ordersync -n "__fish_ordersync_using_subcommand doctor" -l database -d 'Store of `ordersync serve` to look at: an SQLite file, postgres://USER@HOST/DATABASE, or @FILE with such an address; default: ORDERSYNC_DATABASE_URL, or serve.sqlite3 in your data folder if it is there' -r -F
complete -c ordersync -n "__fish_ordersync_using_subcommand doctor" -l profile -d 'Environment to use: `local`, or one of your profiles' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand doctor" -l base-url -d 'Address of the service, instead of the profile\'s' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand doctor" -s o -l output -d 'Output format' -r -f -a "table\t'A table for people'
json\t'One JSON document'
jsonl\t'One JSON document per line'
csv\t'Comma-separated values with a header'"
complete -c ordersync -n "__fish_ordersync_using_subcommand doctor" -l fields -d 'Print only these fields; without a value, list them' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand doctor" -l jq -d 'Filter JSON output with a jq expression' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand doctor" -l color -d 'When to use color; auto: on a terminal' -r -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c ordersync -n "__fish_ordersync_using_subcommand doctor" -l timeout -d 'Give up after this time (30s, 5m, 1h), rate limits and syncs included' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand doctor" -s q -l quiet -d 'Print only results and errors'
complete -c ordersync -n "__fish_ordersync_using_subcommand doctor" -s v -l verbose -d 'Print each request (-vv: each HTTP exchange)'
complete -c ordersync -n "__fish_ordersync_using_subcommand doctor" -l curl -d 'Print each request as a curl command, secrets redacted'
complete -c ordersync -n "__fish_ordersync_using_subcommand doctor" -l no-input -d 'Never prompt in the terminal; a missing value is an error'
complete -c ordersync -n "__fish_ordersync_using_subcommand doctor" -l accessible -d 'Plain output for screen readers: no animation, numbered prompts, words for symbols'
complete -c ordersync -n "__fish_ordersync_using_subcommand doctor" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c ordersync -n "__fish_ordersync_using_subcommand smoke" -l junit -d 'Also write the results as JUnit XML' -r -F
complete -c ordersync -n "__fish_ordersync_using_subcommand smoke" -l connect -d 'Connect this retailer (or sync it, if it is connected), then read and export its line items' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand smoke" -l credentials-file -d 'Read credentials from a JSON file that only you can read (chmod 600)' -r -F
complete -c ordersync -n "__fish_ordersync_using_subcommand smoke" -l mfa-option -d 'Verification method to choose (sms, email, …)' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand smoke" -l mfa-command -d 'Run a shell command that prints the code' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand smoke" -l profile -d 'Environment to use: `local`, or one of your profiles' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand smoke" -l base-url -d 'Address of the service, instead of the profile\'s' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand smoke" -s o -l output -d 'Output format' -r -f -a "table\t'A table for people'
json\t'One JSON document'
jsonl\t'One JSON document per line'
csv\t'Comma-separated values with a header'"
complete -c ordersync -n "__fish_ordersync_using_subcommand smoke" -l fields -d 'Print only these fields; without a value, list them' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand smoke" -l jq -d 'Filter JSON output with a jq expression' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand smoke" -l color -d 'When to use color; auto: on a terminal' -r -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c ordersync -n "__fish_ordersync_using_subcommand smoke" -l timeout -d 'Give up after this time (30s, 5m, 1h), rate limits and syncs included' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand smoke" -l require-remote -d 'Fail unless a service at an address is checked: never the one inside this command'
complete -c ordersync -n "__fish_ordersync_using_subcommand smoke" -l credentials-stdin -d 'Read credentials as JSON from standard input'
complete -c ordersync -n "__fish_ordersync_using_subcommand smoke" -s y -l yes -d 'Skip the confirmation'
complete -c ordersync -n "__fish_ordersync_using_subcommand smoke" -l mfa-code-stdin -d 'Read the code from standard input, one line per attempt'
complete -c ordersync -n "__fish_ordersync_using_subcommand smoke" -s q -l quiet -d 'Print only results and errors'
complete -c ordersync -n "__fish_ordersync_using_subcommand smoke" -s v -l verbose -d 'Print each request (-vv: each HTTP exchange)'
complete -c ordersync -n "__fish_ordersync_using_subcommand smoke" -l curl -d 'Print each request as a curl command, secrets redacted'
complete -c ordersync -n "__fish_ordersync_using_subcommand smoke" -l no-input -d 'Never prompt in the terminal; a missing value is an error'
complete -c ordersync -n "__fish_ordersync_using_subcommand smoke" -l accessible -d 'Plain output for screen readers: no animation, numbered prompts, words for symbols'
complete -c ordersync -n "__fish_ordersync_using_subcommand smoke" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c ordersync -n "__fish_ordersync_using_subcommand completions" -l profile -d 'Environment to use: `local`, or one of your profiles' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand completions" -l base-url -d 'Address of the service, instead of the profile\'s' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand completions" -s o -l output -d 'Output format' -r -f -a "table\t'A table for people'
json\t'One JSON document'
jsonl\t'One JSON document per line'
csv\t'Comma-separated values with a header'"
complete -c ordersync -n "__fish_ordersync_using_subcommand completions" -l fields -d 'Print only these fields; without a value, list them' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand completions" -l jq -d 'Filter JSON output with a jq expression' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand completions" -l color -d 'When to use color; auto: on a terminal' -r -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c ordersync -n "__fish_ordersync_using_subcommand completions" -l timeout -d 'Give up after this time (30s, 5m, 1h), rate limits and syncs included' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand completions" -s q -l quiet -d 'Print only results and errors'
complete -c ordersync -n "__fish_ordersync_using_subcommand completions" -s v -l verbose -d 'Print each request (-vv: each HTTP exchange)'
complete -c ordersync -n "__fish_ordersync_using_subcommand completions" -l curl -d 'Print each request as a curl command, secrets redacted'
complete -c ordersync -n "__fish_ordersync_using_subcommand completions" -l no-input -d 'Never prompt in the terminal; a missing value is an error'
complete -c ordersync -n "__fish_ordersync_using_subcommand completions" -l accessible -d 'Plain output for screen readers: no animation, numbered prompts, words for symbols'
complete -c ordersync -n "__fish_ordersync_using_subcommand completions" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c ordersync -n "__fish_ordersync_using_subcommand help" -l profile -d 'Environment to use: `local`, or one of your profiles' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand help" -l base-url -d 'Address of the service, instead of the profile\'s' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand help" -s o -l output -d 'Output format' -r -f -a "table\t'A table for people'
json\t'One JSON document'
jsonl\t'One JSON document per line'
csv\t'Comma-separated values with a header'"
complete -c ordersync -n "__fish_ordersync_using_subcommand help" -l fields -d 'Print only these fields; without a value, list them' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand help" -l jq -d 'Filter JSON output with a jq expression' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand help" -l color -d 'When to use color; auto: on a terminal' -r -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c ordersync -n "__fish_ordersync_using_subcommand help" -l timeout -d 'Give up after this time (30s, 5m, 1h), rate limits and syncs included' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand help" -s q -l quiet -d 'Print only results and errors'
complete -c ordersync -n "__fish_ordersync_using_subcommand help" -s v -l verbose -d 'Print each request (-vv: each HTTP exchange)'
complete -c ordersync -n "__fish_ordersync_using_subcommand help" -l curl -d 'Print each request as a curl command, secrets redacted'
complete -c ordersync -n "__fish_ordersync_using_subcommand help" -l no-input -d 'Never prompt in the terminal; a missing value is an error'
complete -c ordersync -n "__fish_ordersync_using_subcommand help" -l accessible -d 'Plain output for screen readers: no animation, numbered prompts, words for symbols'
complete -c ordersync -n "__fish_ordersync_using_subcommand help" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c ordersync -n "__fish_ordersync_using_subcommand version" -l profile -d 'Environment to use: `local`, or one of your profiles' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand version" -l base-url -d 'Address of the service, instead of the profile\'s' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand version" -s o -l output -d 'Output format' -r -f -a "table\t'A table for people'
json\t'One JSON document'
jsonl\t'One JSON document per line'
csv\t'Comma-separated values with a header'"
complete -c ordersync -n "__fish_ordersync_using_subcommand version" -l fields -d 'Print only these fields; without a value, list them' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand version" -l jq -d 'Filter JSON output with a jq expression' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand version" -l color -d 'When to use color; auto: on a terminal' -r -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c ordersync -n "__fish_ordersync_using_subcommand version" -l timeout -d 'Give up after this time (30s, 5m, 1h), rate limits and syncs included' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand version" -s q -l quiet -d 'Print only results and errors'
complete -c ordersync -n "__fish_ordersync_using_subcommand version" -s v -l verbose -d 'Print each request (-vv: each HTTP exchange)'
complete -c ordersync -n "__fish_ordersync_using_subcommand version" -l curl -d 'Print each request as a curl command, secrets redacted'
complete -c ordersync -n "__fish_ordersync_using_subcommand version" -l no-input -d 'Never prompt in the terminal; a missing value is an error'
complete -c ordersync -n "__fish_ordersync_using_subcommand version" -l accessible -d 'Plain output for screen readers: no animation, numbered prompts, words for symbols'
complete -c ordersync -n "__fish_ordersync_using_subcommand version" -s h -l help -d 'Print help (see more with \'--help\')'
