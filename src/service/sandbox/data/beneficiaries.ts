import type { Beneficiary } from "../../Beneficiary.ts"

interface Place {
  readonly village: readonly [code: string, name: string]
  readonly commune: string
  readonly district: string
  readonly province: string
}

const places = {
  tonleBasak: {
    village: ["12010101", "Phum 1"],
    commune: "Tonle Basak",
    district: "Chamkar Mon",
    province: "Phnom Penh"
  },
  slaKram: { village: ["17100101", "Sla Kram"], commune: "Sla Kram", district: "Siem Reap", province: "Siem Reap" },
  tuolTaEk: {
    village: ["02030101", "O Ta Kam I"],
    commune: "Tuol Ta Ek",
    district: "Battambang",
    province: "Battambang"
  },
  ampovPrey: {
    village: ["08010101", "Ampov Prey Ti Muoy"],
    commune: "Ampov Prey",
    district: "Kandal Stueng",
    province: "Kandal"
  }
} as const satisfies Record<string, Place>

/** The codes of the higher units are prefixes of the lower ones. */
const address = ({ commune, district, province, village: [code, name] }: Place) => ({
  province: { code: code.slice(0, 2), name: province },
  district: { code: code.slice(0, 4), name: district },
  commune: { code: code.slice(0, 6), name: commune },
  village: { code, name },
  house_number: "",
  street_number: "",
  location: ""
})

interface Person {
  readonly code: string
  readonly surname: string
  readonly name: string
  readonly sex: "M" | "F"
  readonly birthdate: string
  readonly card: string
  readonly head: string
  readonly place: Place
  readonly occupation: string
  readonly deathAt?: string
}

const beneficiary = (person: Person): Beneficiary => ({
  spid: `SP${person.code.slice(1)}`,
  patient_code: person.code,
  surname: person.surname,
  name: person.name,
  sex: person.sex,
  birthdate: person.birthdate,
  phone_number: `0${person.code.slice(-2)}000${person.code.slice(-3)}`,
  nationality: "Cambodian",
  relationship_to_head: person.head,
  dead: person.deathAt !== undefined,
  death_date: person.deathAt ?? null,
  created_at: "2025-01-06T08:00:00.000+07:00",
  updated_at: "2025-06-02T09:30:00.000+07:00",
  address: address(person.place),
  benefit_cards: [{ card_number: person.card, card_type: "Benefit Card", valid_until: "2027-12-31" }],
  identifications: [{ patient_code: person.code, card_code: person.card, card_type: "Benefit Card" }],
  occupation: person.occupation,
  disabilities: []
})

/** Invented beneficiaries; the first has the card `100-000-001`. */
export const beneficiaries: ReadonlyArray<Beneficiary> = [
  beneficiary({
    code: "P25000001",
    surname: "TEST",
    name: "Dara",
    sex: "M",
    birthdate: "1985-04-12",
    card: "100-000-001",
    head: "Head",
    place: places.tonleBasak,
    occupation: "Farmer"
  }),
  beneficiary({
    code: "P25000002",
    surname: "TEST",
    name: "Sophea",
    sex: "F",
    birthdate: "1990-11-30",
    card: "100-000-002",
    head: "Spouse",
    place: places.tonleBasak,
    occupation: "Tailor"
  }),
  beneficiary({
    code: "P25000003",
    surname: "SAMPLE",
    name: "Bopha",
    sex: "F",
    birthdate: "2019-02-03",
    card: "100-000-003",
    head: "Child",
    place: places.slaKram,
    occupation: ""
  }),
  beneficiary({
    code: "P25000004",
    surname: "SAMPLE",
    name: "Vannak",
    sex: "M",
    birthdate: "1958-07-21",
    card: "100-000-004",
    head: "Head",
    place: places.tuolTaEk,
    occupation: "Retired",
    deathAt: "2026-03-01T04:15:00.000+07:00"
  }),
  beneficiary({
    code: "P25000005",
    surname: "EXAMPLE",
    name: "Chenda",
    sex: "F",
    birthdate: "2001-09-09",
    card: "100-000-005",
    head: "Head",
    place: places.ampovPrey,
    occupation: "Student"
  })
]
