import { isJsonObject, type JsonObject } from "../../json/JsonObject.ts"

/** The target of a Reference, as written. */
export type Reference =
  /** `Patient/17`, `Patient/17/_history/3`. */
  | { readonly _tag: "Relative"; readonly type: string; readonly id: string }
  /** `https://emr.example/fhir/Patient/17`; `base` is everything before the type. */
  | {
    readonly _tag: "Absolute"
    readonly url: string
    readonly base: string
    readonly type: string
    readonly id: string
  }
  /** `urn:uuid:…`, `urn:oid:…`; the type if it is written too, as in `Condition/urn:uuid:…`. */
  | { readonly _tag: "Urn"; readonly urn: string; readonly id: string; readonly type?: string }
  /** `#med1`; the empty id is the container itself. */
  | { readonly _tag: "Contained"; readonly id: string }
  /** `Practitioner?identifier=system|value`. */
  | {
    readonly _tag: "Conditional"
    readonly type: string
    /** The part of an absolute address before the type. */
    readonly base?: string
    readonly identifier?: Identifier
    readonly id?: string
  }
  /** An identifier without a link. */
  | { readonly _tag: "Logical"; readonly type?: string; readonly identifier: Identifier }
  /** An id without a type. */
  | { readonly _tag: "Bare"; readonly id: string; readonly type?: string }
  /** A URL that does not end in a type and an id. */
  | { readonly _tag: "Url"; readonly url: string; readonly type?: string }
  /** A display text, which cannot be resolved. */
  | { readonly _tag: "Display"; readonly type?: string }
  | { readonly _tag: "Nothing" }

export interface Identifier {
  /** `""`: only an identifier without a system matches. Missing: search for the value in any system. */
  readonly system?: string
  readonly value: string
}

/** Parses a Reference element, or its text. */
export const parseReference = (value: unknown): Reference => {
  if (typeof value === "string") return parseReferenceText(value)
  if (!isJsonObject(value)) return nothing
  const type = typeOf(value)
  if (typeof value.reference === "string" && value.reference.trim() !== "") {
    return parseReferenceText(value.reference, type)
  }
  const identifier = parseIdentifier(value.identifier)
  if (identifier !== undefined) return { _tag: "Logical", ...optional("type", type), identifier }
  return typeof value.display === "string" ? { _tag: "Display", ...optional("type", type) } : nothing
}

/** Parses an Identifier element; `undefined` if it has no value. */
export const parseIdentifier = (value: unknown): Identifier | undefined => {
  if (!isJsonObject(value) || typeof value.value !== "string" || value.value === "") return undefined
  return { system: typeof value.system === "string" ? value.system : "", value: value.value }
}

const nothing: Reference = { _tag: "Nothing" }

/** Parses `Reference.reference`. `type` is `Reference.type`, used if the text has no type. */
export const parseReferenceText = (written: string, type?: string): Reference => {
  const plain = slashOfPlain(written)
  if (plain !== -1) return { _tag: "Relative", type: written.slice(0, plain), id: written.slice(plain + 1) }
  const text = written.trim()
  if (text === "") return nothing
  if (text.startsWith("#")) return { _tag: "Contained", id: text.slice(1) }
  if (text.startsWith("urn:")) return urn(text, type)
  const query = text.indexOf("?")
  if (query !== -1) return conditional(text.slice(0, query), text.slice(query + 1))
  const scheme = text.indexOf("://")
  const path = withoutVersion(text)
  const slash = path.lastIndexOf("/")
  if (slash === -1) return { _tag: "Bare", id: text, ...optional("type", type) }
  const id = path.slice(slash + 1)
  const before = path.lastIndexOf("/", slash - 1)
  const name = path.slice(before + 1, slash)
  if (scheme === -1) {
    if (id.startsWith("urn:")) return urn(id, name)
    return id === "" || name === ""
      ? { _tag: "Url", url: text, ...optional("type", type) }
      : { _tag: "Relative", type: name, id }
  }
  if (before <= scheme + 2 || id === "" || !/^[A-Z][A-Za-z]+$/.test(name)) {
    return { _tag: "Url", url: text, ...optional("type", type) }
  }
  return { _tag: "Absolute", url: path, base: path.slice(0, before), type: name, id }
}

/**
 * Returns the offset of the slash in `Patient/17`, as nearly all references are written: there, the text is the name of the record. -1 for any
 * other notation.
 */
export const slashOfPlain = (text: string): number => {
  const slash = text.indexOf("/")
  if (slash < 1 || slash === text.length - 1) return -1
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    // `:`, `?`, `#`, a second `/`, blanks, and what may be one. The name of a history begins with `_`.
    if (code === 0x3a || code === 0x3f || code === 0x23 || code <= 0x20 || code >= 0x80) return -1
    if (at === slash ? text.charCodeAt(at + 1) === 0x5f : code === 0x2f) return -1
  }
  return slash
}

const urn = (text: string, type: string | undefined): Reference => ({
  _tag: "Urn",
  urn: text,
  id: text.slice(text.lastIndexOf(":") + 1),
  ...optional("type", type)
})

/** Returns an address without the version at its end, or without a slash there. */
const withoutVersion = (text: string): string => {
  const at = text.indexOf("/_history")
  if (at !== -1) return text.slice(0, at)
  return text.endsWith("/") ? text.slice(0, -1) : text
}

const conditional = (path: string, query: string): Reference => {
  const slash = path.lastIndexOf("/")
  const type = path.slice(slash + 1)
  const base = path.includes("://") ? path.slice(0, slash) : undefined
  let identifier: Identifier | undefined
  let id: string | undefined
  for (const parameter of query.split("&")) {
    const equals = parameter.indexOf("=")
    const name = parameter.slice(0, equals)
    const value = decodedUri(parameter.slice(equals + 1))
    if (equals === -1 || value === "") continue
    if (name === "_id") id = value
    else if (name === "identifier") {
      const bar = value.indexOf("|")
      identifier = bar === -1 ? { value } : { system: value.slice(0, bar), value: value.slice(bar + 1) }
    }
  }
  return {
    _tag: "Conditional",
    type,
    ...optional("base", base),
    ...optional("identifier", identifier),
    ...optional("id", id)
  }
}

/** Decodes percent escapes; a text with an invalid escape stays unchanged. A `+` stays a plus, because identifiers may contain one. */
export const decodedUri = (text: string): string => {
  if (!text.includes("%")) return text
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** `Reference.type`: a name, or the address of its definition. */
const typeOf = (reference: JsonObject): string | undefined =>
  typeof reference.type === "string" && reference.type !== ""
    ? reference.type.slice(reference.type.lastIndexOf("/") + 1)
    : undefined

/** Returns the type of the target, if the reference shows it. */
export const targetType = (reference: Reference): string | undefined => "type" in reference ? reference.type : undefined

/** Returns a member if it has a value. */
const optional = <K extends string, V>(key: K, value: V | undefined): { readonly [key in K]?: V } =>
  // TypeScript does not infer the name of a computed member.
  (value === undefined ? {} : { [key]: value }) as { readonly [key in K]?: V }
