import { Argument, Command, Flag } from "effect/cli"
import { common } from "../flags.ts"
import { later } from "../process/later.ts"

const folder = Argument.String("dir").pipe(
  Argument.withDescription("Facility folder to create; existing files are kept")
)
const from = Flag.String("from").pipe(
  Flag.withMetavar("INPUT"),
  Flag.withDescription("Sample data to profile. Repeatable"),
  Flag.atLeast(0)
)
const timezone = Flag.String("timezone").pipe(
  Flag.withMetavar("ZONE"),
  Flag.withDescription("IANA time zone (default: from the sample's offsets, or the system zone)"),
  Flag.optional
)

export const init = Command.make(
  "init",
  { folder, from, timezone, ...common },
  (flags) => later(flags, async () => (await import("../handlers/init.ts")).init(flags))
).pipe(
  Command.withDescription(
    "Create a facility folder: facility.yaml, a mapping, code tables, cases, and a README. With --from, the mapping has the lines that a "
      + "profile of the sample suggests, and the code tables list its unmapped codes. For CSV files, the mapping declares the tables. "
      + "`mapping check` passes at once. Existing files are kept."
  ),
  Command.withExamples([
    { command: "fhir2visit init hospital-a/ --from export/", description: "Use sample data" },
    { command: "fhir2visit init hospital-a/ --timezone Asia/Phnom_Penh", description: "Use no sample data" }
  ])
)
