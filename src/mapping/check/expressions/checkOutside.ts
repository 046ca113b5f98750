import type { PathNames } from "../../../fhirpath/FhirPath.ts"
import { isPathFault, parsePath } from "../../../fhirpath/FhirPath.ts"
import type { LanguageFunction } from "../../functions/LanguageFunction.ts"
import type { SyntaxScalar } from "../../language/MappingSyntax.ts"
import { spanWithin } from "../../language/MappingSyntax.ts"
import type { SyntaxReader } from "../../language/SyntaxReader.ts"
import { languageVariables } from "./checkFunctions.ts"

/** Where expressions are evaluated before there is a visit. */
export interface Outside {
  readonly where: string
  /** The variables of the language that are known even without a visit. */
  readonly variables: ReadonlyArray<string>
}

/** Reports uses of the visit in expressions that are evaluated before any visit exists. They would find nothing, without any report. */
export const checkOutside = (
  reader: SyntaxReader,
  scalar: SyntaxScalar,
  { functions, variables }: PathNames,
  defined: ReadonlySet<string>,
  own: ReadonlyMap<string, LanguageFunction>,
  outside: Outside
): void => {
  const known = ["the constants of the mapping", ...outside.variables.map((name) => `%${name}`)].join(", ")
  const help = [
    `it can use ${known}, and the records that the record refers to:  subject.resolve()`
  ]
  const isOfVisit = (name: string): boolean =>
    languageVariables.some((variable) => variable === name) && !outside.variables.includes(name)
  const report = (offset: number, length: number, name: string, label?: string): void => {
    const span = spanWithin(scalar, offset, length)
    const code = name.startsWith("%") ? "unknown-constant" : "unknown-function"
    reader.report(code, span, `\`${name}\` is not known in ${outside.where}: there is no visit yet`, { label, help })
  }
  for (const { length, name, offset } of variables) {
    if (isOfVisit(name) && !defined.has(name)) report(offset, length, `%${name}`)
  }
  for (const { length, name, offset } of functions) {
    if (own.get(name)?.readsVisit === true) report(offset, length, `${name}()`)
    const found = readOfVisit(name, own, isOfVisit)
    if (found !== undefined) report(offset, length, found, `\`${name}()\` reads it`)
  }
}

/** Returns the first variable or function of the visit that the body of a function uses. */
const readOfVisit = (
  name: string,
  functions: ReadonlyMap<string, LanguageFunction>,
  isOfVisit: (name: string) => boolean,
  above: ReadonlyArray<string> = []
): string | undefined => {
  const body = above.includes(name) ? undefined : functions.get(name)?.body
  const names = body === undefined ? undefined : parsePath(body.text)
  if (names === undefined || isPathFault(names)) return undefined
  const variable = names.variables.find((one) => isOfVisit(one.name))
  if (variable !== undefined) return `%${variable.name}`
  for (const call of names.functions) {
    const found = functions.get(call.name)?.readsVisit === true
      ? `${call.name}()`
      : readOfVisit(call.name, functions, isOfVisit, [...above, name])
    if (found !== undefined) return found
  }
  return undefined
}
