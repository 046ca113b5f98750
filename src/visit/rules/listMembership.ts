import type { Field } from "../Field.ts"
import { spellingKey } from "../values/ReferenceList.ts"
import type { ValuePath } from "../VisitProblem.ts"
import { LeafCheck, type LeafRule } from "./Rule.ts"

class ListedValues extends LeafCheck {
  see(value: unknown, field: Field, path: () => ValuePath): void {
    if (typeof value !== "string" || value === "" || field.list === undefined) return
    const list = this.settings.lists?.get(field.list)
    if (list === undefined || list.codes.has(value)) return
    const hasCodes = field.kind === "code" && list.codes.size > 0
    if (!hasCodes && list.values.has(value)) return
    const spelt = list.spellings.get(spellingKey(value))
    this.report({
      code: "unknown-list-value",
      severity: "warning",
      path: path(),
      title: `\`${field.name}\` is not in the list \`${field.list}\``,
      ...(spelt === undefined || spelt === value ? {} : { help: `the list spells it \`${spelt}\`` })
    })
  }
}

/**
 * §4.3: checks that values come from the lists of the standard data. A code is looked up among the codes, any other text among values and
 * codes. Lists that are not loaded and empty values are ignored.
 */
export const listMembership: LeafRule = {
  isAbout: (field) => field.list !== undefined,
  sees: "values",
  Check: ListedValues
}
