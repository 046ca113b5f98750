import { problems } from "../diagnostic/Problem.ts"
import { referenceListTypes } from "../visit/Field.ts"

/**
 * Returns a Bash completion script that also completes what the library's does not: codes of problems after `explain`, names of lists after
 * `codes search`, and file names wherever nothing else fits. Bash takes file names itself if a function finds nothing (`-o default`).
 */
export const bashCompletions = (command: string, script: string): string => {
  const values = `_${command}_values`
  return script.replace(
    new RegExp(`^complete -F _${command} ${command}$`, "mu"),
    () =>
      `${values}()
{
  _${command} "$@"
  [[ \${#COMPREPLY[@]} -gt 0 || "$2" == -* || "$2" == */* ]] && return
  case " \${COMP_WORDS[*]:1:COMP_CWORD-1} " in
    " explain ") COMPREPLY=( $(compgen -W '${Object.keys(problems).join(" ")}' -- "$2") ) ;;
    " codes search ") COMPREPLY=( $(compgen -W '${referenceListTypes.join(" ")}' -- "$2") ) ;;
  esac
}

complete -o default -o bashdefault -F ${values} ${command}`
  )
}
