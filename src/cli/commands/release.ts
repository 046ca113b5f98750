import { Argument, Command, Flag } from "effect/cli"
import { common, facility } from "../flags.ts"
import { later } from "../later.ts"

const visits = Argument.String("visit").pipe(
  Argument.withDescription(
    "The code of a visit that is refused, in conflict, a duplicate, in doubt, or stored and missing from the service's list"
  ),
  Argument.variadic({ min: 0 })
)
const state = Flag.Literals("state", ["REFUSED", "CONFLICT", "DUPLICATE", "DOUBT", "STORED"]).pipe(
  Flag.withDescription("Only visits in this state; of STORED those that the service's list does not show"),
  Flag.optional
)
const field = Flag.String("field").pipe(
  Flag.withMetavar("FIELD"),
  Flag.withDescription("Only visits that were refused for this field, as `status` names it"),
  Flag.optional
)
const code = Flag.String("code").pipe(
  Flag.withMetavar("PROBLEM"),
  Flag.withDescription("Only visits with this problem, as a report names it: field-refused, in-doubt"),
  Flag.optional
)
const accept = Flag.Boolean("accept").pipe(
  Flag.withDescription("The operator says that the service holds them as yours: they count as stored"),
  Flag.withDefault(false)
)
const resend = Flag.Boolean("resend").pipe(
  Flag.withDescription("Visits in doubt are sent again; all of them, unless some are named"),
  Flag.withDefault(false)
)
const wait = Flag.Boolean("wait").pipe(
  Flag.withDescription("Set aside the wait the service asked for, after the operator has said that it is over"),
  Flag.withDefault(false)
)

export const release = Command.make(
  "release",
  { visits, state, field, code, accept, resend, wait, facility, ...common },
  (flags) => later(flags, async () => (await import("../handlers/release.ts")).release(flags))
).pipe(
  Command.withDescription(
    "Decide about visits, by code or by what `status` says of them: they are sent once more as they are, by the next run with them in its "
      + "input, or count as stored (--accept). Nothing is sent now. It is done for all of them, or for none."
  ),
  Command.withShortDescription("Let visits be sent once more, after the operator has freed them"),
  Command.withExamples([
    {
      command: "fhir2visit release --facility hospital-a/ V000117",
      description: "The operator has removed the record"
    },
    {
      command: "fhir2visit release --facility hospital-a/ --state REFUSED --field patient_code",
      description: "The patients are registered now"
    },
    {
      command: "fhir2visit release --facility hospital-a/ --accept V000117",
      description: "The operator says that it is stored"
    },
    { command: "fhir2visit release --facility hospital-a/ --wait", description: "The operator has raised the limit" }
  ])
)
