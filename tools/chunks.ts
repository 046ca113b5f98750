import { resolve } from "node:path"

/** What the name of a chunk is chosen by: rolldown's information about modules. */
interface ChunkContext {
  readonly getModuleInfo: (id: string) => { readonly importedIds: ReadonlyArray<string> } | null
}

/**
 * Puts the modules that a conversion loads into few chunks, because Node resolves and reads each chunk. Rolldown divides modules by the
 * commands that share them, into more than a hundred chunks. A module here imports none of a later chunk, so that a command loads no chunk
 * of which it needs nothing. Modules with a top-level `await` stay outside: a chunk never ends if it awaits a chunk that imports it.
 */
export const chunkNames = () => {
  let names: ReadonlyMap<string, string> | undefined
  return (id: string, context: ChunkContext): string | null => {
    names ??= namesOf(context)
    return names.get(id) ?? null
  }
}

const main = "src/main.ts"
const start = "src/start.ts"
const worker = "src/run/workers/serveTasks.ts"
const explain = "src/cli/commands/explain/explain.ts"
const check = "src/cli/commands/mapping/check.ts"

const namesOf = (context: ChunkContext): ReadonlyMap<string, string> => {
  /** Returns the modules that these import, directly or not, with themselves. */
  const closure = (...files: ReadonlyArray<string>): ReadonlySet<string> => {
    const found = new Set<string>()
    const add = (id: string): void => {
      if (found.has(id)) return
      found.add(id)
      context.getModuleInfo(id)?.importedIds.forEach(add)
    }
    files.map((file) => resolve(file)).forEach(add)
    return found
  }
  const ofStart = closure(start)
  const ofWorker = closure(worker)
  const ofSubmission = closure("src/cli/perform.ts", "src/cli/commands/submit.ts")
  const ofConversion = closure(
    "src/cli/perform.ts",
    "src/cli/commands/convert.ts",
    "src/run/convert.ts",
    "src/mapping/keptMapping.ts"
  )
  const names = new Map<string, string>()
  const put = (name: string, modules: ReadonlySet<string>): void => {
    for (const id of modules) if (!names.has(id)) names.set(id, name)
  }
  put("main", closure(main))
  put("base", ofStart.intersection(ofWorker))
  put("start", ofStart)
  // What every command needs, and the explanation of a problem nothing else.
  put("commands", closure("src/cli/perform.ts", explain))
  // The settings of a facility, which most commands read, and commands about mappings little else.
  put("facility", closure(check))
  put("common", ofConversion.intersection(ofSubmission))
  put("worker", ofWorker)
  put("convert", ofConversion)
  // What begins to work when it is imported stays outside.
  for (const file of [main, start, explain, check, worker]) names.delete(resolve(file))
  return names
}
