import { Argument, Command, Flag } from "effect/cli"
import { common, facility } from "../flags.ts"
import { later } from "../process/later.ts"

const visits = Argument.String("visit").pipe(
  Argument.withDescription(
    "Visit code: refused, in conflict, duplicate, in doubt, or stored but missing from the service's list"
  ),
  Argument.variadic({ min: 0 })
)
const state = Flag.Literals("state", ["REFUSED", "CONFLICT", "DUPLICATE", "DOUBT", "STORED"]).pipe(
  Flag.withDescription("Only visits in this state. STORED: only those missing from the service's list"),
  Flag.optional
)
const field = Flag.String("field").pipe(
  Flag.withMetavar("FIELD"),
  Flag.withDescription("Only visits refused for this field, as shown by `status`"),
  Flag.optional
)
const code = Flag.String("code").pipe(
  Flag.withMetavar("PROBLEM"),
  Flag.withDescription("Only visits with this problem code: field-refused, in-doubt"),
  Flag.optional
)
const accept = Flag.Boolean("accept").pipe(
  Flag.withDescription("Mark as stored, after the operator has confirmed that the service holds them"),
  Flag.withDefault(false)
)
const resend = Flag.Boolean("resend").pipe(
  Flag.withDescription("Send visits in doubt again (default: all of them)"),
  Flag.withDefault(false)
)
const wait = Flag.Boolean("wait").pipe(
  Flag.withDescription("Clear the service's retry-after time once the operator has lifted it"),
  Flag.withDefault(false)
)

export const release = Command.make(
  "release",
  { visits, state, field, code, accept, resend, wait, facility, ...common },
  (flags) => later(flags, async () => (await import("../handlers/release.ts")).release(flags))
).pipe(
  Command.withDescription(
    "Decide about visits, selected by code or by their status. The next run with them in its input sends them again, unchanged; with "
      + "--accept they count as stored. Nothing is sent now. The decision is made for all of them or for none."
  ),
  Command.withShortDescription("Mark visits for resubmission or as stored"),
  Command.withExamples([
    {
      command: "fhir2visit release --facility hospital-a/ V000117",
      description: "The operator has removed the record"
    },
    {
      command: "fhir2visit release --facility hospital-a/ --state REFUSED --field patient_code",
      description: "The patients are now registered"
    },
    {
      command: "fhir2visit release --facility hospital-a/ --accept V000117",
      description: "The operator has confirmed that it is stored"
    },
    { command: "fhir2visit release --facility hospital-a/ --wait", description: "The operator has raised the limit" }
  ])
)
