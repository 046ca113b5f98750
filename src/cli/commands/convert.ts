import { Command, Flag } from "effect/cli"
import {
  common,
  coverage,
  facility,
  inputs,
  part,
  parts,
  presentation,
  rejectedOk,
  results,
  withoutBase
} from "../flags.ts"
import { later } from "../process/later.ts"

/** What `run` and `convert` read. */
const lookUp = Flag.Boolean("look-up").pipe(
  Flag.withDescription("Look up cards at the service to complete patients, as set in facility.yaml (needs network)"),
  Flag.withDefault(false)
)

export const convert = Command.make(
  "convert",
  { inputs, facility, lookUp, ...results, coverage, part, parts, withoutBase, rejectedOk, ...presentation, ...common },
  (flags) => later(flags, async () => (await import("../handlers/convert.ts")).convert(flags))
).pipe(
  Command.withDescription(
    "Read, group, map, and validate; write the visits. Nothing is submitted. Exit code 1: some visits were rejected."
  ),
  Command.withExamples([
    { command: "fhir2visit convert export/ -o visits.ndjson", description: "Use the base mapping" },
    {
      command:
        "fhir2visit convert --facility hospital-a/ in.ndjson.gz -o visits.ndjson --rejected rejected.ndjson --report report.json",
      description: "Use the facility's settings; write rejected visits and a report"
    },
    {
      command: "cat bundle.json | fhir2visit convert - -o -",
      description: "Read standard input, write standard output"
    },
    {
      command: "fhir2visit convert parts/ --part 7/64 -o visits-7.ndjson --report report-7.json",
      description: "Convert one part of a partitioned export"
    }
  ])
)
