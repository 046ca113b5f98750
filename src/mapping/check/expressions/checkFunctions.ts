import { forbiddenFunctions, isPathFault, parsePath } from "../../../fhirpath/FhirPath.ts"
import { standardFunctions } from "../../../fhirpath/syntax/functionForms.ts"
import { mappingFunction } from "../../functions/functions.ts"
import type { LanguageFunction } from "../../functions/LanguageFunction.ts"
import { asKey, keysOf, readValues } from "../../language/grammar/Kind.ts"
import { functionKeys } from "../../language/grammar/mappingGrammar.ts"
import type { SyntaxMap } from "../../language/MappingSyntax.ts"
import { isNull, spanWithin, withoutNulls } from "../../language/MappingSyntax.ts"
import type { SyntaxReader } from "../../language/SyntaxReader.ts"
import type { MappingPlan } from "../../MappingPlan.ts"
import { reportParameters } from "../checkOverlay.ts"
import type { FunctionBody } from "./checkBodies.ts"

/** Variables that every expression can use, in addition to the mapping's constants. */
export const languageVariables = [
  "visit",
  "patient",
  "main",
  "encounters",
  "parent",
  "rowIndex",
  "facility",
  "system"
] as const

/** Variables of the language and of FHIRPath. */
export const reservedVariables: ReadonlySet<string> = new Set([
  ...languageVariables,
  "ucum",
  "sct",
  "loinc",
  "context",
  "resource",
  "rootResource",
  "terminologies",
  "factory"
])

/** Reports recursion: functions that call themselves or each other never end. */
const checkCircles = (reader: SyntaxReader, bodies: ReadonlyArray<FunctionBody>): void => {
  const calls = new Map(bodies.map(({ name, path }) => {
    const names = parsePath(String(path.value))
    return [name, { path, functions: isPathFault(names) ? [] : names.functions }] as const
  }))
  const done = new Set<string>()
  const follow = (name: string, above: ReadonlyArray<string>): void => {
    if (done.has(name)) return
    const { functions = [], path } = calls.get(name) ?? {}
    for (const call of functions) {
      const circle = [...above, name]
      const from = circle.indexOf(call.name)
      if (from < 0) {
        follow(call.name, circle)
        continue
      }
      if (path === undefined) continue
      reader.report(
        "invalid-value",
        spanWithin(path, call.offset, call.length),
        circle.length - from === 1 ? `the function \`${name}\` calls itself` : "these functions call each other",
        {
          label: [...circle.slice(from), call.name].join(" → "),
          help: ["such a call never ends: write one of them without the others"]
        }
      )
      break
    }
    done.add(name)
  }
  for (const name of calls.keys()) follow(name, [])
}

/** Reports functions for a visit that depend on the row of their call: they are evaluated once for all rows. */
const checkVisitFunctions = (reader: SyntaxReader, bodies: ReadonlyArray<FunctionBody>): void => {
  const byName = new Map(bodies.map((body) => [body.name, body]))
  const rowVariableOf = (name: string, seen: Set<string>): string | undefined => {
    const names = parsePath(String(byName.get(name)?.path.value ?? "{}"))
    if (seen.has(name) || isPathFault(names)) return undefined
    seen.add(name)
    const own = names.variables.find((one) => one.name === "parent" || one.name === "rowIndex")
    return own?.name ??
      names.functions.values().map((call) => rowVariableOf(call.name, seen)).find((one) => one !== undefined)
  }
  for (const { name, over, parameters, path } of bodies) {
    if (over !== "visit") continue
    const what = parameters.length > 0 ? `\`%${parameters[0]}\`` : undefined
    const variable = rowVariableOf(name, new Set())
    const read = what ?? (variable === undefined ? undefined : `\`%${variable}\``)
    if (read === undefined) continue
    reader.report(
      "invalid-value",
      path.span,
      `the function \`${name}\` depends on ${read}: it cannot be evaluated once for a visit`,
      {
        help: ["remove  over: visit"]
      }
    )
  }
}

/** Replaces a function that an overlay removes: its callers are reported together, not at each call. */
const removed: LanguageFunction = { parameters: Array.from({ length: 9 }, () => "value"), least: 0, call: () => [] }

/** Reads the functions of a mapping into `functions` and checks their names and parameters. Returns the bodies, to be checked at calls. */
export const checkFunctions = (
  reader: SyntaxReader,
  root: SyntaxMap,
  functions: Map<string, LanguageFunction>,
  fhirPath: () => MappingPlan["fhirPath"]
): ReadonlyArray<FunctionBody> => {
  const bodies: Array<FunctionBody> = []
  const own = new Map<string, LanguageFunction>()
  const entry = root.entries.get("function")
  const map = entry === undefined ? undefined : reader.map(entry.value, "`function`")
  for (const [name, { key, value }] of map?.entries ?? []) {
    if (isNull(value)) {
      own.set(name, removed)
      continue
    }
    if (!/^[A-Za-z_][A-Za-z0-9_]*$/u.test(name)) {
      reader.report("invalid-value", key, `a function cannot be called \`${name}\``, {
        help: ["letters, digits and _ only"]
      })
      continue
    }
    const isOfLanguage = functions.has(name) && functions.get(name)?.replaceable !== true
    if (isOfLanguage || standardFunctions.has(name) || forbiddenFunctions.has(name)) {
      const whose = isOfLanguage ? "the mapping language" : "FHIRPath"
      reader.report("invalid-value", key, `\`${name}()\` is a function of ${whose}`, {
        help: ["rename the function"]
      })
      continue
    }
    const long = value.kind === "map"
      ? withoutNulls(
        reader.map(value, `the function \`${name}\``, keysOf(functionKeys)),
        ["path"]
      )
      : undefined
    const before = reader.errors
    const { over, parameters: declared = [], path } = readValues(
      reader,
      functionKeys,
      long ?? asKey("path", { key, value }),
      long === undefined ? { path: `the function \`${name}\`` } : {}
    )
    const parameters = declared.map((scalar) => String(scalar.value))
    const replaced = functions.get(name)
    const { least = replaced?.parameters.length ?? 0 } = replaced ?? {}
    if (replaced !== undefined && (parameters.length < least || parameters.length > replaced.parameters.length)) {
      reportParameters(reader, key, name, replaced.parameters)
      continue
    }
    for (const [index, { span, value }] of declared.entries()) {
      const parameter = String(value)
      if (parameters.indexOf(parameter) < index) {
        reader.report("invalid-value", span, `duplicate parameter \`${parameter}\``)
      } else if (reservedVariables.has(parameter)) {
        reader.report("invalid-value", span, `\`%${parameter}\` is a variable of the language`, {
          help: ["rename the parameter"]
        })
      }
    }
    if (path === undefined) {
      if (reader.errors === before) {
        reader.report(
          "missing-key",
          long?.entries.get("path")?.value.span ?? key,
          `the function \`${name}\` has no path`
        )
      }
      // Define the function anyway, so that its callers get no error of their own.
      own.set(name, mappingFunction(parameters, "{}", over, fhirPath))
      continue
    }
    own.set(name, mappingFunction(parameters, String(path.value), over, fhirPath))
    bodies.push({ name, parameters, path, over })
  }
  for (const [name, call] of own) functions.set(name, call)
  checkCircles(reader, bodies)
  checkVisitFunctions(reader, bodies)
  return bodies
}
