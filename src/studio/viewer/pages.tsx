import type { ComponentChild } from "preact"
import type { PageData } from "./PageData.ts"
import { ProfilePage, profileVerdict } from "./profile/ProfilePage.tsx"
import { ReportPage } from "./report/ReportPage.tsx"
import { type ViewerTexts } from "./texts/texts.ts"
import { reportTitle } from "./verdict.ts"

export const drawPage = (data: PageData, texts: ViewerTexts): ComponentChild =>
  data.page === "report"
    ? <ReportPage report={data.report} texts={texts} />
    : <ProfilePage profile={data.profile} overlay={data.overlay} texts={texts} />

export const titleOf = (data: PageData, texts: ViewerTexts): string => {
  if (data.page === "profile") return `What is in the data: ${profileVerdict({ ...data, texts }).headline}`
  return reportTitle(data.report, texts)
}
