import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { parse } from "yaml"
import { sexOf } from "../../../src/studio/profile/tables/columns/guessColumn.ts"
import { columnWordsOf } from "../../../src/studio/profile/tables/words/columnWords.ts"
import { temporaryFolder, written } from "../../run/converted.ts"
import { days, drafted, profiled, rows, table, two, type } from "./drafted.ts"
import { hospital as fhir, ndjson } from "./hospital.ts"

/** Names of people are short and occur again and again, like codes. */
const surnames = ["SOK", "CHEA", "Müller", "TEP", "KIM"]
const given = ["Bopha", "Dara", "Srey Mom"]

const hospital = (count: number) => ({
  "patients.csv": `N° Dossier;Nom;Prénom;Sexe;Né(e) le;Tél.;Profession;Situation\n${
    rows(count, (at) =>
      `${String(at).padStart(6, "0")};${surnames[at % 5]};${given[at % 3]};${at % 2 === 0 ? "H" : "F"};${
        two(1 + at % 12)
      }/03/${1950 + at % 60};01288${at % 4};${at % 2 === 0 ? "Agriculteur" : "Etudiant"};${at % 2 === 0 ? "M" : "C"}`)
  }`,
  "passages.csv": `N° Passage;N° Dossier;Type;Entrée;Sortie;Nom malade;Médecin;Mode sortie\n${
    rows(count, (at) =>
      `P26-${two(at)};${String(at).padStart(6, "0")};C;${two(1 + at % 12)}/03/2026 08:15;${
        two(1 + at % 12)
      }/03/2026 09:15;${surnames[at % 5]};Dr RATH;Domicile`)
  }`,
  "constantes.csv": `N° Passage;Heure;TA;Pouls;Temp;Poids;Taille;Infirmier;Motif;Remarque;Soignant\n${
    rows(count, (at) =>
      `P26-${two(at)};${two(1 + at % 12)}/03/2026 08:20;12/8;${60 + at};36.${at % 10};${50 + at}.5;1.${
        50 + at
      };IDE Mony;Fièvre;x;Mony`)
  }`
})

