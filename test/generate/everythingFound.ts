import type { CompiledPath, Elements, Variables, ZoneScope } from "../../src/fhirpath/FhirPath.ts"
import { comparable, outcome } from "../fhirpath/outcome.ts"

/**
 * The result of an evaluation: its elements, its values, and what functions reported to the scope. The records that were read are a set.
 * Generated code may read them in another order. The definition reads them again if generated code has left the expression to it.
 */
export const everythingFound = <Scope extends ZoneScope & { readonly noted: Array<unknown> }>(
  path: CompiledPath<Scope>,
  focus: Elements,
  variables: Variables,
  scope: Scope
): unknown => {
  const elements = outcome(path, focus, variables, scope)
  let values: unknown
  try {
    values = path.values(focus, variables, scope).map(comparable)
  } catch (cause) {
    values = { throws: cause instanceof Error ? cause.message : cause }
  }
  return { elements, values, noted: onceRead(scope.noted.splice(0)) }
}

/** The records that were read, once each, and then what was reported, in order. */
export const onceRead = (noted: ReadonlyArray<unknown>): ReadonlyArray<unknown> => {
  const isRead = (note: unknown): boolean => Array.isArray(note) && note[0] === "read"
  const read = new Set(noted.filter(isRead).map((note) => JSON.stringify(note)))
  return [...[...read].toSorted(), ...noted.filter((note) => !isRead(note))]
}
