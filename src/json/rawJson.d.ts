/** "JSON.parse source text access", which the type library lacks. */
interface JSON {
  readonly rawJSON: (text: string) => RawJson
  readonly isRawJSON: (value: unknown) => value is RawJson
  parse(
    text: string,
    revive: (key: string, value: unknown, context: { readonly source?: string }) => unknown
  ): unknown
}

/** The result of `JSON.rawJSON`: a number by its digits, written into JSON text unchanged. */
interface RawJson {
  readonly rawJSON: string
}
