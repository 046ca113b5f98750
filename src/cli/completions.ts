import { problems } from "../diagnostic/Problem.ts"
import { referenceListTypes } from "../visit/Field.ts"

/**
 * Extends the library's Bash completion script. It also completes problem codes after `explain`, list names after `codes search`, and
 * file names if nothing else fits. Bash completes file names itself if a function finds nothing (`-o default`).
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
