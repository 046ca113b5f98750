import { readFileSync, writeFileSync } from "node:fs"
import { at } from "../src/at.ts"
import { r4Model } from "../src/fhirpath/infer/Model.ts"

/**
 * Writes `src/fhirpath/infer/requiredCodes.json` from the types of `@types/fhir`. It has the codes of elements with a required binding to a
 * closed value set, and the mandatory elements of FHIR R4. `node tools/requiredCodes.ts`; a test reports when it must be run again.
 */
export interface RequiredCodes {
  readonly lists: ReadonlyArray<string>
  /** The number of its list, by an element's path: `Encounter.status`, `Encounter.statusHistory.status`. */
  readonly elements: Readonly<Record<string, number>>
  /** Elements that every record has, by type and name. */
  readonly mandatory: Readonly<Record<string, string>>
}

export const requiredCodes = (): RequiredCodes => {
  const types = readFileSync("node_modules/@types/fhir/r4.d.ts", "utf8")
  const bodies = new Map(
    [...types.matchAll(/export interface (\w+)(?: extends [\w, ]+)? \{([\s\S]*?)\n\}/gu)].map((
      [, name = "", body = ""]
    ) => [name, body] as const)
  )
  const isNested = (name: string, within: string): boolean =>
    name !== within && name.startsWith(within) && bodies.has(name) && !r4Model.isType(name)
  const lists: Array<string> = []
  const elements: Record<string, number> = {}
  const mandatory: Record<string, string> = {}
  const visit = (name: string, path: string): void => {
    for (
      const [, element = "", mark, type = ""] of (bodies.get(name) ?? "").matchAll(/^ {2}(\w+)(\??):\s*([^;]+);/gmu)
    ) {
      if (mark === "" && element !== "resourceType") {
        mandatory[path] = mandatory[path] === undefined ? element : `${mandatory[path]} ${element}`
      }
      const plain = type.replace(/\s/gu, "").replace(/\|undefined$/u, "").replace(/\[\]$/u, "")
      if (/^\(?'[^']+'(?:\|'[^']+')*\)?$/u.test(plain)) {
        const codes = [...plain.matchAll(/'([^']+)'/gu)].map((match) => at(match, 1))
        // The type of a resource is not a code.
        if (element === "resourceType") continue
        const list = codes.join(" ")
        if (!lists.includes(list)) lists.push(list)
        elements[`${path}.${element}`] = lists.indexOf(list)
      } else if (isNested(plain, name)) visit(plain, `${path}.${element}`)
    }
  }
  for (const name of bodies.keys()) if (r4Model.isType(name)) visit(name, name)
  return { lists, elements, mandatory }
}

export const requiredCodesFile = "src/fhirpath/infer/requiredCodes.json"

export const renderRequiredCodes = (): string => `${JSON.stringify(requiredCodes(), null, 1)}\n`

if (process.argv[1]?.endsWith("requiredCodes.ts") === true) writeFileSync(requiredCodesFile, renderRequiredCodes())
