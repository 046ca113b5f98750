import { plural } from "../../../diagnostic/count.ts"
import type { Attention, ReportState } from "../../../submission/status/sendingOutcomes.ts"
import { formats } from "./formats.ts"

const { number: n, ...english } = formats("en-GB")

const visits = (count: number): string => plural(count, "visit")
const of = (part: number, all: number): string => `${n(part)} of ${visits(all)}`
const unsent = (done: number, all: number): string =>
  `${of(all - done, all)} ${all - done === 1 ? "is" : "are"} not delivered yet.`
/** The service accepts no second version of a stored visit (§3). */
const earlier = (changed: number, done: number): string =>
  changed === 0
    ? ""
    : `; the service has ${
      changed < done ? `${n(changed)} of them` : done === 1 ? "it" : "all of them"
    } in an earlier version`
const at = (time: string | undefined): string => (time === undefined ? "later" : `after ${time}`)
const sameCommand = "Nothing is lost and nothing is sent twice."

/** English: every text of the pages that is not a message. Another language is another object of this type. */
export const en = {
  /** BCP 47. */
  language: "en",
  name: "English",
  ...english,
  number: n,
  verdict: {
    nothing: "Nothing was found to send.",
    nothingNext: "The integration engineer checks the export: it has no visit.",
    /** `changed`: those of the delivered visits whose source has changed since. */
    delivered: (done: number, all: number, changed: number) =>
      `${
        done === all
          ? all === 1 ? "The visit is delivered" : `All ${visits(all)} are delivered`
          : `${of(done, all)} delivered`
      }${earlier(changed, done)}.`,
    rehearsed: (done: number, all: number) =>
      `A rehearsal, nothing was sent to the service: ${of(done, all)} could be delivered.`,
    /** `skipped`: visits with nothing to send; `changed`: those of them that are stored, and whose source has changed since. */
    planned: (left: number, all: number, skipped: number, changed: number) =>
      `Nothing was sent: ${of(left, all)} could be delivered${
        skipped === 0 ? "" : `, ${n(skipped)} ${skipped === 1 ? "is" : "are"} skipped${earlier(changed, skipped)}`
      }.`,
    ready: (done: number, all: number) =>
      done === all
        ? all === 1 ? "The visit can be sent." : `All ${visits(all)} can be sent.`
        : `${of(done, all)} can be sent.`,
    part: (index: number, count: number) => `Part ${index} of ${count}, not the whole run.`,
    endings: {
      interrupted: (done: number, all: number) => `The run was interrupted: ${unsent(done, all)}`,
      "rate-limited": (done: number, all: number) => `The service asked for a wait: ${unsent(done, all)}`,
      "service-down": (done: number, all: number) =>
        `There was no clear response from the service: ${unsent(done, all)}`,
      "access-denied": (done: number, all: number) => `The service denied access: ${unsent(done, all)}`,
      "same-refusal": (done: number, all: number) =>
        `The run stopped because the service refused visit after visit: ${unsent(done, all)}`,
      failed: (done: number, all: number) => `The run failed: ${unsent(done, all)}`
    },
    next: {
      interrupted: () => `The administrator runs the same command again. ${sameCommand}`,
      "rate-limited": (until: string | undefined) =>
        `The administrator runs the same command again ${at(until)}. ${sameCommand}`,
      "service-down": () =>
        `The administrator runs the same command again later, and asks the operator if it lasts. ${sameCommand}`,
      "access-denied": () =>
        "The administrator corrects what the message names, or asks the operator, then runs the same command again.",
      "same-refusal": () =>
        "The integration engineer corrects what is wrong with all of them, then runs the same command again.",
      failed: () =>
        `The administrator corrects what the message names, then runs the same command again. ${sameCommand}`
    },
    rest: {
      correction: (count: number) => `${n(count)} ${count === 1 ? "needs" : "need"} a correction`,
      open: (count: number) => `${n(count)} ${count === 1 ? "is" : "are"} still open`,
      waiting: (count: number) => `${n(count)} ${count === 1 ? "waits" : "wait"}`,
      doubt: (count: number) => `${n(count)} ${count === 1 ? "is" : "are"} in doubt: ask the operator`
    },
    nothingWaits: "; nothing waits."
  },
  navigation: "Sections",
  skip: "Skip to the visits",
  noFacility: "No facility",
  finished: (time: string, zone: string) => `Finished ${time} (${zone})`,
  states: {
    delivered: "Delivered",
    open: "Still open",
    waiting: "Waiting",
    correction: "Need a correction"
  } satisfies Readonly<Record<Attention, string>>,
  canBeSent: "Can be sent",
  canBeSentOrSkipped: "Can be sent, or skipped",
  stateBar: "Picture: visits by state",
  stateDetails: {
    delivered: (now: number, before: number) =>
      before === 0
        ? "in this run"
        : now === 0
        ? "in earlier runs"
        : `${n(now)} in this run, ${n(before)} in earlier runs`,
    sendable: "complete and valid",
    planned: (left: number, skipped: number) => `${n(left)} to be sent, ${n(skipped)} skipped`,
    open: (next: string | undefined) =>
      next === undefined ? "not over, sent by a later run" : `the next can be sent from ${next}`,
    waiting: (unknown: number, doubt: number, left: number) =>
      [
        ...(left === 0 ? [] : [`${n(left)} not sent yet`]),
        ...(unknown === 0 ? [] : [`${n(unknown)} with unknown outcome`]),
        ...(doubt === 0 ? [] : [`${n(doubt)} in doubt`])
      ].join(", "),
    correction: (rejected: number, refused: number) =>
      [
        ...(rejected === 0 ? [] : [`${n(rejected)} not sent`]),
        ...(refused === 0 ? [] : [`${n(refused)} not accepted by the service`])
      ].join(", "),
    none: "none"
  },
  owners: {
    "source system": "Source system",
    mapping: "Integration engineer",
    "code table": "Code tables",
    "facility settings": "Facility settings",
    service: "Operator of the service",
    administrator: "Administrator"
  },
  todo: {
    short: "To do",
    title: "What is to be done, and by whom",
    sub: "Corrected visits are sent by the next run.",
    nothing: "Nothing is to be done",
    nothingSub: "No problem blocks a visit or a record.",
    visits,
    records: (count: number) => plural(count, "record"),
    show: (count: number) => `Show ${visits(count)}`,
    explain: "Explain",
    before: (count: number) => `${n(count)} last run`,
    isNew: "new",
    more: (count: number) => `${plural(count, "more kind")} of problems`,
    calm: (count: number) => `Nothing to do for ${visits(count)}:`,
    calmOpen: (count: number, next: string | undefined) =>
      `${n(count)} still open${next === undefined ? "" : `, the next can be sent from ${next}`}`,
    calmLeft: (count: number) => `${n(count)} not sent yet, sent by the next run`,
    decide: (count: number) => `${plural(count, "assumption")} of the mapping to decide`
  },
  trend: {
    short: "Trend",
    titles: {
      first: "The first run",
      better: (before: string, now: string) => `Better: ${before} needed a correction, ${now} now`,
      worse: (before: string, now: string) => `Worse: ${before} needed a correction, ${now} now`,
      level: (now: string) => `Level: ${now} to be corrected`
    },
    none: "There is no earlier run to compare with. The next report shows whether it gets better.",
    since: (day: string, last: string | undefined) =>
      `Compared with ${day}${
        last === undefined ? "" : `; the last run had ${last}`
      }. Shares are of all visits of a run.`,
    delivered: "Delivered, share of the visits of a run",
    ready: "Ready to be sent, share of the visits of a run",
    correction: "Visits that need a correction, and the problems that block most",
    all: "all that need a correction",
    notDone: "did not finish",
    figures: "Figures of the charts",
    caption: "Runs, oldest first",
    heads: ["Run", "Visits", "Delivered", "Need a correction", "Ended"],
    problemCaption: "Rejected visits by problem, in the last runs",
    problem: "Problem",
    now: "this run",
    ended: {
      done: "to the end",
      stopped: "stopped",
      interrupted: "interrupted",
      "no-room": "disk full",
      failed: "failed",
      killed: "killed"
    },
    unknown: "unknown"
  },
  visits: {
    short: "Visits",
    title: "Visits",
    sub: "Codes only: no names, no values of the source.",
    subValues: "Values of the source are in this page.",
    find: "Find",
    findHint: "code, file, ward or problem",
    state: "State",
    notDelivered: "not delivered",
    all: "all",
    ward: "Ward",
    problem: "Problem",
    anyProblem: "any, or none",
    day: "Day",
    reset: "Reset",
    download: (count: number) => `Download ${n(count)} as CSV`,
    shown: (count: number, all: number) => `${n(count)} of ${visits(all)}`,
    heads: {
      visit: "Visit",
      day: "Admitted",
      ward: "Ward",
      state: "State",
      outcome: "Outcome",
      needs: "What it needs",
      origin: "Source location"
    },
    caption: "Visits that match the filter",
    more: (count: number) => `Show ${n(count)} more`,
    rest: (count: number) =>
      `${
        plural(count, "more visit is", "more visits are")
      } not listed one by one: report.json and --rejected FILE have the counts and the rejected ones.`,
    unknown: "unknown",
    andMore: (count: number) => `and ${n(count)} more`,
    sort: (head: string) => `Sort by ${head}`
  },
  placeNames: {
    stored: "Delivered in this run",
    skipped: "Delivered before",
    ready: "Can be sent",
    open: "Still open",
    unknown: "Outcome unknown",
    doubt: "In doubt",
    left: "Not sent yet",
    partial: "Stored in part",
    refused: "Refused",
    duplicate: "Code in use",
    conflict: "Conflict",
    rejected: "Rejected"
  } satisfies Readonly<Record<ReportState, string>>,
  placeMeanings: {
    stored: "",
    skipped: "",
    ready: "",
    open: "Not over, or over too recently: a later run sends it.",
    unknown: "Sent, and no clear response: the outcome is looked up before it is sent again.",
    doubt:
      "It may or may not be the record that the service has, or the service no longer lists it: the operator decides.",
    left: "Left for the next run.",
    partial: "The service has it in part: it is sent again when its source has changed.",
    refused: "Refused by the service.",
    duplicate: "Its code belongs to another record at the service.",
    conflict: "It conflicts with another visit, or with another admission date.",
    rejected: ""
  } satisfies Readonly<Record<ReportState, string>>,
  openFrom: (time: string) => `Can be sent from ${time}.`,
  notOver: "Not over: a later run sends it.",
  groups: {
    short: "Wards",
    wards: (names: ReadonlyArray<string>) => `${list(names)} ${names.length === 1 ? "needs" : "need"} a look`,
    wardsFine: "No ward is over 5 %",
    days: (count: number) => (count === 0 ? "No day is over 5 %" : `${plural(count, "day")} over 5 %`),
    limits: "Red: over 5 % need a correction. Amber: up to 5 %. Green: none.",
    ward: "Ward, department or service",
    dayHead: "Day of admission",
    visits: "Visits",
    correction: "Need a correction",
    share: "Share",
    unknown: "unknown",
    few: "wards of fewer than three patients",
    wardCaption: "Visits by ward, worst first",
    dayCaption: "Visits by day of admission, worst first",
    rest: (count: number) => `${n(count)} more`,
    levels: { bad: "over 5 %", some: "up to 5 %", none: "none" }
  },
  assumptions: {
    short: "Assumptions",
    title: (open: number, accepted: number) =>
      open === 0 ? `${plural(accepted, "assumption")}, all accepted` : `${plural(open, "assumption")} to decide`,
    sub: "What the mapping decides if the source does not state it.",
    heads: ["Assumption", "Visits", "Decision", "Mapping line"],
    caption: "Assumptions, those to decide first",
    accepted: "accepted",
    ask: { hospital: "the hospital decides", operator: "the operator decides" },
    next:
      "To accept one, write its name into assumptions.yaml next to facility.yaml; to decide otherwise, change its mapping line."
  },
  records: {
    short: "Records",
    title: (used: string, all: number) => `${used} of ${plural(all, "record is", "records are")} in visits`,
    bar: "Picture: records by use",
    parts: {
      used: "in visits",
      unused: "not used",
      copies: "of these older or equal",
      rejected: "rejected",
      unreadable: "of these unreadable"
    },
    heads: ["Type", "In visits", "Not used", "References to missing records", "Placed by time"],
    caption: "Records by type",
    unnamed: "no type stated",
    list: "Which records and elements are not used, and why: add --coverage FILE.",
    rejected: (count: number) => `${plural(count, "record")} of no visit`,
    rejectedHeads: ["Record", "Source location", "Why"],
    rejectedCaption: "Records that belong to no visit, and lines that are not records",
    line: "a line that is not a record",
    unmapped: (count: number) => `${plural(count, "code")} without a table row`,
    unmappedHeads: ["Table", "Code", "System", "Meaning", "Times", "Visits", "Rejected for it"],
    unmappedCaption: "Codes that are not in a code table",
    unmappedNext: "To make a worklist: fhir2visit codes unmapped INPUT -o TABLES",
    rest: (count: number) => `${n(count)} more: --rejected FILE writes every one.`
  },
  problems: {
    short: "Problems",
    title: (count: number) => plural(count, "kind") + " of problems, explained",
    none: "No problem was found",
    severities: { error: "error", warning: "warning" },
    times: (count: number, visits: number) =>
      visits === 0 ? plural(count, "time") : `${plural(count, "time")} in ${plural(visits, "visit")}`,
    owner: "Who changes it",
    mapping: "Mapping line",
    path: "Path",
    field: "Field",
    first: "First record",
    value: "Its value",
    said: "The service's message",
    help: "What to do",
    meaning: "Meaning",
    more: "More",
    warnings: (count: number) => `${plural(count, "kind")} of warnings: the visits are sent`,
    rest: (count: number) => `${plural(count, "more kind")}: report.json has all.`
  },
  run: {
    short: "Run",
    title: "The run",
    command: "Command",
    started: "Started",
    took: "Duration",
    seconds: (count: number) => `${n(count)} s`,
    ending: "Ended",
    message: "Message",
    mapping: "Mapping",
    program: "Program",
    facility: "Facility",
    endings: {
      done: "to the end",
      interrupted: "interrupted",
      "rate-limited": "the service asked for a wait",
      "service-down": "no clear response from the service",
      "access-denied": "the service denied access",
      "same-refusal": "the service refused visit after visit",
      failed: "failed"
    },
    withoutValues: "No value of a record is in this page.",
    withValues: "This page has values of records, because --show-values was given. Keep it like a patient's record.",
    json: "Download this report as JSON"
  }
}

/** `Surgery, Emergency and Maternity` */
const list = (names: ReadonlyArray<string>): string =>
  names.length < 2 ? names.join("") : `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`