describe("Tables in other languages", () => {
  for (const count of [12, 60]) {
    it.effect(`finds keys and links in ${count} rows: the visit refers to the patient, its measurements do not`, () =>
      Effect.gen(function*() {
        const { suggestions, tables } = yield* profiled(hospital(count))
        const reported = Object.fromEntries(
          tables.map((
            { keys, links, name }
          ) => [name, [keys[0], ...links.map(({ column, table }) => `${column} ${table}`)]])
        )
        assert.deepStrictEqual(reported, {
          patients: ["N° Dossier"],
          passages: ["N° Passage", "N° Dossier patients"],
          constantes: ["N° Passage", "N° Passage passages"]
        })
        assert.match(suggestions.overlay, /^ {2}visit:\n(?: {4}.*\n)* {4}file: "passages\.csv"/mu)
        assert.match(suggestions.overlay, /prenom|name: \{from: "Prénom"\}/u)
        assert.match(suggestions.overlay, /medecin: \{from: "Médecin"\}/u)
      }))
  }

  it.effect("does not read the number of a stay as a day, and recognizes Spanish tables", () =>
    Effect.gen(function*() {
      const start = (at: number): string => `2026-01-${two(1 + at % 28)} 08:${two(at % 60)}:00`
      const { suggestions } = yield* profiled({
        "pacientes.csv": `paciente_id,nombres,apellidos,sexo,fecha_nacimiento\n${
          rows(
            30,
            (at) =>
              `${at + 1},Muestra${at},Ejemplo${at},${at % 2 === 0 ? "Hombre" : "Mujer"},1980-02-${two(1 + at % 28)}`
          )
        }`,
        "ingresos.csv": `ingreso_id,paciente_id,fecha_ingreso,fecha_egreso,tipo_atencion\n${
          rows(60, (at) => `${9000 + at},${1 + at % 30},${start(at)},2026-02-${two(1 + at % 28)} 10:00:00,Ambulatorio`)
        }`,
        "diagnosticos.csv": `diagnostico_id,ingreso_id,codigo_cie10,descripcion,tipo\n${
          rows(60, (at) =>
            `${at + 1},${9000 + at},${["A09", "I10", "B54"][at % 3]},Nombre ${at % 3},${at % 2 === 0 ? "P" : "S"}`)
        }`,
        "laboratorio.csv": `resultado_id,ingreso_id,prueba,resultado,unidad,fecha\n${
          rows(60, (at) => `${at + 1},${9000 + at},Glucosa,${90 + at}.5,mg/dL,${start(at)}`)
        }`,
        "recetas.csv": `receta_id,ingreso_id,codigo_medicamento,medicamento,indicacion,fecha\n${
          rows(60, (at) => `${at + 1},${9000 + at},M0${at % 3},Paracetamol ${at % 3},1 cada 8 horas,${start(at)}`)
        }`,
        "signos_vitales.csv": `ingreso_id,fecha_hora,presion_sistolica,presion_diastolica,saturacion_o2\n${
          rows(60, (at) => `${9000 + at},${start(at)},${110 + at % 20},${70 + at % 9},${95 + at % 5}`)
        }`
      })
      assert.notInclude(suggestions.overlay, "excel")
      for (
        const line of [
          "code: {from: \"ingreso_id\"}",
          "diagnosis_type_name: \"iif(iif(tipo.empty(), '(empty)', tipo).translated('diagnosticos_primary').translated('yes_or_no') = 'yes', 'Primary', 'Secondary')\"",
          "diagnosis_name: descripcion",
          "value_unit: unidad",
          "note: indicacion",
          "code: {path: [codigo_medicamento, medicamento]",
          "name: {value: Systolic Blood Pressure}",
          "name: {value: Blood Oxygen}"
        ]
      ) assert.include(suggestions.overlay, line)
    }))

  it.effect("reads abbreviations as their words, and asks about the rest", () =>
    Effect.gen(function*() {
      const at = (n: number): string => `02/${two(1 + n % 28)}/2026 0${1 + n % 9}:15 PM`
      const { suggestions } = yield* profiled({
        "tblPatient.csv": `ChartNo,PtName,SexCd,DOB\n${
          rows(30, (n) => `${100_000 + n * 7},"Sample${n}, Test",${1 + n % 2},03/${two(1 + n % 28)}/1970`)
        }`,
        "tblEncounter.csv": `AcctNo,ChartNo,PtType,AdmitDtTm,DischDtTm,DispCd,Campus\n${
          rows(60, (n) =>
            `A${700 + n},${100_000 + (n % 30) * 7},${n % 9 === 0 ? "I" : "O"},${at(n)},${at(n)},${1 + n % 4},${
              n % 2 === 0 ? "Main" : "East"
            }`)
        }`,
        "tblDx.csv": `AcctNo,DxSeq,DxCode,DxDesc\n${
          rows(60, (n) => `A${700 + n},1,${["A09", "I10"][n % 2]},Words ${n % 2}`)
        }`,
        "tblRx.csv": `RxID,AcctNo,DrugCd,DrugName,OrderedOn\n${
          rows(60, (n) => `${n + 1},A${700 + n},D1${n % 2},Tablet ${n % 2},${46_054 + n}.${1 + n % 9}`)
        }`,
        "tblCharges.csv": `AcctNo,LineNo,CPT,CPTDesc,Units,UnitPrice,LineTotal\n${
          rows(60, (n) => `A${700 + n},1,9921${n % 3},Visit ${n % 3},1,${20 + n % 3}.50,${20 + n % 3}.50`)
        }`
      })
      for (
        const line of [
          "sex: {from: \"SexCd\"}",
          "discharge_type: {from: \"DispCd\"}",
          "ordered_on: {type: timestamp, from: \"OrderedOn\", format: \"excel\"}",
          "name: [{path: \"name\", assume: whole-name-is-the-given-name}]",
          "diagnosis_name: dx_desc",
          "service_name: [cpt_desc, {path: \"cpt\", warn: \"the code in place of the name\"}]"
        ]
      ) assert.include(suggestions.overlay, line)
      assert.include(JSON.stringify(suggestions), "2 hospitals, by `campus`")
    }))

  it("removes only accents from names", () => {
    assert.strictEqual(columnWordsOf("Prénom"), "prenom")
    assert.strictEqual(columnWordsOf("Tél."), "tel")
    assert.strictEqual(columnWordsOf("N° Dossier"), "no dossier")
    assert.strictEqual(columnWordsOf("Số hồ sơ"), "so ho so")
    assert.strictEqual(columnWordsOf("Điện thoại"), "dien thoai")
    assert.strictEqual(columnWordsOf("ថ្ងៃ"), "ថ្ងៃ")
    assert.strictEqual(columnWordsOf("คำ"), "คำ")
    assert.strictEqual(columnWordsOf("ชื่อ-สกุล"), "full name")
    assert.strictEqual(columnWordsOf("ភេទ (sex)"), "sex sex")
  })

  it.effect("asks about an ambiguous order of day and month, and marks it at the format if other columns decide it", () =>
    Effect.gen(function*() {
      const files = hospital(12)
      const undecided = (yield* profiled(files)).suggestions.overlay
      assert.match(
        undecided,
        /# QUESTION do the dates of `Entrée` .*No number is above 12.*\n {6}admitted_at: \{type: timestamp, from: "Entrée"\}/u
      )
      const decided = yield* profiled({ ...files, "bills.csv": "id,billed\n1,25/03/2026\n" })
      assert.match(
        decided.suggestions.overlay,
        /# no day is above 12: read as day, month, as others are: verify it\n {6}admitted_at:/u
      )
    }))

  it.effect("reads H and F as homme and femme, H and M as hombre and mujer, and asks to verify both", () =>
    Effect.gen(function*() {
      const french = (yield* profiled(hospital(12))).suggestions.overlay
      assert.match(french, /verify it\n {6}H: M/u)
      const files = hospital(12)
      const spanish = yield* profiled({
        ...files,
        "patients.csv": files["patients.csv"].replaceAll(";F;", ";M;").replace("Sexe", "Sexo")
      })
      assert.match(spanish.suggestions.overlay, /verify it\n {6}M: F/u)
    }))

  it("reads V and M as var\u00F3n and mujer, and does not treat a lone M as certainly male", () => {
    assert.deepStrictEqual(["V", "M"].map((code) => sexOf(code, ["V", "M"])?.[0]), ["M", "F"])
    assert.deepStrictEqual(["F", "M"].map((code) => sexOf(code, ["F", "M"])), [["F"], ["M"]])
    assert.deepStrictEqual(["K", "M"].map((code) => sexOf(code, ["K", "M"])), [undefined, ["M"]])
    assert.strictEqual(sexOf("M", ["M"])?.length, 2)
  })
})

