import { isDecimal } from "../json/Decimal.ts"
import { isOpenObject } from "./components/Referral.ts"
import { describeIssue, type FormIssue } from "./describeIssue.ts"
import type { Field } from "./Field.ts"
import { visitFields } from "./fields.ts"
import { isComponent, type LeafCheck, type LeafRule, type UnvalidatedVisit } from "./rules/Rule.ts"
import { isBlankText } from "./values/blankText.ts"
import { isCalendarDate } from "./values/CalendarDate.ts"
import { isTimestamp } from "./values/Timestamp.ts"
import type { ValuePath, VisitProblem } from "./VisitProblem.ts"

/** A walk through a visit: the current path, and the problems of form so far. */
class Walk {
  /** Grows and shrinks with the walk. It is copied only for a problem. */
  readonly path: Array<string | number> = []
  readonly problems: Array<VisitProblem> = []
  readonly pathOf = (): ValuePath => [...this.path]
  /** The checks of the rules about leaves, in their order. */
  readonly checks: ReadonlyArray<LeafCheck>
  /** Inside a part whose form is another than the specification's: this was reported, and only nulls are seen. */
  isMisplaced = false

  constructor(checks: ReadonlyArray<LeafCheck>) {
    this.checks = checks
  }

  report(issue: FormIssue, value: unknown, after?: string): void {
    if (!this.isMisplaced) this.problems.push(describeIssue(issue, this.pathOf(), value, after))
  }

  show(value: unknown, field: Field, rules: ReadonlyArray<number>): void {
    for (const rule of rules) this.checks[rule]?.see(value, field, this.pathOf)
  }
}

/** A field of a component, with what is checked of its values. */
interface Member {
  readonly name: string
  readonly isOptional: boolean
  readonly field: Field
  /** The numbers of the rules about it. */
  readonly rules: ReadonlyArray<number>
  readonly nullRules: ReadonlyArray<number>
  /** For an object or a list of the specification. */
  readonly component: Component | undefined
  /** Returns whether a value has the type and form of the field. */
  readonly isValid: IsValid
  /** For a text array and an examination: the same for an entry of a list. */
  readonly isEntry: IsValid | undefined
}

type IsValid = (value: unknown) => boolean

interface Component {
  readonly members: ReadonlyArray<Member>
  readonly names: ReadonlySet<string>
  readonly isExamination: boolean
}

/**
 * Makes a walk through the whole of a visit. It returns every problem of form (§2.4 to §2.6) with its path, in the order of the
 * specification. It also shows the leaves to the rules about them. The problems are missing and unexpected keys, and values of another type or
 * form. The titles show no value.
 */
export const makeVisitWalk = (
  rules: ReadonlyArray<LeafRule>
): (visit: unknown, checks: ReadonlyArray<LeafCheck>) => Array<VisitProblem> => {
  let visitComponent: Component | undefined
  return (visit, checks) => {
    const walk = new Walk(checks)
    checkComponent(visit, visitComponent ??= componentOf(visitFields, rules), walk)
    return walk.problems
  }
}

const formWalk = makeVisitWalk([])

/** Returns every problem of the form of a visit. Empty if the value is a visit. A test compares the result with that of the schema. */
export const formProblems = (value: unknown): ReadonlyArray<VisitProblem> => formWalk(value, [])

const componentOf = (fields: ReadonlyArray<Field>, rules: ReadonlyArray<LeafRule>): Component => ({
  members: fields.map((field) => {
    const isEntry = entryCheckOf(field)
    return {
      name: field.name,
      isOptional: field.optional,
      field,
      rules: numbersOf(rules, "values", field),
      nullRules: numbersOf(rules, "nulls", field),
      component: field.fields === undefined ? undefined : componentOf(field.fields, rules),
      isValid: isEntry === undefined ? isLeaf(field) : isListOf(isEntry, field.kind === "examination"),
      isEntry
    }
  }),
  names: new Set(fields.map(({ name }) => name)),
  isExamination: fields.some(({ kind }) => kind === "examination")
})

const numbersOf = (
  rules: ReadonlyArray<LeafRule>,
  sees: LeafRule["sees"],
  field: Field
): ReadonlyArray<number> => rules.flatMap((rule, number) => (rule.sees === sees && rule.isAbout(field) ? [number] : []))

const checkComponent = (value: unknown, component: Component, walk: Walk): void => {
  if (!isComponent(value) || Array.isArray(value)) return walk.report("InvalidType", value)
  const { isExamination, members } = component
  const { path, problems } = walk
  const depth = path.length
  const before = problems.length
  let at = 0
  let isInOrder = true
  // Nearly every component has the specification's keys in its order, so that no key has to be looked for.
  for (const key in value) {
    let member = members[at]
    while (member?.isOptional === true && member.name !== key && !Object.hasOwn(value, member.name)) {
      member = members[++at]
    }
    if (member?.name !== key) {
      isInOrder = false
      break
    }
    path[depth] = key
    checkMember(value[key], member, walk)
    at++
  }
  let needed = at
  while (members[needed]?.isOptional === true) needed++
  if (!isInOrder || needed < members.length) {
    checkOthers(value, component, at, depth, problems.splice(before), walk)
  }
  if (isExamination && problems.length === before && !hasStatedForm(value)) {
    path[depth] = "value"
    walk.report("InvalidType", value.value)
  }
  path.length = depth
}

