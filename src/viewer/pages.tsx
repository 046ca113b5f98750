import type { ComponentChild } from "preact"
import type { PageData } from "./PageData.ts"
import { ReportPage } from "./report/ReportPage.tsx"
import { type ViewerTexts } from "./texts/texts.ts"
import { restSentence, verdictOf } from "./verdict.ts"

export const drawPage = (data: PageData, texts: ViewerTexts): ComponentChild => (
  <ReportPage report={data.report} texts={texts} />
)

export const titleOf = ({ report }: PageData, texts: ViewerTexts): string => {
  const verdict = verdictOf(report, texts)
  return `${report.name ?? report.facility ?? "fhir2visit"}: ${verdict.headline} ${restSentence(verdict, texts)}`.trim()
}
