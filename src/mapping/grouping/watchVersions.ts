import { withKnownStatuses } from "../../fhirpath/infer/statusOf.ts"
import type { FhirVersionSetting } from "../../source/versions/FhirVersion.ts"
import { VersionWatch } from "../../source/versions/VersionWatch.ts"
import type { MappingPlan } from "../MappingPlan.ts"

/** Returns the conversion of records to FHIR R4: from other versions, and from the facility's own words for statuses. */
export const watchVersions = (
  { followed: { types }, grouping: { status } }: MappingPlan,
  setting?: FhirVersionSetting
): VersionWatch =>
  new VersionWatch(types, setting, status.size === 0 ? undefined : (resource) => withKnownStatuses(resource, status))
