import { isDecimal } from "../json/Decimal.ts"
import { isOpenObject } from "./components/Referral.ts"
import { describeIssue, type FormIssue } from "./describeIssue.ts"
import type { Field } from "./Field.ts"
import { visitFields } from "./fields.ts"
import { isComponent, type LeafRule, type SeeLeaf, type UnvalidatedVisit } from "./rules/Rule.ts"
import { isCalendarDate } from "./values/CalendarDate.ts"
import { isTimestamp } from "./values/Timestamp.ts"
import type { ValuePath, VisitProblem } from "./VisitProblem.ts"

/** A walk through a visit: the current path, and the problems of form so far. */
class Walk {
  /** Grows and shrinks with the walk. It is copied only for a problem. */
  readonly path: Array<string | number> = []
  readonly problems: Array<VisitProblem> = []
  readonly pathOf = (): ValuePath => [...this.path]
  /** What the rules see the leaves with, in their order. */
  readonly sees: ReadonlyArray<SeeLeaf | undefined>
  /** Inside a part whose form is another than the specification's: this was reported, and only nulls are seen. */
  isMisplaced = false

  constructor(sees: ReadonlyArray<SeeLeaf | undefined>) {
    this.sees = sees
  }

  report(issue: FormIssue, value: unknown, after?: string): void {
    if (!this.isMisplaced) this.problems.push(describeIssue(issue, this.pathOf(), value, after))
  }

  show(value: unknown, { field, rules }: Pick<Member, "field" | "rules">): void {
    for (const rule of rules) this.sees[rule]?.(value, field, this.pathOf)
  }
}

/** A field of a component, with what is checked of its values. */
interface Member {
  readonly field: Field
  /** The numbers of the rules about it. */
  readonly rules: ReadonlyArray<number>
  readonly nullRules: ReadonlyArray<number>
  /** For an object or a list of the specification. */
  readonly component: Component | undefined
  readonly checkLeaf: (value: unknown, walk: Walk) => void
}

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
): (visit: unknown, sees: ReadonlyArray<SeeLeaf | undefined>) => Array<VisitProblem> => {
  let visitComponent: Component | undefined
  return (visit, sees) => {
    const walk = new Walk(sees)
    checkComponent(visit, visitComponent ??= componentOf(visitFields, rules), walk)
    return walk.problems
  }
}

const formWalk = makeVisitWalk([])

/** Returns every problem of the form of a visit. Empty if the value is a visit. A test compares the result with that of the schema. */
export const formProblems = (value: unknown): ReadonlyArray<VisitProblem> => formWalk(value, [])

