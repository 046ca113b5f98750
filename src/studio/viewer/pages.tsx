import type { ComponentChild } from "preact"
import type { PageData } from "./PageData.ts"
import { ProfilePage, profileVerdict } from "./profile/ProfilePage.tsx"
import { ReportPage } from "./report/ReportPage.tsx"
import { TablesPage } from "./TablesPage.tsx"
import type { ViewerTexts } from "./texts/texts.ts"
import { reportTitle } from "./verdict.ts"

export const drawPage = (data: PageData, texts: ViewerTexts): ComponentChild => {
  switch (data.page) {
    case "report":
      return <ReportPage report={data.report} texts={texts} />
    case "profile":
      return <ProfilePage profile={data.profile} overlay={data.overlay} texts={texts} />
    case "tables":
      return <TablesPage tables={data.tables} texts={texts} />
  }
}

export const titleOf = (data: PageData, texts: ViewerTexts): string => {
  switch (data.page) {
    case "report":
      return reportTitle(data.report, texts)
    case "profile":
      return `What is in the data: ${profileVerdict({ ...data, texts }).headline}`
    case "tables":
      return data.tables.title
  }
}
