import axe from "axe-core"
import type { Page } from "playwright-core"

/**
 * Returns the accessibility problems that axe finds on an unfolded page, each with its element. `colors` checks only colours, for a
 * page that was already checked in other colours.
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
