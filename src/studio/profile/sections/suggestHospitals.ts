import { number, plural } from "../../../diagnostic/count.ts"
import { printable } from "../../../diagnostic/printable.ts"
import type { Findings, Out } from "../Findings.ts"

/** An extract may hold the visits of several hospitals, and all of them are sent as those of the one that `facility.yaml` names. */
export const suggestHospitals = ({ profiler }: Findings, out: Out): void => {
  const { providers } = profiler.facts
  if (providers.size < 2) return
  const known = [...providers.entries()].toSorted(([, a], [, b]) => b.count - a.count)
  const shown = known.filter(([, { met: seen }]) => seen.areEnough).slice(0, 4)
  const counts = [
    ...shown.map(([name, { count, display }]) => `${printable(display ?? name)} ${number(count)}`),
    ...(known.length > shown.length ? [plural(known.length - shown.length, "other")] : [])
  ].join(", ")
  const question = `${
    number(known.length)
  } organizations provide the encounters (\`serviceProvider\`): are all of them this facility?  ${counts}`
  out.questions.push(question)
  out.notes.push(
    `QUESTION ${question}. To send one alone:  grouping: {where: {hospital: "serviceProvider.${
      shown[0]?.[1].path ?? "reference"
    } = '${printable(shown[0]?.[0] ?? "Organization/ID")}'"}}`
  )
}
