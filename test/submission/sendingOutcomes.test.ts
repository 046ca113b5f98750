import { assert, describe, it } from "@effect/vitest"
import { verdictStates, visitStates } from "../../src/submission/journal/VisitState.ts"
import { planReasons } from "../../src/submission/plan/explainPlan.ts"
import {
  attentions,
  countNeeding,
  isPending,
  noOutcomes,
  outcomeNames,
  outcomeOfState,
  reportStateNames,
  reportStates,
  sendingOutcomes
} from "../../src/submission/status/sendingOutcomes.ts"

describe("The outcomes of visits", () => {
  it("are each counted under one attention", () => {
    for (const name of outcomeNames) {
      const counts = attentions.map((attention) => countNeeding({ ...noOutcomes, [name]: 7 }, attention))
      assert.deepStrictEqual(counts, attentions.map((one) => one === sendingOutcomes[name].attention ? 7 : 0), name)
    }
    assert.strictEqual(countNeeding({ stored: 2 }, "delivered"), 2)
    assert.strictEqual(countNeeding({}, "correction"), 0)
  })

  it("are the states of a report, after those of a visit that was not sent", () => {
    assert.deepStrictEqual(reportStateNames, ["ready", "rejected", ...outcomeNames])
    for (const name of outcomeNames) assert.deepStrictEqual(reportStates[name], sendingOutcomes[name])
  })

  it("class every state of the journal: a verdict, stored in part, pending, not sent, or stored", () => {
    const classes = visitStates.map((state) => [
      verdictStates.includes(state),
      state === "PARTIAL",
      isPending(state),
      outcomeOfState(state) === "left",
      outcomeOfState(state) === "stored"
    ])
    assert.deepStrictEqual(classes.map((is) => is.filter(Boolean).length), visitStates.map(() => 1))
  })

  it("call a visit for a correction after a verdict, and if it is stored in part", () => {
    for (const state of visitStates) {
      const needs = sendingOutcomes[outcomeOfState(state)].attention
      assert.strictEqual(
        needs === "correction",
        verdictStates.includes(state) || state === "PARTIAL",
        state
      )
    }
  })

  it("are those of the plan for a visit that is neither sent nor looked up", () => {
    for (const [why, { isFinal, outcome, verb }] of Object.entries(planReasons)) {
      if (verb === "send" || verb === "ask") assert.deepStrictEqual([isFinal, outcome], [undefined, "left"], why)
      else assert.notStrictEqual(outcome, "left", why)
    }
  })
})
