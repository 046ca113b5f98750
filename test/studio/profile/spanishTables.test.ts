import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { days, drafted, table, two } from "./drafted.ts"

const plain = (text: string): string => text.replaceAll(/\s+/gu, " ")

describe("Lines of a bill whose types are the first letters of services and medicines", () => {
  const bills = (kind: (at: number) => string) => ({
    "facturas.csv": table(
      "nro_factura,visit_no,fecha_factura,forma_pago,total",
      12,
      (at) => `F-${at},V-${at},2026-03-${two(at)},Efectivo,40`
    ),
    "detalle.csv": table(
      "nro_factura,linea,tipo_item,codigo,descripcion,cantidad,precio_unitario,subtotal",
      24,
      (at) => `F-${Math.ceil(at / 2)},${1 + at % 2},${kind(at)},I-${at % 4},Ejemplo,2,10,20`
    )
  })
  const kind = (at: number): string => ["SERV", "MED", "INS"][at % 3] ?? ""

  it.effect("have the medicines of MED, to be verified, and a type of a later extract rejects its visit", () =>
    Effect.gen(function*() {
      const { later, mapping, visits } = yield* drafted(
        { ...days(12), ...bills(kind) },
        bills((at) => at === 1 ? "PROC" : kind(at))
      )
      assert.match(mapping, /# 8 rows: verify it\s+MED: "yes"/u)
      const [{ medications, payment_type: way, services, total }] = visits[0].invoices
      assert.deepInclude(medications[0], { medicine_code: "I-1", medicine_name: "Ejemplo", quantity: 2, payment: 20 })
      assert.deepInclude(services[0], { service_code: "I-2", payment: 20 })
      assert.deepStrictEqual([medications.length, services.length, way, total], [1, 1, "Efectivo", 40])
      assert.deepStrictEqual([visits.length, later.visits.length, later.visits[0].code], [12, 11, "V-2"])
    }))
})

describe("Tables of allergies and of vaccines in Spanish", () => {
  it.effect("are histories of the patient, without vaccines that were refused", () =>
    Effect.gen(function*() {
      const { visits } = yield* drafted({
        ...days(12),
        "alergias.csv": table("patient_no,alergeno,severidad", 12, (at) => `P-${at},Ejemplo,Alta`),
        "vacunas.csv": table("patient_no,vacuna,fecha,estado", 12, (at) =>
          `P-${at},BCG,2025-01-10,${at % 3 ? "Aplicada" : "Rechazada"}`)
      })
      const named = (at: number) =>
        visits[at].medical_histories.map((one: any) => [one.name, one.value])
      assert.deepStrictEqual(named(0), [["Allergies", ["Ejemplo"]], ["Immunization History", ["BCG"]]])
      assert.deepStrictEqual(named(2), [["Allergies", ["Ejemplo"]]])
    }))
})

describe("Diagnoses in Spanish", () => {
  it.effect("have their names, and a question about their types", () =>
    Effect.gen(function*() {
      const { questions, visits } = yield* drafted({
        ...days(12),
        "diagnosticos.csv": table("visit_no,orden,cie10,diagnostico,tipo_dx", 12, (at) =>
          `V-${at},1,A09,Ejemplo,${1 + at % 2}`)
      })
      assert.strictEqual(visits[0].diagnosis[0].diagnosis_name, "Ejemplo")
      assert.match(plain(questions), /which types of diagnoses should be sent, by `diagnosticos.tipo_dx`\?/u)
    }))
})

describe("Prescriptions and results in French", () => {
  it.effect("have their numbers, their days, and the limits of their results", () =>
    Effect.gen(function*() {
      const { visits } = yield* drafted({
        ...days(12),
        "ordonnances.csv": table("N° ordonnance,visit_no,Date,Médicament,Matin,Durée (j),Unité,Fréquence", 12, (at) =>
          `O-${Math.ceil(at / 2)},V-${Math.ceil(at / 2)},2026-03-0${Math.ceil(at / 2)} 08:20,M-${
            at % 2
          },1,5,comprimé,matin`),
        "laboratoire.csv": table("N° demande,visit_no,Prélevé le,Analyse,Résultat,Norme", 6, (at) =>
          `L-${at},V-${at},2026-03-0${at} 08:20,Exemple,12.5,12-16`)
      })
      const [visit] = visits
      assert.deepStrictEqual(
        visit.prescriptions.map((one: any) => [
          one.code,
          one.medications.map(({ days }: any) =>
            days
          )
        ]),
        [["O-1", [5, 5]]]
      )
      const [{ medications: [{ interval, unit }] }] = visit.prescriptions
      assert.deepStrictEqual({ interval, unit }, { interval: "matin", unit: "comprimé" })
      assert.strictEqual(visit.laboratories[0].results[0].reference_range, "12-16")
    }))
})
