import { withKnownStatuses } from "../../fhirpath/infer/statusOf.ts"
import type { FhirVersionSetting } from "../../source/versions/FhirVersion.ts"
import { VersionWatch } from "../../source/versions/VersionWatch.ts"
import type { MappingPlan } from "../MappingPlan.ts"

/** Returns the conversion of records to FHIR R4: from other versions, and from the facility's own words for statuses. */
export const watchVersions = (
  { followed: { types }, grouping: { status } }: MappingPlan,
  setting?: FhirVersionSetting
): VersionWatch =>
  status.size === 0
    ? new VersionWatch(types, setting)
    : new VersionWatch(
      types,
      setting,
      (resource) => withKnownStatuses(resource, status),
      new Set(Array.from(status.keys(), (place) => place.split(".", 1)[0] ?? ""))
    )