describe("A profile shows no name of a person, whatever the name of its column", () => {
  it.effect("of tables as text, page or JSON, or in what `init` writes", () =>
    Effect.gen(function*() {
      const folder = yield* temporaryFolder
      const files = hospital(60)
      const headers = { Nom: "Họ", Prénom: "ឈ្មោះ", Médecin: "Responsable", "Nom malade": "ABC", Infirmier: "XYZ" }
      const renamed = Object.fromEntries(
        Object.entries(files).map(([name, text]) => [
          name,
          Object.entries(headers).reduce((all, [one, other]) => all.replace(one, other), text)
        ])
      )
      for (const tables of [files, renamed]) {
        const input = yield* temporaryFolder
        written(input, tables)
        const page = join(folder, "page.html")
        yield* type("profile", input, "-o", page)
        const text = yield* type("profile", input)
        const json = yield* type("profile", input, "--format", "json")
        const made = join(yield* temporaryFolder, "made")
        yield* type("init", made, "--from", input)
        const all = [
          text.stdout,
          json.stdout,
          readFileSync(page, "utf8"),
          readFileSync(join(made, "mapping.yaml"), "utf8"),
          readFileSync(join(made, "cases/visit.md"), "utf8")
        ]
        for (const shown of all) {
          for (const name of [...surnames, ...given, "RATH", "Mony", "Agriculteur"]) {
            assert.notMatch(shown, new RegExp(`(?<!\\p{L})${name}(?!\\p{L})`, "u"))
          }
        }
        // Codes that cannot be names, and columns that are called after codes.
        assert.match(text.stdout, /Sexe +100 % +code +2 different; F 30, H 30/u)
        assert.match(text.stdout, /Mode sortie .* Domicile 60/u)
      }
    }))

  it.effect("of FHIR, and shows a person's own codes only if they cannot be names", () =>
    Effect.gen(function*() {
      const records = fhir(4).map((record) =>
        record["resourceType"] === "Patient"
          ? {
            ...record,
            maritalStatus: {
              coding: [{ system: "http://our-hospital.example/status", code: "CHEA", display: "CHEA Sok" }]
            },
            communication: [{
              language: { coding: [{ system: "http://our-hospital.example/lang", code: "K1", display: "CHEA" }] }
            }]
          }
          : record
      )
      const folder = yield* temporaryFolder
      const [input] = written(folder, { "in.ndjson": ndjson(records) })
      const { stdout } = yield* type("profile", input, "--format", "json")
      assert.notInclude(stdout, "CHEA")
      assert.include(stdout, "\"K1\"")
    }))

  it.effect("reads dates that span decades as births, and asks which of several other dates is the beginning", () =>
    Effect.gen(function*() {
      const { suggestions } = yield* profiled({
        "visits.csv": `visit_id,pasient,zulu,alfa,beta\n${
          rows(40, (at) =>
            `B${100 + at},P${at % 20},${1940 + (at % 20) * 4}-05-0${1 + at % 9},2026-03-0${1 + at % 9},2026-03-1${
              at % 9
            }`)
        }`
      })
      assert.match(suggestions.overlay, /admitted_at: \{[^}]*from: "alfa"/u)
      assert.match(suggestions.overlay, /assume: beginning-is-a-guess/u)
      const question = suggestions.overlay.split("\n").find((line) => line.includes("the beginning of the visit"))
      assert.include(question, "`alfa` is used; others: `beta` (40 of 40 rows)")
      assert.notInclude(question, "zulu")
    }))
})

