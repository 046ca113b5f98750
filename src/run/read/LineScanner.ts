import {
  type JsonForm,
  keysOfAnyResource,
  type RegularKey,
  type RegularKeys,
  regularKeys
} from "../../fhirpath/generate/regular.ts"
import {
  type ElementListener,
  type ElementRules,
  ElementScanner,
  hasBytes,
  ScannedElement,
  statesKind,
  type TextHolder,
  ValueForm,
  WrittenAs
} from "../../json/ElementScanner.ts"
import { getOrMake } from "../../maps.ts"
import { headOf } from "../../source/records/LazyRecord.ts"
import { isReadAtOnce, resourceTypes } from "../../source/records/resourceTypes.ts"
import { otherVersionOfProfile } from "../../source/versions/FhirVersion.ts"
import { type ElementVersions, elementVersions, otherTypes } from "../../source/versions/otherVersionTable.ts"
import type { VersionWatch } from "../../source/versions/VersionWatch.ts"
import { beginHash, type HashStart } from "../links/hashName.ts"
import { isSpareType, type LinkRules } from "../links/Links.ts"
import { linksAt, type TypeLinks, typeLinks } from "../links/TypeLinks.ts"
import { hashText } from "./referencedNames.ts"

/** The record in a line, by the hashes of its names. */
export interface ScannedLine {
  readonly type: string
  /** Its type and id. */
  readonly own: number
  readonly id: number
  readonly identifiers: ReadonlyArray<number>
  /** The names that it refers to. */
  readonly hashes: ReadonlyArray<number>
  /** For each of these: bits of `Link`. */
  readonly links: ReadonlyArray<number>
}

/** What is known of the lines of a type. */
interface LineType {
  readonly type: string
  /** The first bytes of its lines, up to the type. */
  readonly head: Buffer
  /** The hash of the type and id, up to the id. */
  readonly own: HashStart
  /** `undefined`: each line is parsed. */
  readonly root: ScannedElement<LineRules> | undefined
}

/** What is done with the texts of an element. */
type TextUse = "none" | "id" | "reference" | "value" | "profile" | "own identifier" | "identifier"

interface LineRules extends ElementRules {
  readonly ofType: TypeLinks
  /** The names on its path. */
  readonly path: ReadonlyArray<string>
  readonly use: TextUse
  /** Bits of `Link` for a name in a member, and for a name in the element itself. */
  readonly links: number
  readonly ownLinks: number
  readonly versions: ElementVersions | undefined
  /** The keys that its objects have by the model; `undefined` below an element that the model does not have. */
  readonly keys: RegularKeys | undefined
  readonly isResource: boolean
  /** The type of the record that such an element referred to last. Nearly all references at one path are of one type. */
  target: TargetType | undefined
}

/** A type of R4, as it begins a reference. */
interface TargetType {
  /** With the slash after it. */
  readonly name: Buffer
  readonly hash: HashStart
}

/**
 * Finds the names in lines of a run without parsing the lines. It finds what `nameHashesOf` and `eachReference` find in the parsed record, in
 * the same order. It leaves a line to the parser if anything in it is unusual, or if more is needed than its names. Examples are a Patient,
 * an encounter, an element of another version of FHIR, and a reference in a rare notation.
 */
export class LineScanner implements ScannedLine, ElementListener<LineRules> {
  own = 0
  id = 0
  readonly identifiers: Array<number> = []
  readonly hashes: Array<number> = []
  readonly links: Array<number> = []
  readonly #linkRules: LinkRules
  readonly #linksOf: (type: string) => TypeLinks
  readonly #versions: Pick<VersionWatch, "mustRead">
  readonly #scanner = new ElementScanner<LineRules>(this)
  readonly #types = new Map<string, LineType>()
  /** That of the line that was read last. */
  #ofType: LineType | undefined
  /** Profiles, and whether each is one of R4. A run has few; more than `maxProfiles` are not kept. */
  readonly #profiles = new Map<string, boolean>()
  /** The offset of the reference that was found last. */
  #last = -1

  constructor(linkRules: LinkRules, versions: Pick<VersionWatch, "mustRead">) {
    this.#linkRules = linkRules
    this.#linksOf = typeLinks(linkRules)
    this.#versions = versions
  }

  get type(): string {
    return this.#ofType?.type ?? ""
  }

  /** The line that was read last must be scanned when it is parsed. */
  get needsScan(): boolean {
    return this.#scanner.isLossy || this.#scanner.hasNull
  }

  /** The record in the line that was read last is certainly written as the model says, and has no modifier elements. */
  get isUsual(): boolean {
    return this.#scanner.isUsual
  }

