import { number, plural } from "../diagnostic/count.ts"
import type { Severity } from "../diagnostic/Diagnostic.ts"
import type { Owner } from "../diagnostic/Problem.ts"
import type { CountedRun } from "../submission/JournalReader.ts"
import type { OutcomeName } from "./Report.ts"

/** Numbers and times as a language writes them; `locale` is BCP 47. */
export const formats = (locale: string) => {
  const numbers = new Intl.NumberFormat(locale)
  const percents = new Intl.NumberFormat(locale, { style: "percent" })
  const date = (options: Intl.DateTimeFormatOptions) => (iso: string): string =>
    new Intl.DateTimeFormat(locale, { timeZone: "UTC", ...options }).format(new Date(iso))
  return {
    number: (count: number): string => numbers.format(count),
    /** 0 to 1. */
    percent: (share: number): string => percents.format(share),
    /** Of a day, a month or a time in ISO 8601. */
    day: date({ dateStyle: "medium" }),
    month: date({ year: "numeric", month: "long" }),
    year: date({ year: "numeric" }),
    time: (iso: string, zone: string): string =>
      date({
        timeZone: zone,
        year: "numeric",
        month: "short",
        day: "numeric",
        hour: "2-digit",
        minute: "2-digit",
        timeZoneName: "short"
      })(iso)
  }
}

/** How many are shown, and of how many where they are not all. */
const ofAll = (shown: number, all: number): string => shown === all ? number(all) : `${number(shown)} of ${number(all)}`