describe("Words that were once not read", () => {
  it.effect("are those of Spanish exports with Folio and Clave", () =>
    Effect.gen(function*() {
      const { visits } = yield* drafted({
        "pacientes.csv": table(
          "Clave,Apellidos,Nombre,Sexo,FechaNacimiento",
          8,
          (at) => `P-${at},Ejemplo,Ana,M,${two(at + 8)}/04/1990`
        ),
        "consultas.csv": table(
          "Folio,ClavePaciente,FechaConsulta,HoraConsulta,TipoAtencion",
          8,
          (at) => `F-${at},P-${at},${two(at)}/03/2026,08:15,${at % 2 === 0 ? "Urgencias" : "Consulta externa"}`
        ),
        "diagnosticos.csv": table("Folio,Clave,Descripcion", 8, (at) => `F-${at},A9${at % 2},Dengue`),
        "laboratorio.csv": table(
          "Folio,Clave,Estudio,Resultado,Unidad,ValorReferencia,FechaResultado",
          8,
          (at) => `F-${at},L-1,Hemoglobina,12.5,g/dL,12-16,${two(at)}/03/2026 08:15`
        )
      })
      assert.strictEqual(visits.length, 8)
      const [first] = visits
      assert.deepInclude(first, { code: "F-1", patient_code: "P-1", visit_type: "OPD" })
      assert.strictEqual(first.diagnosis[0].diagnosis_code, "A91")
      assert.deepInclude(first.laboratories[0].results[0], { name: "Hemoglobina", reference_range: "12-16" })
    }))

  it.effect("are those of Indonesian states: a visit that was Batal is not sent", () =>
    Effect.gen(function*() {
      for (const header of ["stts", "keterangan_kunjungan"]) {
        const { questions, visits } = yield* drafted(
          days(12, { header: `,${header}`, more: (at) => `,${at % 4 === 0 ? "Batal" : "Sudah"}` })
        )
        assert.include(questions, `which rows of \`visit\` took place, by \`${header}\`?`)
        const codes = visits.map(({ code }) => code)
        for (const at of [4, 8, 12]) assert.notInclude(codes, `V-${at}`, header)
      }
    }))

  it.effect("are those for stays in a column of any name", () =>
    Effect.gen(function*() {
      const { visits } = yield* drafted({
        "benhnhan.csv": table("MaBN,HoTen,NgaySinh,GioiTinh", 8, (at) => `BN-${at},Mẫu ${at},${at}/4/1990,Nam`),
        "luotkham.csv": table(
          "MaLuotKham,MaBN,NgayVao,NgayRa,HinhThuc,MaBenh",
          8,
          (at) => `LK-${at},BN-${at},${at}/3/2026 8:15,${at}/3/2026 16:30,${at % 2 === 0 ? "Nội trú" : "Ngoại trú"},A90`
        )
      })
      assert.deepStrictEqual(
        visits.map(({ inpatients, outpatients, visit_type: type }) => [type, inpatients.length, outpatients.length]),
        visits.map((_, at) => at % 2 === 0 ? ["OPD", 0, 1] : ["IPD", 1, 0])
      )
    }))

  it.effect("are those of German exports", () =>
    Effect.gen(function*() {
      const { visits } = yield* drafted({
        "patienten.csv": table(
          "PatNr;Nachname;Vorname;Geschlecht;Geburtsdatum",
          8,
          (at) => `${4710 + at};Muster;Eva;w;0${at}.04.1990`
        ),
        "faelle.csv": table(
          "FallNr;PatNr;Aufnahmedatum;Aufnahmezeit;Entlassdatum;Entlasszeit;Fallart",
          8,
          (at) => `${90000 + at};${4710 + at};0${at}.03.2026;08:15;0${at}.03.2026;14:10;ambulant`
        ),
        "diagnosen.csv": table("FallNr;ICD;Text", 8, (at) => `${90000 + at};A90;Dengue`),
        "labor.csv": table(
          "FallNr;Parameter;Wert;Einheit;Normbereich;Zeitpunkt",
          8,
          (at) => `${90000 + at};Hb;12,5;g/dl;12-16;0${at}.03.2026 09:10`
        )
      })
      assert.strictEqual(visits.length, 8)
      assert.strictEqual(visits[0].patient.sex, "F")
      assert.include(visits[0].discharged_at, "2026-03-01T14:10")
      assert.deepInclude(visits[0].laboratories[0].results[0], { name: "Hb", value: 12.5, reference_range: "12-16" })
    }))
})

