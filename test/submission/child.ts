/** A run in a process of its own, for tests that kill it: `node child.ts JOURNAL SERVICE VISITS`. */
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { Effect, Layer, Stream } from "effect"
import { argv, exit, stdout } from "node:process"
import { jsonObjectOf, jsonTextOf } from "../../src/json/JsonObject.ts"
import { Operator, type ProcessedVisit } from "../../src/service/Operator.ts"
import { OperatorError } from "../../src/service/OperatorError.ts"
import type { Outcome } from "../../src/service/responses/Outcome.ts"
import { Journal } from "../../src/submission/journal/Journal.ts"
import { submit } from "../../src/submission/submit.ts"
import { FacilityCode } from "../../src/visit/values/Code.ts"
import { visit } from "./samples.ts"

const [, , file = "", service = "", count = ""] = argv

/** The smallest client that distinguishes "not sent" from "no response". */
const operator = Operator.of({
  submit: (visits) =>
    Effect.tryPromise({
      try: async (signal): Promise<Outcome> => {
        const response = await fetch(`${service}/visits`, { method: "POST", body: JSON.stringify(visits), signal })
        // The fake service of the test writes an `Outcome` as JSON.
        return await response.json() as Outcome
      },
      catch: (error) => jsonTextOf(jsonObjectOf(jsonObjectOf(error).cause).code)
    }).pipe(Effect.catch((code) =>
      code === "ECONNREFUSED"
        ? Effect.fail(new OperatorError({ reason: { _tag: "Unreachable", detail: code } }))
        : Effect.succeed<Outcome>({ _tag: "Unknown", why: "connection lost" })
    )),
  processed: (from, to) =>
    Effect.tryPromise({
      try: async () =>
        // The fake service of the test writes its list as JSON.
        await (await fetch(`${service}/processed?from=${from}&to=${to}`)).json() as ReadonlyArray<ProcessedVisit>,
      catch: () => new OperatorError({ reason: { _tag: "Unreachable", detail: "no answer" } })
    }),
  standardData: () => Effect.succeed([]),
  beneficiaries: () => Effect.succeed([])
})

const visits = Array.from({ length: Number(count) }, (_, at) => visit({ code: `V${String(at + 1).padStart(3, "0")}` }))

submit(Stream.fromIterable(visits), { waitMillis: 20, listFirst: false }).pipe(
  Effect.tap((result) => Effect.sync(() => stdout.write(JSON.stringify(result.counts)))),
  Effect.provide(Layer.merge(
    Journal.layer({ file, facility: FacilityCode("HF0001"), service: "https://service.example/api" }),
    Layer.succeed(Operator, operator)
  )),
  Effect.catchTag("JournalError", (error) =>
    Effect.sync(() => {
      stdout.write(JSON.stringify(error.reason))
      exit(3)
    })),
  NodeRuntime.runMain()
)
