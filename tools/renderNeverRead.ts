import * as NodeServices from "@effect/platform-node/NodeServices"
import { Effect } from "effect"
import { r4Model } from "../src/fhirpath/infer/Model.ts"
import { forgetInferences } from "../src/mapping/check/expressions/keptInferences.ts"
import { loadMapping } from "../src/mapping/load/loadMapping.ts"

/** Elements that every resource has, and those that keys, grouping and the status check read for every type. */
const ofEveryType: ReadonlySet<string> = new Set(
  "id meta implicitRules language text contained extension modifierExtension identifier encounter subject patient status"
    .split(" ")
)

/** The elements that the check of the base mapping looks up in the model, as `Type.element`. */
const elementsRead = async () => {
  const read = new Set<string>()
  // The model is an object like any other. Its function is restored before anything else uses it.
  const model = r4Model as { -readonly [K in keyof typeof r4Model]: (typeof r4Model)[K] }
  const { typesOfElement } = model
  // What an earlier check has inferred is not looked up again.
  forgetInferences()
  model.typesOfElement = (place, name) => {
    read.add(`${place}.${name}`)
    return typesOfElement(place, name)
  }
  try {
    const { checked } = await Effect.runPromise(
      loadMapping("mappings/fhir-r4/mapping.yaml", "mappings").pipe(Effect.provide(NodeServices.layer))
    )
    if (checked === undefined) throw new Error("the base mapping has mistakes")
    return { read, plan: checked.plan }
  } finally {
    model.typesOfElement = typesOfElement
  }
}

/** The types of which the base mapping reads records, and the elements. */
export const readByBase = async () => {
  const { plan, read } = await elementsRead()
  const reads = (type: string): boolean => [...read].some((path) => path.startsWith(`${type}.`))
  const types = r4Model.resourceTypes().filter((type) => type === "Patient" || plan.visitTypes.has(type) || reads(type))
    .toSorted()
  return { read, types }
}

/** docs/reference/fhir.md: the elements of FHIR R4 that no line of the base mapping reads. */
export const renderNeverRead = async (): Promise<string> => {
  const { read, types } = await readByBase()
  const rows = types.flatMap((type) => {
    const unread = r4Model.elementNames(type).filter((name) => !ofEveryType.has(name) && !read.has(`${type}.${name}`))
    return unread.length === 0 ? [] : [`| \`${type}\` | ${unread.toSorted().map((name) => `\`${name}\``).join(", ")} |`]
  })
  const others = r4Model.resourceTypes().filter((type) => !types.includes(type)).toSorted()
  return `# FHIR elements that the base mapping does not read

For each type, the elements of FHIR R4 that no line of the mapping \`fhir-r4\` reads. Paths are followed through the FHIR model. A facility that uses one
of these elements adds a line. For the unread elements of your own records, see \`convert --coverage FILE\`, and the end of the mapping that \`init\`
writes. \`identifier\`, \`status\`, and the references to patient and encounter are read for every type. A test compares this page with the mapping.

| type | never read |
|---|---|
${rows.join("\n")}

## Types

No line reads records of these types: ${others.map((type) => `\`${type}\``).join(", ")}.
`
}
