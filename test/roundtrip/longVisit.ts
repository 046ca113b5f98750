import fc from "fast-check"
import { arbitraryComponent, arbitraryText, linkParts, orderSpans } from "../../src/studio/proof/arbitraryVisit.ts"
import { copyOf } from "../../src/studio/proof/MutableObject.ts"
import { visitFields } from "../../src/visit/fields.ts"
import type { Visit } from "../../src/visit/Visit.ts"

/** A visit with one long list. */
export const longVisit: fc.Arbitrary<Visit> = fc.constantFrom(
  ...visitFields.filter((field) => field.kind === "list" || field.kind === "strings")
).chain((field) =>
  fc.tuple(
    arbitraryComponent(visitFields),
    field.kind === "strings"
      ? fc.array(arbitraryText, { minLength: 20, maxLength: 60 })
      : fc.array(arbitraryComponent(field.fields ?? []), { minLength: 12, maxLength: 25, size: "max" })
  ).map(([visit, list]) => {
    const copy = { ...copyOf(visit), [field.name]: copyOf(list) }
    orderSpans(copy)
    return linkParts(copy)
  })
)
