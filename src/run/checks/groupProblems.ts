import type { Diagnostic } from "../../diagnostic/Diagnostic.ts"
import { statusProblems } from "../../mapping/grouping/statusProblems.ts"
import type { VisitGroup } from "../../mapping/grouping/VisitGroup.ts"
import type { FollowedLinks } from "../../mapping/MappingPlan.ts"
import type { SourceRecord } from "../../source/records/SourceRecord.ts"
import type { UnreadableRecords } from "../accounts/UnreadableRecords.ts"
import type { RunRecords } from "../convertPartition.ts"
import { missingOwnRecords } from "./ownRecords.ts"
import { rivalProblems } from "./rivalProblems.ts"
import { rowProblems } from "./rowProblems.ts"

interface GroupChecks {
  readonly followed: FollowedLinks
  /** `followedElements` of them. */
  readonly elements: ReadonlySet<string> | undefined
  readonly records: Pick<RunRecords, "resolve" | "rivals">
  /** Records that could not be read. */
  readonly unreadable: UnreadableRecords | undefined
  /** Returns a record without a tracker on it. */
  readonly unwatched: (record: SourceRecord) => SourceRecord
}

/**
 * Returns the problems of a visit's records, and of the patient's records of which it has values. They do not depend on what the mapping
 * reads. They are unknown statuses, different copies of one record, and problems of table rows. Records can also be unreadable, or be
 * missing from the input.
 */
export const groupProblems = (
  group: VisitGroup,
  ofPatient: Iterable<SourceRecord>,
  { elements, followed, unreadable, records, unwatched }: GroupChecks
): ReadonlyArray<Diagnostic> => {
  const resolve: RunRecords["resolve"] = (reference, from, quietly) =>
    records.resolve(reference, unwatched(from), quietly)
  return [
    ...statusProblems(group, followed.types),
    ...rivalProblems(group, ofPatient, (record) => records.rivals(unwatched(record))),
    ...rowProblems(group),
    ...unreadable?.problemsOf(group, resolve, elements) ?? [],
    ...missingOwnRecords(group, resolve, followed, unwatched)
  ]
}
