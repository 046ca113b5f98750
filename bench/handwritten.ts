/** Expressions of mappings, each with handwritten code that does the same on the JSON. */
export const handwritten: Readonly<
  Record<string, { readonly type: string; readonly byHand: (resource: any) => unknown }>
> = {
  "status = 'final' or status = 'amended' or status = 'corrected' or status = 'preliminary'": {
    type: "Observation",
    byHand: ({ status }) =>
      status === "final" || status === "amended" || status === "corrected" || status === "preliminary"
  },
  "category.hasCode('laboratory LAB').not()": {
    type: "Observation",
    byHand: ({ category }) =>
      !(category ?? []).some(({ coding = [] }: any) =>
        coding.some(({ code }: any) => code === "laboratory" || code === "LAB")
      )
  },
  "code.conceptText()": {
    type: "Observation",
    byHand: ({ code }) => code?.text ?? code?.coding?.find(({ display }: any) => display !== undefined)?.display
  },
  "(effective.ofType(dateTime) | effective.ofType(Period).start | issued).first().toString()": {
    type: "Observation",
    byHand: ({ effectiveDateTime, effectivePeriod, issued }) => effectiveDateTime ?? effectivePeriod?.start ?? issued
  },
  "value.ofType(Quantity).unit": { type: "Observation", byHand: ({ valueQuantity }) => valueQuantity?.unit },
  "period.start": { type: "Encounter", byHand: ({ period }) => period?.start },
  "type.conceptText()": { type: "Encounter", byHand: ({ type }) => (type ?? []).map(({ text }: any) => text) },
  "name.where(use = 'official').first().given.join(' ')": {
    type: "Patient",
    byHand: ({ name }) => (name ?? []).find(({ use }: any) => use === "official")?.given?.join(" ")
  },
  "extension('http://hl7.org/fhir/StructureDefinition/patient-nationality').extension.where(url = 'code').value": {
    type: "Patient",
    byHand: ({ extension }) =>
      (extension ?? [])
        .filter(({ url }: any) => url === "http://hl7.org/fhir/StructureDefinition/patient-nationality")
        .flatMap((one: any) => one.extension ?? [])
        .filter(({ url }: any) => url === "code")
        .map(({ valueCodeableConcept }: any) => valueCodeableConcept)
  },
  "telecom.where(system = 'phone' and (use.empty() or use != 'old')).value": {
    type: "Patient",
    byHand: ({ telecom }) =>
      (telecom ?? []).filter(({ system, use }: any) => system === "phone" && use !== "old").map(({ value }: any) =>
        value
      )
  }
}