describe("The tables of Vietnamese health insurance", () => {
  it.effect("are read by the names of their columns", () =>
    Effect.gen(function*() {
      const { mapping } = yield* drafted({
        "XML1.csv": table(
          "MA_LK,MA_BN,HO_TEN,GIOI_TINH,NGAY_SINH,CHAN_DOAN_RV,MA_BENH_CHINH,NGAY_VAO,NGAY_RA,MA_LOAI_RV,MA_LOAI_KCB,LY_DO_VV",
          24,
          (at) =>
            `260000${two(at)},BN00${1 + at % 6},Example,${1 + at % 2},19${50 + at}0315,Cough,J06.9,202603${
              two(at)
            }0815,202603${two(at)}0915,1,01,Cough`
        ),
        "XML4.csv": table(
          "MA_LK,STT,MA_DICH_VU,MA_CHI_SO,TEN_CHI_SO,GIA_TRI,DON_VI_DO,NGAY_KQ",
          24,
          (at) => `260000${two(at)},1,22.0120,GLU,Glucose,5.${at},mmol/L,202603${two(at)}0900`
        )
      })
      const { table: { patient, visit, xml4 }, visit: { diagnosis } } = parse(mapping)
      assert.deepStrictEqual(visit.column.code, { from: "MA_LK" })
      assert.deepStrictEqual(patient.column.code, { from: "MA_BN" })
      assert.deepStrictEqual(visit.column.visit_type, { from: "MA_LOAI_KCB" })
      assert.deepStrictEqual(visit.column.discharge_type, { from: "MA_LOAI_RV" })
      assert.deepStrictEqual(visit.column.admitted_at, { type: "timestamp", from: "NGAY_VAO", format: "YYYYMMDDHHmm" })
      assert.deepStrictEqual(patient.column.birthdate, { type: "date", from: "NGAY_SINH", format: "YYYYMMDD" })
      assert.deepStrictEqual(xml4.link, { visit: { table: "visit", on: "ma_lk" } })
      assert.include(JSON.stringify(diagnosis), "ma_benh_chinh")
    }))
})

