import { Command } from "effect/cli"
import { at } from "../at.ts"

/** A command in a list: `summary` is its line there, `load` its file, and `alias` another name. */
export const entry = <Name extends string, Input, Context, E, R>(
  summary: string,
  load: (words: ReadonlyArray<string>) => Promise<Command.Command<Name, Input, Context, E, R>>,
  alias?: string
) => {
  const described = <N extends string, I, C, F, S>(command: Command.Command<N, I, C, F, S>) => {
    const one = command.pipe(Command.withShortDescription(summary))
    return alias === undefined ? one : one.pipe(Command.withAlias(alias))
  }
  return {
    names: (name: string) => alias === undefined ? [name] : [name, alias],
    listed: (name: string) => described(Command.make(name)),
    load: async (words: ReadonlyArray<string>) => described(await load(words))
  }
}

interface Entry<Loaded, Listed> {
  readonly names: (name: string) => ReadonlyArray<string>
  readonly listed: (name: string) => Listed
  readonly load: (words: ReadonlyArray<string>) => Promise<Loaded>
}

/**
 * Returns the commands of a list. It loads only those among the words, because loading all takes longer than reading a small input. The
 * list needs only their names. Completions need the flags of all.
 */
export const namedCommands = async <Entries extends Readonly<Record<string, Entry<unknown, unknown>>>>(
  entries: Entries,
  words: ReadonlyArray<string>
) => {
  type One = Entries[keyof Entries]
  type Loaded = Awaited<ReturnType<One["load"]>> | ReturnType<One["listed"]>
  const needsAll = words.some((word) => word === "--completions" || word.startsWith("--completions="))
  const all = await Promise.all(
    Object.entries(entries).map(async ([name, { listed, load, names }]) =>
      // `Object.entries` gives the type that all entries have in common; these are of one list.
      (needsAll || names(name).some((one) => words.includes(one)) ? await load(words) : listed(name)) as Loaded
    )
  )
  return [at(all, 0), ...all.slice(1)] as const
}
