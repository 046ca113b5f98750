import axe from "axe-core"
import type { Page } from "playwright-core"

/**
 * What keeps somebody from reading or using a page with all of it unfolded, each with the element and what axe says of it; empty
 * on a page that keeps its rules. `colors` asks for these alone: a page that was looked at in other colours is otherwise the same.
 */
export const barriersOf = async (tab: Page, { colors = false } = {}): Promise<ReadonlyArray<string>> => {
  await tab.evaluate(axe.source)
  await tab.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true })")
  const options = { resultTypes: ["violations"], ...(colors ? { runOnly: ["color-contrast"] } : {}) }
  return tab.evaluate<ReadonlyArray<string>>(`axe.run(${JSON.stringify(options)}).then(({ passes, violations }) =>
    passes.length === 0
      ? ["no rule was tried"]
      : violations.flatMap(({ id, nodes }) =>
          nodes.map(({ failureSummary, html }) => id + ": " + html.slice(0, 160) + " " + failureSummary.replaceAll("\\n", " "))))`)
}