const componentOf = (fields: ReadonlyArray<Field>, rules: ReadonlyArray<LeafRule>): Component => ({
  members: fields.map((field) => ({
    field,
    rules: numbersOf(rules, "values", field),
    nullRules: numbersOf(rules, "nulls", field),
    component: field.fields === undefined ? undefined : componentOf(field.fields, rules),
    checkLeaf: field.fields === undefined ? leafCheckOf(field) : hasOtherForm
  })),
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
  const { isExamination, members, names } = component
  const { path, problems } = walk
  const depth = path.length
  const before = problems.length
  if (hasItsKeys(value, members)) {
    let at = 0
    for (const key in value) {
      let member = members[at++]
      while (member !== undefined && member.field.name !== key) member = members[at++]
      path[depth] = key
      if (member !== undefined) checkMember(value[key], member, walk)
    }
  } else {
    let last: string | undefined
    for (const key of Object.keys(value)) {
      path[depth] = key
      if (names.has(key)) last = key
      else walk.report("UnexpectedKey", value[key], last)
    }
    for (const member of members) {
      const { name, optional } = member.field
      path[depth] = name
      if (Object.hasOwn(value, name)) checkMember(value[name], member, walk)
      else if (!optional) walk.report("MissingKey", undefined)
    }
  }
  if (isExamination && problems.length === before && !hasStatedForm(value)) {
    path[depth] = "value"
    walk.report("InvalidType", value.value)
  }
  path.length = depth
}

/** Returns whether a component has all its keys and no others, in the specification's order, so that none has to be looked for. */
const hasItsKeys = (value: UnvalidatedVisit, members: ReadonlyArray<Member>): boolean => {
  let at = 0
  for (const key in value) {
    while (members[at]?.field.optional === true && members[at]?.field.name !== key) at++
    if (members[at++]?.field.name !== key) return false
  }
  while (members[at]?.field.optional === true) at++
  return at === members.length
}

const checkMember = (value: unknown, member: Member, walk: Walk): void => {
  const { checkLeaf, component, field, nullRules, rules } = member
  if (value === null) {
    for (const rule of nullRules) walk.sees[rule]?.(value, field, walk.pathOf)
    if (!field.nullable) walk.report("InvalidType", value)
  } else if (component !== undefined) checkPart(value, field.kind === "list", component, walk)
  else {
    checkLeaf(value, walk)
    if (rules.length > 0 && value !== undefined && !walk.isMisplaced) showLeaf(value, member, walk)
  }
}

/** Checks an object or a list of the specification. */
const checkPart = (value: unknown, isList: boolean, component: Component, walk: Walk): void => {
  const hasForm = isList === Array.isArray(value)
  if (!hasForm) walk.report("InvalidType", value)
  const { isMisplaced } = walk
  walk.isMisplaced ||= !hasForm
  if (Array.isArray(value)) eachEntry(value, walk, (entry) => checkComponent(entry, component, walk))
  else checkComponent(value, component, walk)
  walk.isMisplaced = isMisplaced
}

const eachEntry = (list: ReadonlyArray<unknown>, { path }: Walk, check: (entry: unknown) => void): void => {
  const depth = path.length
  for (let index = 0; index < list.length; index++) {
    path[depth] = index
    check(list[index])
  }
  path.length = depth
}

/** Shows a leaf to the rules about it; a text array and the findings of an examination one by one. */
const showLeaf = (value: unknown, member: Member, walk: Walk): void => {
  if (!Array.isArray(value)) return walk.show(value, member)
  const { path } = walk
  eachEntry(value, walk, (entry) => {
    if (typeof entry === "string") walk.show(entry, member)
    else if (isComponent(entry)) {
      const depth = path.length
      for (const [key, found] of Object.entries(entry)) {
        path[depth] = key
        walk.show(found, member)
      }
      path.length = depth
    }
  })
}

const isFilled = (value: unknown): boolean =>
  typeof value === "string" && (value.charCodeAt(0) > 32 || /\S/.test(value))

/** Returns whether a value has the type and form of a field that holds no parts. */
const isLeaf = (field: Field): (value: unknown) => boolean => {
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
    case "strings":
    case "list":
    case "examination":
      throw new Error(`a field of kind ${kind} has parts`)
  }
}

const isText = (value: unknown): boolean => typeof value === "string"

const hasOtherForm = (value: unknown, walk: Walk): void => walk.report("InvalidType", value)

/** Returns the check of the form of a field without parts of its own. */
const leafCheckOf = (field: Field): Member["checkLeaf"] => {
  switch (field.kind) {
    case "strings":
      return checkEntries(isText)
    case "examination": {
      const checkFindings = checkEntries(isFinding(field.keys ?? []))
      return (value, walk) => {
        if (typeof value !== "string") checkFindings(value, walk)
      }
    }
    default:
      return checkValue(isLeaf(field))
  }
}

const checkValue = (isValid: (value: unknown) => boolean): Member["checkLeaf"] => (value, walk) => {
  if (!isValid(value)) walk.report("InvalidType", value)
}

const checkEntries = (isValid: (value: unknown) => boolean): Member["checkLeaf"] => (value, walk) => {
  if (!Array.isArray(value)) return walk.report("InvalidType", value)
  eachEntry(value, walk, (entry) => {
    if (!isValid(entry)) walk.report("InvalidType", entry)
  })
}

/** Returns whether the value of an examination has the form that `value_type` states (§2.6 PhysicalExamination). */
const hasStatedForm = ({ value, value_type: type }: UnvalidatedVisit): boolean =>
  type === "complex" ? Array.isArray(value) : type === "text" ? !Array.isArray(value) : value === null

const isFinding = (keys: ReadonlyArray<string>) => (value: unknown): boolean => {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false
  const [entry, ...others] = Object.entries(value)
  return entry !== undefined && others.length === 0 && keys.includes(entry[0]) && isText(entry[1])
}
