import type { Span } from "../../../diagnostic/Span.ts"
import type { SyntaxEntry, SyntaxMap, SyntaxScalar } from "../MappingSyntax.ts"
import type { SyntaxReader } from "../SyntaxReader.ts"

export type JsonSchema = Readonly<Record<string, unknown>>

/** A schema that is declared once, under `$defs`. */
export const refer = (name: string): JsonSchema => ({ $ref: `#/$defs/${name}` })

/** What the value of a key can be: how it is read, and how editors and the reference describe it. */
export interface Kind<A> {
  /** What it is, for the reference: `true or false`. */
  readonly shown: string
  readonly schema: JsonSchema
  /** Reads the value; reports why it cannot. `what` names it in messages. */
  readonly read: (reader: SyntaxReader, entry: SyntaxEntry, what: string) => A | undefined
  /** Returns a value as a file writes it, if it is not the value's own text. */
  // A method, so that a block can have keys of all kinds.
  write?(value: A): string
}

/** A key of a mapping or of a facility's settings. */
export interface Key<A> {
  readonly kind: Kind<A>
  /** What it means, in a sentence. */
  readonly doc: string
  /** The value without the key. */
  readonly default?: A | null
  /** What applies without the key, if that is not one value. */
  readonly otherwise?: string
  /** A line that shows it. */
  readonly example?: string
  /** `merged`: an overlay may leave it to the mapping below. */
  readonly required?: "always" | "merged"
  /** For a key of a component with branches: whether a branch may have it, too. If not stated, branches inherit it. */
  readonly inBranch?: "own" | "never"
  /** Reports what is wrong with a value of the kind. */
  // A method, as `write` is.
  check?(value: A, reader: SyntaxReader, entry: SyntaxEntry): void
}

/** The keys that are allowed under one key of a file. Readers, editors, and the reference use this declaration. */
export type Keys = Readonly<Record<string, Key<unknown>>>

/** The values of such keys; `undefined` if the key is absent or wrong, and has no default. */
export type Values<K extends Keys> = {
  readonly [Name in keyof K]: K[Name] extends { readonly kind: Kind<infer A> }
    ? K[Name] extends { readonly default: infer D } ? A | (D extends null ? null : never) : A | undefined
    : never
}

/** Declares keys, with the kind of each known to the compiler. */
export const declareKeys = <const K extends Keys>(keys: K): K => keys

/** Returns the names of keys, in the order of their declaration. */
export const keysOf = <K extends Keys>(keys: K): ReadonlyArray<keyof K & string> => Object.keys(keys)

/** What messages call keys, if it is not their own name. */
type Called<K extends Keys> = Partial<Record<keyof K, string>>

/**
 * Reads every key, and reports every value that is wrong. Without a map, each key has its default. The cast is for the keys:
 * `Object.fromEntries` does not know them.
 */
export const readValues = <K extends Keys>(
  reader: SyntaxReader,
  keys: K,
  map: SyntaxMap | undefined,
  called: Called<K> = {}
): Values<K> =>
  // Each key of the grammar gets a value of its kind, or its default.
  Object.fromEntries(
    Object.entries(keys).map((
      [name, key]
    ) => [name, readOne(reader, key, map?.entries.get(name), called[name] ?? `\`${name}\``)])
  ) as Values<K>

/** Reads one key, as {@link readValues} does. */
export const readKey = <K extends Keys, Name extends keyof K & string>(
  reader: SyntaxReader,
  keys: K,
  name: Name,
  map: SyntaxMap | undefined,
  called = `\`${name}\``
): Values<K>[Name] =>
  // `name` is one of the keys, and its kind gives its value. The index signature of `Keys` hides both.
  readOne(reader, keys[name]!, map?.entries.get(name), called) as Values<K>[Name]

const readOne = (reader: SyntaxReader, key: Key<unknown>, entry: SyntaxEntry | undefined, called: string): unknown => {
  if (entry === undefined) return key.default
  const value = key.kind.read(reader, entry, called)
  if (value === undefined) return key.default
  key.check?.(value, reader, entry)
  return value
}

/** Returns the map that a short form means: `cm` is `{to: cm}`. */
export const asKey = (name: string, entry: SyntaxEntry): SyntaxMap => ({
  kind: "map",
  span: entry.value.span,
  entries: new Map([[name, entry]])
})

/** A value with its source location. */
export interface Placed<A> {
  readonly value: A
  readonly span: Span
}

