import type { SyntaxEntry, SyntaxMap } from "../MappingSyntax.ts"
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
  // eslint-disable-next-line @typescript-eslint/method-signature-style
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

/** Reads every key, and reports every value that is wrong. Without a map, each key has its default. */
export const readValues = <K extends Keys>(reader: SyntaxReader, keys: K, map: SyntaxMap | undefined): Values<K> =>
  // Each key gets a value of its kind, its default, or `undefined`, as `Values` declares. `Object.fromEntries` does not know the keys.
  Object.fromEntries(
    Object.entries(keys).map(([name, { default: preset, kind }]) => {
      const entry = map?.entries.get(name)
      const value: unknown = entry === undefined ? undefined : kind.read(reader, entry, `\`${name}\``)
      return [name, value === undefined ? preset : value]
    })
  ) as Values<K>

export const anyText: Kind<string> = {
  shown: "a text",
  schema: { type: "string" },
  read: (reader, entry, what) => reader.text(entry, what)
}

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
