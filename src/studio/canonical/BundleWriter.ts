import type { Extension, FhirResource, Organization, Practitioner, PractitionerRole, Reference } from "fhir/r4.d.ts"
import { createHash } from "node:crypto"
import { some, stated } from "./Elements.ts"

/** The first of the 16 hexadecimal digits that name a content: the same content has the same name everywhere. */
const digest = (text: string): string => createHash("sha256").update(text).digest("hex").slice(0, 16)

/** A code as part of a resource id (64 characters at most): as it stands where an id may hold it, else its hash. */
const idPart = (code: string): string => (/^[A-Za-z0-9.-]{1,16}$/u.test(code) ? code : digest(code))

/**
 * Collects the resources of one visit. Ids are made of facility code, visit code and the resource's place in the visit, so
 * they are the same whenever the visit is written again; people and organizations are named by their content.
 */
export class BundleWriter {
  readonly resources: Array<FhirResource> = []
  readonly #prefix: string
  readonly #known = new Map<string, Reference>()
  readonly #encounters = new Map<string, Reference>()
  /** The visit's own Encounter, for what belongs to no other. */
  root: Reference = {}
  patient: Reference = {}

  constructor(facility: string, visit: string) {
    this.#prefix = `${idPart(facility)}-${idPart(visit)}`
  }

  /** An id for a resource of this visit. */
  id(...place: ReadonlyArray<string | number>): string {
    return `${this.#prefix}-${place.join("-")}`
  }

  add(resource: FhirResource & { readonly id: string }): Reference {
    this.resources.push(resource)
    return { reference: `${resource.resourceType}/${resource.id}` }
  }

  /** Adds a resource that is named by its content, once. */
  shared(make: (id: string) => FhirResource & { readonly id: string }, ...content: ReadonlyArray<unknown>): Reference {
    const key = JSON.stringify(content)
    const known = this.#known.get(key)
    if (known !== undefined) return known
    const reference = this.add(make(`c-${digest(key)}`))
    this.#known.set(key, reference)
    return reference
  }

  encounter(code: string, reference: Reference): void {
    this.#encounters.set(code, reference)
  }

  /**
   * The Encounter a record belongs to. A code that is not that of an outpatient, inpatient or emergency entry (a triage's, a
   * surgery's) has no Encounter of its own: the record belongs to the visit's and states the code.
   */
  within(list: string, code: string | null, extensions: Array<Extension>): Reference {
    const found = code === null ? undefined : this.#encounters.get(code)
    if (found !== undefined) return found
    extensions.push(stated(`${list}.encounter_code`, code))
    return this.root
  }

  /**
   * Whoever has this name, title and telephone number: a Practitioner, with a PractitionerRole when there is a title. A person
   * with another title is another Practitioner, so that a title never reaches a record that has none.
   */
  person(name: string | null, title: string | null, phone: string | null = null): Reference | undefined {
    if (name === null && title === null && phone === null) return undefined
    const human = name === null && phone === null ? undefined : this.shared(
      (id): Practitioner & { id: string } => ({
        resourceType: "Practitioner",
        id,
        ...some("name", name, (text) => [{ text }]),
        ...some("telecom", phone, (value) => [{ system: "phone" as const, value }])
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
        ...some("practitioner", human, (reference) => reference),
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
