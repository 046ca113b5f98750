import { Fold, Section, Table } from "../parts.tsx"
import { counted, frequencyList, type ProfileOf, typeOfElement } from "./ProfileOf.ts"

const SystemName = ({ hidden, system }: { readonly system: string | null; readonly hidden: boolean }) =>
  hidden ? <span class="dim">not shown</span> : system === null ? <span class="dim">none</span> : <code>{system}</code>

export const IdentifiersSection = ({ profile, texts }: ProfileOf) => (
  <Section key="identifiers" id="identifiers" title="Identifiers">
    {profile.identifiers.map(({ element, systems }) => (
      <Table
        key={element}
        texts={texts}
        caption={element}
        heads={["System", "Records", "Values", "Kinds", "More than one in a record"]}
        rows={systems.map(({ different, hidden, kinds, records, several, system }) => [
          <SystemName system={system} hidden={hidden} />,
          records,
          different ?? "very many",
          frequencyList(texts, kinds),
          several
        ])}
      />
    ))}
  </Section>
)

export const CodesSection = ({ profile, texts }: ProfileOf) => (
  <Section
    key="codes"
    id="codes"
    title="Statuses and code systems"
    sub="The codes of each element, most frequent first."
  >
    {codesByType(profile).map(([type, elements]) => (
      <Fold
        key={type}
        open={type === visitType}
        title={
          <>
            <strong>{type}</strong> <span class="dim">{counted(texts, elements.length, "element")}</span>
          </>
        }
      >
        {elements.map((of) => <CodesOf key={of.element} of={of} texts={texts} />)}
      </Fold>
    ))}
  </Section>
)

/** The records that become visits. */
const visitType = "Encounter"

/** The elements with codes by their types: those of visits first, because they decide what a visit is. */
const codesByType = (profile: ProfileOf["profile"]) =>
  [...Map.groupBy(profile.codes, ({ element }) => typeOfElement(element))]
    .toSorted(([one], [other]) => Number(other === visitType) - Number(one === visitType))

const CodesOf = ({ of, texts }: Pick<ProfileOf, "texts"> & { readonly of: ProfileOf["profile"]["codes"][number] }) => (
  <Fold
    open={of.element === `${visitType}.status`}
    title={
      <>
        <code>{of.element}</code>{" "}
        <span class="dim">
          {counted(
            texts,
            of.systems.reduce((sum, { different }) => sum + different, 0),
            "code"
          )}
          {of.words > 0 ? `, ${texts.number(of.words)} in words only` : ""}
        </span>
      </>
    }
  >
    {of.systems.map((one, at) => {
      const hasDisplay = one.codes.some(({ display }) => display !== undefined && display !== null)
      return (
        <div key={at}>
          <p class="sub">
            <SystemName system={one.system} hidden={one.hidden} />
            {one.withheld > 0 ? `, ${texts.number(one.withheld)} not shown` : ""}
          </p>
          <Table
            texts={texts}
            caption={`Codes of ${of.element}`}
            hideCaption
            heads={["Code", ...hasDisplay ? ["Display"] : [], "Count"]}
            rows={one.codes.map((
              { code, count, display }
            ) => [<code>{code}</code>, ...hasDisplay ? [display ?? ""] : [], count])}
          />
        </div>
      )
    })}
  </Fold>
)
