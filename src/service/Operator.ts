import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import { Context, Effect, Layer } from "effect"
import type { JsonObject } from "../json/JsonObject.ts"
import type { PatientCode, VisitCode } from "../visit/values/Code.ts"
import type { Lane } from "./limits.ts"
import type { OperatorError } from "./OperatorError.ts"
import type { Outcome } from "./responses/Outcome.ts"
import type { OperatorConfig, OperatorConfigError } from "./settings/OperatorConfig.ts"

/** One row of the processed list (specification §4.6; its body is not shown, so every fact may be missing). */
export interface ProcessedVisit {
  /** `null`: the row can be of any visit that its other facts do not contradict. */
  readonly visitCode: VisitCode | null
  readonly patientCode: PatientCode | null
  readonly admittedAt: string | null
  readonly status: string | null
  /** The processing status, if a row has one in addition to the status; its values are not shown. */
  readonly processing?: string | null
  readonly uuid: string | null
}

interface RequestOptions {
  /** The id of the attempt, sent if the facility requires it. It stays the same when the request is repeated. */
  readonly attempt?: string | undefined
  /**
   * Receives whether the request is certainly not on its way: before it leaves, and after a response that says it was not processed.
   */
  readonly onWaiting?: (isWaiting: boolean) => void
}

/** The service's side of the interface (specification §4): the requests that the program makes to the national service. */
export class Operator extends Context.Service<Operator, {
  /**
   * Sends one request with these visits, each given as its exact JSON text (§4.5). Fails only if the service certainly did not process
   * them: not sent, 401 after a fresh token, 403, 429 beyond the wait limit, wrong address. Everything else is an `Outcome`.
   */
  readonly submit: (visits: ReadonlyArray<string>, options?: RequestOptions) => Effect.Effect<Outcome, OperatorError>
  /**
   * Reads every visit of the processed list admitted between two dates, inclusive, `YYYY-MM-DD` (§4.6). In `bulk`, the default, it uses
   * at most its part of the requests, and fails when that is used up.
   */
  readonly processed: (
    from: string,
    to: string,
    lane?: Lane
  ) => Effect.Effect<ReadonlyArray<ProcessedVisit>, OperatorError>
  /** Reads one whole list of the standard data (§4.3), all pages. */
  readonly standardData: (
    type: string
  ) => Effect.Effect<ReadonlyArray<JsonObject>, OperatorError>
  /**
   * Looks up the beneficiaries who have a card (§4.4): none, one, or a household that shares it. The default lane is `front`.
   */
  readonly beneficiaries: (
    card: string,
    lane?: Lane
  ) => Effect.Effect<ReadonlyArray<JsonObject>, OperatorError>
}>()("fhir2visit/service/Operator") {
  /**
   * The service over HTTPS. Requests are counted in `Windows`; provide a durable one to share the limits between runs. The HTTP client is
   * loaded here, because most conversions need no network.
   */
  static readonly layer = (config: OperatorConfig): Layer.Layer<Operator, OperatorConfigError> =>
    Layer.unwrap(Effect.promise(async () => {
      const [{ makeOperator }, { layerTransport }] = await Promise.all([
        import("./makeOperator.ts"),
        import("./transport.ts")
      ])
      return Layer.effect(Operator, makeOperator(config)).pipe(
        Layer.provide(layerTransport(config)),
        Layer.provide(NodeFileSystem.layer)
      )
    }))
}