/**
 * Checks the members of a component from a number on, which are missing or not in their places. `found`: the problems of the members before
 * them. Unexpected keys are reported first.
 */
const checkOthers = (
  value: UnvalidatedVisit,
  { members, names }: Component,
  from: number,
  depth: number,
  found: ReadonlyArray<VisitProblem>,
  walk: Walk
): void => {
  const { path, problems } = walk
  let last: string | undefined
  for (const key of Object.keys(value)) {
    path[depth] = key
    if (names.has(key)) last = key
    else walk.report("UnexpectedKey", value[key], last)
  }
  problems.push(...found)
  for (const member of members.slice(from)) {
    const { isOptional, name } = member
    path[depth] = name
    if (Object.hasOwn(value, name)) checkMember(value[name], member, walk)
    else if (!isOptional) walk.report("MissingKey", undefined)
  }
}

const checkMember = (value: unknown, member: Member, walk: Walk): void => {
  const { component, field, rules } = member
  if (value === null) {
    walk.show(value, field, member.nullRules)
    if (!field.nullable) walk.report("InvalidType", value)
  } else if (component !== undefined) checkPart(value, field.kind === "list", component, walk)
  else {
    if (!member.isValid(value)) reportLeaf(value, member.isEntry, walk)
    if (rules.length > 0 && value !== undefined && !walk.isMisplaced) {
      if (Array.isArray(value)) showEntries(value, field, rules, walk)
      else walk.show(value, field, rules)
    }
  }
}

/** Checks an object or a list of the specification. */
const checkPart = (value: unknown, isList: boolean, component: Component, walk: Walk): void => {
  const hasForm = isList === Array.isArray(value)
  if (!hasForm) walk.report("InvalidType", value)
  const { isMisplaced } = walk
  walk.isMisplaced ||= !hasForm
  if (Array.isArray(value)) {
    const { path } = walk
    const depth = path.length
    for (let index = 0; index < value.length; index++) {
      path[depth] = index
      checkComponent(value[index], component, walk)
    }
    path.length = depth
  } else checkComponent(value, component, walk)
  walk.isMisplaced = isMisplaced
}

/** Reports a value that does not have the form of its field, or those of its entries that do not. */
const reportLeaf = (value: unknown, isEntry: IsValid | undefined, walk: Walk): void => {
  if (isEntry === undefined || !Array.isArray(value)) return walk.report("InvalidType", value)
  const { path } = walk
  const depth = path.length
  for (let index = 0; index < value.length; index++) {
    path[depth] = index
    if (!isEntry(value[index])) walk.report("InvalidType", value[index])
  }
  path.length = depth
}

/** Shows the entries of a text array and the findings of an examination to the rules about them, one by one. */
const showEntries = (
  list: ReadonlyArray<unknown>,
  field: Field,
  rules: ReadonlyArray<number>,
  walk: Walk
): void => {
  const { path } = walk
  const depth = path.length
  for (let index = 0; index < list.length; index++) {
    const entry = list[index]
    path[depth] = index
    if (typeof entry === "string") walk.show(entry, field, rules)
    else if (isComponent(entry)) {
      for (const [key, found] of Object.entries(entry)) {
        path[depth + 1] = key
        walk.show(found, field, rules)
      }
      path.length = depth + 1
    }
  }
  path.length = depth
}

const isFilled = (value: unknown): boolean => typeof value === "string" && !isBlankText(value)

/** Returns whether a value has the type and form of a field that holds no parts. */
const isLeaf = (field: Field): IsValid => {
  const { kind, mandatory, values } = field
  switch (kind) {
    case "code":
    case "identifier":
      return isFilled
    case "timestamp":
      return (value) => typeof value === "string" && isTimestamp(value)
    case "date":
      return (value) => typeof value === "string" && isCalendarDate(value)
    case "text":
      return values !== undefined
        ? (value) => typeof value === "string" && values.includes(value)
        : mandatory
        ? isFilled
        : isText
    case "decimal":
      return isDecimal
    case "text-or-decimal":
      return (value) => typeof value === "string" || isDecimal(value)
    case "boolean":
      return (value) => typeof value === "boolean"
    case "object":
      return isOpenObject
    // A component is checked by its members.
    case "list":
    case "strings":
    case "examination":
      return () => false
  }
}

const isText = (value: unknown): boolean => typeof value === "string"

/** Returns the check of the entries of a field that is a list and holds no components. */
const entryCheckOf = ({ keys = [], kind }: Field): IsValid | undefined =>
  kind === "strings" ? isText : kind === "examination" ? isFinding(keys) : undefined

const isListOf = (isEntry: IsValid, orText: boolean): IsValid => (value) =>
  Array.isArray(value) ? value.every(isEntry) : orText && typeof value === "string"

/** Returns whether the value of an examination has the form that `value_type` states (§2.6 PhysicalExamination). */
const hasStatedForm = ({ value, value_type: type }: UnvalidatedVisit): boolean =>
  type === "complex" ? Array.isArray(value) : type === "text" ? !Array.isArray(value) : value === null

const isFinding = (keys: ReadonlyArray<string>) => (value: unknown): boolean => {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false
  const [entry, ...others] = Object.entries(value)
  return entry !== undefined && others.length === 0 && keys.includes(entry[0]) && isText(entry[1])
}
