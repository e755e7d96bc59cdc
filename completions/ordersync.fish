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

complete -c ordersync -n "__fish_ordersync_needs_command" -l profile -d 'Environment to work on: `local` (the service inside this command), or one of config.toml' -r
complete -c ordersync -n "__fish_ordersync_needs_command" -l base-url -d 'Address of the service, in place of the profile\'s' -r
complete -c ordersync -n "__fish_ordersync_needs_command" -s o -l output -d 'Form of the result: a table for people; JSON, JSON lines or CSV for programs' -r -f -a "table\t'For people'
json\t'One JSON document'
jsonl\t'A JSON document a line'
csv\t'Comma-separated values with a header'"
complete -c ordersync -n "__fish_ordersync_needs_command" -l fields -d 'Only these fields of the result; without a value: list the fields there are' -r
complete -c ordersync -n "__fish_ordersync_needs_command" -l jq -d 'Filter the result, as JSON, with a jq expression; texts are printed without quotes' -r
complete -c ordersync -n "__fish_ordersync_needs_command" -l color -d 'Colour; auto: where the output is a terminal' -r -f -a "auto\t'Where the output is a terminal'
always\t'Always'
never\t'Never'"
complete -c ordersync -n "__fish_ordersync_needs_command" -l timeout -d 'Wait no longer than this in all: for the service, a rate limit, a sync (30s, 5m, 1h)' -r
complete -c ordersync -n "__fish_ordersync_needs_command" -s q -l quiet -d 'Say nothing but results and errors'
complete -c ordersync -n "__fish_ordersync_needs_command" -s v -l verbose -d 'Say each request; twice: each HTTP exchange, secrets left out'
complete -c ordersync -n "__fish_ordersync_needs_command" -l curl -d 'Say each request as the curl command that does the same, secrets left out'
complete -c ordersync -n "__fish_ordersync_needs_command" -l no-input -d 'Never prompt: what is missing is an error'
complete -c ordersync -n "__fish_ordersync_needs_command" -l accessible -d 'Nothing that moves: plain lines for progress, numbered questions, words in place of signs'
complete -c ordersync -n "__fish_ordersync_needs_command" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c ordersync -n "__fish_ordersync_needs_command" -s V -l version -d 'Print version'
complete -c ordersync -n "__fish_ordersync_needs_command" -f -a "retailers" -d 'List the retailers that can be connected'
complete -c ordersync -n "__fish_ordersync_needs_command" -f -a "connect" -d 'Connect a retailer and fetch its orders'
complete -c ordersync -n "__fish_ordersync_needs_command" -f -a "connections" -d 'List connections, or show one'
complete -c ordersync -n "__fish_ordersync_needs_command" -f -a "fix" -d 'Repair an invalid connection'
complete -c ordersync -n "__fish_ordersync_needs_command" -f -a "sync" -d 'Fetch new orders and follow to the end'
complete -c ordersync -n "__fish_ordersync_needs_command" -f -a "sessions" -d 'Show or follow sync sessions'
complete -c ordersync -n "__fish_ordersync_needs_command" -f -a "mfa" -d 'Answer a retailer\'s verification request'
complete -c ordersync -n "__fish_ordersync_needs_command" -f -a "orders" -d 'List, show or export line items'
complete -c ordersync -n "__fish_ordersync_needs_command" -f -a "auth" -d 'Sign in and out, and see who is signed in'
complete -c ordersync -n "__fish_ordersync_needs_command" -f -a "profile" -d 'Show the profile of the signed-in user'
complete -c ordersync -n "__fish_ordersync_needs_command" -f -a "link-token" -d 'Create what opens the widget for one of your users'
complete -c ordersync -n "__fish_ordersync_needs_command" -f -a "users" -d 'Show what your users share with you'
complete -c ordersync -n "__fish_ordersync_needs_command" -f -a "api" -d 'Send any request to the service'
complete -c ordersync -n "__fish_ordersync_needs_command" -f -a "profiles" -d 'Named environments to work on'
complete -c ordersync -n "__fish_ordersync_needs_command" -f -a "config" -d 'Settings, and where each of them comes from'
complete -c ordersync -n "__fish_ordersync_needs_command" -f -a "serve" -d 'Run the service'
complete -c ordersync -n "__fish_ordersync_needs_command" -f -a "admin" -d 'Administer a service, on its own store'
complete -c ordersync -n "__fish_ordersync_needs_command" -f -a "sandbox" -d 'Control a sandbox'
complete -c ordersync -n "__fish_ordersync_needs_command" -f -a "demo" -d 'Do the whole main job on simulated retailers, each step shown'
complete -c ordersync -n "__fish_ordersync_needs_command" -f -a "doctor" -d 'Find out what is wrong, and what to do'
complete -c ordersync -n "__fish_ordersync_needs_command" -f -a "smoke" -d 'Check an environment end to end, for CI'
complete -c ordersync -n "__fish_ordersync_needs_command" -f -a "completions" -d 'Print completions for a shell'
complete -c ordersync -n "__fish_ordersync_using_subcommand retailers; and not __fish_seen_subcommand_from list" -s s -l search -d 'Only those whose name contains this' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand retailers; and not __fish_seen_subcommand_from list" -l profile -d 'Environment to work on: `local` (the service inside this command), or one of config.toml' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand retailers; and not __fish_seen_subcommand_from list" -l base-url -d 'Address of the service, in place of the profile\'s' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand retailers; and not __fish_seen_subcommand_from list" -s o -l output -d 'Form of the result: a table for people; JSON, JSON lines or CSV for programs' -r -f -a "table\t'For people'
json\t'One JSON document'
jsonl\t'A JSON document a line'
csv\t'Comma-separated values with a header'"
complete -c ordersync -n "__fish_ordersync_using_subcommand retailers; and not __fish_seen_subcommand_from list" -l fields -d 'Only these fields of the result; without a value: list the fields there are' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand retailers; and not __fish_seen_subcommand_from list" -l jq -d 'Filter the result, as JSON, with a jq expression; texts are printed without quotes' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand retailers; and not __fish_seen_subcommand_from list" -l color -d 'Colour; auto: where the output is a terminal' -r -f -a "auto\t'Where the output is a terminal'
always\t'Always'
never\t'Never'"
complete -c ordersync -n "__fish_ordersync_using_subcommand retailers; and not __fish_seen_subcommand_from list" -l timeout -d 'Wait no longer than this in all: for the service, a rate limit, a sync (30s, 5m, 1h)' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand retailers; and not __fish_seen_subcommand_from list" -s q -l quiet -d 'Say nothing but results and errors'
complete -c ordersync -n "__fish_ordersync_using_subcommand retailers; and not __fish_seen_subcommand_from list" -s v -l verbose -d 'Say each request; twice: each HTTP exchange, secrets left out'
complete -c ordersync -n "__fish_ordersync_using_subcommand retailers; and not __fish_seen_subcommand_from list" -l curl -d 'Say each request as the curl command that does the same, secrets left out'
complete -c ordersync -n "__fish_ordersync_using_subcommand retailers; and not __fish_seen_subcommand_from list" -l no-input -d 'Never prompt: what is missing is an error'
complete -c ordersync -n "__fish_ordersync_using_subcommand retailers; and not __fish_seen_subcommand_from list" -l accessible -d 'Nothing that moves: plain lines for progress, numbered questions, words in place of signs'
complete -c ordersync -n "__fish_ordersync_using_subcommand retailers; and not __fish_seen_subcommand_from list" -s h -l help -d 'Print help'
complete -c ordersync -n "__fish_ordersync_using_subcommand retailers; and not __fish_seen_subcommand_from list" -f -a "list" -d 'List the retailers that can be connected'
complete -c ordersync -n "__fish_ordersync_using_subcommand retailers; and __fish_seen_subcommand_from list" -s s -l search -d 'Only those whose name contains this' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand retailers; and __fish_seen_subcommand_from list" -l profile -d 'Environment to work on: `local` (the service inside this command), or one of config.toml' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand retailers; and __fish_seen_subcommand_from list" -l base-url -d 'Address of the service, in place of the profile\'s' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand retailers; and __fish_seen_subcommand_from list" -s o -l output -d 'Form of the result: a table for people; JSON, JSON lines or CSV for programs' -r -f -a "table\t'For people'
json\t'One JSON document'
jsonl\t'A JSON document a line'
csv\t'Comma-separated values with a header'"
complete -c ordersync -n "__fish_ordersync_using_subcommand retailers; and __fish_seen_subcommand_from list" -l fields -d 'Only these fields of the result; without a value: list the fields there are' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand retailers; and __fish_seen_subcommand_from list" -l jq -d 'Filter the result, as JSON, with a jq expression; texts are printed without quotes' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand retailers; and __fish_seen_subcommand_from list" -l color -d 'Colour; auto: where the output is a terminal' -r -f -a "auto\t'Where the output is a terminal'
always\t'Always'
never\t'Never'"
complete -c ordersync -n "__fish_ordersync_using_subcommand retailers; and __fish_seen_subcommand_from list" -l timeout -d 'Wait no longer than this in all: for the service, a rate limit, a sync (30s, 5m, 1h)' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand retailers; and __fish_seen_subcommand_from list" -s q -l quiet -d 'Say nothing but results and errors'
complete -c ordersync -n "__fish_ordersync_using_subcommand retailers; and __fish_seen_subcommand_from list" -s v -l verbose -d 'Say each request; twice: each HTTP exchange, secrets left out'
complete -c ordersync -n "__fish_ordersync_using_subcommand retailers; and __fish_seen_subcommand_from list" -l curl -d 'Say each request as the curl command that does the same, secrets left out'
complete -c ordersync -n "__fish_ordersync_using_subcommand retailers; and __fish_seen_subcommand_from list" -l no-input -d 'Never prompt: what is missing is an error'
complete -c ordersync -n "__fish_ordersync_using_subcommand retailers; and __fish_seen_subcommand_from list" -l accessible -d 'Nothing that moves: plain lines for progress, numbered questions, words in place of signs'
complete -c ordersync -n "__fish_ordersync_using_subcommand retailers; and __fish_seen_subcommand_from list" -s h -l help -d 'Print help'
complete -c ordersync -n "__fish_ordersync_using_subcommand connect" -s r -l retailer -d 'Retailer, by id, name, or part of a name' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand connect" -l credentials-file -d 'JSON object of the retailer\'s credential fields; the file must be private to you (chmod 600)' -r -F
complete -c ordersync -n "__fish_ordersync_using_subcommand connect" -l mfa-option -d 'Method to choose where the retailer offers several (sms, email, …)' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand connect" -l mfa-command -d 'Run this in a shell for each code; what it prints is the code' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand connect" -l profile -d 'Environment to work on: `local` (the service inside this command), or one of config.toml' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand connect" -l base-url -d 'Address of the service, in place of the profile\'s' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand connect" -s o -l output -d 'Form of the result: a table for people; JSON, JSON lines or CSV for programs' -r -f -a "table\t'For people'
json\t'One JSON document'
jsonl\t'A JSON document a line'
csv\t'Comma-separated values with a header'"
complete -c ordersync -n "__fish_ordersync_using_subcommand connect" -l fields -d 'Only these fields of the result; without a value: list the fields there are' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand connect" -l jq -d 'Filter the result, as JSON, with a jq expression; texts are printed without quotes' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand connect" -l color -d 'Colour; auto: where the output is a terminal' -r -f -a "auto\t'Where the output is a terminal'
always\t'Always'
never\t'Never'"
complete -c ordersync -n "__fish_ordersync_using_subcommand connect" -l timeout -d 'Wait no longer than this in all: for the service, a rate limit, a sync (30s, 5m, 1h)' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand connect" -l no-wait -d 'Start it and return, without following it to the end'
complete -c ordersync -n "__fish_ordersync_using_subcommand connect" -l credentials-stdin -d 'Read that JSON object from standard input'
complete -c ordersync -n "__fish_ordersync_using_subcommand connect" -s y -l yes -d 'Ask for no confirmation before anything is sent'
complete -c ordersync -n "__fish_ordersync_using_subcommand connect" -l mfa-code-stdin -d 'Read the code from standard input, one line for each time it is asked for'
complete -c ordersync -n "__fish_ordersync_using_subcommand connect" -s q -l quiet -d 'Say nothing but results and errors'
complete -c ordersync -n "__fish_ordersync_using_subcommand connect" -s v -l verbose -d 'Say each request; twice: each HTTP exchange, secrets left out'
complete -c ordersync -n "__fish_ordersync_using_subcommand connect" -l curl -d 'Say each request as the curl command that does the same, secrets left out'
complete -c ordersync -n "__fish_ordersync_using_subcommand connect" -l no-input -d 'Never prompt: what is missing is an error'
complete -c ordersync -n "__fish_ordersync_using_subcommand connect" -l accessible -d 'Nothing that moves: plain lines for progress, numbered questions, words in place of signs'
complete -c ordersync -n "__fish_ordersync_using_subcommand connect" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c ordersync -n "__fish_ordersync_using_subcommand connections; and not __fish_seen_subcommand_from list get" -l status -d 'Only those of this status' -r -f -a "valid\t'The last sign-in worked'
invalid\t'Broken: to be fixed'
pending\t'The first sign-in has not ended yet'"
complete -c ordersync -n "__fish_ordersync_using_subcommand connections; and not __fish_seen_subcommand_from list get" -l profile -d 'Environment to work on: `local` (the service inside this command), or one of config.toml' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand connections; and not __fish_seen_subcommand_from list get" -l base-url -d 'Address of the service, in place of the profile\'s' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand connections; and not __fish_seen_subcommand_from list get" -s o -l output -d 'Form of the result: a table for people; JSON, JSON lines or CSV for programs' -r -f -a "table\t'For people'
json\t'One JSON document'
jsonl\t'A JSON document a line'
csv\t'Comma-separated values with a header'"
complete -c ordersync -n "__fish_ordersync_using_subcommand connections; and not __fish_seen_subcommand_from list get" -l fields -d 'Only these fields of the result; without a value: list the fields there are' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand connections; and not __fish_seen_subcommand_from list get" -l jq -d 'Filter the result, as JSON, with a jq expression; texts are printed without quotes' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand connections; and not __fish_seen_subcommand_from list get" -l color -d 'Colour; auto: where the output is a terminal' -r -f -a "auto\t'Where the output is a terminal'
always\t'Always'
never\t'Never'"
complete -c ordersync -n "__fish_ordersync_using_subcommand connections; and not __fish_seen_subcommand_from list get" -l timeout -d 'Wait no longer than this in all: for the service, a rate limit, a sync (30s, 5m, 1h)' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand connections; and not __fish_seen_subcommand_from list get" -s q -l quiet -d 'Say nothing but results and errors'
complete -c ordersync -n "__fish_ordersync_using_subcommand connections; and not __fish_seen_subcommand_from list get" -s v -l verbose -d 'Say each request; twice: each HTTP exchange, secrets left out'
complete -c ordersync -n "__fish_ordersync_using_subcommand connections; and not __fish_seen_subcommand_from list get" -l curl -d 'Say each request as the curl command that does the same, secrets left out'
complete -c ordersync -n "__fish_ordersync_using_subcommand connections; and not __fish_seen_subcommand_from list get" -l no-input -d 'Never prompt: what is missing is an error'
complete -c ordersync -n "__fish_ordersync_using_subcommand connections; and not __fish_seen_subcommand_from list get" -l accessible -d 'Nothing that moves: plain lines for progress, numbered questions, words in place of signs'
complete -c ordersync -n "__fish_ordersync_using_subcommand connections; and not __fish_seen_subcommand_from list get" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c ordersync -n "__fish_ordersync_using_subcommand connections; and not __fish_seen_subcommand_from list get" -f -a "list" -d 'List connections'
complete -c ordersync -n "__fish_ordersync_using_subcommand connections; and not __fish_seen_subcommand_from list get" -f -a "get" -d 'Show one connection'
complete -c ordersync -n "__fish_ordersync_using_subcommand connections; and __fish_seen_subcommand_from list" -l status -d 'Only those of this status' -r -f -a "valid\t'The last sign-in worked'
invalid\t'Broken: to be fixed'
pending\t'The first sign-in has not ended yet'"
complete -c ordersync -n "__fish_ordersync_using_subcommand connections; and __fish_seen_subcommand_from list" -l profile -d 'Environment to work on: `local` (the service inside this command), or one of config.toml' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand connections; and __fish_seen_subcommand_from list" -l base-url -d 'Address of the service, in place of the profile\'s' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand connections; and __fish_seen_subcommand_from list" -s o -l output -d 'Form of the result: a table for people; JSON, JSON lines or CSV for programs' -r -f -a "table\t'For people'
json\t'One JSON document'
jsonl\t'A JSON document a line'
csv\t'Comma-separated values with a header'"
complete -c ordersync -n "__fish_ordersync_using_subcommand connections; and __fish_seen_subcommand_from list" -l fields -d 'Only these fields of the result; without a value: list the fields there are' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand connections; and __fish_seen_subcommand_from list" -l jq -d 'Filter the result, as JSON, with a jq expression; texts are printed without quotes' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand connections; and __fish_seen_subcommand_from list" -l color -d 'Colour; auto: where the output is a terminal' -r -f -a "auto\t'Where the output is a terminal'
always\t'Always'
never\t'Never'"
complete -c ordersync -n "__fish_ordersync_using_subcommand connections; and __fish_seen_subcommand_from list" -l timeout -d 'Wait no longer than this in all: for the service, a rate limit, a sync (30s, 5m, 1h)' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand connections; and __fish_seen_subcommand_from list" -s q -l quiet -d 'Say nothing but results and errors'
complete -c ordersync -n "__fish_ordersync_using_subcommand connections; and __fish_seen_subcommand_from list" -s v -l verbose -d 'Say each request; twice: each HTTP exchange, secrets left out'
complete -c ordersync -n "__fish_ordersync_using_subcommand connections; and __fish_seen_subcommand_from list" -l curl -d 'Say each request as the curl command that does the same, secrets left out'
complete -c ordersync -n "__fish_ordersync_using_subcommand connections; and __fish_seen_subcommand_from list" -l no-input -d 'Never prompt: what is missing is an error'
complete -c ordersync -n "__fish_ordersync_using_subcommand connections; and __fish_seen_subcommand_from list" -l accessible -d 'Nothing that moves: plain lines for progress, numbered questions, words in place of signs'
complete -c ordersync -n "__fish_ordersync_using_subcommand connections; and __fish_seen_subcommand_from list" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c ordersync -n "__fish_ordersync_using_subcommand connections; and __fish_seen_subcommand_from get" -l profile -d 'Environment to work on: `local` (the service inside this command), or one of config.toml' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand connections; and __fish_seen_subcommand_from get" -l base-url -d 'Address of the service, in place of the profile\'s' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand connections; and __fish_seen_subcommand_from get" -s o -l output -d 'Form of the result: a table for people; JSON, JSON lines or CSV for programs' -r -f -a "table\t'For people'
json\t'One JSON document'
jsonl\t'A JSON document a line'
csv\t'Comma-separated values with a header'"
complete -c ordersync -n "__fish_ordersync_using_subcommand connections; and __fish_seen_subcommand_from get" -l fields -d 'Only these fields of the result; without a value: list the fields there are' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand connections; and __fish_seen_subcommand_from get" -l jq -d 'Filter the result, as JSON, with a jq expression; texts are printed without quotes' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand connections; and __fish_seen_subcommand_from get" -l color -d 'Colour; auto: where the output is a terminal' -r -f -a "auto\t'Where the output is a terminal'
always\t'Always'
never\t'Never'"
complete -c ordersync -n "__fish_ordersync_using_subcommand connections; and __fish_seen_subcommand_from get" -l timeout -d 'Wait no longer than this in all: for the service, a rate limit, a sync (30s, 5m, 1h)' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand connections; and __fish_seen_subcommand_from get" -s q -l quiet -d 'Say nothing but results and errors'
complete -c ordersync -n "__fish_ordersync_using_subcommand connections; and __fish_seen_subcommand_from get" -s v -l verbose -d 'Say each request; twice: each HTTP exchange, secrets left out'
complete -c ordersync -n "__fish_ordersync_using_subcommand connections; and __fish_seen_subcommand_from get" -l curl -d 'Say each request as the curl command that does the same, secrets left out'
complete -c ordersync -n "__fish_ordersync_using_subcommand connections; and __fish_seen_subcommand_from get" -l no-input -d 'Never prompt: what is missing is an error'
complete -c ordersync -n "__fish_ordersync_using_subcommand connections; and __fish_seen_subcommand_from get" -l accessible -d 'Nothing that moves: plain lines for progress, numbered questions, words in place of signs'
complete -c ordersync -n "__fish_ordersync_using_subcommand connections; and __fish_seen_subcommand_from get" -s h -l help -d 'Print help'
complete -c ordersync -n "__fish_ordersync_using_subcommand fix" -s r -l retailer -d 'The connection to this retailer, by id, name, or part of a name' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand fix" -l credentials-file -d 'JSON object of the retailer\'s credential fields; the file must be private to you (chmod 600)' -r -F
complete -c ordersync -n "__fish_ordersync_using_subcommand fix" -l mfa-option -d 'Method to choose where the retailer offers several (sms, email, …)' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand fix" -l mfa-command -d 'Run this in a shell for each code; what it prints is the code' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand fix" -l profile -d 'Environment to work on: `local` (the service inside this command), or one of config.toml' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand fix" -l base-url -d 'Address of the service, in place of the profile\'s' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand fix" -s o -l output -d 'Form of the result: a table for people; JSON, JSON lines or CSV for programs' -r -f -a "table\t'For people'
json\t'One JSON document'
jsonl\t'A JSON document a line'
csv\t'Comma-separated values with a header'"
complete -c ordersync -n "__fish_ordersync_using_subcommand fix" -l fields -d 'Only these fields of the result; without a value: list the fields there are' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand fix" -l jq -d 'Filter the result, as JSON, with a jq expression; texts are printed without quotes' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand fix" -l color -d 'Colour; auto: where the output is a terminal' -r -f -a "auto\t'Where the output is a terminal'
always\t'Always'
never\t'Never'"
complete -c ordersync -n "__fish_ordersync_using_subcommand fix" -l timeout -d 'Wait no longer than this in all: for the service, a rate limit, a sync (30s, 5m, 1h)' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand fix" -l no-wait -d 'Start it and return, without following it to the end'
complete -c ordersync -n "__fish_ordersync_using_subcommand fix" -l credentials-stdin -d 'Read that JSON object from standard input'
complete -c ordersync -n "__fish_ordersync_using_subcommand fix" -s y -l yes -d 'Ask for no confirmation before anything is sent'
complete -c ordersync -n "__fish_ordersync_using_subcommand fix" -l mfa-code-stdin -d 'Read the code from standard input, one line for each time it is asked for'
complete -c ordersync -n "__fish_ordersync_using_subcommand fix" -s q -l quiet -d 'Say nothing but results and errors'
complete -c ordersync -n "__fish_ordersync_using_subcommand fix" -s v -l verbose -d 'Say each request; twice: each HTTP exchange, secrets left out'
complete -c ordersync -n "__fish_ordersync_using_subcommand fix" -l curl -d 'Say each request as the curl command that does the same, secrets left out'
complete -c ordersync -n "__fish_ordersync_using_subcommand fix" -l no-input -d 'Never prompt: what is missing is an error'
complete -c ordersync -n "__fish_ordersync_using_subcommand fix" -l accessible -d 'Nothing that moves: plain lines for progress, numbered questions, words in place of signs'
complete -c ordersync -n "__fish_ordersync_using_subcommand fix" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c ordersync -n "__fish_ordersync_using_subcommand sync" -s c -l connection -d 'One connection' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand sync" -s r -l retailer -d 'The connection to this retailer, by id, name, or part of a name' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand sync" -l mfa-option -d 'Method to choose where the retailer offers several (sms, email, …)' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand sync" -l mfa-command -d 'Run this in a shell for each code; what it prints is the code' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand sync" -l profile -d 'Environment to work on: `local` (the service inside this command), or one of config.toml' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand sync" -l base-url -d 'Address of the service, in place of the profile\'s' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand sync" -s o -l output -d 'Form of the result: a table for people; JSON, JSON lines or CSV for programs' -r -f -a "table\t'For people'
json\t'One JSON document'
jsonl\t'A JSON document a line'
csv\t'Comma-separated values with a header'"
complete -c ordersync -n "__fish_ordersync_using_subcommand sync" -l fields -d 'Only these fields of the result; without a value: list the fields there are' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand sync" -l jq -d 'Filter the result, as JSON, with a jq expression; texts are printed without quotes' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand sync" -l color -d 'Colour; auto: where the output is a terminal' -r -f -a "auto\t'Where the output is a terminal'
always\t'Always'
never\t'Never'"
complete -c ordersync -n "__fish_ordersync_using_subcommand sync" -l timeout -d 'Wait no longer than this in all: for the service, a rate limit, a sync (30s, 5m, 1h)' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand sync" -l all -d 'Every valid connection (what happens where nothing is given)'
complete -c ordersync -n "__fish_ordersync_using_subcommand sync" -l no-wait -d 'Start it and return, without following it to the end'
complete -c ordersync -n "__fish_ordersync_using_subcommand sync" -l mfa-code-stdin -d 'Read the code from standard input, one line for each time it is asked for'
complete -c ordersync -n "__fish_ordersync_using_subcommand sync" -s q -l quiet -d 'Say nothing but results and errors'
complete -c ordersync -n "__fish_ordersync_using_subcommand sync" -s v -l verbose -d 'Say each request; twice: each HTTP exchange, secrets left out'
complete -c ordersync -n "__fish_ordersync_using_subcommand sync" -l curl -d 'Say each request as the curl command that does the same, secrets left out'
complete -c ordersync -n "__fish_ordersync_using_subcommand sync" -l no-input -d 'Never prompt: what is missing is an error'
complete -c ordersync -n "__fish_ordersync_using_subcommand sync" -l accessible -d 'Nothing that moves: plain lines for progress, numbered questions, words in place of signs'
complete -c ordersync -n "__fish_ordersync_using_subcommand sync" -s h -l help -d 'Print help'
complete -c ordersync -n "__fish_ordersync_using_subcommand sessions; and not __fish_seen_subcommand_from latest list get watch" -l profile -d 'Environment to work on: `local` (the service inside this command), or one of config.toml' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand sessions; and not __fish_seen_subcommand_from latest list get watch" -l base-url -d 'Address of the service, in place of the profile\'s' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand sessions; and not __fish_seen_subcommand_from latest list get watch" -s o -l output -d 'Form of the result: a table for people; JSON, JSON lines or CSV for programs' -r -f -a "table\t'For people'
json\t'One JSON document'
jsonl\t'A JSON document a line'
csv\t'Comma-separated values with a header'"
complete -c ordersync -n "__fish_ordersync_using_subcommand sessions; and not __fish_seen_subcommand_from latest list get watch" -l fields -d 'Only these fields of the result; without a value: list the fields there are' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand sessions; and not __fish_seen_subcommand_from latest list get watch" -l jq -d 'Filter the result, as JSON, with a jq expression; texts are printed without quotes' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand sessions; and not __fish_seen_subcommand_from latest list get watch" -l color -d 'Colour; auto: where the output is a terminal' -r -f -a "auto\t'Where the output is a terminal'
always\t'Always'
never\t'Never'"
complete -c ordersync -n "__fish_ordersync_using_subcommand sessions; and not __fish_seen_subcommand_from latest list get watch" -l timeout -d 'Wait no longer than this in all: for the service, a rate limit, a sync (30s, 5m, 1h)' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand sessions; and not __fish_seen_subcommand_from latest list get watch" -s q -l quiet -d 'Say nothing but results and errors'
complete -c ordersync -n "__fish_ordersync_using_subcommand sessions; and not __fish_seen_subcommand_from latest list get watch" -s v -l verbose -d 'Say each request; twice: each HTTP exchange, secrets left out'
complete -c ordersync -n "__fish_ordersync_using_subcommand sessions; and not __fish_seen_subcommand_from latest list get watch" -l curl -d 'Say each request as the curl command that does the same, secrets left out'
complete -c ordersync -n "__fish_ordersync_using_subcommand sessions; and not __fish_seen_subcommand_from latest list get watch" -l no-input -d 'Never prompt: what is missing is an error'
complete -c ordersync -n "__fish_ordersync_using_subcommand sessions; and not __fish_seen_subcommand_from latest list get watch" -l accessible -d 'Nothing that moves: plain lines for progress, numbered questions, words in place of signs'
complete -c ordersync -n "__fish_ordersync_using_subcommand sessions; and not __fish_seen_subcommand_from latest list get watch" -s h -l help -d 'Print help'
complete -c ordersync -n "__fish_ordersync_using_subcommand sessions; and not __fish_seen_subcommand_from latest list get watch" -f -a "latest" -d 'Show the most recent session'
complete -c ordersync -n "__fish_ordersync_using_subcommand sessions; and not __fish_seen_subcommand_from latest list get watch" -f -a "list" -d 'List the sessions that connections were in last'
complete -c ordersync -n "__fish_ordersync_using_subcommand sessions; and not __fish_seen_subcommand_from latest list get watch" -f -a "get" -d 'Show a session'
complete -c ordersync -n "__fish_ordersync_using_subcommand sessions; and not __fish_seen_subcommand_from latest list get watch" -f -a "watch" -d 'Follow a session to its end, answering what it asks for'
complete -c ordersync -n "__fish_ordersync_using_subcommand sessions; and __fish_seen_subcommand_from latest" -l profile -d 'Environment to work on: `local` (the service inside this command), or one of config.toml' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand sessions; and __fish_seen_subcommand_from latest" -l base-url -d 'Address of the service, in place of the profile\'s' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand sessions; and __fish_seen_subcommand_from latest" -s o -l output -d 'Form of the result: a table for people; JSON, JSON lines or CSV for programs' -r -f -a "table\t'For people'
json\t'One JSON document'
jsonl\t'A JSON document a line'
csv\t'Comma-separated values with a header'"
complete -c ordersync -n "__fish_ordersync_using_subcommand sessions; and __fish_seen_subcommand_from latest" -l fields -d 'Only these fields of the result; without a value: list the fields there are' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand sessions; and __fish_seen_subcommand_from latest" -l jq -d 'Filter the result, as JSON, with a jq expression; texts are printed without quotes' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand sessions; and __fish_seen_subcommand_from latest" -l color -d 'Colour; auto: where the output is a terminal' -r -f -a "auto\t'Where the output is a terminal'
always\t'Always'
never\t'Never'"
complete -c ordersync -n "__fish_ordersync_using_subcommand sessions; and __fish_seen_subcommand_from latest" -l timeout -d 'Wait no longer than this in all: for the service, a rate limit, a sync (30s, 5m, 1h)' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand sessions; and __fish_seen_subcommand_from latest" -s q -l quiet -d 'Say nothing but results and errors'
complete -c ordersync -n "__fish_ordersync_using_subcommand sessions; and __fish_seen_subcommand_from latest" -s v -l verbose -d 'Say each request; twice: each HTTP exchange, secrets left out'
complete -c ordersync -n "__fish_ordersync_using_subcommand sessions; and __fish_seen_subcommand_from latest" -l curl -d 'Say each request as the curl command that does the same, secrets left out'
complete -c ordersync -n "__fish_ordersync_using_subcommand sessions; and __fish_seen_subcommand_from latest" -l no-input -d 'Never prompt: what is missing is an error'
complete -c ordersync -n "__fish_ordersync_using_subcommand sessions; and __fish_seen_subcommand_from latest" -l accessible -d 'Nothing that moves: plain lines for progress, numbered questions, words in place of signs'
complete -c ordersync -n "__fish_ordersync_using_subcommand sessions; and __fish_seen_subcommand_from latest" -s h -l help -d 'Print help'
complete -c ordersync -n "__fish_ordersync_using_subcommand sessions; and __fish_seen_subcommand_from list" -l profile -d 'Environment to work on: `local` (the service inside this command), or one of config.toml' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand sessions; and __fish_seen_subcommand_from list" -l base-url -d 'Address of the service, in place of the profile\'s' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand sessions; and __fish_seen_subcommand_from list" -s o -l output -d 'Form of the result: a table for people; JSON, JSON lines or CSV for programs' -r -f -a "table\t'For people'
json\t'One JSON document'
jsonl\t'A JSON document a line'
csv\t'Comma-separated values with a header'"
complete -c ordersync -n "__fish_ordersync_using_subcommand sessions; and __fish_seen_subcommand_from list" -l fields -d 'Only these fields of the result; without a value: list the fields there are' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand sessions; and __fish_seen_subcommand_from list" -l jq -d 'Filter the result, as JSON, with a jq expression; texts are printed without quotes' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand sessions; and __fish_seen_subcommand_from list" -l color -d 'Colour; auto: where the output is a terminal' -r -f -a "auto\t'Where the output is a terminal'
always\t'Always'
never\t'Never'"
complete -c ordersync -n "__fish_ordersync_using_subcommand sessions; and __fish_seen_subcommand_from list" -l timeout -d 'Wait no longer than this in all: for the service, a rate limit, a sync (30s, 5m, 1h)' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand sessions; and __fish_seen_subcommand_from list" -s q -l quiet -d 'Say nothing but results and errors'
complete -c ordersync -n "__fish_ordersync_using_subcommand sessions; and __fish_seen_subcommand_from list" -s v -l verbose -d 'Say each request; twice: each HTTP exchange, secrets left out'
complete -c ordersync -n "__fish_ordersync_using_subcommand sessions; and __fish_seen_subcommand_from list" -l curl -d 'Say each request as the curl command that does the same, secrets left out'
complete -c ordersync -n "__fish_ordersync_using_subcommand sessions; and __fish_seen_subcommand_from list" -l no-input -d 'Never prompt: what is missing is an error'
complete -c ordersync -n "__fish_ordersync_using_subcommand sessions; and __fish_seen_subcommand_from list" -l accessible -d 'Nothing that moves: plain lines for progress, numbered questions, words in place of signs'
complete -c ordersync -n "__fish_ordersync_using_subcommand sessions; and __fish_seen_subcommand_from list" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c ordersync -n "__fish_ordersync_using_subcommand sessions; and __fish_seen_subcommand_from get" -l profile -d 'Environment to work on: `local` (the service inside this command), or one of config.toml' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand sessions; and __fish_seen_subcommand_from get" -l base-url -d 'Address of the service, in place of the profile\'s' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand sessions; and __fish_seen_subcommand_from get" -s o -l output -d 'Form of the result: a table for people; JSON, JSON lines or CSV for programs' -r -f -a "table\t'For people'
json\t'One JSON document'
jsonl\t'A JSON document a line'
csv\t'Comma-separated values with a header'"
complete -c ordersync -n "__fish_ordersync_using_subcommand sessions; and __fish_seen_subcommand_from get" -l fields -d 'Only these fields of the result; without a value: list the fields there are' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand sessions; and __fish_seen_subcommand_from get" -l jq -d 'Filter the result, as JSON, with a jq expression; texts are printed without quotes' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand sessions; and __fish_seen_subcommand_from get" -l color -d 'Colour; auto: where the output is a terminal' -r -f -a "auto\t'Where the output is a terminal'
always\t'Always'
never\t'Never'"
complete -c ordersync -n "__fish_ordersync_using_subcommand sessions; and __fish_seen_subcommand_from get" -l timeout -d 'Wait no longer than this in all: for the service, a rate limit, a sync (30s, 5m, 1h)' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand sessions; and __fish_seen_subcommand_from get" -s q -l quiet -d 'Say nothing but results and errors'
complete -c ordersync -n "__fish_ordersync_using_subcommand sessions; and __fish_seen_subcommand_from get" -s v -l verbose -d 'Say each request; twice: each HTTP exchange, secrets left out'
complete -c ordersync -n "__fish_ordersync_using_subcommand sessions; and __fish_seen_subcommand_from get" -l curl -d 'Say each request as the curl command that does the same, secrets left out'
complete -c ordersync -n "__fish_ordersync_using_subcommand sessions; and __fish_seen_subcommand_from get" -l no-input -d 'Never prompt: what is missing is an error'
complete -c ordersync -n "__fish_ordersync_using_subcommand sessions; and __fish_seen_subcommand_from get" -l accessible -d 'Nothing that moves: plain lines for progress, numbered questions, words in place of signs'
complete -c ordersync -n "__fish_ordersync_using_subcommand sessions; and __fish_seen_subcommand_from get" -s h -l help -d 'Print help'
complete -c ordersync -n "__fish_ordersync_using_subcommand sessions; and __fish_seen_subcommand_from watch" -l mfa-option -d 'Method to choose where the retailer offers several (sms, email, …)' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand sessions; and __fish_seen_subcommand_from watch" -l mfa-command -d 'Run this in a shell for each code; what it prints is the code' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand sessions; and __fish_seen_subcommand_from watch" -l profile -d 'Environment to work on: `local` (the service inside this command), or one of config.toml' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand sessions; and __fish_seen_subcommand_from watch" -l base-url -d 'Address of the service, in place of the profile\'s' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand sessions; and __fish_seen_subcommand_from watch" -s o -l output -d 'Form of the result: a table for people; JSON, JSON lines or CSV for programs' -r -f -a "table\t'For people'
json\t'One JSON document'
jsonl\t'A JSON document a line'
csv\t'Comma-separated values with a header'"
complete -c ordersync -n "__fish_ordersync_using_subcommand sessions; and __fish_seen_subcommand_from watch" -l fields -d 'Only these fields of the result; without a value: list the fields there are' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand sessions; and __fish_seen_subcommand_from watch" -l jq -d 'Filter the result, as JSON, with a jq expression; texts are printed without quotes' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand sessions; and __fish_seen_subcommand_from watch" -l color -d 'Colour; auto: where the output is a terminal' -r -f -a "auto\t'Where the output is a terminal'
always\t'Always'
never\t'Never'"
complete -c ordersync -n "__fish_ordersync_using_subcommand sessions; and __fish_seen_subcommand_from watch" -l timeout -d 'Wait no longer than this in all: for the service, a rate limit, a sync (30s, 5m, 1h)' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand sessions; and __fish_seen_subcommand_from watch" -l mfa-code-stdin -d 'Read the code from standard input, one line for each time it is asked for'
complete -c ordersync -n "__fish_ordersync_using_subcommand sessions; and __fish_seen_subcommand_from watch" -s q -l quiet -d 'Say nothing but results and errors'
complete -c ordersync -n "__fish_ordersync_using_subcommand sessions; and __fish_seen_subcommand_from watch" -s v -l verbose -d 'Say each request; twice: each HTTP exchange, secrets left out'
complete -c ordersync -n "__fish_ordersync_using_subcommand sessions; and __fish_seen_subcommand_from watch" -l curl -d 'Say each request as the curl command that does the same, secrets left out'
complete -c ordersync -n "__fish_ordersync_using_subcommand sessions; and __fish_seen_subcommand_from watch" -l no-input -d 'Never prompt: what is missing is an error'
complete -c ordersync -n "__fish_ordersync_using_subcommand sessions; and __fish_seen_subcommand_from watch" -l accessible -d 'Nothing that moves: plain lines for progress, numbered questions, words in place of signs'
complete -c ordersync -n "__fish_ordersync_using_subcommand sessions; and __fish_seen_subcommand_from watch" -s h -l help -d 'Print help'
complete -c ordersync -n "__fish_ordersync_using_subcommand mfa" -l req-id -d 'The request; needed only where several are open' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand mfa" -l batch -d 'The session (batch); the most recent where none is given' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand mfa" -l option -d 'Method to choose (sms, email, …)' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand mfa" -l code-command -d 'Run this in a shell for each code; what it prints is the code' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand mfa" -l profile -d 'Environment to work on: `local` (the service inside this command), or one of config.toml' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand mfa" -l base-url -d 'Address of the service, in place of the profile\'s' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand mfa" -s o -l output -d 'Form of the result: a table for people; JSON, JSON lines or CSV for programs' -r -f -a "table\t'For people'
json\t'One JSON document'
jsonl\t'A JSON document a line'
csv\t'Comma-separated values with a header'"
complete -c ordersync -n "__fish_ordersync_using_subcommand mfa" -l fields -d 'Only these fields of the result; without a value: list the fields there are' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand mfa" -l jq -d 'Filter the result, as JSON, with a jq expression; texts are printed without quotes' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand mfa" -l color -d 'Colour; auto: where the output is a terminal' -r -f -a "auto\t'Where the output is a terminal'
always\t'Always'
never\t'Never'"
complete -c ordersync -n "__fish_ordersync_using_subcommand mfa" -l timeout -d 'Wait no longer than this in all: for the service, a rate limit, a sync (30s, 5m, 1h)' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand mfa" -l code-stdin -d 'Read the code from standard input, one line for each time it is asked for'
complete -c ordersync -n "__fish_ordersync_using_subcommand mfa" -l no-wait -d 'Start it and return, without following it to the end'
complete -c ordersync -n "__fish_ordersync_using_subcommand mfa" -s q -l quiet -d 'Say nothing but results and errors'
complete -c ordersync -n "__fish_ordersync_using_subcommand mfa" -s v -l verbose -d 'Say each request; twice: each HTTP exchange, secrets left out'
complete -c ordersync -n "__fish_ordersync_using_subcommand mfa" -l curl -d 'Say each request as the curl command that does the same, secrets left out'
complete -c ordersync -n "__fish_ordersync_using_subcommand mfa" -l no-input -d 'Never prompt: what is missing is an error'
complete -c ordersync -n "__fish_ordersync_using_subcommand mfa" -l accessible -d 'Nothing that moves: plain lines for progress, numbered questions, words in place of signs'
complete -c ordersync -n "__fish_ordersync_using_subcommand mfa" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c ordersync -n "__fish_ordersync_using_subcommand orders; and not __fish_seen_subcommand_from list get export summary sync" -l profile -d 'Environment to work on: `local` (the service inside this command), or one of config.toml' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand orders; and not __fish_seen_subcommand_from list get export summary sync" -l base-url -d 'Address of the service, in place of the profile\'s' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand orders; and not __fish_seen_subcommand_from list get export summary sync" -s o -l output -d 'Form of the result: a table for people; JSON, JSON lines or CSV for programs' -r -f -a "table\t'For people'
json\t'One JSON document'
jsonl\t'A JSON document a line'
csv\t'Comma-separated values with a header'"
complete -c ordersync -n "__fish_ordersync_using_subcommand orders; and not __fish_seen_subcommand_from list get export summary sync" -l fields -d 'Only these fields of the result; without a value: list the fields there are' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand orders; and not __fish_seen_subcommand_from list get export summary sync" -l jq -d 'Filter the result, as JSON, with a jq expression; texts are printed without quotes' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand orders; and not __fish_seen_subcommand_from list get export summary sync" -l color -d 'Colour; auto: where the output is a terminal' -r -f -a "auto\t'Where the output is a terminal'
always\t'Always'
never\t'Never'"
complete -c ordersync -n "__fish_ordersync_using_subcommand orders; and not __fish_seen_subcommand_from list get export summary sync" -l timeout -d 'Wait no longer than this in all: for the service, a rate limit, a sync (30s, 5m, 1h)' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand orders; and not __fish_seen_subcommand_from list get export summary sync" -s q -l quiet -d 'Say nothing but results and errors'
complete -c ordersync -n "__fish_ordersync_using_subcommand orders; and not __fish_seen_subcommand_from list get export summary sync" -s v -l verbose -d 'Say each request; twice: each HTTP exchange, secrets left out'
complete -c ordersync -n "__fish_ordersync_using_subcommand orders; and not __fish_seen_subcommand_from list get export summary sync" -l curl -d 'Say each request as the curl command that does the same, secrets left out'
complete -c ordersync -n "__fish_ordersync_using_subcommand orders; and not __fish_seen_subcommand_from list get export summary sync" -l no-input -d 'Never prompt: what is missing is an error'
complete -c ordersync -n "__fish_ordersync_using_subcommand orders; and not __fish_seen_subcommand_from list get export summary sync" -l accessible -d 'Nothing that moves: plain lines for progress, numbered questions, words in place of signs'
complete -c ordersync -n "__fish_ordersync_using_subcommand orders; and not __fish_seen_subcommand_from list get export summary sync" -s h -l help -d 'Print help'
complete -c ordersync -n "__fish_ordersync_using_subcommand orders; and not __fish_seen_subcommand_from list get export summary sync" -f -a "list" -d 'List line items, newest first'
complete -c ordersync -n "__fish_ordersync_using_subcommand orders; and not __fish_seen_subcommand_from list get export summary sync" -f -a "get" -d 'Show one line item'
complete -c ordersync -n "__fish_ordersync_using_subcommand orders; and not __fish_seen_subcommand_from list get export summary sync" -f -a "export" -d 'Export every line item as CSV, JSON, JSON lines or Parquet'
complete -c ordersync -n "__fish_ordersync_using_subcommand orders; and not __fish_seen_subcommand_from list get export summary sync" -f -a "summary" -d 'Sum up line items by month, retailer, category or brand'
complete -c ordersync -n "__fish_ordersync_using_subcommand orders; and not __fish_seen_subcommand_from list get export summary sync" -f -a "sync" -d 'Fetch the latest orders'
complete -c ordersync -n "__fish_ordersync_using_subcommand orders; and __fish_seen_subcommand_from list" -s r -l retailer -d 'Only this retailer\'s, by id, name, or part of a name' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand orders; and __fish_seen_subcommand_from list" -l since -d 'Only those ordered at or after this date (2025-10-16) or time (2025-10-16T13:50:00Z)' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand orders; and __fish_seen_subcommand_from list" -l until -d 'Only those ordered before this date or time' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand orders; and __fish_seen_subcommand_from list" -s L -l limit -d 'How many' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand orders; and __fish_seen_subcommand_from list" -l offset -d 'How many to leave out first' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand orders; and __fish_seen_subcommand_from list" -l profile -d 'Environment to work on: `local` (the service inside this command), or one of config.toml' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand orders; and __fish_seen_subcommand_from list" -l base-url -d 'Address of the service, in place of the profile\'s' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand orders; and __fish_seen_subcommand_from list" -s o -l output -d 'Form of the result: a table for people; JSON, JSON lines or CSV for programs' -r -f -a "table\t'For people'
json\t'One JSON document'
jsonl\t'A JSON document a line'
csv\t'Comma-separated values with a header'"
complete -c ordersync -n "__fish_ordersync_using_subcommand orders; and __fish_seen_subcommand_from list" -l fields -d 'Only these fields of the result; without a value: list the fields there are' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand orders; and __fish_seen_subcommand_from list" -l jq -d 'Filter the result, as JSON, with a jq expression; texts are printed without quotes' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand orders; and __fish_seen_subcommand_from list" -l color -d 'Colour; auto: where the output is a terminal' -r -f -a "auto\t'Where the output is a terminal'
always\t'Always'
never\t'Never'"
complete -c ordersync -n "__fish_ordersync_using_subcommand orders; and __fish_seen_subcommand_from list" -l timeout -d 'Wait no longer than this in all: for the service, a rate limit, a sync (30s, 5m, 1h)' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand orders; and __fish_seen_subcommand_from list" -s q -l quiet -d 'Say nothing but results and errors'
complete -c ordersync -n "__fish_ordersync_using_subcommand orders; and __fish_seen_subcommand_from list" -s v -l verbose -d 'Say each request; twice: each HTTP exchange, secrets left out'
complete -c ordersync -n "__fish_ordersync_using_subcommand orders; and __fish_seen_subcommand_from list" -l curl -d 'Say each request as the curl command that does the same, secrets left out'
complete -c ordersync -n "__fish_ordersync_using_subcommand orders; and __fish_seen_subcommand_from list" -l no-input -d 'Never prompt: what is missing is an error'
complete -c ordersync -n "__fish_ordersync_using_subcommand orders; and __fish_seen_subcommand_from list" -l accessible -d 'Nothing that moves: plain lines for progress, numbered questions, words in place of signs'
complete -c ordersync -n "__fish_ordersync_using_subcommand orders; and __fish_seen_subcommand_from list" -s h -l help -d 'Print help'
complete -c ordersync -n "__fish_ordersync_using_subcommand orders; and __fish_seen_subcommand_from get" -l profile -d 'Environment to work on: `local` (the service inside this command), or one of config.toml' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand orders; and __fish_seen_subcommand_from get" -l base-url -d 'Address of the service, in place of the profile\'s' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand orders; and __fish_seen_subcommand_from get" -s o -l output -d 'Form of the result: a table for people; JSON, JSON lines or CSV for programs' -r -f -a "table\t'For people'
json\t'One JSON document'
jsonl\t'A JSON document a line'
csv\t'Comma-separated values with a header'"
complete -c ordersync -n "__fish_ordersync_using_subcommand orders; and __fish_seen_subcommand_from get" -l fields -d 'Only these fields of the result; without a value: list the fields there are' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand orders; and __fish_seen_subcommand_from get" -l jq -d 'Filter the result, as JSON, with a jq expression; texts are printed without quotes' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand orders; and __fish_seen_subcommand_from get" -l color -d 'Colour; auto: where the output is a terminal' -r -f -a "auto\t'Where the output is a terminal'
always\t'Always'
never\t'Never'"
complete -c ordersync -n "__fish_ordersync_using_subcommand orders; and __fish_seen_subcommand_from get" -l timeout -d 'Wait no longer than this in all: for the service, a rate limit, a sync (30s, 5m, 1h)' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand orders; and __fish_seen_subcommand_from get" -s q -l quiet -d 'Say nothing but results and errors'
complete -c ordersync -n "__fish_ordersync_using_subcommand orders; and __fish_seen_subcommand_from get" -s v -l verbose -d 'Say each request; twice: each HTTP exchange, secrets left out'
complete -c ordersync -n "__fish_ordersync_using_subcommand orders; and __fish_seen_subcommand_from get" -l curl -d 'Say each request as the curl command that does the same, secrets left out'
complete -c ordersync -n "__fish_ordersync_using_subcommand orders; and __fish_seen_subcommand_from get" -l no-input -d 'Never prompt: what is missing is an error'
complete -c ordersync -n "__fish_ordersync_using_subcommand orders; and __fish_seen_subcommand_from get" -l accessible -d 'Nothing that moves: plain lines for progress, numbered questions, words in place of signs'
complete -c ordersync -n "__fish_ordersync_using_subcommand orders; and __fish_seen_subcommand_from get" -s h -l help -d 'Print help'
complete -c ordersync -n "__fish_ordersync_using_subcommand orders; and __fish_seen_subcommand_from export" -s r -l retailer -d 'Only this retailer\'s, by id, name, or part of a name' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand orders; and __fish_seen_subcommand_from export" -l since -d 'Only those ordered at or after this date (2025-10-16) or time (2025-10-16T13:50:00Z)' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand orders; and __fish_seen_subcommand_from export" -l until -d 'Only those ordered before this date or time' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand orders; and __fish_seen_subcommand_from export" -l format -d 'Form of the export; unless given, what -o or the name of --out says, else CSV' -r -f -a "csv\t'The fourteen columns of the specification'
json\t'An array of line items, as the service gives them'
jsonl\t'The same, a line item a line'
parquet\t'Typed columns, for analysis; where ordersync was built with the feature parquet'"
complete -c ordersync -n "__fish_ordersync_using_subcommand orders; and __fish_seen_subcommand_from export" -l out -d 'File to write; standard output where none is given' -r -F
complete -c ordersync -n "__fish_ordersync_using_subcommand orders; and __fish_seen_subcommand_from export" -l columns -d 'Only these columns, in this order, by field or title; without a value: list the columns there are' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand orders; and __fish_seen_subcommand_from export" -l compress -d 'Compress; a name of --out that ends in .gz or .zst does too' -r -f -a "zstd\t'Unpacked by zstd, DuckDB and others'
gzip\t'Unpacked by everything'"
complete -c ordersync -n "__fish_ordersync_using_subcommand orders; and __fish_seen_subcommand_from export" -l profile -d 'Environment to work on: `local` (the service inside this command), or one of config.toml' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand orders; and __fish_seen_subcommand_from export" -l base-url -d 'Address of the service, in place of the profile\'s' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand orders; and __fish_seen_subcommand_from export" -s o -l output -d 'Form of the result: a table for people; JSON, JSON lines or CSV for programs' -r -f -a "table\t'For people'
json\t'One JSON document'
jsonl\t'A JSON document a line'
csv\t'Comma-separated values with a header'"
complete -c ordersync -n "__fish_ordersync_using_subcommand orders; and __fish_seen_subcommand_from export" -l fields -d 'Only these fields of the result; without a value: list the fields there are' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand orders; and __fish_seen_subcommand_from export" -l jq -d 'Filter the result, as JSON, with a jq expression; texts are printed without quotes' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand orders; and __fish_seen_subcommand_from export" -l color -d 'Colour; auto: where the output is a terminal' -r -f -a "auto\t'Where the output is a terminal'
always\t'Always'
never\t'Never'"
complete -c ordersync -n "__fish_ordersync_using_subcommand orders; and __fish_seen_subcommand_from export" -l timeout -d 'Wait no longer than this in all: for the service, a rate limit, a sync (30s, 5m, 1h)' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand orders; and __fish_seen_subcommand_from export" -l excel-safe -d 'CSV that Excel opens unchanged: identifiers stay text, nothing becomes a formula'
complete -c ordersync -n "__fish_ordersync_using_subcommand orders; and __fish_seen_subcommand_from export" -l resume -d 'Go on with an export to the same file that was broken off; where none was, start one'
complete -c ordersync -n "__fish_ordersync_using_subcommand orders; and __fish_seen_subcommand_from export" -l restart -d 'Start anew where an export to the same file was broken off'
complete -c ordersync -n "__fish_ordersync_using_subcommand orders; and __fish_seen_subcommand_from export" -s q -l quiet -d 'Say nothing but results and errors'
complete -c ordersync -n "__fish_ordersync_using_subcommand orders; and __fish_seen_subcommand_from export" -s v -l verbose -d 'Say each request; twice: each HTTP exchange, secrets left out'
complete -c ordersync -n "__fish_ordersync_using_subcommand orders; and __fish_seen_subcommand_from export" -l curl -d 'Say each request as the curl command that does the same, secrets left out'
complete -c ordersync -n "__fish_ordersync_using_subcommand orders; and __fish_seen_subcommand_from export" -l no-input -d 'Never prompt: what is missing is an error'
complete -c ordersync -n "__fish_ordersync_using_subcommand orders; and __fish_seen_subcommand_from export" -l accessible -d 'Nothing that moves: plain lines for progress, numbered questions, words in place of signs'
complete -c ordersync -n "__fish_ordersync_using_subcommand orders; and __fish_seen_subcommand_from export" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c ordersync -n "__fish_ordersync_using_subcommand orders; and __fish_seen_subcommand_from summary" -s r -l retailer -d 'Only this retailer\'s, by id, name, or part of a name' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand orders; and __fish_seen_subcommand_from summary" -l since -d 'Only those ordered at or after this date (2025-10-16) or time (2025-10-16T13:50:00Z)' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand orders; and __fish_seen_subcommand_from summary" -l until -d 'Only those ordered before this date or time' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand orders; and __fish_seen_subcommand_from summary" -l by -d 'What makes a group' -r -f -a "month\t'The month of the order'
retailer\t'The retailer'
category\t'The category'
brand\t'The brand'"
complete -c ordersync -n "__fish_ordersync_using_subcommand orders; and __fish_seen_subcommand_from summary" -l html -d 'Also write a page with charts of all groupings, readable without a network; - for standard output' -r -F
complete -c ordersync -n "__fish_ordersync_using_subcommand orders; and __fish_seen_subcommand_from summary" -l profile -d 'Environment to work on: `local` (the service inside this command), or one of config.toml' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand orders; and __fish_seen_subcommand_from summary" -l base-url -d 'Address of the service, in place of the profile\'s' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand orders; and __fish_seen_subcommand_from summary" -s o -l output -d 'Form of the result: a table for people; JSON, JSON lines or CSV for programs' -r -f -a "table\t'For people'
json\t'One JSON document'
jsonl\t'A JSON document a line'
csv\t'Comma-separated values with a header'"
complete -c ordersync -n "__fish_ordersync_using_subcommand orders; and __fish_seen_subcommand_from summary" -l fields -d 'Only these fields of the result; without a value: list the fields there are' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand orders; and __fish_seen_subcommand_from summary" -l jq -d 'Filter the result, as JSON, with a jq expression; texts are printed without quotes' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand orders; and __fish_seen_subcommand_from summary" -l color -d 'Colour; auto: where the output is a terminal' -r -f -a "auto\t'Where the output is a terminal'
always\t'Always'
never\t'Never'"
complete -c ordersync -n "__fish_ordersync_using_subcommand orders; and __fish_seen_subcommand_from summary" -l timeout -d 'Wait no longer than this in all: for the service, a rate limit, a sync (30s, 5m, 1h)' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand orders; and __fish_seen_subcommand_from summary" -s q -l quiet -d 'Say nothing but results and errors'
complete -c ordersync -n "__fish_ordersync_using_subcommand orders; and __fish_seen_subcommand_from summary" -s v -l verbose -d 'Say each request; twice: each HTTP exchange, secrets left out'
complete -c ordersync -n "__fish_ordersync_using_subcommand orders; and __fish_seen_subcommand_from summary" -l curl -d 'Say each request as the curl command that does the same, secrets left out'
complete -c ordersync -n "__fish_ordersync_using_subcommand orders; and __fish_seen_subcommand_from summary" -l no-input -d 'Never prompt: what is missing is an error'
complete -c ordersync -n "__fish_ordersync_using_subcommand orders; and __fish_seen_subcommand_from summary" -l accessible -d 'Nothing that moves: plain lines for progress, numbered questions, words in place of signs'
complete -c ordersync -n "__fish_ordersync_using_subcommand orders; and __fish_seen_subcommand_from summary" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c ordersync -n "__fish_ordersync_using_subcommand orders; and __fish_seen_subcommand_from sync" -s r -l retailer -d 'Only this retailer\'s, by id, name, or part of a name' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand orders; and __fish_seen_subcommand_from sync" -l mfa-option -d 'Method to choose where the retailer offers several (sms, email, …)' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand orders; and __fish_seen_subcommand_from sync" -l mfa-command -d 'Run this in a shell for each code; what it prints is the code' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand orders; and __fish_seen_subcommand_from sync" -l profile -d 'Environment to work on: `local` (the service inside this command), or one of config.toml' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand orders; and __fish_seen_subcommand_from sync" -l base-url -d 'Address of the service, in place of the profile\'s' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand orders; and __fish_seen_subcommand_from sync" -s o -l output -d 'Form of the result: a table for people; JSON, JSON lines or CSV for programs' -r -f -a "table\t'For people'
json\t'One JSON document'
jsonl\t'A JSON document a line'
csv\t'Comma-separated values with a header'"
complete -c ordersync -n "__fish_ordersync_using_subcommand orders; and __fish_seen_subcommand_from sync" -l fields -d 'Only these fields of the result; without a value: list the fields there are' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand orders; and __fish_seen_subcommand_from sync" -l jq -d 'Filter the result, as JSON, with a jq expression; texts are printed without quotes' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand orders; and __fish_seen_subcommand_from sync" -l color -d 'Colour; auto: where the output is a terminal' -r -f -a "auto\t'Where the output is a terminal'
always\t'Always'
never\t'Never'"
complete -c ordersync -n "__fish_ordersync_using_subcommand orders; and __fish_seen_subcommand_from sync" -l timeout -d 'Wait no longer than this in all: for the service, a rate limit, a sync (30s, 5m, 1h)' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand orders; and __fish_seen_subcommand_from sync" -l no-wait -d 'Start it and return, without following it to the end'
complete -c ordersync -n "__fish_ordersync_using_subcommand orders; and __fish_seen_subcommand_from sync" -l mfa-code-stdin -d 'Read the code from standard input, one line for each time it is asked for'
complete -c ordersync -n "__fish_ordersync_using_subcommand orders; and __fish_seen_subcommand_from sync" -s q -l quiet -d 'Say nothing but results and errors'
complete -c ordersync -n "__fish_ordersync_using_subcommand orders; and __fish_seen_subcommand_from sync" -s v -l verbose -d 'Say each request; twice: each HTTP exchange, secrets left out'
complete -c ordersync -n "__fish_ordersync_using_subcommand orders; and __fish_seen_subcommand_from sync" -l curl -d 'Say each request as the curl command that does the same, secrets left out'
complete -c ordersync -n "__fish_ordersync_using_subcommand orders; and __fish_seen_subcommand_from sync" -l no-input -d 'Never prompt: what is missing is an error'
complete -c ordersync -n "__fish_ordersync_using_subcommand orders; and __fish_seen_subcommand_from sync" -l accessible -d 'Nothing that moves: plain lines for progress, numbered questions, words in place of signs'
complete -c ordersync -n "__fish_ordersync_using_subcommand orders; and __fish_seen_subcommand_from sync" -s h -l help -d 'Print help'
complete -c ordersync -n "__fish_ordersync_using_subcommand auth; and not __fish_seen_subcommand_from login logout status token" -l profile -d 'Environment to work on: `local` (the service inside this command), or one of config.toml' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand auth; and not __fish_seen_subcommand_from login logout status token" -l base-url -d 'Address of the service, in place of the profile\'s' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand auth; and not __fish_seen_subcommand_from login logout status token" -s o -l output -d 'Form of the result: a table for people; JSON, JSON lines or CSV for programs' -r -f -a "table\t'For people'
json\t'One JSON document'
jsonl\t'A JSON document a line'
csv\t'Comma-separated values with a header'"
complete -c ordersync -n "__fish_ordersync_using_subcommand auth; and not __fish_seen_subcommand_from login logout status token" -l fields -d 'Only these fields of the result; without a value: list the fields there are' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand auth; and not __fish_seen_subcommand_from login logout status token" -l jq -d 'Filter the result, as JSON, with a jq expression; texts are printed without quotes' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand auth; and not __fish_seen_subcommand_from login logout status token" -l color -d 'Colour; auto: where the output is a terminal' -r -f -a "auto\t'Where the output is a terminal'
always\t'Always'
never\t'Never'"
complete -c ordersync -n "__fish_ordersync_using_subcommand auth; and not __fish_seen_subcommand_from login logout status token" -l timeout -d 'Wait no longer than this in all: for the service, a rate limit, a sync (30s, 5m, 1h)' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand auth; and not __fish_seen_subcommand_from login logout status token" -s q -l quiet -d 'Say nothing but results and errors'
complete -c ordersync -n "__fish_ordersync_using_subcommand auth; and not __fish_seen_subcommand_from login logout status token" -s v -l verbose -d 'Say each request; twice: each HTTP exchange, secrets left out'
complete -c ordersync -n "__fish_ordersync_using_subcommand auth; and not __fish_seen_subcommand_from login logout status token" -l curl -d 'Say each request as the curl command that does the same, secrets left out'
complete -c ordersync -n "__fish_ordersync_using_subcommand auth; and not __fish_seen_subcommand_from login logout status token" -l no-input -d 'Never prompt: what is missing is an error'
complete -c ordersync -n "__fish_ordersync_using_subcommand auth; and not __fish_seen_subcommand_from login logout status token" -l accessible -d 'Nothing that moves: plain lines for progress, numbered questions, words in place of signs'
complete -c ordersync -n "__fish_ordersync_using_subcommand auth; and not __fish_seen_subcommand_from login logout status token" -s h -l help -d 'Print help'
complete -c ordersync -n "__fish_ordersync_using_subcommand auth; and not __fish_seen_subcommand_from login logout status token" -f -a "login" -d 'Sign in at the service'
complete -c ordersync -n "__fish_ordersync_using_subcommand auth; and not __fish_seen_subcommand_from login logout status token" -f -a "logout" -d 'End the sign-in, here and at the service'
complete -c ordersync -n "__fish_ordersync_using_subcommand auth; and not __fish_seen_subcommand_from login logout status token" -f -a "status" -d 'Show who is signed in, what that allows, until when, and where it is kept'
complete -c ordersync -n "__fish_ordersync_using_subcommand auth; and not __fish_seen_subcommand_from login logout status token" -f -a "token" -d 'Print the access token, renewed where needed'
complete -c ordersync -n "__fish_ordersync_using_subcommand auth; and __fish_seen_subcommand_from login" -l scopes -d 'Scopes to ask for, separated by spaces; the service\'s default where none are given' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand auth; and __fish_seen_subcommand_from login" -l client-id -d 'OAuth client; `ordersync-cli` where none is given' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand auth; and __fish_seen_subcommand_from login" -l client-secret-file -d 'File with the client\'s secret, private to you (chmod 600); without it, ORDERSYNC_CLIENT_SECRET' -r -F
complete -c ordersync -n "__fish_ordersync_using_subcommand auth; and __fish_seen_subcommand_from login" -l profile -d 'Environment to work on: `local` (the service inside this command), or one of config.toml' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand auth; and __fish_seen_subcommand_from login" -l base-url -d 'Address of the service, in place of the profile\'s' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand auth; and __fish_seen_subcommand_from login" -s o -l output -d 'Form of the result: a table for people; JSON, JSON lines or CSV for programs' -r -f -a "table\t'For people'
json\t'One JSON document'
jsonl\t'A JSON document a line'
csv\t'Comma-separated values with a header'"
complete -c ordersync -n "__fish_ordersync_using_subcommand auth; and __fish_seen_subcommand_from login" -l fields -d 'Only these fields of the result; without a value: list the fields there are' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand auth; and __fish_seen_subcommand_from login" -l jq -d 'Filter the result, as JSON, with a jq expression; texts are printed without quotes' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand auth; and __fish_seen_subcommand_from login" -l color -d 'Colour; auto: where the output is a terminal' -r -f -a "auto\t'Where the output is a terminal'
always\t'Always'
never\t'Never'"
complete -c ordersync -n "__fish_ordersync_using_subcommand auth; and __fish_seen_subcommand_from login" -l timeout -d 'Wait no longer than this in all: for the service, a rate limit, a sync (30s, 5m, 1h)' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand auth; and __fish_seen_subcommand_from login" -l browser -d 'On a page in the browser of this machine (what happens where nothing is given)'
complete -c ordersync -n "__fish_ordersync_using_subcommand auth; and __fish_seen_subcommand_from login" -l no-browser -d 'The same, but only print the page\'s address'
complete -c ordersync -n "__fish_ordersync_using_subcommand auth; and __fish_seen_subcommand_from login" -l device -d 'On any other device, by entering a code there'
complete -c ordersync -n "__fish_ordersync_using_subcommand auth; and __fish_seen_subcommand_from login" -l with-token -d 'With an access token from elsewhere, read from standard input'
complete -c ordersync -n "__fish_ordersync_using_subcommand auth; and __fish_seen_subcommand_from login" -l client-credentials -d 'As the client itself, for a back end: with ORDERSYNC_CLIENT_ID and ORDERSYNC_CLIENT_SECRET'
complete -c ordersync -n "__fish_ordersync_using_subcommand auth; and __fish_seen_subcommand_from login" -s q -l quiet -d 'Say nothing but results and errors'
complete -c ordersync -n "__fish_ordersync_using_subcommand auth; and __fish_seen_subcommand_from login" -s v -l verbose -d 'Say each request; twice: each HTTP exchange, secrets left out'
complete -c ordersync -n "__fish_ordersync_using_subcommand auth; and __fish_seen_subcommand_from login" -l curl -d 'Say each request as the curl command that does the same, secrets left out'
complete -c ordersync -n "__fish_ordersync_using_subcommand auth; and __fish_seen_subcommand_from login" -l no-input -d 'Never prompt: what is missing is an error'
complete -c ordersync -n "__fish_ordersync_using_subcommand auth; and __fish_seen_subcommand_from login" -l accessible -d 'Nothing that moves: plain lines for progress, numbered questions, words in place of signs'
complete -c ordersync -n "__fish_ordersync_using_subcommand auth; and __fish_seen_subcommand_from login" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c ordersync -n "__fish_ordersync_using_subcommand auth; and __fish_seen_subcommand_from logout" -l profile -d 'Environment to work on: `local` (the service inside this command), or one of config.toml' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand auth; and __fish_seen_subcommand_from logout" -l base-url -d 'Address of the service, in place of the profile\'s' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand auth; and __fish_seen_subcommand_from logout" -s o -l output -d 'Form of the result: a table for people; JSON, JSON lines or CSV for programs' -r -f -a "table\t'For people'
json\t'One JSON document'
jsonl\t'A JSON document a line'
csv\t'Comma-separated values with a header'"
complete -c ordersync -n "__fish_ordersync_using_subcommand auth; and __fish_seen_subcommand_from logout" -l fields -d 'Only these fields of the result; without a value: list the fields there are' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand auth; and __fish_seen_subcommand_from logout" -l jq -d 'Filter the result, as JSON, with a jq expression; texts are printed without quotes' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand auth; and __fish_seen_subcommand_from logout" -l color -d 'Colour; auto: where the output is a terminal' -r -f -a "auto\t'Where the output is a terminal'
always\t'Always'
never\t'Never'"
complete -c ordersync -n "__fish_ordersync_using_subcommand auth; and __fish_seen_subcommand_from logout" -l timeout -d 'Wait no longer than this in all: for the service, a rate limit, a sync (30s, 5m, 1h)' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand auth; and __fish_seen_subcommand_from logout" -l local -d 'Forget the sign-in here without telling the service, where that cannot be reached any more'
complete -c ordersync -n "__fish_ordersync_using_subcommand auth; and __fish_seen_subcommand_from logout" -s q -l quiet -d 'Say nothing but results and errors'
complete -c ordersync -n "__fish_ordersync_using_subcommand auth; and __fish_seen_subcommand_from logout" -s v -l verbose -d 'Say each request; twice: each HTTP exchange, secrets left out'
complete -c ordersync -n "__fish_ordersync_using_subcommand auth; and __fish_seen_subcommand_from logout" -l curl -d 'Say each request as the curl command that does the same, secrets left out'
complete -c ordersync -n "__fish_ordersync_using_subcommand auth; and __fish_seen_subcommand_from logout" -l no-input -d 'Never prompt: what is missing is an error'
complete -c ordersync -n "__fish_ordersync_using_subcommand auth; and __fish_seen_subcommand_from logout" -l accessible -d 'Nothing that moves: plain lines for progress, numbered questions, words in place of signs'
complete -c ordersync -n "__fish_ordersync_using_subcommand auth; and __fish_seen_subcommand_from logout" -s h -l help -d 'Print help'
complete -c ordersync -n "__fish_ordersync_using_subcommand auth; and __fish_seen_subcommand_from status" -l profile -d 'Environment to work on: `local` (the service inside this command), or one of config.toml' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand auth; and __fish_seen_subcommand_from status" -l base-url -d 'Address of the service, in place of the profile\'s' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand auth; and __fish_seen_subcommand_from status" -s o -l output -d 'Form of the result: a table for people; JSON, JSON lines or CSV for programs' -r -f -a "table\t'For people'
json\t'One JSON document'
jsonl\t'A JSON document a line'
csv\t'Comma-separated values with a header'"
complete -c ordersync -n "__fish_ordersync_using_subcommand auth; and __fish_seen_subcommand_from status" -l fields -d 'Only these fields of the result; without a value: list the fields there are' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand auth; and __fish_seen_subcommand_from status" -l jq -d 'Filter the result, as JSON, with a jq expression; texts are printed without quotes' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand auth; and __fish_seen_subcommand_from status" -l color -d 'Colour; auto: where the output is a terminal' -r -f -a "auto\t'Where the output is a terminal'
always\t'Always'
never\t'Never'"
complete -c ordersync -n "__fish_ordersync_using_subcommand auth; and __fish_seen_subcommand_from status" -l timeout -d 'Wait no longer than this in all: for the service, a rate limit, a sync (30s, 5m, 1h)' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand auth; and __fish_seen_subcommand_from status" -s q -l quiet -d 'Say nothing but results and errors'
complete -c ordersync -n "__fish_ordersync_using_subcommand auth; and __fish_seen_subcommand_from status" -s v -l verbose -d 'Say each request; twice: each HTTP exchange, secrets left out'
complete -c ordersync -n "__fish_ordersync_using_subcommand auth; and __fish_seen_subcommand_from status" -l curl -d 'Say each request as the curl command that does the same, secrets left out'
complete -c ordersync -n "__fish_ordersync_using_subcommand auth; and __fish_seen_subcommand_from status" -l no-input -d 'Never prompt: what is missing is an error'
complete -c ordersync -n "__fish_ordersync_using_subcommand auth; and __fish_seen_subcommand_from status" -l accessible -d 'Nothing that moves: plain lines for progress, numbered questions, words in place of signs'
complete -c ordersync -n "__fish_ordersync_using_subcommand auth; and __fish_seen_subcommand_from status" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c ordersync -n "__fish_ordersync_using_subcommand auth; and __fish_seen_subcommand_from token" -l profile -d 'Environment to work on: `local` (the service inside this command), or one of config.toml' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand auth; and __fish_seen_subcommand_from token" -l base-url -d 'Address of the service, in place of the profile\'s' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand auth; and __fish_seen_subcommand_from token" -s o -l output -d 'Form of the result: a table for people; JSON, JSON lines or CSV for programs' -r -f -a "table\t'For people'
json\t'One JSON document'
jsonl\t'A JSON document a line'
csv\t'Comma-separated values with a header'"
complete -c ordersync -n "__fish_ordersync_using_subcommand auth; and __fish_seen_subcommand_from token" -l fields -d 'Only these fields of the result; without a value: list the fields there are' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand auth; and __fish_seen_subcommand_from token" -l jq -d 'Filter the result, as JSON, with a jq expression; texts are printed without quotes' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand auth; and __fish_seen_subcommand_from token" -l color -d 'Colour; auto: where the output is a terminal' -r -f -a "auto\t'Where the output is a terminal'
always\t'Always'
never\t'Never'"
complete -c ordersync -n "__fish_ordersync_using_subcommand auth; and __fish_seen_subcommand_from token" -l timeout -d 'Wait no longer than this in all: for the service, a rate limit, a sync (30s, 5m, 1h)' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand auth; and __fish_seen_subcommand_from token" -s q -l quiet -d 'Say nothing but results and errors'
complete -c ordersync -n "__fish_ordersync_using_subcommand auth; and __fish_seen_subcommand_from token" -s v -l verbose -d 'Say each request; twice: each HTTP exchange, secrets left out'
complete -c ordersync -n "__fish_ordersync_using_subcommand auth; and __fish_seen_subcommand_from token" -l curl -d 'Say each request as the curl command that does the same, secrets left out'
complete -c ordersync -n "__fish_ordersync_using_subcommand auth; and __fish_seen_subcommand_from token" -l no-input -d 'Never prompt: what is missing is an error'
complete -c ordersync -n "__fish_ordersync_using_subcommand auth; and __fish_seen_subcommand_from token" -l accessible -d 'Nothing that moves: plain lines for progress, numbered questions, words in place of signs'
complete -c ordersync -n "__fish_ordersync_using_subcommand auth; and __fish_seen_subcommand_from token" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c ordersync -n "__fish_ordersync_using_subcommand profile" -l profile -d 'Environment to work on: `local` (the service inside this command), or one of config.toml' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand profile" -l base-url -d 'Address of the service, in place of the profile\'s' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand profile" -s o -l output -d 'Form of the result: a table for people; JSON, JSON lines or CSV for programs' -r -f -a "table\t'For people'
json\t'One JSON document'
jsonl\t'A JSON document a line'
csv\t'Comma-separated values with a header'"
complete -c ordersync -n "__fish_ordersync_using_subcommand profile" -l fields -d 'Only these fields of the result; without a value: list the fields there are' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand profile" -l jq -d 'Filter the result, as JSON, with a jq expression; texts are printed without quotes' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand profile" -l color -d 'Colour; auto: where the output is a terminal' -r -f -a "auto\t'Where the output is a terminal'
always\t'Always'
never\t'Never'"
complete -c ordersync -n "__fish_ordersync_using_subcommand profile" -l timeout -d 'Wait no longer than this in all: for the service, a rate limit, a sync (30s, 5m, 1h)' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand profile" -s q -l quiet -d 'Say nothing but results and errors'
complete -c ordersync -n "__fish_ordersync_using_subcommand profile" -s v -l verbose -d 'Say each request; twice: each HTTP exchange, secrets left out'
complete -c ordersync -n "__fish_ordersync_using_subcommand profile" -l curl -d 'Say each request as the curl command that does the same, secrets left out'
complete -c ordersync -n "__fish_ordersync_using_subcommand profile" -l no-input -d 'Never prompt: what is missing is an error'
complete -c ordersync -n "__fish_ordersync_using_subcommand profile" -l accessible -d 'Nothing that moves: plain lines for progress, numbered questions, words in place of signs'
complete -c ordersync -n "__fish_ordersync_using_subcommand profile" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c ordersync -n "__fish_ordersync_using_subcommand link-token; and not __fish_seen_subcommand_from create" -l profile -d 'Environment to work on: `local` (the service inside this command), or one of config.toml' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand link-token; and not __fish_seen_subcommand_from create" -l base-url -d 'Address of the service, in place of the profile\'s' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand link-token; and not __fish_seen_subcommand_from create" -s o -l output -d 'Form of the result: a table for people; JSON, JSON lines or CSV for programs' -r -f -a "table\t'For people'
json\t'One JSON document'
jsonl\t'A JSON document a line'
csv\t'Comma-separated values with a header'"
complete -c ordersync -n "__fish_ordersync_using_subcommand link-token; and not __fish_seen_subcommand_from create" -l fields -d 'Only these fields of the result; without a value: list the fields there are' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand link-token; and not __fish_seen_subcommand_from create" -l jq -d 'Filter the result, as JSON, with a jq expression; texts are printed without quotes' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand link-token; and not __fish_seen_subcommand_from create" -l color -d 'Colour; auto: where the output is a terminal' -r -f -a "auto\t'Where the output is a terminal'
always\t'Always'
never\t'Never'"
complete -c ordersync -n "__fish_ordersync_using_subcommand link-token; and not __fish_seen_subcommand_from create" -l timeout -d 'Wait no longer than this in all: for the service, a rate limit, a sync (30s, 5m, 1h)' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand link-token; and not __fish_seen_subcommand_from create" -s q -l quiet -d 'Say nothing but results and errors'
complete -c ordersync -n "__fish_ordersync_using_subcommand link-token; and not __fish_seen_subcommand_from create" -s v -l verbose -d 'Say each request; twice: each HTTP exchange, secrets left out'
complete -c ordersync -n "__fish_ordersync_using_subcommand link-token; and not __fish_seen_subcommand_from create" -l curl -d 'Say each request as the curl command that does the same, secrets left out'
complete -c ordersync -n "__fish_ordersync_using_subcommand link-token; and not __fish_seen_subcommand_from create" -l no-input -d 'Never prompt: what is missing is an error'
complete -c ordersync -n "__fish_ordersync_using_subcommand link-token; and not __fish_seen_subcommand_from create" -l accessible -d 'Nothing that moves: plain lines for progress, numbered questions, words in place of signs'
complete -c ordersync -n "__fish_ordersync_using_subcommand link-token; and not __fish_seen_subcommand_from create" -s h -l help -d 'Print help'
complete -c ordersync -n "__fish_ordersync_using_subcommand link-token; and not __fish_seen_subcommand_from create" -f -a "create" -d 'Create what opens the widget for one of your users, and print it'
complete -c ordersync -n "__fish_ordersync_using_subcommand link-token; and __fish_seen_subcommand_from create" -l external-user-id -d 'Your own identifier of the user, 1 to 255 characters; the same one every time' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand link-token; and __fish_seen_subcommand_from create" -l client-secret-file -d 'File with the client\'s secret, private to you (chmod 600); without it, ORDERSYNC_CLIENT_SECRET' -r -F
complete -c ordersync -n "__fish_ordersync_using_subcommand link-token; and __fish_seen_subcommand_from create" -l profile -d 'Environment to work on: `local` (the service inside this command), or one of config.toml' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand link-token; and __fish_seen_subcommand_from create" -l base-url -d 'Address of the service, in place of the profile\'s' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand link-token; and __fish_seen_subcommand_from create" -s o -l output -d 'Form of the result: a table for people; JSON, JSON lines or CSV for programs' -r -f -a "table\t'For people'
json\t'One JSON document'
jsonl\t'A JSON document a line'
csv\t'Comma-separated values with a header'"
complete -c ordersync -n "__fish_ordersync_using_subcommand link-token; and __fish_seen_subcommand_from create" -l fields -d 'Only these fields of the result; without a value: list the fields there are' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand link-token; and __fish_seen_subcommand_from create" -l jq -d 'Filter the result, as JSON, with a jq expression; texts are printed without quotes' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand link-token; and __fish_seen_subcommand_from create" -l color -d 'Colour; auto: where the output is a terminal' -r -f -a "auto\t'Where the output is a terminal'
always\t'Always'
never\t'Never'"
complete -c ordersync -n "__fish_ordersync_using_subcommand link-token; and __fish_seen_subcommand_from create" -l timeout -d 'Wait no longer than this in all: for the service, a rate limit, a sync (30s, 5m, 1h)' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand link-token; and __fish_seen_subcommand_from create" -s q -l quiet -d 'Say nothing but results and errors'
complete -c ordersync -n "__fish_ordersync_using_subcommand link-token; and __fish_seen_subcommand_from create" -s v -l verbose -d 'Say each request; twice: each HTTP exchange, secrets left out'
complete -c ordersync -n "__fish_ordersync_using_subcommand link-token; and __fish_seen_subcommand_from create" -l curl -d 'Say each request as the curl command that does the same, secrets left out'
complete -c ordersync -n "__fish_ordersync_using_subcommand link-token; and __fish_seen_subcommand_from create" -l no-input -d 'Never prompt: what is missing is an error'
complete -c ordersync -n "__fish_ordersync_using_subcommand link-token; and __fish_seen_subcommand_from create" -l accessible -d 'Nothing that moves: plain lines for progress, numbered questions, words in place of signs'
complete -c ordersync -n "__fish_ordersync_using_subcommand link-token; and __fish_seen_subcommand_from create" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c ordersync -n "__fish_ordersync_using_subcommand users; and not __fish_seen_subcommand_from share" -l profile -d 'Environment to work on: `local` (the service inside this command), or one of config.toml' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand users; and not __fish_seen_subcommand_from share" -l base-url -d 'Address of the service, in place of the profile\'s' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand users; and not __fish_seen_subcommand_from share" -s o -l output -d 'Form of the result: a table for people; JSON, JSON lines or CSV for programs' -r -f -a "table\t'For people'
json\t'One JSON document'
jsonl\t'A JSON document a line'
csv\t'Comma-separated values with a header'"
complete -c ordersync -n "__fish_ordersync_using_subcommand users; and not __fish_seen_subcommand_from share" -l fields -d 'Only these fields of the result; without a value: list the fields there are' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand users; and not __fish_seen_subcommand_from share" -l jq -d 'Filter the result, as JSON, with a jq expression; texts are printed without quotes' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand users; and not __fish_seen_subcommand_from share" -l color -d 'Colour; auto: where the output is a terminal' -r -f -a "auto\t'Where the output is a terminal'
always\t'Always'
never\t'Never'"
complete -c ordersync -n "__fish_ordersync_using_subcommand users; and not __fish_seen_subcommand_from share" -l timeout -d 'Wait no longer than this in all: for the service, a rate limit, a sync (30s, 5m, 1h)' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand users; and not __fish_seen_subcommand_from share" -s q -l quiet -d 'Say nothing but results and errors'
complete -c ordersync -n "__fish_ordersync_using_subcommand users; and not __fish_seen_subcommand_from share" -s v -l verbose -d 'Say each request; twice: each HTTP exchange, secrets left out'
complete -c ordersync -n "__fish_ordersync_using_subcommand users; and not __fish_seen_subcommand_from share" -l curl -d 'Say each request as the curl command that does the same, secrets left out'
complete -c ordersync -n "__fish_ordersync_using_subcommand users; and not __fish_seen_subcommand_from share" -l no-input -d 'Never prompt: what is missing is an error'
complete -c ordersync -n "__fish_ordersync_using_subcommand users; and not __fish_seen_subcommand_from share" -l accessible -d 'Nothing that moves: plain lines for progress, numbered questions, words in place of signs'
complete -c ordersync -n "__fish_ordersync_using_subcommand users; and not __fish_seen_subcommand_from share" -s h -l help -d 'Print help'
complete -c ordersync -n "__fish_ordersync_using_subcommand users; and not __fish_seen_subcommand_from share" -f -a "share" -d 'Show what one of your users shares with you'
complete -c ordersync -n "__fish_ordersync_using_subcommand users; and __fish_seen_subcommand_from share" -l link-token -d 'Link token, or `-` to read it from standard input; better that or ORDERSYNC_LINK_TOKEN, since others on this machine can see arguments' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand users; and __fish_seen_subcommand_from share" -l client-secret-file -d 'File with the client\'s secret, private to you (chmod 600); without it, ORDERSYNC_CLIENT_SECRET' -r -F
complete -c ordersync -n "__fish_ordersync_using_subcommand users; and __fish_seen_subcommand_from share" -l profile -d 'Environment to work on: `local` (the service inside this command), or one of config.toml' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand users; and __fish_seen_subcommand_from share" -l base-url -d 'Address of the service, in place of the profile\'s' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand users; and __fish_seen_subcommand_from share" -s o -l output -d 'Form of the result: a table for people; JSON, JSON lines or CSV for programs' -r -f -a "table\t'For people'
json\t'One JSON document'
jsonl\t'A JSON document a line'
csv\t'Comma-separated values with a header'"
complete -c ordersync -n "__fish_ordersync_using_subcommand users; and __fish_seen_subcommand_from share" -l fields -d 'Only these fields of the result; without a value: list the fields there are' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand users; and __fish_seen_subcommand_from share" -l jq -d 'Filter the result, as JSON, with a jq expression; texts are printed without quotes' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand users; and __fish_seen_subcommand_from share" -l color -d 'Colour; auto: where the output is a terminal' -r -f -a "auto\t'Where the output is a terminal'
always\t'Always'
never\t'Never'"
complete -c ordersync -n "__fish_ordersync_using_subcommand users; and __fish_seen_subcommand_from share" -l timeout -d 'Wait no longer than this in all: for the service, a rate limit, a sync (30s, 5m, 1h)' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand users; and __fish_seen_subcommand_from share" -s q -l quiet -d 'Say nothing but results and errors'
complete -c ordersync -n "__fish_ordersync_using_subcommand users; and __fish_seen_subcommand_from share" -s v -l verbose -d 'Say each request; twice: each HTTP exchange, secrets left out'
complete -c ordersync -n "__fish_ordersync_using_subcommand users; and __fish_seen_subcommand_from share" -l curl -d 'Say each request as the curl command that does the same, secrets left out'
complete -c ordersync -n "__fish_ordersync_using_subcommand users; and __fish_seen_subcommand_from share" -l no-input -d 'Never prompt: what is missing is an error'
complete -c ordersync -n "__fish_ordersync_using_subcommand users; and __fish_seen_subcommand_from share" -l accessible -d 'Nothing that moves: plain lines for progress, numbered questions, words in place of signs'
complete -c ordersync -n "__fish_ordersync_using_subcommand users; and __fish_seen_subcommand_from share" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c ordersync -n "__fish_ordersync_using_subcommand api" -s f -l raw-field -d 'Field of text' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand api" -s F -l field -d 'Field of JSON: true, false, null and numbers are what they are, @FILE and @- are read, the rest is text' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand api" -l input -d 'Body as it is, from a file, or from standard input (`-`); fields then become the query' -r -F
complete -c ordersync -n "__fish_ordersync_using_subcommand api" -s H -l header -d 'Header; not for secrets, which others on this machine could see' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand api" -l profile -d 'Environment to work on: `local` (the service inside this command), or one of config.toml' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand api" -l base-url -d 'Address of the service, in place of the profile\'s' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand api" -s o -l output -d 'Form of the result: a table for people; JSON, JSON lines or CSV for programs' -r -f -a "table\t'For people'
json\t'One JSON document'
jsonl\t'A JSON document a line'
csv\t'Comma-separated values with a header'"
complete -c ordersync -n "__fish_ordersync_using_subcommand api" -l fields -d 'Only these fields of the result; without a value: list the fields there are' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand api" -l jq -d 'Filter the result, as JSON, with a jq expression; texts are printed without quotes' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand api" -l color -d 'Colour; auto: where the output is a terminal' -r -f -a "auto\t'Where the output is a terminal'
always\t'Always'
never\t'Never'"
complete -c ordersync -n "__fish_ordersync_using_subcommand api" -l timeout -d 'Wait no longer than this in all: for the service, a rate limit, a sync (30s, 5m, 1h)' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand api" -l paginate -d 'Get every page of a list, as one JSON array'
complete -c ordersync -n "__fish_ordersync_using_subcommand api" -l silent -d 'Print nothing of the answer\'s body'
complete -c ordersync -n "__fish_ordersync_using_subcommand api" -s i -l include -d 'Print status and headers before the body'
complete -c ordersync -n "__fish_ordersync_using_subcommand api" -s q -l quiet -d 'Say nothing but results and errors'
complete -c ordersync -n "__fish_ordersync_using_subcommand api" -s v -l verbose -d 'Say each request; twice: each HTTP exchange, secrets left out'
complete -c ordersync -n "__fish_ordersync_using_subcommand api" -l curl -d 'Say each request as the curl command that does the same, secrets left out'
complete -c ordersync -n "__fish_ordersync_using_subcommand api" -l no-input -d 'Never prompt: what is missing is an error'
complete -c ordersync -n "__fish_ordersync_using_subcommand api" -l accessible -d 'Nothing that moves: plain lines for progress, numbered questions, words in place of signs'
complete -c ordersync -n "__fish_ordersync_using_subcommand api" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c ordersync -n "__fish_ordersync_using_subcommand profiles; and not __fish_seen_subcommand_from list use add remove" -l profile -d 'Environment to work on: `local` (the service inside this command), or one of config.toml' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand profiles; and not __fish_seen_subcommand_from list use add remove" -l base-url -d 'Address of the service, in place of the profile\'s' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand profiles; and not __fish_seen_subcommand_from list use add remove" -s o -l output -d 'Form of the result: a table for people; JSON, JSON lines or CSV for programs' -r -f -a "table\t'For people'
json\t'One JSON document'
jsonl\t'A JSON document a line'
csv\t'Comma-separated values with a header'"
complete -c ordersync -n "__fish_ordersync_using_subcommand profiles; and not __fish_seen_subcommand_from list use add remove" -l fields -d 'Only these fields of the result; without a value: list the fields there are' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand profiles; and not __fish_seen_subcommand_from list use add remove" -l jq -d 'Filter the result, as JSON, with a jq expression; texts are printed without quotes' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand profiles; and not __fish_seen_subcommand_from list use add remove" -l color -d 'Colour; auto: where the output is a terminal' -r -f -a "auto\t'Where the output is a terminal'
always\t'Always'
never\t'Never'"
complete -c ordersync -n "__fish_ordersync_using_subcommand profiles; and not __fish_seen_subcommand_from list use add remove" -l timeout -d 'Wait no longer than this in all: for the service, a rate limit, a sync (30s, 5m, 1h)' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand profiles; and not __fish_seen_subcommand_from list use add remove" -s q -l quiet -d 'Say nothing but results and errors'
complete -c ordersync -n "__fish_ordersync_using_subcommand profiles; and not __fish_seen_subcommand_from list use add remove" -s v -l verbose -d 'Say each request; twice: each HTTP exchange, secrets left out'
complete -c ordersync -n "__fish_ordersync_using_subcommand profiles; and not __fish_seen_subcommand_from list use add remove" -l curl -d 'Say each request as the curl command that does the same, secrets left out'
complete -c ordersync -n "__fish_ordersync_using_subcommand profiles; and not __fish_seen_subcommand_from list use add remove" -l no-input -d 'Never prompt: what is missing is an error'
complete -c ordersync -n "__fish_ordersync_using_subcommand profiles; and not __fish_seen_subcommand_from list use add remove" -l accessible -d 'Nothing that moves: plain lines for progress, numbered questions, words in place of signs'
complete -c ordersync -n "__fish_ordersync_using_subcommand profiles; and not __fish_seen_subcommand_from list use add remove" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c ordersync -n "__fish_ordersync_using_subcommand profiles; and not __fish_seen_subcommand_from list use add remove" -f -a "list" -d 'List them'
complete -c ordersync -n "__fish_ordersync_using_subcommand profiles; and not __fish_seen_subcommand_from list use add remove" -f -a "use" -d 'Work on this one from now on'
complete -c ordersync -n "__fish_ordersync_using_subcommand profiles; and not __fish_seen_subcommand_from list use add remove" -f -a "add" -d 'Add one'
complete -c ordersync -n "__fish_ordersync_using_subcommand profiles; and not __fish_seen_subcommand_from list use add remove" -f -a "remove" -d 'Remove one'
complete -c ordersync -n "__fish_ordersync_using_subcommand profiles; and __fish_seen_subcommand_from list" -l profile -d 'Environment to work on: `local` (the service inside this command), or one of config.toml' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand profiles; and __fish_seen_subcommand_from list" -l base-url -d 'Address of the service, in place of the profile\'s' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand profiles; and __fish_seen_subcommand_from list" -s o -l output -d 'Form of the result: a table for people; JSON, JSON lines or CSV for programs' -r -f -a "table\t'For people'
json\t'One JSON document'
jsonl\t'A JSON document a line'
csv\t'Comma-separated values with a header'"
complete -c ordersync -n "__fish_ordersync_using_subcommand profiles; and __fish_seen_subcommand_from list" -l fields -d 'Only these fields of the result; without a value: list the fields there are' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand profiles; and __fish_seen_subcommand_from list" -l jq -d 'Filter the result, as JSON, with a jq expression; texts are printed without quotes' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand profiles; and __fish_seen_subcommand_from list" -l color -d 'Colour; auto: where the output is a terminal' -r -f -a "auto\t'Where the output is a terminal'
always\t'Always'
never\t'Never'"
complete -c ordersync -n "__fish_ordersync_using_subcommand profiles; and __fish_seen_subcommand_from list" -l timeout -d 'Wait no longer than this in all: for the service, a rate limit, a sync (30s, 5m, 1h)' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand profiles; and __fish_seen_subcommand_from list" -s q -l quiet -d 'Say nothing but results and errors'
complete -c ordersync -n "__fish_ordersync_using_subcommand profiles; and __fish_seen_subcommand_from list" -s v -l verbose -d 'Say each request; twice: each HTTP exchange, secrets left out'
complete -c ordersync -n "__fish_ordersync_using_subcommand profiles; and __fish_seen_subcommand_from list" -l curl -d 'Say each request as the curl command that does the same, secrets left out'
complete -c ordersync -n "__fish_ordersync_using_subcommand profiles; and __fish_seen_subcommand_from list" -l no-input -d 'Never prompt: what is missing is an error'
complete -c ordersync -n "__fish_ordersync_using_subcommand profiles; and __fish_seen_subcommand_from list" -l accessible -d 'Nothing that moves: plain lines for progress, numbered questions, words in place of signs'
complete -c ordersync -n "__fish_ordersync_using_subcommand profiles; and __fish_seen_subcommand_from list" -s h -l help -d 'Print help'
complete -c ordersync -n "__fish_ordersync_using_subcommand profiles; and __fish_seen_subcommand_from use" -l profile -d 'Environment to work on: `local` (the service inside this command), or one of config.toml' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand profiles; and __fish_seen_subcommand_from use" -l base-url -d 'Address of the service, in place of the profile\'s' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand profiles; and __fish_seen_subcommand_from use" -s o -l output -d 'Form of the result: a table for people; JSON, JSON lines or CSV for programs' -r -f -a "table\t'For people'
json\t'One JSON document'
jsonl\t'A JSON document a line'
csv\t'Comma-separated values with a header'"
complete -c ordersync -n "__fish_ordersync_using_subcommand profiles; and __fish_seen_subcommand_from use" -l fields -d 'Only these fields of the result; without a value: list the fields there are' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand profiles; and __fish_seen_subcommand_from use" -l jq -d 'Filter the result, as JSON, with a jq expression; texts are printed without quotes' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand profiles; and __fish_seen_subcommand_from use" -l color -d 'Colour; auto: where the output is a terminal' -r -f -a "auto\t'Where the output is a terminal'
always\t'Always'
never\t'Never'"
complete -c ordersync -n "__fish_ordersync_using_subcommand profiles; and __fish_seen_subcommand_from use" -l timeout -d 'Wait no longer than this in all: for the service, a rate limit, a sync (30s, 5m, 1h)' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand profiles; and __fish_seen_subcommand_from use" -s q -l quiet -d 'Say nothing but results and errors'
complete -c ordersync -n "__fish_ordersync_using_subcommand profiles; and __fish_seen_subcommand_from use" -s v -l verbose -d 'Say each request; twice: each HTTP exchange, secrets left out'
complete -c ordersync -n "__fish_ordersync_using_subcommand profiles; and __fish_seen_subcommand_from use" -l curl -d 'Say each request as the curl command that does the same, secrets left out'
complete -c ordersync -n "__fish_ordersync_using_subcommand profiles; and __fish_seen_subcommand_from use" -l no-input -d 'Never prompt: what is missing is an error'
complete -c ordersync -n "__fish_ordersync_using_subcommand profiles; and __fish_seen_subcommand_from use" -l accessible -d 'Nothing that moves: plain lines for progress, numbered questions, words in place of signs'
complete -c ordersync -n "__fish_ordersync_using_subcommand profiles; and __fish_seen_subcommand_from use" -s h -l help -d 'Print help'
complete -c ordersync -n "__fish_ordersync_using_subcommand profiles; and __fish_seen_subcommand_from add" -l client-id -d 'OAuth client to sign in with' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand profiles; and __fish_seen_subcommand_from add" -l client-secret-file -d 'File with that client\'s secret, private to you' -r -F
complete -c ordersync -n "__fish_ordersync_using_subcommand profiles; and __fish_seen_subcommand_from add" -l scopes -d 'Scopes to ask for, separated by spaces' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand profiles; and __fish_seen_subcommand_from add" -l profile -d 'Environment to work on: `local` (the service inside this command), or one of config.toml' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand profiles; and __fish_seen_subcommand_from add" -l base-url -d 'Address of the service, in place of the profile\'s' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand profiles; and __fish_seen_subcommand_from add" -s o -l output -d 'Form of the result: a table for people; JSON, JSON lines or CSV for programs' -r -f -a "table\t'For people'
json\t'One JSON document'
jsonl\t'A JSON document a line'
csv\t'Comma-separated values with a header'"
complete -c ordersync -n "__fish_ordersync_using_subcommand profiles; and __fish_seen_subcommand_from add" -l fields -d 'Only these fields of the result; without a value: list the fields there are' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand profiles; and __fish_seen_subcommand_from add" -l jq -d 'Filter the result, as JSON, with a jq expression; texts are printed without quotes' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand profiles; and __fish_seen_subcommand_from add" -l color -d 'Colour; auto: where the output is a terminal' -r -f -a "auto\t'Where the output is a terminal'
always\t'Always'
never\t'Never'"
complete -c ordersync -n "__fish_ordersync_using_subcommand profiles; and __fish_seen_subcommand_from add" -l timeout -d 'Wait no longer than this in all: for the service, a rate limit, a sync (30s, 5m, 1h)' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand profiles; and __fish_seen_subcommand_from add" -l use -d 'Work on it from now on'
complete -c ordersync -n "__fish_ordersync_using_subcommand profiles; and __fish_seen_subcommand_from add" -s q -l quiet -d 'Say nothing but results and errors'
complete -c ordersync -n "__fish_ordersync_using_subcommand profiles; and __fish_seen_subcommand_from add" -s v -l verbose -d 'Say each request; twice: each HTTP exchange, secrets left out'
complete -c ordersync -n "__fish_ordersync_using_subcommand profiles; and __fish_seen_subcommand_from add" -l curl -d 'Say each request as the curl command that does the same, secrets left out'
complete -c ordersync -n "__fish_ordersync_using_subcommand profiles; and __fish_seen_subcommand_from add" -l no-input -d 'Never prompt: what is missing is an error'
complete -c ordersync -n "__fish_ordersync_using_subcommand profiles; and __fish_seen_subcommand_from add" -l accessible -d 'Nothing that moves: plain lines for progress, numbered questions, words in place of signs'
complete -c ordersync -n "__fish_ordersync_using_subcommand profiles; and __fish_seen_subcommand_from add" -s h -l help -d 'Print help'
complete -c ordersync -n "__fish_ordersync_using_subcommand profiles; and __fish_seen_subcommand_from remove" -l profile -d 'Environment to work on: `local` (the service inside this command), or one of config.toml' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand profiles; and __fish_seen_subcommand_from remove" -l base-url -d 'Address of the service, in place of the profile\'s' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand profiles; and __fish_seen_subcommand_from remove" -s o -l output -d 'Form of the result: a table for people; JSON, JSON lines or CSV for programs' -r -f -a "table\t'For people'
json\t'One JSON document'
jsonl\t'A JSON document a line'
csv\t'Comma-separated values with a header'"
complete -c ordersync -n "__fish_ordersync_using_subcommand profiles; and __fish_seen_subcommand_from remove" -l fields -d 'Only these fields of the result; without a value: list the fields there are' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand profiles; and __fish_seen_subcommand_from remove" -l jq -d 'Filter the result, as JSON, with a jq expression; texts are printed without quotes' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand profiles; and __fish_seen_subcommand_from remove" -l color -d 'Colour; auto: where the output is a terminal' -r -f -a "auto\t'Where the output is a terminal'
always\t'Always'
never\t'Never'"
complete -c ordersync -n "__fish_ordersync_using_subcommand profiles; and __fish_seen_subcommand_from remove" -l timeout -d 'Wait no longer than this in all: for the service, a rate limit, a sync (30s, 5m, 1h)' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand profiles; and __fish_seen_subcommand_from remove" -s q -l quiet -d 'Say nothing but results and errors'
complete -c ordersync -n "__fish_ordersync_using_subcommand profiles; and __fish_seen_subcommand_from remove" -s v -l verbose -d 'Say each request; twice: each HTTP exchange, secrets left out'
complete -c ordersync -n "__fish_ordersync_using_subcommand profiles; and __fish_seen_subcommand_from remove" -l curl -d 'Say each request as the curl command that does the same, secrets left out'
complete -c ordersync -n "__fish_ordersync_using_subcommand profiles; and __fish_seen_subcommand_from remove" -l no-input -d 'Never prompt: what is missing is an error'
complete -c ordersync -n "__fish_ordersync_using_subcommand profiles; and __fish_seen_subcommand_from remove" -l accessible -d 'Nothing that moves: plain lines for progress, numbered questions, words in place of signs'
complete -c ordersync -n "__fish_ordersync_using_subcommand profiles; and __fish_seen_subcommand_from remove" -s h -l help -d 'Print help'
complete -c ordersync -n "__fish_ordersync_using_subcommand config; and not __fish_seen_subcommand_from get set unset list path" -l profile -d 'Environment to work on: `local` (the service inside this command), or one of config.toml' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand config; and not __fish_seen_subcommand_from get set unset list path" -l base-url -d 'Address of the service, in place of the profile\'s' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand config; and not __fish_seen_subcommand_from get set unset list path" -s o -l output -d 'Form of the result: a table for people; JSON, JSON lines or CSV for programs' -r -f -a "table\t'For people'
json\t'One JSON document'
jsonl\t'A JSON document a line'
csv\t'Comma-separated values with a header'"
complete -c ordersync -n "__fish_ordersync_using_subcommand config; and not __fish_seen_subcommand_from get set unset list path" -l fields -d 'Only these fields of the result; without a value: list the fields there are' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand config; and not __fish_seen_subcommand_from get set unset list path" -l jq -d 'Filter the result, as JSON, with a jq expression; texts are printed without quotes' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand config; and not __fish_seen_subcommand_from get set unset list path" -l color -d 'Colour; auto: where the output is a terminal' -r -f -a "auto\t'Where the output is a terminal'
always\t'Always'
never\t'Never'"
complete -c ordersync -n "__fish_ordersync_using_subcommand config; and not __fish_seen_subcommand_from get set unset list path" -l timeout -d 'Wait no longer than this in all: for the service, a rate limit, a sync (30s, 5m, 1h)' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand config; and not __fish_seen_subcommand_from get set unset list path" -s q -l quiet -d 'Say nothing but results and errors'
complete -c ordersync -n "__fish_ordersync_using_subcommand config; and not __fish_seen_subcommand_from get set unset list path" -s v -l verbose -d 'Say each request; twice: each HTTP exchange, secrets left out'
complete -c ordersync -n "__fish_ordersync_using_subcommand config; and not __fish_seen_subcommand_from get set unset list path" -l curl -d 'Say each request as the curl command that does the same, secrets left out'
complete -c ordersync -n "__fish_ordersync_using_subcommand config; and not __fish_seen_subcommand_from get set unset list path" -l no-input -d 'Never prompt: what is missing is an error'
complete -c ordersync -n "__fish_ordersync_using_subcommand config; and not __fish_seen_subcommand_from get set unset list path" -l accessible -d 'Nothing that moves: plain lines for progress, numbered questions, words in place of signs'
complete -c ordersync -n "__fish_ordersync_using_subcommand config; and not __fish_seen_subcommand_from get set unset list path" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c ordersync -n "__fish_ordersync_using_subcommand config; and not __fish_seen_subcommand_from get set unset list path" -f -a "get" -d 'Print a setting\'s value'
complete -c ordersync -n "__fish_ordersync_using_subcommand config; and not __fish_seen_subcommand_from get set unset list path" -f -a "set" -d 'Write a setting into config.toml, for the profile that is worked on'
complete -c ordersync -n "__fish_ordersync_using_subcommand config; and not __fish_seen_subcommand_from get set unset list path" -f -a "unset" -d 'Remove a setting from config.toml'
complete -c ordersync -n "__fish_ordersync_using_subcommand config; and not __fish_seen_subcommand_from get set unset list path" -f -a "list" -d 'List every setting with its value and where that came from'
complete -c ordersync -n "__fish_ordersync_using_subcommand config; and not __fish_seen_subcommand_from get set unset list path" -f -a "path" -d 'Print where config.toml is'
complete -c ordersync -n "__fish_ordersync_using_subcommand config; and __fish_seen_subcommand_from get" -l profile -d 'Environment to work on: `local` (the service inside this command), or one of config.toml' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand config; and __fish_seen_subcommand_from get" -l base-url -d 'Address of the service, in place of the profile\'s' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand config; and __fish_seen_subcommand_from get" -s o -l output -d 'Form of the result: a table for people; JSON, JSON lines or CSV for programs' -r -f -a "table\t'For people'
json\t'One JSON document'
jsonl\t'A JSON document a line'
csv\t'Comma-separated values with a header'"
complete -c ordersync -n "__fish_ordersync_using_subcommand config; and __fish_seen_subcommand_from get" -l fields -d 'Only these fields of the result; without a value: list the fields there are' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand config; and __fish_seen_subcommand_from get" -l jq -d 'Filter the result, as JSON, with a jq expression; texts are printed without quotes' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand config; and __fish_seen_subcommand_from get" -l color -d 'Colour; auto: where the output is a terminal' -r -f -a "auto\t'Where the output is a terminal'
always\t'Always'
never\t'Never'"
complete -c ordersync -n "__fish_ordersync_using_subcommand config; and __fish_seen_subcommand_from get" -l timeout -d 'Wait no longer than this in all: for the service, a rate limit, a sync (30s, 5m, 1h)' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand config; and __fish_seen_subcommand_from get" -s q -l quiet -d 'Say nothing but results and errors'
complete -c ordersync -n "__fish_ordersync_using_subcommand config; and __fish_seen_subcommand_from get" -s v -l verbose -d 'Say each request; twice: each HTTP exchange, secrets left out'
complete -c ordersync -n "__fish_ordersync_using_subcommand config; and __fish_seen_subcommand_from get" -l curl -d 'Say each request as the curl command that does the same, secrets left out'
complete -c ordersync -n "__fish_ordersync_using_subcommand config; and __fish_seen_subcommand_from get" -l no-input -d 'Never prompt: what is missing is an error'
complete -c ordersync -n "__fish_ordersync_using_subcommand config; and __fish_seen_subcommand_from get" -l accessible -d 'Nothing that moves: plain lines for progress, numbered questions, words in place of signs'
complete -c ordersync -n "__fish_ordersync_using_subcommand config; and __fish_seen_subcommand_from get" -s h -l help -d 'Print help'
complete -c ordersync -n "__fish_ordersync_using_subcommand config; and __fish_seen_subcommand_from set" -l profile -d 'Environment to work on: `local` (the service inside this command), or one of config.toml' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand config; and __fish_seen_subcommand_from set" -l base-url -d 'Address of the service, in place of the profile\'s' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand config; and __fish_seen_subcommand_from set" -s o -l output -d 'Form of the result: a table for people; JSON, JSON lines or CSV for programs' -r -f -a "table\t'For people'
json\t'One JSON document'
jsonl\t'A JSON document a line'
csv\t'Comma-separated values with a header'"
complete -c ordersync -n "__fish_ordersync_using_subcommand config; and __fish_seen_subcommand_from set" -l fields -d 'Only these fields of the result; without a value: list the fields there are' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand config; and __fish_seen_subcommand_from set" -l jq -d 'Filter the result, as JSON, with a jq expression; texts are printed without quotes' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand config; and __fish_seen_subcommand_from set" -l color -d 'Colour; auto: where the output is a terminal' -r -f -a "auto\t'Where the output is a terminal'
always\t'Always'
never\t'Never'"
complete -c ordersync -n "__fish_ordersync_using_subcommand config; and __fish_seen_subcommand_from set" -l timeout -d 'Wait no longer than this in all: for the service, a rate limit, a sync (30s, 5m, 1h)' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand config; and __fish_seen_subcommand_from set" -s q -l quiet -d 'Say nothing but results and errors'
complete -c ordersync -n "__fish_ordersync_using_subcommand config; and __fish_seen_subcommand_from set" -s v -l verbose -d 'Say each request; twice: each HTTP exchange, secrets left out'
complete -c ordersync -n "__fish_ordersync_using_subcommand config; and __fish_seen_subcommand_from set" -l curl -d 'Say each request as the curl command that does the same, secrets left out'
complete -c ordersync -n "__fish_ordersync_using_subcommand config; and __fish_seen_subcommand_from set" -l no-input -d 'Never prompt: what is missing is an error'
complete -c ordersync -n "__fish_ordersync_using_subcommand config; and __fish_seen_subcommand_from set" -l accessible -d 'Nothing that moves: plain lines for progress, numbered questions, words in place of signs'
complete -c ordersync -n "__fish_ordersync_using_subcommand config; and __fish_seen_subcommand_from set" -s h -l help -d 'Print help'
complete -c ordersync -n "__fish_ordersync_using_subcommand config; and __fish_seen_subcommand_from unset" -l profile -d 'Environment to work on: `local` (the service inside this command), or one of config.toml' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand config; and __fish_seen_subcommand_from unset" -l base-url -d 'Address of the service, in place of the profile\'s' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand config; and __fish_seen_subcommand_from unset" -s o -l output -d 'Form of the result: a table for people; JSON, JSON lines or CSV for programs' -r -f -a "table\t'For people'
json\t'One JSON document'
jsonl\t'A JSON document a line'
csv\t'Comma-separated values with a header'"
complete -c ordersync -n "__fish_ordersync_using_subcommand config; and __fish_seen_subcommand_from unset" -l fields -d 'Only these fields of the result; without a value: list the fields there are' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand config; and __fish_seen_subcommand_from unset" -l jq -d 'Filter the result, as JSON, with a jq expression; texts are printed without quotes' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand config; and __fish_seen_subcommand_from unset" -l color -d 'Colour; auto: where the output is a terminal' -r -f -a "auto\t'Where the output is a terminal'
always\t'Always'
never\t'Never'"
complete -c ordersync -n "__fish_ordersync_using_subcommand config; and __fish_seen_subcommand_from unset" -l timeout -d 'Wait no longer than this in all: for the service, a rate limit, a sync (30s, 5m, 1h)' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand config; and __fish_seen_subcommand_from unset" -s q -l quiet -d 'Say nothing but results and errors'
complete -c ordersync -n "__fish_ordersync_using_subcommand config; and __fish_seen_subcommand_from unset" -s v -l verbose -d 'Say each request; twice: each HTTP exchange, secrets left out'
complete -c ordersync -n "__fish_ordersync_using_subcommand config; and __fish_seen_subcommand_from unset" -l curl -d 'Say each request as the curl command that does the same, secrets left out'
complete -c ordersync -n "__fish_ordersync_using_subcommand config; and __fish_seen_subcommand_from unset" -l no-input -d 'Never prompt: what is missing is an error'
complete -c ordersync -n "__fish_ordersync_using_subcommand config; and __fish_seen_subcommand_from unset" -l accessible -d 'Nothing that moves: plain lines for progress, numbered questions, words in place of signs'
complete -c ordersync -n "__fish_ordersync_using_subcommand config; and __fish_seen_subcommand_from unset" -s h -l help -d 'Print help'
complete -c ordersync -n "__fish_ordersync_using_subcommand config; and __fish_seen_subcommand_from list" -l profile -d 'Environment to work on: `local` (the service inside this command), or one of config.toml' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand config; and __fish_seen_subcommand_from list" -l base-url -d 'Address of the service, in place of the profile\'s' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand config; and __fish_seen_subcommand_from list" -s o -l output -d 'Form of the result: a table for people; JSON, JSON lines or CSV for programs' -r -f -a "table\t'For people'
json\t'One JSON document'
jsonl\t'A JSON document a line'
csv\t'Comma-separated values with a header'"
complete -c ordersync -n "__fish_ordersync_using_subcommand config; and __fish_seen_subcommand_from list" -l fields -d 'Only these fields of the result; without a value: list the fields there are' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand config; and __fish_seen_subcommand_from list" -l jq -d 'Filter the result, as JSON, with a jq expression; texts are printed without quotes' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand config; and __fish_seen_subcommand_from list" -l color -d 'Colour; auto: where the output is a terminal' -r -f -a "auto\t'Where the output is a terminal'
always\t'Always'
never\t'Never'"
complete -c ordersync -n "__fish_ordersync_using_subcommand config; and __fish_seen_subcommand_from list" -l timeout -d 'Wait no longer than this in all: for the service, a rate limit, a sync (30s, 5m, 1h)' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand config; and __fish_seen_subcommand_from list" -s q -l quiet -d 'Say nothing but results and errors'
complete -c ordersync -n "__fish_ordersync_using_subcommand config; and __fish_seen_subcommand_from list" -s v -l verbose -d 'Say each request; twice: each HTTP exchange, secrets left out'
complete -c ordersync -n "__fish_ordersync_using_subcommand config; and __fish_seen_subcommand_from list" -l curl -d 'Say each request as the curl command that does the same, secrets left out'
complete -c ordersync -n "__fish_ordersync_using_subcommand config; and __fish_seen_subcommand_from list" -l no-input -d 'Never prompt: what is missing is an error'
complete -c ordersync -n "__fish_ordersync_using_subcommand config; and __fish_seen_subcommand_from list" -l accessible -d 'Nothing that moves: plain lines for progress, numbered questions, words in place of signs'
complete -c ordersync -n "__fish_ordersync_using_subcommand config; and __fish_seen_subcommand_from list" -s h -l help -d 'Print help'
complete -c ordersync -n "__fish_ordersync_using_subcommand config; and __fish_seen_subcommand_from path" -l profile -d 'Environment to work on: `local` (the service inside this command), or one of config.toml' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand config; and __fish_seen_subcommand_from path" -l base-url -d 'Address of the service, in place of the profile\'s' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand config; and __fish_seen_subcommand_from path" -s o -l output -d 'Form of the result: a table for people; JSON, JSON lines or CSV for programs' -r -f -a "table\t'For people'
json\t'One JSON document'
jsonl\t'A JSON document a line'
csv\t'Comma-separated values with a header'"
complete -c ordersync -n "__fish_ordersync_using_subcommand config; and __fish_seen_subcommand_from path" -l fields -d 'Only these fields of the result; without a value: list the fields there are' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand config; and __fish_seen_subcommand_from path" -l jq -d 'Filter the result, as JSON, with a jq expression; texts are printed without quotes' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand config; and __fish_seen_subcommand_from path" -l color -d 'Colour; auto: where the output is a terminal' -r -f -a "auto\t'Where the output is a terminal'
always\t'Always'
never\t'Never'"
complete -c ordersync -n "__fish_ordersync_using_subcommand config; and __fish_seen_subcommand_from path" -l timeout -d 'Wait no longer than this in all: for the service, a rate limit, a sync (30s, 5m, 1h)' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand config; and __fish_seen_subcommand_from path" -s q -l quiet -d 'Say nothing but results and errors'
complete -c ordersync -n "__fish_ordersync_using_subcommand config; and __fish_seen_subcommand_from path" -s v -l verbose -d 'Say each request; twice: each HTTP exchange, secrets left out'
complete -c ordersync -n "__fish_ordersync_using_subcommand config; and __fish_seen_subcommand_from path" -l curl -d 'Say each request as the curl command that does the same, secrets left out'
complete -c ordersync -n "__fish_ordersync_using_subcommand config; and __fish_seen_subcommand_from path" -l no-input -d 'Never prompt: what is missing is an error'
complete -c ordersync -n "__fish_ordersync_using_subcommand config; and __fish_seen_subcommand_from path" -l accessible -d 'Nothing that moves: plain lines for progress, numbered questions, words in place of signs'
complete -c ordersync -n "__fish_ordersync_using_subcommand config; and __fish_seen_subcommand_from path" -s h -l help -d 'Print help'
complete -c ordersync -n "__fish_ordersync_using_subcommand serve" -l public-url -d 'Address under which others reach the service; without it, a sandbox names the one that it listens on' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand serve" -l tls-certificate -d 'Certificate chain (PEM): serves https' -r -F
complete -c ordersync -n "__fish_ordersync_using_subcommand serve" -l tls-key -d 'Private key of the certificate (PEM, mode 600)' -r -F
complete -c ordersync -n "__fish_ordersync_using_subcommand serve" -l otp-gateway -d 'Send one-time passwords by POST to this address, signed with ORDERSYNC_OTP_GATEWAY_SECRET' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand serve" -l listen -d 'Address to listen on; port 0: one of the system\'s choosing, which is then printed' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand serve" -l database -d 'SQLite file (a path, or sqlite:PATH); without it, serve.sqlite3 in your data folder' -r -F
complete -c ordersync -n "__fish_ordersync_using_subcommand serve" -l retailers -d 'The operator\'s own retailers' -r -F
complete -c ordersync -n "__fish_ordersync_using_subcommand serve" -l rate-limit -d 'Requests per client in any 60 seconds, or in any window of another length (100/6s), or `off`' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand serve" -l log -d 'Form of the log, on standard error' -r -f -a "json\t'A JSON object per line'
text\t'Text'"
complete -c ordersync -n "__fish_ordersync_using_subcommand serve" -l speed -d 'How many times faster than life the simulated retailers answer' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand serve" -l key-file -d 'File with the root key (32 bytes in base64, mode 600); in a sandbox, made beside the database where absent' -r -F
complete -c ordersync -n "__fish_ordersync_using_subcommand serve" -l profile -d 'Environment to work on: `local` (the service inside this command), or one of config.toml' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand serve" -l base-url -d 'Address of the service, in place of the profile\'s' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand serve" -s o -l output -d 'Form of the result: a table for people; JSON, JSON lines or CSV for programs' -r -f -a "table\t'For people'
json\t'One JSON document'
jsonl\t'A JSON document a line'
csv\t'Comma-separated values with a header'"
complete -c ordersync -n "__fish_ordersync_using_subcommand serve" -l fields -d 'Only these fields of the result; without a value: list the fields there are' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand serve" -l jq -d 'Filter the result, as JSON, with a jq expression; texts are printed without quotes' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand serve" -l color -d 'Colour; auto: where the output is a terminal' -r -f -a "auto\t'Where the output is a terminal'
always\t'Always'
never\t'Never'"
complete -c ordersync -n "__fish_ordersync_using_subcommand serve" -l timeout -d 'Wait no longer than this in all: for the service, a rate limit, a sync (30s, 5m, 1h)' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand serve" -l sandbox -d 'Simulated retailers and sandbox controls'
complete -c ordersync -n "__fish_ordersync_using_subcommand serve" -l behind-proxy -d 'A proxy in front ends TLS, and says in X-Forwarded-For who calls'
complete -c ordersync -n "__fish_ordersync_using_subcommand serve" -l otp-log -d 'Write one-time passwords to the log, for trying out: whoever reads the log can sign in as anybody'
complete -c ordersync -n "__fish_ordersync_using_subcommand serve" -s q -l quiet -d 'Say nothing but results and errors'
complete -c ordersync -n "__fish_ordersync_using_subcommand serve" -s v -l verbose -d 'Say each request; twice: each HTTP exchange, secrets left out'
complete -c ordersync -n "__fish_ordersync_using_subcommand serve" -l curl -d 'Say each request as the curl command that does the same, secrets left out'
complete -c ordersync -n "__fish_ordersync_using_subcommand serve" -l no-input -d 'Never prompt: what is missing is an error'
complete -c ordersync -n "__fish_ordersync_using_subcommand serve" -l accessible -d 'Nothing that moves: plain lines for progress, numbered questions, words in place of signs'
complete -c ordersync -n "__fish_ordersync_using_subcommand serve" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c ordersync -n "__fish_ordersync_using_subcommand admin; and not __fish_seen_subcommand_from clients" -l profile -d 'Environment to work on: `local` (the service inside this command), or one of config.toml' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand admin; and not __fish_seen_subcommand_from clients" -l base-url -d 'Address of the service, in place of the profile\'s' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand admin; and not __fish_seen_subcommand_from clients" -s o -l output -d 'Form of the result: a table for people; JSON, JSON lines or CSV for programs' -r -f -a "table\t'For people'
json\t'One JSON document'
jsonl\t'A JSON document a line'
csv\t'Comma-separated values with a header'"
complete -c ordersync -n "__fish_ordersync_using_subcommand admin; and not __fish_seen_subcommand_from clients" -l fields -d 'Only these fields of the result; without a value: list the fields there are' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand admin; and not __fish_seen_subcommand_from clients" -l jq -d 'Filter the result, as JSON, with a jq expression; texts are printed without quotes' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand admin; and not __fish_seen_subcommand_from clients" -l color -d 'Colour; auto: where the output is a terminal' -r -f -a "auto\t'Where the output is a terminal'
always\t'Always'
never\t'Never'"
complete -c ordersync -n "__fish_ordersync_using_subcommand admin; and not __fish_seen_subcommand_from clients" -l timeout -d 'Wait no longer than this in all: for the service, a rate limit, a sync (30s, 5m, 1h)' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand admin; and not __fish_seen_subcommand_from clients" -s q -l quiet -d 'Say nothing but results and errors'
complete -c ordersync -n "__fish_ordersync_using_subcommand admin; and not __fish_seen_subcommand_from clients" -s v -l verbose -d 'Say each request; twice: each HTTP exchange, secrets left out'
complete -c ordersync -n "__fish_ordersync_using_subcommand admin; and not __fish_seen_subcommand_from clients" -l curl -d 'Say each request as the curl command that does the same, secrets left out'
complete -c ordersync -n "__fish_ordersync_using_subcommand admin; and not __fish_seen_subcommand_from clients" -l no-input -d 'Never prompt: what is missing is an error'
complete -c ordersync -n "__fish_ordersync_using_subcommand admin; and not __fish_seen_subcommand_from clients" -l accessible -d 'Nothing that moves: plain lines for progress, numbered questions, words in place of signs'
complete -c ordersync -n "__fish_ordersync_using_subcommand admin; and not __fish_seen_subcommand_from clients" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c ordersync -n "__fish_ordersync_using_subcommand admin; and not __fish_seen_subcommand_from clients" -f -a "clients" -d 'Onboard clients, and set what they may do'
complete -c ordersync -n "__fish_ordersync_using_subcommand admin; and __fish_seen_subcommand_from clients" -l database -d 'The service\'s SQLite file (a path, or sqlite:PATH); without it, serve.sqlite3 in your data folder' -r -F
complete -c ordersync -n "__fish_ordersync_using_subcommand admin; and __fish_seen_subcommand_from clients" -l profile -d 'Environment to work on: `local` (the service inside this command), or one of config.toml' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand admin; and __fish_seen_subcommand_from clients" -l base-url -d 'Address of the service, in place of the profile\'s' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand admin; and __fish_seen_subcommand_from clients" -s o -l output -d 'Form of the result: a table for people; JSON, JSON lines or CSV for programs' -r -f -a "table\t'For people'
json\t'One JSON document'
jsonl\t'A JSON document a line'
csv\t'Comma-separated values with a header'"
complete -c ordersync -n "__fish_ordersync_using_subcommand admin; and __fish_seen_subcommand_from clients" -l fields -d 'Only these fields of the result; without a value: list the fields there are' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand admin; and __fish_seen_subcommand_from clients" -l jq -d 'Filter the result, as JSON, with a jq expression; texts are printed without quotes' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand admin; and __fish_seen_subcommand_from clients" -l color -d 'Colour; auto: where the output is a terminal' -r -f -a "auto\t'Where the output is a terminal'
always\t'Always'
never\t'Never'"
complete -c ordersync -n "__fish_ordersync_using_subcommand admin; and __fish_seen_subcommand_from clients" -l timeout -d 'Wait no longer than this in all: for the service, a rate limit, a sync (30s, 5m, 1h)' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand admin; and __fish_seen_subcommand_from clients" -s q -l quiet -d 'Say nothing but results and errors'
complete -c ordersync -n "__fish_ordersync_using_subcommand admin; and __fish_seen_subcommand_from clients" -s v -l verbose -d 'Say each request; twice: each HTTP exchange, secrets left out'
complete -c ordersync -n "__fish_ordersync_using_subcommand admin; and __fish_seen_subcommand_from clients" -l curl -d 'Say each request as the curl command that does the same, secrets left out'
complete -c ordersync -n "__fish_ordersync_using_subcommand admin; and __fish_seen_subcommand_from clients" -l no-input -d 'Never prompt: what is missing is an error'
complete -c ordersync -n "__fish_ordersync_using_subcommand admin; and __fish_seen_subcommand_from clients" -l accessible -d 'Nothing that moves: plain lines for progress, numbered questions, words in place of signs'
complete -c ordersync -n "__fish_ordersync_using_subcommand admin; and __fish_seen_subcommand_from clients" -s h -l help -d 'Print help'
complete -c ordersync -n "__fish_ordersync_using_subcommand admin; and __fish_seen_subcommand_from clients" -f -a "create" -d 'Make a client; its secret is shown this once'
complete -c ordersync -n "__fish_ordersync_using_subcommand admin; and __fish_seen_subcommand_from clients" -f -a "list" -d 'List the clients'
complete -c ordersync -n "__fish_ordersync_using_subcommand admin; and __fish_seen_subcommand_from clients" -f -a "rotate-secret" -d 'Give a client a new secret, shown this once; the one before is worth nothing from then on'
complete -c ordersync -n "__fish_ordersync_using_subcommand admin; and __fish_seen_subcommand_from clients" -f -a "disable" -d 'Disable a client, and end all that it was given'
complete -c ordersync -n "__fish_ordersync_using_subcommand sandbox; and not __fish_seen_subcommand_from token reset break clock" -l profile -d 'Environment to work on: `local` (the service inside this command), or one of config.toml' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand sandbox; and not __fish_seen_subcommand_from token reset break clock" -l base-url -d 'Address of the service, in place of the profile\'s' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand sandbox; and not __fish_seen_subcommand_from token reset break clock" -s o -l output -d 'Form of the result: a table for people; JSON, JSON lines or CSV for programs' -r -f -a "table\t'For people'
json\t'One JSON document'
jsonl\t'A JSON document a line'
csv\t'Comma-separated values with a header'"
complete -c ordersync -n "__fish_ordersync_using_subcommand sandbox; and not __fish_seen_subcommand_from token reset break clock" -l fields -d 'Only these fields of the result; without a value: list the fields there are' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand sandbox; and not __fish_seen_subcommand_from token reset break clock" -l jq -d 'Filter the result, as JSON, with a jq expression; texts are printed without quotes' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand sandbox; and not __fish_seen_subcommand_from token reset break clock" -l color -d 'Colour; auto: where the output is a terminal' -r -f -a "auto\t'Where the output is a terminal'
always\t'Always'
never\t'Never'"
complete -c ordersync -n "__fish_ordersync_using_subcommand sandbox; and not __fish_seen_subcommand_from token reset break clock" -l timeout -d 'Wait no longer than this in all: for the service, a rate limit, a sync (30s, 5m, 1h)' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand sandbox; and not __fish_seen_subcommand_from token reset break clock" -s q -l quiet -d 'Say nothing but results and errors'
complete -c ordersync -n "__fish_ordersync_using_subcommand sandbox; and not __fish_seen_subcommand_from token reset break clock" -s v -l verbose -d 'Say each request; twice: each HTTP exchange, secrets left out'
complete -c ordersync -n "__fish_ordersync_using_subcommand sandbox; and not __fish_seen_subcommand_from token reset break clock" -l curl -d 'Say each request as the curl command that does the same, secrets left out'
complete -c ordersync -n "__fish_ordersync_using_subcommand sandbox; and not __fish_seen_subcommand_from token reset break clock" -l no-input -d 'Never prompt: what is missing is an error'
complete -c ordersync -n "__fish_ordersync_using_subcommand sandbox; and not __fish_seen_subcommand_from token reset break clock" -l accessible -d 'Nothing that moves: plain lines for progress, numbered questions, words in place of signs'
complete -c ordersync -n "__fish_ordersync_using_subcommand sandbox; and not __fish_seen_subcommand_from token reset break clock" -s h -l help -d 'Print help'
complete -c ordersync -n "__fish_ordersync_using_subcommand sandbox; and not __fish_seen_subcommand_from token reset break clock" -f -a "token" -d 'Print an access token for one of the sandbox\'s users'
complete -c ordersync -n "__fish_ordersync_using_subcommand sandbox; and not __fish_seen_subcommand_from token reset break clock" -f -a "reset" -d 'Forget what a user has: connections, sessions, orders'
complete -c ordersync -n "__fish_ordersync_using_subcommand sandbox; and not __fish_seen_subcommand_from token reset break clock" -f -a "break" -d 'Make a connection invalid, as if the retailer had ended the sign-in'
complete -c ordersync -n "__fish_ordersync_using_subcommand sandbox; and not __fish_seen_subcommand_from token reset break clock" -f -a "clock" -d 'Move or stop the user\'s time'
complete -c ordersync -n "__fish_ordersync_using_subcommand sandbox; and __fish_seen_subcommand_from token" -l phone -d 'One of +15550100 to +15550199' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand sandbox; and __fish_seen_subcommand_from token" -l client-id -d 'Client that the token is for; the sandbox\'s own where none is given' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand sandbox; and __fish_seen_subcommand_from token" -l scopes -d 'Scopes, separated by spaces; all where none are given' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand sandbox; and __fish_seen_subcommand_from token" -l profile -d 'Environment to work on: `local` (the service inside this command), or one of config.toml' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand sandbox; and __fish_seen_subcommand_from token" -l base-url -d 'Address of the service, in place of the profile\'s' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand sandbox; and __fish_seen_subcommand_from token" -s o -l output -d 'Form of the result: a table for people; JSON, JSON lines or CSV for programs' -r -f -a "table\t'For people'
json\t'One JSON document'
jsonl\t'A JSON document a line'
csv\t'Comma-separated values with a header'"
complete -c ordersync -n "__fish_ordersync_using_subcommand sandbox; and __fish_seen_subcommand_from token" -l fields -d 'Only these fields of the result; without a value: list the fields there are' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand sandbox; and __fish_seen_subcommand_from token" -l jq -d 'Filter the result, as JSON, with a jq expression; texts are printed without quotes' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand sandbox; and __fish_seen_subcommand_from token" -l color -d 'Colour; auto: where the output is a terminal' -r -f -a "auto\t'Where the output is a terminal'
always\t'Always'
never\t'Never'"
complete -c ordersync -n "__fish_ordersync_using_subcommand sandbox; and __fish_seen_subcommand_from token" -l timeout -d 'Wait no longer than this in all: for the service, a rate limit, a sync (30s, 5m, 1h)' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand sandbox; and __fish_seen_subcommand_from token" -s q -l quiet -d 'Say nothing but results and errors'
complete -c ordersync -n "__fish_ordersync_using_subcommand sandbox; and __fish_seen_subcommand_from token" -s v -l verbose -d 'Say each request; twice: each HTTP exchange, secrets left out'
complete -c ordersync -n "__fish_ordersync_using_subcommand sandbox; and __fish_seen_subcommand_from token" -l curl -d 'Say each request as the curl command that does the same, secrets left out'
complete -c ordersync -n "__fish_ordersync_using_subcommand sandbox; and __fish_seen_subcommand_from token" -l no-input -d 'Never prompt: what is missing is an error'
complete -c ordersync -n "__fish_ordersync_using_subcommand sandbox; and __fish_seen_subcommand_from token" -l accessible -d 'Nothing that moves: plain lines for progress, numbered questions, words in place of signs'
complete -c ordersync -n "__fish_ordersync_using_subcommand sandbox; and __fish_seen_subcommand_from token" -s h -l help -d 'Print help'
complete -c ordersync -n "__fish_ordersync_using_subcommand sandbox; and __fish_seen_subcommand_from reset" -l profile -d 'Environment to work on: `local` (the service inside this command), or one of config.toml' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand sandbox; and __fish_seen_subcommand_from reset" -l base-url -d 'Address of the service, in place of the profile\'s' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand sandbox; and __fish_seen_subcommand_from reset" -s o -l output -d 'Form of the result: a table for people; JSON, JSON lines or CSV for programs' -r -f -a "table\t'For people'
json\t'One JSON document'
jsonl\t'A JSON document a line'
csv\t'Comma-separated values with a header'"
complete -c ordersync -n "__fish_ordersync_using_subcommand sandbox; and __fish_seen_subcommand_from reset" -l fields -d 'Only these fields of the result; without a value: list the fields there are' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand sandbox; and __fish_seen_subcommand_from reset" -l jq -d 'Filter the result, as JSON, with a jq expression; texts are printed without quotes' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand sandbox; and __fish_seen_subcommand_from reset" -l color -d 'Colour; auto: where the output is a terminal' -r -f -a "auto\t'Where the output is a terminal'
always\t'Always'
never\t'Never'"
complete -c ordersync -n "__fish_ordersync_using_subcommand sandbox; and __fish_seen_subcommand_from reset" -l timeout -d 'Wait no longer than this in all: for the service, a rate limit, a sync (30s, 5m, 1h)' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand sandbox; and __fish_seen_subcommand_from reset" -l all -d 'All users, not the token\'s alone'
complete -c ordersync -n "__fish_ordersync_using_subcommand sandbox; and __fish_seen_subcommand_from reset" -s q -l quiet -d 'Say nothing but results and errors'
complete -c ordersync -n "__fish_ordersync_using_subcommand sandbox; and __fish_seen_subcommand_from reset" -s v -l verbose -d 'Say each request; twice: each HTTP exchange, secrets left out'
complete -c ordersync -n "__fish_ordersync_using_subcommand sandbox; and __fish_seen_subcommand_from reset" -l curl -d 'Say each request as the curl command that does the same, secrets left out'
complete -c ordersync -n "__fish_ordersync_using_subcommand sandbox; and __fish_seen_subcommand_from reset" -l no-input -d 'Never prompt: what is missing is an error'
complete -c ordersync -n "__fish_ordersync_using_subcommand sandbox; and __fish_seen_subcommand_from reset" -l accessible -d 'Nothing that moves: plain lines for progress, numbered questions, words in place of signs'
complete -c ordersync -n "__fish_ordersync_using_subcommand sandbox; and __fish_seen_subcommand_from reset" -s h -l help -d 'Print help'
complete -c ordersync -n "__fish_ordersync_using_subcommand sandbox; and __fish_seen_subcommand_from break" -l profile -d 'Environment to work on: `local` (the service inside this command), or one of config.toml' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand sandbox; and __fish_seen_subcommand_from break" -l base-url -d 'Address of the service, in place of the profile\'s' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand sandbox; and __fish_seen_subcommand_from break" -s o -l output -d 'Form of the result: a table for people; JSON, JSON lines or CSV for programs' -r -f -a "table\t'For people'
json\t'One JSON document'
jsonl\t'A JSON document a line'
csv\t'Comma-separated values with a header'"
complete -c ordersync -n "__fish_ordersync_using_subcommand sandbox; and __fish_seen_subcommand_from break" -l fields -d 'Only these fields of the result; without a value: list the fields there are' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand sandbox; and __fish_seen_subcommand_from break" -l jq -d 'Filter the result, as JSON, with a jq expression; texts are printed without quotes' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand sandbox; and __fish_seen_subcommand_from break" -l color -d 'Colour; auto: where the output is a terminal' -r -f -a "auto\t'Where the output is a terminal'
always\t'Always'
never\t'Never'"
complete -c ordersync -n "__fish_ordersync_using_subcommand sandbox; and __fish_seen_subcommand_from break" -l timeout -d 'Wait no longer than this in all: for the service, a rate limit, a sync (30s, 5m, 1h)' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand sandbox; and __fish_seen_subcommand_from break" -s q -l quiet -d 'Say nothing but results and errors'
complete -c ordersync -n "__fish_ordersync_using_subcommand sandbox; and __fish_seen_subcommand_from break" -s v -l verbose -d 'Say each request; twice: each HTTP exchange, secrets left out'
complete -c ordersync -n "__fish_ordersync_using_subcommand sandbox; and __fish_seen_subcommand_from break" -l curl -d 'Say each request as the curl command that does the same, secrets left out'
complete -c ordersync -n "__fish_ordersync_using_subcommand sandbox; and __fish_seen_subcommand_from break" -l no-input -d 'Never prompt: what is missing is an error'
complete -c ordersync -n "__fish_ordersync_using_subcommand sandbox; and __fish_seen_subcommand_from break" -l accessible -d 'Nothing that moves: plain lines for progress, numbered questions, words in place of signs'
complete -c ordersync -n "__fish_ordersync_using_subcommand sandbox; and __fish_seen_subcommand_from break" -s h -l help -d 'Print help'
complete -c ordersync -n "__fish_ordersync_using_subcommand sandbox; and __fish_seen_subcommand_from clock" -l advance -d 'Move forward by this many seconds; returns once what falls due by then is done' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand sandbox; and __fish_seen_subcommand_from clock" -l profile -d 'Environment to work on: `local` (the service inside this command), or one of config.toml' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand sandbox; and __fish_seen_subcommand_from clock" -l base-url -d 'Address of the service, in place of the profile\'s' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand sandbox; and __fish_seen_subcommand_from clock" -s o -l output -d 'Form of the result: a table for people; JSON, JSON lines or CSV for programs' -r -f -a "table\t'For people'
json\t'One JSON document'
jsonl\t'A JSON document a line'
csv\t'Comma-separated values with a header'"
complete -c ordersync -n "__fish_ordersync_using_subcommand sandbox; and __fish_seen_subcommand_from clock" -l fields -d 'Only these fields of the result; without a value: list the fields there are' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand sandbox; and __fish_seen_subcommand_from clock" -l jq -d 'Filter the result, as JSON, with a jq expression; texts are printed without quotes' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand sandbox; and __fish_seen_subcommand_from clock" -l color -d 'Colour; auto: where the output is a terminal' -r -f -a "auto\t'Where the output is a terminal'
always\t'Always'
never\t'Never'"
complete -c ordersync -n "__fish_ordersync_using_subcommand sandbox; and __fish_seen_subcommand_from clock" -l timeout -d 'Wait no longer than this in all: for the service, a rate limit, a sync (30s, 5m, 1h)' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand sandbox; and __fish_seen_subcommand_from clock" -l freeze -d 'Stop it where it is'
complete -c ordersync -n "__fish_ordersync_using_subcommand sandbox; and __fish_seen_subcommand_from clock" -l unfreeze -d 'Let it run again'
complete -c ordersync -n "__fish_ordersync_using_subcommand sandbox; and __fish_seen_subcommand_from clock" -s q -l quiet -d 'Say nothing but results and errors'
complete -c ordersync -n "__fish_ordersync_using_subcommand sandbox; and __fish_seen_subcommand_from clock" -s v -l verbose -d 'Say each request; twice: each HTTP exchange, secrets left out'
complete -c ordersync -n "__fish_ordersync_using_subcommand sandbox; and __fish_seen_subcommand_from clock" -l curl -d 'Say each request as the curl command that does the same, secrets left out'
complete -c ordersync -n "__fish_ordersync_using_subcommand sandbox; and __fish_seen_subcommand_from clock" -l no-input -d 'Never prompt: what is missing is an error'
complete -c ordersync -n "__fish_ordersync_using_subcommand sandbox; and __fish_seen_subcommand_from clock" -l accessible -d 'Nothing that moves: plain lines for progress, numbered questions, words in place of signs'
complete -c ordersync -n "__fish_ordersync_using_subcommand sandbox; and __fish_seen_subcommand_from clock" -s h -l help -d 'Print help'
complete -c ordersync -n "__fish_ordersync_using_subcommand demo" -l out -d 'File to export to; where another file is there, that is left alone and the export goes beside it' -r -F
complete -c ordersync -n "__fish_ordersync_using_subcommand demo" -l profile -d 'Environment to work on: `local` (the service inside this command), or one of config.toml' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand demo" -l base-url -d 'Address of the service, in place of the profile\'s' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand demo" -s o -l output -d 'Form of the result: a table for people; JSON, JSON lines or CSV for programs' -r -f -a "table\t'For people'
json\t'One JSON document'
jsonl\t'A JSON document a line'
csv\t'Comma-separated values with a header'"
complete -c ordersync -n "__fish_ordersync_using_subcommand demo" -l fields -d 'Only these fields of the result; without a value: list the fields there are' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand demo" -l jq -d 'Filter the result, as JSON, with a jq expression; texts are printed without quotes' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand demo" -l color -d 'Colour; auto: where the output is a terminal' -r -f -a "auto\t'Where the output is a terminal'
always\t'Always'
never\t'Never'"
complete -c ordersync -n "__fish_ordersync_using_subcommand demo" -l timeout -d 'Wait no longer than this in all: for the service, a rate limit, a sync (30s, 5m, 1h)' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand demo" -s q -l quiet -d 'Say nothing but results and errors'
complete -c ordersync -n "__fish_ordersync_using_subcommand demo" -s v -l verbose -d 'Say each request; twice: each HTTP exchange, secrets left out'
complete -c ordersync -n "__fish_ordersync_using_subcommand demo" -l curl -d 'Say each request as the curl command that does the same, secrets left out'
complete -c ordersync -n "__fish_ordersync_using_subcommand demo" -l no-input -d 'Never prompt: what is missing is an error'
complete -c ordersync -n "__fish_ordersync_using_subcommand demo" -l accessible -d 'Nothing that moves: plain lines for progress, numbered questions, words in place of signs'
complete -c ordersync -n "__fish_ordersync_using_subcommand demo" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c ordersync -n "__fish_ordersync_using_subcommand doctor" -l profile -d 'Environment to work on: `local` (the service inside this command), or one of config.toml' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand doctor" -l base-url -d 'Address of the service, in place of the profile\'s' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand doctor" -s o -l output -d 'Form of the result: a table for people; JSON, JSON lines or CSV for programs' -r -f -a "table\t'For people'
json\t'One JSON document'
jsonl\t'A JSON document a line'
csv\t'Comma-separated values with a header'"
complete -c ordersync -n "__fish_ordersync_using_subcommand doctor" -l fields -d 'Only these fields of the result; without a value: list the fields there are' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand doctor" -l jq -d 'Filter the result, as JSON, with a jq expression; texts are printed without quotes' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand doctor" -l color -d 'Colour; auto: where the output is a terminal' -r -f -a "auto\t'Where the output is a terminal'
always\t'Always'
never\t'Never'"
complete -c ordersync -n "__fish_ordersync_using_subcommand doctor" -l timeout -d 'Wait no longer than this in all: for the service, a rate limit, a sync (30s, 5m, 1h)' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand doctor" -s q -l quiet -d 'Say nothing but results and errors'
complete -c ordersync -n "__fish_ordersync_using_subcommand doctor" -s v -l verbose -d 'Say each request; twice: each HTTP exchange, secrets left out'
complete -c ordersync -n "__fish_ordersync_using_subcommand doctor" -l curl -d 'Say each request as the curl command that does the same, secrets left out'
complete -c ordersync -n "__fish_ordersync_using_subcommand doctor" -l no-input -d 'Never prompt: what is missing is an error'
complete -c ordersync -n "__fish_ordersync_using_subcommand doctor" -l accessible -d 'Nothing that moves: plain lines for progress, numbered questions, words in place of signs'
complete -c ordersync -n "__fish_ordersync_using_subcommand doctor" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c ordersync -n "__fish_ordersync_using_subcommand smoke" -l junit -d 'Write the result as JUnit XML, too' -r -F
complete -c ordersync -n "__fish_ordersync_using_subcommand smoke" -l connect -d 'Connect this retailer, sync, export and read back; what is connected already is synced' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand smoke" -l credentials-file -d 'JSON object of the retailer\'s credential fields; the file must be private to you (chmod 600)' -r -F
complete -c ordersync -n "__fish_ordersync_using_subcommand smoke" -l mfa-option -d 'Method to choose where the retailer offers several (sms, email, …)' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand smoke" -l mfa-command -d 'Run this in a shell for each code; what it prints is the code' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand smoke" -l profile -d 'Environment to work on: `local` (the service inside this command), or one of config.toml' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand smoke" -l base-url -d 'Address of the service, in place of the profile\'s' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand smoke" -s o -l output -d 'Form of the result: a table for people; JSON, JSON lines or CSV for programs' -r -f -a "table\t'For people'
json\t'One JSON document'
jsonl\t'A JSON document a line'
csv\t'Comma-separated values with a header'"
complete -c ordersync -n "__fish_ordersync_using_subcommand smoke" -l fields -d 'Only these fields of the result; without a value: list the fields there are' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand smoke" -l jq -d 'Filter the result, as JSON, with a jq expression; texts are printed without quotes' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand smoke" -l color -d 'Colour; auto: where the output is a terminal' -r -f -a "auto\t'Where the output is a terminal'
always\t'Always'
never\t'Never'"
complete -c ordersync -n "__fish_ordersync_using_subcommand smoke" -l timeout -d 'Wait no longer than this in all: for the service, a rate limit, a sync (30s, 5m, 1h)' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand smoke" -l credentials-stdin -d 'Read that JSON object from standard input'
complete -c ordersync -n "__fish_ordersync_using_subcommand smoke" -s y -l yes -d 'Ask for no confirmation before anything is sent'
complete -c ordersync -n "__fish_ordersync_using_subcommand smoke" -l mfa-code-stdin -d 'Read the code from standard input, one line for each time it is asked for'
complete -c ordersync -n "__fish_ordersync_using_subcommand smoke" -s q -l quiet -d 'Say nothing but results and errors'
complete -c ordersync -n "__fish_ordersync_using_subcommand smoke" -s v -l verbose -d 'Say each request; twice: each HTTP exchange, secrets left out'
complete -c ordersync -n "__fish_ordersync_using_subcommand smoke" -l curl -d 'Say each request as the curl command that does the same, secrets left out'
complete -c ordersync -n "__fish_ordersync_using_subcommand smoke" -l no-input -d 'Never prompt: what is missing is an error'
complete -c ordersync -n "__fish_ordersync_using_subcommand smoke" -l accessible -d 'Nothing that moves: plain lines for progress, numbered questions, words in place of signs'
complete -c ordersync -n "__fish_ordersync_using_subcommand smoke" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c ordersync -n "__fish_ordersync_using_subcommand completions" -l profile -d 'Environment to work on: `local` (the service inside this command), or one of config.toml' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand completions" -l base-url -d 'Address of the service, in place of the profile\'s' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand completions" -s o -l output -d 'Form of the result: a table for people; JSON, JSON lines or CSV for programs' -r -f -a "table\t'For people'
json\t'One JSON document'
jsonl\t'A JSON document a line'
csv\t'Comma-separated values with a header'"
complete -c ordersync -n "__fish_ordersync_using_subcommand completions" -l fields -d 'Only these fields of the result; without a value: list the fields there are' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand completions" -l jq -d 'Filter the result, as JSON, with a jq expression; texts are printed without quotes' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand completions" -l color -d 'Colour; auto: where the output is a terminal' -r -f -a "auto\t'Where the output is a terminal'
always\t'Always'
never\t'Never'"
complete -c ordersync -n "__fish_ordersync_using_subcommand completions" -l timeout -d 'Wait no longer than this in all: for the service, a rate limit, a sync (30s, 5m, 1h)' -r
complete -c ordersync -n "__fish_ordersync_using_subcommand completions" -s q -l quiet -d 'Say nothing but results and errors'
complete -c ordersync -n "__fish_ordersync_using_subcommand completions" -s v -l verbose -d 'Say each request; twice: each HTTP exchange, secrets left out'
complete -c ordersync -n "__fish_ordersync_using_subcommand completions" -l curl -d 'Say each request as the curl command that does the same, secrets left out'
complete -c ordersync -n "__fish_ordersync_using_subcommand completions" -l no-input -d 'Never prompt: what is missing is an error'
complete -c ordersync -n "__fish_ordersync_using_subcommand completions" -l accessible -d 'Nothing that moves: plain lines for progress, numbered questions, words in place of signs'
complete -c ordersync -n "__fish_ordersync_using_subcommand completions" -s h -l help -d 'Print help'
