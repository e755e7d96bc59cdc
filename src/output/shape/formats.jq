# An end with an error: what it is given is the error's text.
def halt_error($exit_code): halt_said($exit_code);
def halt_error: halt_error(5);
# The formats of jq that the library leaves to its users.
def cells($name): if isarray then .[] else error("cannot be formatted as \($name): it is no array") end
  | if isarray or isobject then error("an array or object is no cell of \($name)") else . end;
def @csv: [cells("csv") | if isstring then "\"" + (split("\"") | join("\"\"")) + "\"" elif . == null then "" else tostring end]
  | join(",");
def @tsv: [cells("tsv") | if isstring then
      (split("\\") | join("\\\\")) | (split("\t") | join("\\t")) | (split("\n") | join("\\n")) | (split("\r") | join("\\r"))
    elif . == null then "" else tostring end] | join("\t");
