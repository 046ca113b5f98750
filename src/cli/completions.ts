import type { Completions } from "effect/cli"
import { problems } from "../diagnostic/Problem.ts"
import { referenceListTypes } from "../visit/Field.ts"

/**
 * Extends the library's Bash completion script. It also completes problem codes after `explain`, list names after `codes search`, and
 * file names if nothing else fits. Flags can be in between. Bash completes file names itself if a function finds nothing (`-o default`).
 */
export const bashCompletions = (command: Completions.CommandDescriptor, script: string): string => {
  const { name } = command
  const values = `_${name}_values`
  return script.replace(
    new RegExp(`^complete -F _${name} ${name}$`, "mu"),
    () =>
      `${values}()
{
  _${name} "$@"
  [[ \${#COMPREPLY[@]} -gt 0 || "$2" == -* || "$2" == */* ]] && return
  # The words that are neither flags nor values of flags.
  local _word _plain="" _is_value=""
  for _word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    if [[ "$_word" == "=" ]]; then
      _is_value=1
    elif [[ -n "$_is_value" ]]; then
      _is_value=""
    else
      case "$_word" in
        ${flagsWithValue(command).join("|")}) _is_value=1 ;;
        -*) ;;
        *) _plain+=" $_word" ;;
      esac
    fi
  done
  [[ -n "$_is_value" ]] && return
  case "$_plain" in
    " explain") COMPREPLY=( $(compgen -W '${Object.keys(problems).join(" ")}' -- "$2") ) ;;
    " codes search") COMPREPLY=( $(compgen -W '${referenceListTypes.join(" ")}' -- "$2") ) ;;
  esac
}

complete -o default -o bashdefault -F ${values} ${name}`
  )
}

/** The flags of all commands whose value is the next word. */
const flagsWithValue = (command: Completions.CommandDescriptor): ReadonlyArray<string> => {
  const found = new Set(["--log-level", "--completions"])
  const add = ({ flags, subcommands }: Completions.CommandDescriptor): void => {
    for (const { aliases, name, optionalValue, type } of flags) {
      if (type._tag === "Boolean" || optionalValue === true) continue
      for (const one of [name, ...aliases]) found.add(one.length === 1 ? `-${one}` : `--${one}`)
    }
    subcommands.forEach(add)
  }
  add(command)
  return [...found]
}
