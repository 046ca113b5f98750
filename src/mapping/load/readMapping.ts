import { Effect, FileSystem, Path } from "effect"
import type { Diagnostic } from "../../diagnostic/Diagnostic.ts"
import type { Span } from "../../diagnostic/Span.ts"
import { didYouMean, suggest } from "../../diagnostic/suggest.ts"
import { withoutAbsent } from "../../objects.ts"
import { readTextFile } from "../../source/read/readTextFile.ts"
import { visitFields } from "../../visit/fields.ts"
import { addAcceptances } from "../assumptions/addAcceptances.ts"
import { spreadAssumptions } from "../assumptions/spreadAssumptions.ts"
import { check } from "../check/check.ts"
import { checkOverlay } from "../check/checkOverlay.ts"
import { gapsOf } from "../check/gapsOf.ts"
import { canonical } from "../language/canonical.ts"
import { checkNumbers } from "../language/checkNumbers.ts"
import { checkWritten } from "../language/checkWritten.ts"
import { readKey } from "../language/grammar/Kind.ts"
import { mappingKeys } from "../language/grammar/mappingGrammar.ts"
import { mappingEntriesOf, type SyntaxMap, without } from "../language/MappingSyntax.ts"
import { mergeOverlay } from "../language/mergeOverlay.ts"
import { parseYaml } from "../language/parseYaml.ts"
import { SyntaxReader } from "../language/SyntaxReader.ts"
import { sha256 } from "../planCache.ts"
import { addTables, expandFiles } from "../tables/expandTables.ts"
import type { LoadedMapping, MappingContext } from "./loadMapping.ts"

/** Reads the files of a mapping, merges them, and checks the result, whatever is cached. */
export const readMapping = Effect.fnUntraced(function*(
  file: string,
  shippedFolder: string,
  { accepted, by, given = new Map(), lists, tables = [] }: MappingContext
): Effect.fn.Return<LoadedMapping, never, FileSystem.FileSystem | Path.Path> {
  const fs = yield* FileSystem.FileSystem
  const paths = yield* Path.Path
  const texts = new Map<string, string>()
  const reader = new SyntaxReader()
  /** The names of functions that replace one of the mapping below. */
  const replacing = new Set<Span>()
  let withoutBase = false

  const locate = Effect.fnUntraced(function*(name: string, from: string) {
    const shipped = paths.join(shippedFolder, name, "mapping.yaml")
    if (/^[A-Za-z0-9_-]+$/u.test(name) && (yield* exists(fs, shipped))) return shipped
    const beside = paths.join(paths.dirname(from), name)
    return (yield* exists(fs, paths.join(beside, "mapping.yaml"))) ? paths.join(beside, "mapping.yaml") : beside
  })

  const load = (
    name: string,
    above: ReadonlyArray<string>,
    named: Span | undefined
  ): Effect.Effect<SyntaxMap | undefined, never, FileSystem.FileSystem | Path.Path> =>
    Effect.gen(function*() {
      const place: Span = named ?? { file: name, line: 1, column: 1, endColumn: 2 }
      if (above.includes(name)) {
        return reader.report("circular-extends", place, "this mapping extends itself", {
          label: [...above, name].map((one) => paths.basename(one)).join(" → ")
        })
      }
      const known = given.get(name)
      const text = known === undefined ? yield* readTextFile(name) : { _tag: "Text", text: known } as const
      if (text._tag === "Unreadable") {
        const shipped = yield* shippedNames(fs, shippedFolder)
        const near = suggest(paths.basename(name), shipped)
        return reader.report("unreadable-file", place, `the mapping file \`${name}\` cannot be read: ${text.why}`, {
          label: didYouMean(near),
          help: [
            named === undefined
              ? "give a mapping file, the name of a shipped mapping, or  --facility FOLDER  for the mapping of a facility"
              : "check the name; the search covers the shipped mappings, then the folder of the file that names it",
            ...(shipped.length === 0 ? [] : [`shipped mappings: ${shipped.join(", ")}`])
          ]
        })
      }
      texts.set(name, text.text)
      const { syntax, problems } = parseYaml(name, text.text)
      reader.problems.push(...problems)
      if (syntax === undefined || syntax.kind !== "map") {
        return syntax === undefined
          ? undefined
          : reader.report("invalid-value", syntax.span, "a mapping must be a map of names and values")
      }
      checkNumbers(reader, syntax)
      checkWritten(reader, syntax)
      const bases = readKey(reader, mappingKeys, "extends", syntax) ?? []
      let below: SyntaxMap | undefined
      for (const base of bases) {
        const loaded = yield* load(yield* locate(String(base.value), name), [...above, name], base.span)
        if (loaded === undefined) withoutBase = true
        else below = below === undefined ? loaded : mergeOverlay(below, loaded)
      }
      const own = yield* expandFiles(
        spreadAssumptions({
          ...syntax,
          entries: new Map([...syntax.entries].filter(([key]) => key !== "extends"))
        }),
        { reader, texts }
      )
      if (below === undefined) return own
      checkOverlay(reader, below, own)
      for (const [name, { key }] of mappingEntriesOf(own, "function")) {
        if (mappingEntriesOf(below, "function").has(name)) replacing.add(key)
      }
      return spreadAssumptions(mergeOverlay(below, own))
    })

  const written = yield* load(file, [], undefined)
  // If the base cannot be read, its concept maps are missing too, which is not an error of the tables.
  const syntax = written === undefined || withoutBase || gapsOf(written, visitFields) !== undefined
    ? written
    : yield* addAcceptances(yield* addTables(written, tables, { reader, texts }), accepted, { reader, texts })
  if (syntax === undefined || reader.hasErrors) {
    return { problems: inLineOrder(reader.problems), texts }
  }
  // Accepted assumptions change no visit, so they are not part of the hash.
  const hash = sha256(canonical(without(syntax, "accept")))
  const own = (name: string): boolean => name === file || !name.startsWith(paths.join(shippedFolder, "/"))
  const { checked, problems } = check(syntax, {
    hash,
    visitFields,
    own,
    replaces: (key) => replacing.has(key),
    ...withoutAbsent({ by, lists })
  })
  return {
    problems: inLineOrder([...reader.problems, ...problems]),
    texts,
    syntax,
    ...(checked === undefined ? {} : { checked })
  }
})

const shippedNames = Effect.fnUntraced(function*(fs: FileSystem.FileSystem, folder: string) {
  const names = yield* fs.readDirectory(folder).pipe(Effect.orElseSucceed((): ReadonlyArray<string> => []))
  return yield* Effect.filter(names.toSorted(), (name) => exists(fs, `${folder}/${name}/mapping.yaml`))
})

const exists = (fs: FileSystem.FileSystem, file: string) => fs.exists(file).pipe(Effect.orElseSucceed(() => false))

/** Sorts problems in reading order: files in order of first appearance, and each file from top to bottom. */
const inLineOrder = (problems: ReadonlyArray<Diagnostic>): ReadonlyArray<Diagnostic> => {
  const files = [...new Set(problems.map(({ mapping }) => mapping?.file))]
  return problems.toSorted((one, other) =>
    files.indexOf(one.mapping?.file) - files.indexOf(other.mapping?.file) ||
    (one.mapping?.line ?? 0) - (other.mapping?.line ?? 0) ||
    (one.mapping?.column ?? 0) - (other.mapping?.column ?? 0)
  )
}