  /** Reads the line of a record between two offsets. Returns false if it must be parsed. */
  read(bytes: Buffer, start: number, end: number): boolean {
    // Most lines of a file are of one type.
    if (this.#ofType === undefined || !hasBytes(bytes, start, this.#ofType.head)) {
      const head = headOf(bytes, start, end)
      if (head === undefined) return false
      this.#ofType = getOrMake(this.#types, head.type, () => this.#typeOf(head.type, bytes, start))
    }
    const { root } = this.#ofType
    if (root === undefined) return false
    this.own = 0
    this.identifiers.length = 0
    this.hashes.length = 0
    this.links.length = 0
    this.#last = -1
    return this.#scanner.scan(bytes, start, end, root) && this.own !== 0
  }

  /** Returns what is known of a type, one of whose lines begins at `start`. */
  #typeOf(type: string, bytes: Buffer, start: number): LineType {
    const { assigned, grouping } = this.#linkRules
    const isParsed = type === grouping.rootType || type === "Patient" || isSpareType(assigned, type) ||
      !resourceTypes.has(type) || isReadAtOnce(type) || this.#versions.mustRead(type)
    const ofType = this.#linksOf(type)
    const links = linksAt(ofType, [])
    return {
      type,
      // With the quote after it.
      head: Buffer.from(bytes.subarray(start, bytes.indexOf(type, start) + type.length + 1)),
      own: beginHash(`${type}/`),
      root: isParsed ? undefined : new ScannedElement({
        refused: 0,
        unusual: 0,
        choice: 0,
        isHeard: false,
        keys: regularKeys(type),
        isResource: true,
        ofType,
        path: [],
        use: "none",
        links,
        ownLinks: links,
        versions: elementVersions(type),
        target: undefined
      })
    }
  }

  rulesOf(holder: LineRules, name: string): LineRules {
    const path = [...holder.path, name]
    const isContained = path.length === 1 && name === "contained"
    const versions = holder.versions?.below?.get(name)
    const use = useOf(path)
    const key = holder.keys?.named(name)
    return {
      unusual: unusualAs(name, key, holder, isContained),
      choice: key?.choice ?? 0,
      keys: key?.type,
      isResource: false,
      ofType: holder.ofType,
      path,
      use,
      isHeard: use !== "none",
      links: linksAt(holder.ofType, path),
      // A name in the identifier of a Reference is one in the Reference.
      ownLinks: use === "identifier" ? holder.ownLinks : holder.links,
      versions,
      target: undefined,
      refused: refusedFor(versions) |
        // A list of texts is no name. Of profiles, there can be several.
        (use === "none" || use === "profile" ? 0 : ValueForm.list) |
        (path.length === 2 && name === "contained" ? ValueForm.object : 0),
      ...(isContained ? { kind: statesType } : {})
    }
  }

  rulesOfKind(contained: LineRules, type: string): LineRules | undefined {
    return this.#versions.mustRead(type)
      ? undefined
      : { ...contained, kind: undefined, versions: elementVersions(type), keys: regularKeys(type), isResource: true }
  }

  onText(rules: LineRules, bytes: Buffer, start: number, end: number, holder: TextHolder): boolean {
    const { ownLinks, use } = rules
    if (use === "reference") return this.#reference(rules, bytes, start, end)
    if (use === "profile") {
      const profile = bytes.toString("utf8", start, end)
      const isOfR4 = this.#profiles.get(profile) ?? otherVersionOfProfile(profile) === undefined
      if (this.#profiles.size < maxProfiles) this.#profiles.set(profile, isOfR4)
      return isOfR4
    }
    if (use === "id") return this.#ownNames(bytes, start, end)
    if (mayBeName(bytes, start, end)) return false
    // An identifier in a list is not in place of a reference.
    if (start === end || use === "value" || (use === "identifier" && holder.isListed)) return true
    if (!isAscii(bytes, start, end)) return false
    const hash = hashText.identifier(bytes, start, end)
    if (use === "own identifier") this.identifiers.push(hash)
    else {
      // It comes before the other names in its object.
      if (this.#last > holder.start) return false
      this.#found(hash, ownLinks, start)
    }
    return true
  }

  #ownNames(bytes: Buffer, start: number, end: number): boolean {
    if (this.#ofType === undefined || start === end || !isAscii(bytes, start, end)) return false
    this.own = hashText.own(bytes, start, end, this.#ofType.own)
    this.id = hashText.id(bytes, start, end)
    return true
  }

  #reference(rules: LineRules, bytes: Buffer, start: number, end: number): boolean {
    const { ownLinks: links, target } = rules
    if (target !== undefined && hasBytes(bytes, start, target.name)) {
      const from = start + target.name.length
      if (from >= end || bytes[from] === underscore || !isPlainName(bytes, from, end)) return false
      this.#found(hashText.own(bytes, from, end, target.hash), links, start)
      return true
    }
    if (bytes[start] === hashSign) {
      if (!isAscii(bytes, start, end)) return false
      this.#found(hashText.own(bytes, start, end), links, start)
      return true
    }
    const slash = bytes.subarray(start, end).indexOf(slashSign)
    if (slash < 1 || !isPlainName(bytes, start, start + slash)) return false
    const name = bytes.toString("latin1", start, start + slash)
    if (otherTypes.has(name)) return false
    rules.target = { name: Buffer.from(`${name}/`), hash: beginHash(`${name}/`) }
    return this.#reference(rules, bytes, start, end)
  }

  #found(hash: number, links: number, offset: number): void {
    this.hashes.push(hash)
    this.links.push(links)
    this.#last = offset
  }
}

