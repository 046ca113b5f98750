import type {
  Extension,
  FhirResource,
  Identifier,
  Organization,
  Practitioner,
  PractitionerRole,
  Reference
} from "fhir/r4.d.ts"
import { createHash } from "node:crypto"
import { getOrMake } from "../../../maps.ts"
import { optionalMember, stated } from "../Elements.ts"
import { naming } from "../Names.ts"

/** Returns 16 hexadecimal digits of a content hash, so that equal content has the same id. */
const digest = (text: string): string => createHash("sha256").update(text).digest("hex").slice(0, 16)

/** Returns a code as part of a resource id (at most 64 characters): unchanged if an id can contain it, otherwise its hash. */
const idPart = (code: string): string => (/^[A-Za-z0-9.-]{1,16}$/u.test(code) ? code : digest(code))

/** The identifier of a record that has a code in the Visit. */
export const recordCode = (value: string): Identifier => ({ system: naming("record-code"), value })

/**
 * Collects the resources of one visit. Ids combine facility code, visit code and the resource's path in the visit, so that
 * they are the same each time the visit is written. The ids of people and organizations are derived from their content.
 */
export class BundleWriter {
  readonly resources: Array<FhirResource> = []
  readonly #prefix: string
  readonly #known = new Map<string, Reference>()
  readonly #encounters = new Map<string, Reference>()
  /** The visit's own Encounter, for records that belong to no other. */
  root: Reference = {}
  patient: Reference = {}

  constructor(facility: string, visit: string) {
    this.#prefix = `${idPart(facility)}-${idPart(visit)}`
  }

  /** An id for a resource of this visit. */
  id(...path: ReadonlyArray<string | number>): string {
    return `${this.#prefix}-${path.join("-")}`
  }

  add(resource: FhirResource & { readonly id: string }): Reference {
    this.resources.push(resource)
    return { reference: `${resource.resourceType}/${resource.id}` }
  }

  /** Adds a resource whose id is derived from its content, once. */
  shared(make: (id: string) => FhirResource & { readonly id: string }, ...content: ReadonlyArray<unknown>): Reference {
    const key = JSON.stringify(content)
    return getOrMake(this.#known, key, () => this.add(make(`c-${digest(key)}`)))
  }

  encounter(code: string, reference: Reference): void {
    this.#encounters.set(code, reference)
  }

  /**
   * Returns the Encounter of a record. Only outpatient, inpatient and emergency entries have one. A record with another code (a triage's,
   * a surgery's) belongs to the visit's Encounter and states the code.
   */
  within(list: string, code: string | null, extensions: Array<Extension>): Reference {
    const found = code === null ? undefined : this.#encounters.get(code)
    if (found !== undefined) return found
    extensions.push(stated(`${list}.encounter_code`, code))
    return this.root
  }

  /**
   * Returns the Practitioner with this name, title and telephone number, with a PractitionerRole if there is a title. A person
   * with another title is another Practitioner, so that a title never reaches a record that has none.
   */
  person(name: string | null, title: string | null, phone: string | null = null): Reference | undefined {
    if (name === null && title === null && phone === null) return undefined
    const human = name === null && phone === null ? undefined : this.shared(
      (id): Practitioner & { id: string } => ({
        resourceType: "Practitioner",
        id,
        ...optionalMember("name", name, (text) => [{ text }]),
        ...optionalMember("telecom", phone, (value) => [{ system: "phone" as const, value }])
      }),
      "Practitioner",
      name,
      title,
      phone
    )
    if (title === null) return human
    return this.shared(
      (id): PractitionerRole & { id: string } => ({
        resourceType: "PractitionerRole",
        id,
        ...optionalMember("practitioner", human),
        code: [{ text: title }]
      }),
      "PractitionerRole",
      name,
      title,
      phone
    )
  }

  organization(content: Omit<Organization, "resourceType" | "id">): Reference {
    return this.shared((id) => ({ resourceType: "Organization", id, ...content }), "Organization", content)
  }
}