/** English: every text of the page that is not a message. Another language is another object of this type. */
export const english = {
  /** BCP 47. */
  language: "en",
  ...formats("en-GB"),
  title: (command: string) => `What came of fhir2visit ${command}`,
  footer: {
    withoutValues: "No value of a record is in this page: places, types, counts and codes alone.",
    withValues:
      "This page holds values of records, because --show-values was given. They may be patients' data: keep it like a patient's record.",
    made: (version: string) => `fhir2visit ${version}`
  },
  navigation: "Sections",
  noFacility: "no facility",
  mapping: (hash: string) => `mapping ${hash}`,
  took: (seconds: string) => `took ${seconds} s`,
  dryRun: "dry run: nothing was sent",
  underOne: "under 1%",
  score: {
    title: "Readiness",
    ready: "Visits that are ready",
    readyList: (ready: string) => `${ready} ready: see each of them`,
    readyOf: (ready: string, visits: string) => `${ready} of ${visits} visits may be sent`,
    rejected: (rejected: string) => `${rejected} rejected: see each of them`,
    done: "Ready visits that are done",
    doneOf: (done: string, ready: string) => `${done} of ${ready} ready visits have nothing left to be sent`,
    stored: (stored: string) => `${stored} stored by this run`,
    skipped: (skipped: string) => `${skipped} skipped: stored by an earlier run, or twice in the input`,
    open: (count: string) => `${count} not stored: see where they stand`,
    nothing: "nothing to count"
  },
  flow: {
    title: "From records to visits",
    picture: "Picture: how many records were read and used, and what became of the visits made of them",
    caption:
      "Each bar is as long as its share of the bar it hangs from. The first tree counts records, the second one visits; every line leads to its list.",
    records: "records read",
    usedRecords: "used in visits",
    unusedRecords: "not used",
    rejectedRecords: "rejected",
    unreadable: "of these unreadable",
    visits: "visits",
    ready: "ready",
    rejected: "rejected",
    open: "still open"
  },
  outcomes: {
    title: "Where the ready visits stand",
    caption: "Ready visits by what became of them",
    heads: ["Standing", "Visits", "Share of ready", "What it means"],
    names: {
      stored: "stored",
      partial: "stored in part",
      refused: "refused",
      duplicate: "held as another's",
      conflict: "in conflict",
      doubt: "in doubt",
      unknown: "without an answer",
      skipped: "skipped",
      left: "not sent",
      open: "still open"
    } satisfies Record<OutcomeName, string>,
    meanings: {
      stored: "The service holds them, complete.",
      partial: "The service holds them in part and waits for an update.",
      refused: "The service does not take them as they are.",
      duplicate: "Their code is somebody else's record at the service.",
      conflict: "They stand against another visit, or against another admission date.",
      doubt: "They may or may not be the record the service holds.",
      unknown: "They were sent and no clear answer came; the service is asked before they are sent again.",
      skipped: "Stored by an earlier run, or the same visit twice in the input.",
      left: "Left for the next run, or never to be sent as they are.",
      open: "Not over, or over too recently; a later run sends them."
    } satisfies Record<OutcomeName, string>,
    list: "The visits themselves, by code:",
    plan: "What would be done",
    planCaption: "Ready visits by what would be done with them",
    planHeads: ["Would be", "Why", "Visits"],
    verbs: { Send: "sent", Settle: "asked about first", Hold: "held back", Skip: "skipped" }
  },
  blockers: {
    title: "What blocks most, and who can change it",
    none: "Nothing blocks a visit.",
    caption: "Errors, those of most visits first",
    heads: ["Problem", "Who changes it", "Visits", "Times"],
    owners: "By who can change it",
    ownersCaption: "Kinds of problems and how often they were met, by who can change them",
    ownerHeads: [
      "Who",
      "What is to be changed",
      "Errors: kinds",
      "Errors: times",
      "Warnings: kinds",
      "Warnings: times"
    ],
    more: (count: number) => `and ${plural(count, "other kind")} of errors below`
  },
  ownerNames: {
    "source system": "source system",
    mapping: "mapping",
    "code table": "code table",
    "facility settings": "facility settings",
    service: "service",
    administrator: "administrator"
  } satisfies Record<Owner, string>,
  owners: {
    "source system": "The record where it is written, or the export",
    mapping: "A line of the mapping",
    "code table": "A row of a code table",
    "facility settings": "The facility's settings",
    service: "To be asked of the service's operator",
    administrator: "To be decided by the administrator"
  } satisfies Record<Owner, string>,
  moreRows: (count: number) => plural(count, "more row"),
  days: {
    title: "By day of admission",
    spans: { day: "Day", month: "Month", year: "Year" },
    captions: {
      day: "Visits by the day of admission",
      month: "Visits by the month of admission",
      year: "Visits by the year of admission"
    },
    every: {
      day: (shown: number, all: number) => `Every day (${ofAll(shown, all)})`,
      month: (shown: number, all: number) => `Every month (${ofAll(shown, all)})`
    },
    before: (first: string) => `before ${first}`,
    heads: ["Visits", "Ready", "Rejected", "Share ready"],
    unknown: "not known"
  },
  places: {
    title: "By ward",
    caption: "Visits by the service that saw the patient, else by the place that the source names",
    heads: ["Ward, department or service", "Visits", "Ready", "Rejected", "Share ready"],
    none: "No ward had three patients: one that had fewer is not named.",
    more: "other wards",
    few: "others, each of fewer than three patients",
    unknown: "not known",
    lists: { ready: "Ready visits of each ward", rejected: "Rejected visits of each ward" },
    listed: ofAll
  },
  rejected: {
    title: "Rejected visits",
    caption: "Visits that cannot be sent, by the day of admission",
    heads: ["Visit", "Where it is written", "Day", "Ward", "What blocks it"],
    rest: (count: number) =>
      `${
        plural(count, "other visit")
      } cannot be sent: <code>--rejected FILE</code> writes every one, with its problems.`
  },
  ready: {
    title: "Ready visits",
    caption: "Visits that may be sent, by the day of admission",
    heads: ["Visit", "Where it is written", "Day", "Ward", "Warnings"],
    standing: "Standing",
    fold: (count: number) => plural(count, "visit"),
    rest: (count: number) =>
      `${plural(count, "other visit")} may be sent: <code>-o visits.ndjson</code> writes every one.`,
    restOfFile: (count: number) => `${plural(count, "other visit")} may be sent: they are in the input.`
  },
  rejectedRecords: {
    title: "Records of no visit",
    caption: "Records that belong to no visit, and lines that are not records",
    heads: ["Record", "Where it is written", "Why"],
    unnamed: "a line that is none",
    rest: (count: number) =>
      `${plural(count, "other record")}: <code>--rejected FILE</code> writes every one, with its problems.`
  },
  open: {
    title: "Visits the service does not hold complete",
    caption: "Visits by where they stand, and why",
    heads: ["Visit", "Standing", "Why", "Record"],
    rest: (count: number) => `${plural(count, "other visit")}: <code>fhir2visit status</code> shows every one.`
  },
  trends: {
    title: "Data quality over time",
    none: "There is no earlier run to compare with: the journal remembers what each run of run and submit came to.",
    picture: "Picture: the share of visits that were ready, run by run",
    caption: (first: string, last: string) =>
      `Each bar is one run, ${
        first === last ? `on ${first}` : `from ${first} to ${last}`
      }: from below the share of its visits that were ready.`,
    bar: (at: string, share: string, visits: string) => `${at}: ${share} of ${visits} visits ready`,
    tableCaption: "What the input of each run was worth, oldest first",
    heads: ["Run", "Records", "Records rejected", "Visits", "Ready", "Rejected", "Share ready"],
    now: "this run",
    problem: "Problem",
    blockersCaption: "Rejected visits by the errors they have, in the last runs"
  },
  problems: {
    title: "Every kind of problem",
    none: "No problem was met.",
    severities: { error: "error", warning: "warning" } satisfies Record<Severity, string>,
    refused: "refused",
    times: (count: number, visits: number) =>
      visits === 0 ? plural(count, "time") : `${plural(count, "time")} in ${plural(visits, "visit")}`,
    seen: "Seen",
    owner: "Who changes it",
    mapping: "Mapping",
    path: "Path",
    field: "Field",
    first: "First record",
    visits: "Visits",
    others: (count: number) => `and ${number(count)} more`,
    inList: `they are among the <a href="#rejected">rejected visits</a>`,
    allRejected: "<code>--rejected FILE</code> writes every one",
    allWarned: "<code>fhir2visit bench</code> finds visits by problem",
    value: "Its value",
    said: "What the service said",
    help: "What to do",
    more: "More",
    rest: (count: number) => `${plural(count, "other kind")} of problems: they are in a report of the .json form.`
  },
  assumptions: {
    title: "Assumptions",
    caption: "What the mapping decides that the source does not say, and the visits it is in; those to decide first",
    heads: ["Name", "Means", "Visits", "Decision", "Mapping line"],
    standing: { accepted: "accepted", hospital: "to decide: the hospital", operator: "to decide: the operator" }
  },
  unmapped: {
    title: "Codes without a row",
    caption: "Codes that have no row in a code table, the most frequent of each table first",
    heads: ["Table", "Code", "System", "Meaning", "Times", "Visits", "Of these rejected"],
    rest: (count: number) => `${plural(count, "other code")}: they are in a report of the .json form.`,
    next: "A worklist to fill in:"
  },
  types: {
    title: "Records by type",
    caption:
      "What became of the records that were read; what they name that was not there; what had to be placed by patient and time",
    heads: ["Type", "In visits", "Not used", "Targets not in the input", "Placed by time"],
    unnamed: "of no stated type",
    list: "Which records and elements no line of the mapping read, and why:"
  },
  runs: {
    title: "Sending, run by run",
    caption:
      "The last runs of the journal, oldest first; the last one is this run where it sent. The visits of an earlier run are in its own report",
    heads: [
      "Began",
      "Ended",
      "Ready visits",
      "Sent",
      "Stored",
      "Skipped",
      "In part",
      "Not taken",
      "No answer",
      "Left",
      "Stored or skipped"
    ],
    endings: {
      done: "to the end",
      stopped: "stopped",
      interrupted: "interrupted",
      "no-room": "no room on a disk",
      failed: "by an error",
      killed: "killed"
    } satisfies Record<NonNullable<CountedRun["ending"]>, string>,
    unknown: "not known"
  },
  meanings: {
    title: "What the problems mean"
  }
}

export type ReportTexts = typeof english