/** The same, with its source location. */
export const placed = <A>({ read, schema, shown }: Kind<A>): Kind<Placed<A>> => ({
  shown,
  schema,
  read: (reader, entry, what) => {
    const value = read(reader, entry, what)
    return value === undefined ? undefined : { value, span: entry.value.span }
  }
})

export const anyText: Kind<string> = {
  shown: "a text",
  schema: { type: "string" },
  read: (reader, entry, what) => reader.text(entry, what)
}

/** A text, or several, each with its source location. */
export const severalTexts = (shown: string): Kind<ReadonlyArray<SyntaxScalar>> => ({
  shown,
  schema: { oneOf: [{ type: "string" }, { type: "array", items: { type: "string" } }] },
  read: (reader, { value }, what) => reader.texts(value, what)
})

export const trueOrFalse: Kind<boolean> = {
  shown: "`true` or `false`",
  schema: { type: "boolean" },
  read: (reader, entry, what) => reader.boolean(entry, what)
}

/** A remark for readers of the file. The program does not read it. */
export const description = {
  kind: { shown: "a text", schema: { type: "string" }, read: () => undefined } satisfies Kind<undefined>,
  doc: "For readers of the file. The program does nothing with it."
} as const

/** One of some words. */
export const oneWord = <const Word extends string>(words: ReadonlyArray<Word>): Kind<Word> => ({
  shown: words.length > 12 ? "a word" : words.map((word) => `\`${word}\``).join(", "),
  schema: { enum: words },
  read: (reader, entry, what) => reader.oneOf(entry, what, words)
})

/** A whole number within limits. */
export const intBetween = (least: number, most: number, of = ""): Kind<number> => ({
  shown: `${least} to ${most}`,
  schema: { type: "integer", minimum: least, maximum: most },
  read: (reader, { value }, what) => {
    const given = value.kind === "scalar" ? value.value : undefined
    if (typeof given === "number" && Number.isInteger(given) && given >= least && given <= most) return given
    return reader.report("invalid-value", value.span, `${what} must be a number${of} from ${least} to ${most}`)
  }
})

/** A number; `of`: what it counts or measures, for the message. */
export const someNumber = (of: string): Kind<number> => ({
  shown: "a number",
  schema: { type: "number" },
  read: (reader, { value }, what) =>
    value.kind === "scalar" && typeof value.value === "number"
      ? value.value
      : reader.report("invalid-value", value.span, `${what} must be a number${of}`)
})

/** The same, or `null`, which is like no key. */
export const orNothing = <A>(kind: Kind<A>): Kind<A> => ({
  ...kind,
  read: (reader, entry, what) =>
    entry.value.kind === "scalar" && entry.value.value === null ? undefined : kind.read(reader, entry, what)
})

/** A map of declared keys, of which `null` removes any. */
export const block = <K extends Keys>(shown: string, keys: K): Kind<Values<K>> => ({
  shown,
  schema: schemaOf(keys),
  read: (reader, { value }, what) => {
    const map = reader.names(value, what, keysOf(keys))
    return map === undefined ? undefined : readValues(reader, keys, map)
  }
})

/** A value that the check reads itself, because its meaning depends on more than the value. */
export const written = (shown: string, schema: JsonSchema): Kind<SyntaxEntry> => ({
  shown,
  schema,
  read: (_, entry) => entry
})

/** A map of names that the mapping or the facility chooses. */
export const mapByName = (shown: string, value: JsonSchema, more: JsonSchema = {}): Kind<SyntaxEntry> =>
  written(shown, { type: "object", additionalProperties: value, ...more })

/** Returns the schema of each declared key, with its meaning. */
export const propertiesOf = (keys: Keys): Readonly<Record<string, JsonSchema>> =>
  Object.fromEntries(
    Object.entries(keys).map(([name, key]) => {
      const preset = defaultOf(key)
      const description = `${key.doc}${preset === undefined ? "" : ` (default: ${preset})`}`
      return [name, { ...key.kind.schema, description }]
    })
  )

/** Returns the schema of a map that allows only these keys. */
export const schemaOf = (keys: Keys, more: JsonSchema = {}): JsonSchema => {
  const required = Object.entries(keys).flatMap(([name, key]) => (key.required === "always" ? [name] : []))
  return {
    type: "object",
    properties: propertiesOf(keys),
    additionalProperties: false,
    ...(required.length === 0 ? {} : { required }),
    ...more
  }
}

/** Returns what applies without a key, as the reference writes it. */
export const defaultOf = (key: Pick<Key<unknown>, "kind" | "default" | "otherwise">): string | undefined =>
  key.otherwise ?? (key.default === undefined ? undefined : key.kind.write?.(key.default) ?? String(key.default))