const useOf = (path: ReadonlyArray<string>): TextUse => {
  const [name = "", holder] = path.toReversed()
  if (name === "id" && path.length === 1) return "id"
  if (name === "reference") return "reference"
  if (name === "value" && holder === "identifier") return path.length === 2 ? "own identifier" : "identifier"
  if (name.startsWith("value")) return "value"
  return path.join(".") === "meta.profile" ? "profile" : "none"
}

const maxProfiles = 1000

/**
 * Returns how a member of an object cannot be written if all elements are to be regular: see `oddElements`. Modifier elements can be anywhere.
 * An element of resources of which the type is not read here can be anything.
 */
const unusualAs = (
  name: string,
  key: RegularKey | undefined,
  { isResource, keys }: Pick<LineRules, "isResource" | "keys">,
  isContained: boolean
): number => {
  if (name === "modifierExtension" || name === "implicitRules") return anyForm
  if (keys === undefined) return 0
  if (key === undefined) return name.startsWith("_") || (name === "resourceType" && !isResource) ? anyForm : 0
  if (key.type === keysOfAnyResource && !isContained) return anyForm
  return anyValue & ~expectedForms[key.form] | (key.repeats ? WrittenAs.single : WrittenAs.list)
}

const anyValue = WrittenAs.text | WrittenAs.number | WrittenAs.truth | WrittenAs.nothing | WrittenAs.object
const anyForm = anyValue | WrittenAs.list
const expectedForms: Readonly<Record<JsonForm, number>> = {
  text: WrittenAs.text,
  time: WrittenAs.text,
  truth: WrittenAs.truth,
  number: WrittenAs.number,
  object: WrittenAs.object
}

/** In a record that contains others. */
const statesType = statesKind("resourceType")

/** The forms of an element that only another version of FHIR has. */
const refusedFor = (versions: ElementVersions | undefined): number =>
  (versions?.element === undefined ? 0 : ValueForm.scalar | ValueForm.object) |
  (versions?.asText === undefined ? 0 : ValueForm.scalar) | (versions?.asObject === undefined ? 0 : ValueForm.object)

const hashSign = 0x23
const slashSign = 0x2f
/** The name of a record's history begins with it. */
const underscore = 0x5f

const isAscii = (bytes: Buffer, start: number, end: number): boolean => {
  // The offset is below the end.
  for (let at = start; at < end; at++) if (bytes[at]! >= 0x80) return false
  return true
}

/** Returns whether some bytes can be the type or the id in `Patient/17`; not so in a reference in any other notation. */
const isPlainName = (bytes: Buffer, start: number, end: number): boolean => {
  for (let at = start; at < end; at++) {
    // As above.
    const byte = bytes[at]!
    if (byte === slashSign || byte === 0x3a || byte === 0x3f || byte === hashSign || byte <= 0x20 || byte >= 0x80) {
      return false
    }
  }
  return true
}

/** Returns false if a text is certainly no name in the place of a Reference: `Patient/17`, `urn:uuid:…`. */
const mayBeName = (bytes: Buffer, start: number, end: number): boolean => {
  let at = start
  // As above.
  while (at < end && isLetter(bytes[at]!)) at++
  if (at === end || at < start + 2) return false
  return bytes[at] === 0x3a ? bytes.toString("latin1", start, at) === "urn" : bytes[at] === 0x2f
}

const isLetter = (byte: number): boolean => (byte | 0x20) >= 0x61 && (byte | 0x20) <= 0x7a