describe("An Indonesian hospital", () => {
  const files = {
    "pasien.csv": table(
      "no_rm;nama_pasien;jenis_kelamin;tgl_lahir",
      12,
      (at) => `RM-${at};Contoh ${at};${at % 2 === 0 ? "L" : "P"};${two(at)}/04/1990`
    ),
    "rawat_jalan.csv": table(
      "no_rawat;no_rm;tgl_registrasi;jam_reg;tgl_pulang;jam_pulang;poliklinik;dpjp",
      9,
      (at) =>
        `RJ-${at};RM-${at};${two(at)}/03/2026;08:15;${two(at)}/03/2026;09:30;${
          at % 3 === 0 ? "IGD" : "Poli Umum"
        };dr. Contoh`
    ),
    "rawat_inap.csv": table(
      "no_rawat;no_rm;tgl_masuk;jam_masuk;tgl_keluar;jam_keluar;diagnosa_utama",
      3,
      (at) => `RI-${at};RM-${9 + at};0${at}/03/2026;08:15;1${at}/03/2026;09:30;A9${at}`
    ),
    "obat.csv": table(
      "no_rawat;no_resep;tgl_resep;kode_obat;nama_obat;aturan_pakai;satuan",
      9,
      (at) =>
        [1, 2, 3].map((no) => `RJ-${at};RX-${at}-${no < 3 ? 1 : 2};${two(at)}/03/2026;OB${no};Obat ${no};3 x 1;tablet`)
          .join("\n")
    )
  }

  it.effect("has the ends of visits, the doctor, emergencies, and prescriptions by their numbers; stays are asked about", () =>
    Effect.gen(function*() {
      const { later, questions } = yield* drafted(files, { "pasien.csv": files["pasien.csv"] }, {
        "visit_type.csv": "code,value\nPoli Umum,OPD\n",
        "visit_emergency.csv": "code,value\nPoli Umum,no\n"
      })
      assert.include(
        questions,
        "are the rows of `rawat_inap` (3 rows in rawat_inap.csv) visits, too, or stays of the visits?"
      )
      assert.strictEqual(later.visits.length, 9)
      for (const { code, discharged_at, emergencies, outpatients, prescriptions } of later.visits) {
        const at = Number(code.slice(3))
        assert.strictEqual(discharged_at, `2026-03-${two(at)}T09:30:00.000+07:00`)
        assert.deepStrictEqual([emergencies.length, outpatients.length], at % 3 === 0 ? [1, 0] : [0, 1])
        assert.strictEqual([...emergencies, ...outpatients][0].encountered_by, "dr. Contoh")
        assert.deepStrictEqual(
          prescriptions.map((one: { code: string; medications: ReadonlyArray<{ unit: string }> }) => [
            one.code,
            one.medications.map(({ unit }) => unit)
          ]),
          [[`RX-${at}-1`, ["tablet", "tablet"]], [`RX-${at}-2`, ["tablet"]]]
        )
      }
    }))
})

describe("Patients with the number `id_paciente`, two surnames and two given names", () => {
  it.effect("are those of the visits, also if each has one visit, and have all of their names", () =>
    Effect.gen(function*() {
      const { visits } = yield* drafted({
        "pacientes.csv": table(
          "id_paciente,cedula,primer_nombre,segundo_nombre,primer_apellido,segundo_apellido,sexo,fecha_nacimiento",
          6,
          (at) => `${at},C-${at},Ana,${at % 2 === 0 ? "" : "Maria"},Prueba,${at === 3 ? "" : "Prueba"},F,1990-01-2${at}`
        ),
        "atenciones.csv": table(
          "id_atencion,id_paciente,fecha_ingreso,fecha_egreso,tipo_atencion",
          6,
          (at) => `${10 + at},${at},2026-03-${two(at)} 08:00,2026-03-${two(at)} 09:00,AMBULATORIO`
        )
      })
      assert.deepStrictEqual(
        visits.slice(0, 3).map(({ patient: { code, name, surname } }) => [code, name, surname]),
        [["1", "Ana Maria", "Prueba Prueba"], ["2", "Ana", "Prueba Prueba"], ["3", "Ana Maria", "Prueba"]]
      )
    }))
})

describe("Columns in Bengali and Nepali", () => {
  const files = {
    Bengali: [
      "রোগীর আইডি,নাম,লিঙ্গ,জন্ম তারিখ",
      "ভিজিট নম্বর,রোগীর আইডি,ভর্তির তারিখ,ছাড়ার তারিখ,রোগ নির্ণয় কোড",
      "মহিলা"
    ],
    Nepali: [
      "बिरामी नम्बर,नाम,लिङ्ग,जन्म मिति",
      "भिजिट नम्बर,बिरामी नम्बर,भर्ना मिति,डिस्चार्ज मिति,निदान",
      "महिला"
    ]
  }
  for (const [language, [people = "", stays = "", female = ""]] of Object.entries(files)) {
    it.effect(`are those of patients and visits: ${language}`, () =>
      Effect.gen(function*() {
        const { visits } = yield* drafted({
          "a.csv": table(people, 9, (at) => `P-${at},Example ${at},${female},195${at}-03-04`),
          "b.csv": table(stays, 9, (at) => `V-${at},P-${at},2026-03-0${at} 08:15,2026-03-0${at} 09:15,A09`)
        })
        assert.deepStrictEqual(
          visits.map(({ code, diagnosis, discharged_at, patient: { birthdate, name, sex } }) => [
            code,
            name,
            sex,
            birthdate,
            discharged_at.slice(0, 16),
            diagnosis[0].diagnosis_code
          ])[0],
          ["V-1", "Example 1", "F", "1951-03-04", "2026-03-01T09:15", "A09"]
        )
      }))
  }
})
