import type {
  Element,
  Elements,
  FunctionInput,
  PathEngine,
  PathFunction,
  ZoneScope
} from "../../src/fhirpath/FhirPath.ts"
import { type FhirPath, makeFhirPath, recordOf, valueOf } from "../../src/fhirpath/FhirPath.ts"
import { jsonObjectOf } from "../../src/json/JsonObject.ts"
import { comparable, processScope } from "../fhirpath/outcome.ts"
import { present } from "../present.ts"
import { recordWith } from "./recordWith.ts"

/** A scope that notes what functions report to it, in order. */
export interface NotingScope extends ZoneScope {
  readonly noted: Array<unknown>
}

export const notingScope = (): NotingScope => {
  const noted: Array<unknown> = []
  const begin = () => {
    const { length } = noted
    return () => void noted.splice(length)
  }
  const found = new Map<object, { readonly result: unknown; readonly notes: ReadonlyArray<unknown> }>()
  const once = <A>(key: object, find: () => A): A => {
    const known = found.get(key)
    if (known !== undefined) {
      noted.push(...known.notes)
      // A key always has a result of its type.
      return known.result as A
    }
    const { length } = noted
    const result = find()
    found.set(key, { result, notes: noted.slice(length) })
    return result
  }
  return { ...processScope(), noted, begin, once }
}

/** An engine compiles a body into its callers, and does not call it. */
const noCall = (): Elements => {
  throw new Error("a body is not called")
}

const body = (
  parameters: ReadonlyArray<string>,
  text: string,
  over: FunctionInput
): PathFunction<NotingScope> => ({ parameters, body: { text, over }, call: noCall })

/** Reports each element by itself. */
const tell = (one: Element, _: ReadonlyArray<Elements>, { noted }: NotingScope): Element => {
  noted.push(["told", comparable(valueOf(one))])
  return one
}

const isTold = (one: Element, args: ReadonlyArray<Elements>, scope: NotingScope): boolean =>
  comparable(valueOf(tell(one, args, scope))) === "Bee"

/** Functions of each kind: bodies, a test, functions that note what they read, functions that report, and one that fails. */
const callable: ReadonlyArray<readonly [string, PathFunction<NotingScope>]> = [
  ["own", body([], "extension.where(url = %text).value | name.given", "item")],
  ["named", body(["use"], "name.where(use = %use).first().select(family | given)", "item")],
  ["known", body(["code", "other"], "code.coding.where(code = %code or system = %other).exists()", "item")],
  [
    "given",
    body(["value"], "iif(name.given.exists() and gender = 'female', %value, %value | name.family.first())", "item")
  ],
  ["mixed", body([], "iif(active.exists() and gender.exists() and name.exists(), active.not(), gender)", "item")],
  ["started", body([], "contains.code | exclude.code | name.given | name.family", "item")],
  ["whole", body([], "where(exists()).first()", "collection")],
  ["either", body([], "iif(exists(), first(), {})", "collection")],
  ["longer", body([], "name.where(use = 'official').given.reported() | name.family.reported() | name.text", "item")],
  // Each is a function of its own: what the second returns is of a record that only the first has checked.
  [
    "nearer",
    body([], "iif(code.text.exists() and code.coding.code.exists(), encounter.met(), encounter.first().met())", "item")
  ],
  ["farther", body([], "iif(code.text.exists() and category.coding.exists(), nearer(), nearer().first())", "item")],
  // It returns several records, and is too long to be written into its callers.
  [
    "around",
    body(
      [],
      "iif(code.text.exists() and category.coding.exists(), every('Encounter'), every('Encounter').skip(1))",
      "item"
    )
  ],
  // It is written for a variable of one type, and too long to be written into its callers.
  [
    "among",
    body([], "iif(name.given.exists() and %resource1.name.exists(), %resource1.gender = gender, active)", "item")
  ],
  ["standing", body([], "every('Encounter').where(status.told() = 'finished')", "visit")],
  ["isStanding", body([], "iif(%resource1.exists(), every('Encounter').period.end.exists(), {})", "visit")],
  ["here", body([], "%context.family | %context.given", "item")],
  ["twice", { parameters: [], effect: "none", call: (input) => [...input, ...input] }],
  ["telling", {
    parameters: [],
    readsValues: true,
    effect: "none",
    call: (input) => input.map((one) => String(comparable(valueOf(one))))
  }],
  ["lone", { parameters: [], chooses: true, effect: "none", call: (input) => (input.length === 1 ? input : []) }],
  ["without", {
    parameters: ["text"],
    chooses: true,
    effect: "none",
    call: (input, [text]) => input.filter((one) => comparable(valueOf(one)) !== comparable(valueOf(text?.[0])))
  }],
  ["echo", { parameters: ["value"], effect: "none", call: (_, [value]) => present(value) }],
  ["pair", {
    parameters: ["one", "other"],
    least: 1,
    effect: "none",
    call: (input, args) => [input.length, args.length, "p"]
  }],
  ["sole", { parameters: [], isTest: true, effect: "none", call: (input) => [input.length === 1] }],
  ["reached", {
    parameters: [],
    effect: "reads",
    call: (input, _, { noted }) => {
      for (const one of input) noted.push(["read", comparable(recordOf(one)?.resource.id)])
      return input
    }
  }],
  ["told", {
    parameters: [],
    forEach: tell,
    call: (input, args, scope) => input.map((one) => tell(one, args, scope))
  }],
  ["asked", {
    parameters: [],
    isTest: true,
    forSome: isTold,
    call: (input, args, scope) => [input.some((one) => isTold(one, args, scope))]
  }],
  ["reported", {
    parameters: [],
    call: (input, _, { noted }) => {
      noted.push(["reported", input.map((one) => comparable(valueOf(one)))])
      return input.slice(0, 1)
    }
  }],
  ["failing", {
    parameters: [],
    call: (input) => {
      if (input.length > 1) throw new Error("more than one element")
      return input
    }
  }]
]

