import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import { Context, type Effect, Layer } from "effect"
import { makeOperator } from "./makeOperator.ts"
import type { OperatorError } from "./OperatorError.ts"
import type { Outcome } from "./responses/Outcome.ts"
import type { OperatorConfig, OperatorConfigError } from "./settings/OperatorConfig.ts"
import { layerTransport } from "./transport.ts"

/** One row of the processed list (specification §4.6; its body is not shown, so every fact may be missing). */
export interface ProcessedVisit {
  readonly visitCode: string
  readonly patientCode: string | null
  readonly admittedAt: string | null
  readonly status: string | null
  /** What the service calls its processing, where a row has that beside the status; its values are not shown. */
  readonly processing?: string | null
  readonly uuid: string | null
  readonly createdAt?: string | null
}

/** The other side of the wire (specification §4): what the program may ask of the national service. */
export class Operator extends Context.Service<Operator, {
  /**
   * Sends one request with these visits, each given as its exact JSON text (§4.5). Fails only when the visits certainly were
   * not looked at (not sent, 401 after a fresh token, 403, 429 beyond the wait limit, wrong address); everything else is an `Outcome`.
   * `attempt` is an id for it that the service is told where the facility wants so; it stays when the request is repeated.
   * `waiting` is told while certainly nothing is on its way: before the request leaves, and after an answer that it was not looked at.
   */
  readonly submit: (
    visits: ReadonlyArray<string>,
    waiting?: (isWaiting: boolean) => void,
    attempt?: string
  ) => Effect.Effect<Outcome, OperatorError>
  /**
   * Every visit of the processed list admitted between two dates, inclusive, `YYYY-MM-DD` (§4.6). In `bulk`, which is usual, it takes no
   * more than its share of the requests, and cannot be read when that is used up.
   */
  readonly processed: (
    from: string,
    to: string,
    lane?: "bulk" | "front"
  ) => Effect.Effect<ReadonlyArray<ProcessedVisit>, OperatorError>
  /** One whole list of the standard data (§4.3), all pages. */
  readonly standardData: (
    type: string
  ) => Effect.Effect<ReadonlyArray<Readonly<Record<string, unknown>>>, OperatorError>
  /**
   * The beneficiaries who have a card (§4.4): none, one, or a household that shares it. In `bulk` it leaves the reserve to somebody who
   * waits.
   */
  readonly beneficiaries: (
    card: string,
    lane?: "bulk" | "front"
  ) => Effect.Effect<ReadonlyArray<Readonly<Record<string, unknown>>>, OperatorError>
}>()("fhir2visit/operator/Operator") {
  /** The service over HTTPS. Requests are counted in `Windows`; provide one that is durable to share the limits between runs. */
  static readonly layer = (config: OperatorConfig): Layer.Layer<Operator, OperatorConfigError> =>
    Layer.effect(Operator, makeOperator(config)).pipe(
      Layer.provide(layerTransport(config)),
      Layer.provide(NodeFileSystem.layer)
    )
}
