import r4 from "fhirpath/fhir-context/r4"
import { writeFileSync } from "node:fs"

/**
 * Writes `src/fhirpath/model/elements.json`: the types and elements of FHIR R4 from the model of the library `fhirpath`, in a form that
 * takes no time to load. `node tools/modelElements.ts`; a test reports when it must be run again.
 */
export interface ModelElements {
  /** The parent of each type. */
  readonly parents: Readonly<Record<string, string>>
  /** The permitted target types of references. */
  readonly targets: ReadonlyArray<string>
  /**
   * The elements of each type path, separated by blanks. `name:HumanName*` repeats. `owner:Reference>3` refers to the types of `targets[3]`.
   * `value=Quantity|String` is a choice, and `link@Bundle.link` is defined at another type path.
   */
  readonly elements: Readonly<Record<string, string>>
}

export const modelElements = (): ModelElements => {
  const targets: Array<string> = []
  const elements: Record<string, string> = {}
  const add = (path: string, written: string): void => {
    const dot = path.lastIndexOf(".")
    const type = path.slice(0, dot)
    elements[type] = `${elements[type] === undefined ? "" : `${elements[type]} `}${path.slice(dot + 1)}${written}`
  }
  const targetOf = (types: ReadonlyArray<string>): string => {
    const list = types.join(" ")
    if (!targets.includes(list)) targets.push(list)
    return `>${targets.indexOf(list)}`
  }
  for (const [path, type] of Object.entries(r4.path2Type)) {
    const types = r4.path2RefType[path]
    const repeats = r4.path2Repeating[path] === true ? "*" : ""
    add(path, `:${type}${repeats}${types === undefined ? "" : targetOf(types)}`)
  }
  for (const [path, types] of Object.entries(r4.choiceTypePaths)) add(path, `=${types.join("|")}`)
  for (const [path, other] of Object.entries(r4.pathsDefinedElsewhere)) add(path, `@${other}`)
  return { parents: r4.type2Parent, targets, elements }
}

export const modelElementsFile = "src/fhirpath/model/elements.json"

export const renderModelElements = (): string => `${JSON.stringify(modelElements(), null, 1)}\n`

if (process.argv[1]?.endsWith("modelElements.ts") === true) writeFileSync(modelElementsFile, renderModelElements())
