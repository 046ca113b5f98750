import fhirpath from "fhirpath"
import { isDeepStrictEqual } from "node:util"
import { isNode } from "../../src/fhirpath/evaluate/Node.ts"
import type { CompiledPath, Element, Elements, Variables, ZoneScope } from "../../src/fhirpath/FhirPath.ts"
import { elementPathOf, typeNameOf, valueOf } from "../../src/fhirpath/FhirPath.ts"
import { isExactNumber } from "../../src/json/exactNumber.ts"

const { FP_Decimal, util } = fhirpath

/** The library shows the members of its numbers, and methods such as `div`, as elements. FHIRPath defines none. A number can have extensions. */
const findNodes: (
  context: object,
  parent: { readonly data: Readonly<Record<string, unknown>> | null | undefined },
  name: string
) => ReadonlyArray<object> = util["makeChildResNodes"]
util["makeChildResNodes"] = (...args: Parameters<typeof findNodes>) => {
  const [, { data }, name] = args
  const isHidden = data instanceof FP_Decimal ? name in data : typeof data?.[name] === "function"
  return isHidden ? [] : findNodes(...args)
}

/** A scope with the zone in which the library computes with times. */
export const processScope = (): ZoneScope => ({ zone: processZone })

const processZone = Intl.DateTimeFormat().resolvedOptions().timeZone

/** A scope for expressions that compute with no times. */
export const utcScope: ZoneScope = { zone: "UTC" }

/** What an evaluation comes to: what it throws, or for each element everything that can be seen of it. */
export const outcome = <Scope extends ZoneScope>(
  path: CompiledPath<Scope>,
  focus: Elements,
  variables: Variables,
  scope: Scope
): unknown => {
  let found: Elements
  try {
    found = path.evaluate(focus, variables, scope)
  } catch (cause) {
    // The closures let the library evaluate a part of the expression: its place differs.
    return { throws: cause instanceof Error ? cause.message.replace(/ \(at \d+:\d+\)/u, "") : cause }
  }
  return found.map(seen)
}

/**
 * Returns whether an expression with `and`, `or` or `implies` comes to the same as in the library, which also evaluates an operand that does
 * not matter, and can throw for it.
 */
export const isSame = (ours: unknown, theirs: unknown): boolean =>
  isDeepStrictEqual(ours, theirs) || (hasThrown(theirs) && !hasThrown(ours))

const hasThrown = (found: unknown): boolean => !Array.isArray(found)

const seen = (element: Element): unknown => ({
  value: comparable(valueOf(element)),
  type: typeNameOf(element),
  ...(isNode(element)
    ? {
      place: elementPathOf(element),
      path: element.path,
      companion: comparable(element._data),
      parent: element.parentResNode === null ? null : comparable(element.parentResNode.data)
    }
    : { class: classOf(element) })
})

/** Numbers of every kind by their digits, and everything else as JSON. */
export const comparable = (value: unknown): unknown => {
  if (isExactNumber(value)) return `decimal ${value.toString()}`
  if (typeof value === "function") return "function"
  if (typeof value !== "object" || value === null) return value
  return JSON.stringify(value, (_, inner: unknown) => (isExactNumber(inner) ? `decimal ${inner.toString()}` : inner))
}

const classOf = (element: Element): string =>
  element === null || element === undefined
    ? String(element)
    : Object.getPrototypeOf(element).constructor.name