/** Records that functions return: one that is written in another way, and one of another type than `Observation.encounter` permits. */
const others = [
  { resourceType: "Encounter", id: "e1", status: "finished", period: { start: "2026-03-02T01:05:00Z" } },
  { resourceType: "Encounter", id: "e2", status: ["planned"], period: { start: "2026-03-01" } },
  { resourceType: "Location", id: "l1", status: "active" }
]

/** Functions that return records. */
const returning = (elementOf: FhirPath["elementOf"]): ReadonlyArray<readonly [string, PathFunction<NotingScope>]> => {
  const elements = others.map((one) => elementOf(recordWith(one)))
  const target = (element: Element): Element => {
    const { reference } = jsonObjectOf(valueOf(element))
    return elements[others.findIndex(({ id, resourceType }) => reference === `${resourceType}/${id}`)]
  }
  return [
    ["met", {
      parameters: [],
      returns: "targets",
      effect: "none",
      forEach: target,
      call: (input) => input.flatMap((one) => target(one) ?? [])
    }],
    ["every", {
      parameters: ["type"],
      returns: "named",
      effect: "none",
      call: (_, [type]) => elements.filter((_, at) => others[at]?.resourceType === comparable(type?.[0]))
    }]
  ]
}

export const engineWithCalls = (by: PathEngine): FhirPath<NotingScope> => {
  const { elementOf } = makeFhirPath<NotingScope>(new Map(), by)
  return makeFhirPath(new Map([...callable, ...returning(elementOf)]), by)
}

/** Puts each kind of function into an expression: `lone()` is replaced by several of them. */
export const withEachKind = (text: string, kinds: ReadonlyArray<number>): string => {
  const names = [
    "lone()",
    "lone()",
    "reached()",
    "reported()",
    "failing()",
    "sole()",
    "whole()",
    "named('official')",
    "known('a', 'b')"
  ]
  let at = 0
  return text.replaceAll("lone()", () => names[(kinds[at++ % kinds.length] ?? 0) % names.length] ?? "lone()")
}
