/**
 * Abbreviations, and words of Spanish, Portuguese, French, Indonesian, Vietnamese, Thai, Khmer, Lao, Bengali and Nepali that name columns
 * and files, by their English equivalents. Words that a pattern of `columnWords.ts` contains are not listed.
 */
const words = {
  address: "ที่อยู่ អាសយដ្ឋាន ທີ່ຢູ່ ঠিকানা ठेगाना",
  admission: "adm",
  "admission date": "dateadm aufnahmedatum ভর্তিরতারিখ भर्नामिति भर्तीमिति",
  "admission time": "timeadm aufnahmezeit aufnahmeuhrzeit",
  age: "อายุ អាយុ ອາຍຸ বয়স उमेर",
  afternoon: "midi apresmidi tarde siang กลางวัน เที่ยง ថ្ងៃត្រង់ រសៀល",
  amount: "amt monto importe montant valor จำนวนเงิน ចំនួនទឹកប្រាក់ thanhtien रकम টাকারপরিমাণ",
  "birth date":
    "dob datebirth birthdatetime วันเกิด วันเดือนปีเกิด ថ្ងៃកំណើត ថ្ងៃខែឆ្នាំកំណើត ວັນເກີດ ວັນເດືອນປີເກີດ জন্মতারিখ জন্মেরতারিখ जन्ममिति",
  bp:
    "ความดัน ความดันโลหิต សម្ពាធឈាម ຄວາມດັນ ຄວາມດັນເລືອດ tensionarterielle tensaoarterial tensi tensidarah tekanandarah huyetap",
  charges: "vienphi ค่ารักษา ค่ารักษาพยาบาล ค่าใช้จ่าย",
  "chief complaint":
    "lydovv chiefcomp อาการ อาการสำคัญ អាការៈ អាការរោគ ອາການ motifconsultation motifdeconsultation motivoconsulta motivodeconsulta queixaprincipal keluhan keluhanutama lydokham",
  code: "codigo clave cd รหัส លេខកូដ kd kode",
  commune: "ตำบล ឃុំ សង្កាត់ kecamatan",
  cost: "biaya",
  date: "tgl তারিখ मिति",
  days: "dias jours",
  department: "แผนก คลินิก ផ្នែក ພະແນກ fachabteilung abteilung বিভাগ विभाग",
  description: "desc descripcion descricao designation denominacion",
  diagnosis: "การวินิจฉัย วินิจฉัย วินิจฉัยโรค រោគវិនិច្ឆ័យ ການບົ່ງມະຕິ penyakit chandoan রোগনির্ণয় रोगनिदान निदान",
  "other diagnosis code": "mabenhkhac",
  "diagnosis code":
    "mabenhchinh cid10 codigocid kodepenyakit kdpenyakit mabenh รหัสโรค রোগনির্ণয়কোড រោគកូដ លេខកូដរោគ កូដរោគ",
  "diagnosis date": "datedx",
  "diagnosis type": "dxtype diagtype",
  "diagnosis name": "chandoanrv namapenyakit nmpenyakit tenbenh ชื่อโรค",
  discharge: "disch dsch",
  "discharge date":
    "datedsc dchdate วันที่จำหน่าย วันจำหน่าย วันที่ออก ថ្ងៃចេញ ថ្ងៃចេញពីពេទ្យ ວັນທີອອກ tglpulang tanggalpulang entlassdatum entlassungsdatum ছাড়ারতারিখ ছুটিরতারিখ ছাড়পত্রেরতারিখ डिस्चार्जमिति ngayra ngayravien",
  "discharge time": "timedsc dchtime entlasszeit entlassungszeit entlassuhrzeit jampulang",
  "discharge type": "maloairv entlassgrund entlassungsgrund entlassungsart",
  discount: "ส่วนลด បញ្ចុះតម្លៃ",
  district: "อำเภอ เขต ស្រុក ខណ្ឌ ເມືອງ kabupaten",
  doctor: "dpjp mabacsi แพทย์ หมอ ชื่อแพทย์ គ្រូពេទ្យ វេជ្ជបណ្ឌិត ທ່ານໝໍ ডাক্তার চিকিৎসক डाक्टर चिकित्सक",
  drug: "farmaco droga ยา ថ្នាំ ຢາ obat ওষুধ ঔষধ औषधि",
  "drug code": "didstd kodeobat kdobat kodebrng mathuoc รหัสยา",
  "drug name": "dname ชื่อยา ឈ្មោះថ្នាំ namaobat nmobat namabrng nmbrng tenthuoc ওষুধেরনাম औषधिकोनाम",
  drugs: "farmacos drogas",
  duration: "duracion duracao duree",
  "duration days": "dureejours dureeenjours duraciondias duracaodias จำนวนวัน ចំនួនថ្ងៃ",
  evening: "soir เย็น ល្ងាច",
  "first name": "namefirst ชื่อ นาม នាម នាមខ្លួន ຊື່",
  form: "forme formegalenique formafarmaceutica",
  "full name":
    "ชื่อสกุล ชื่อนามสกุล ชื่อผู้ป่วย ឈ្មោះ ឈ្មោះអ្នកជំងឺ នាមនិងគោត្តនាម ຊື່ແລະນາມສະກຸນ nmpasien namapasien namalengkap নাম রোগীরনাম नाम नामथर बिरामीकोनाम",
  height: "ส่วนสูง កម្ពស់ ລວງສູງ",
  instructions: "indicacion indicaciones posologia posologie instrucciones วิธีใช้ aturanpakai signa lieudung cachdung",
  invoice: "factura facture fatura",
  invoices: "facturas factures faturas",
  item: "concepto รายการ",
  "item code":
    "chrgitem coditem codigoitem madichvu รหัสรายการ รหัสบริการ kdtindakan kodetindakan kdlayanan kodelayanan kdjenisprw",
  "item name": "tendichvu ชื่อรายการ noidung namatindakan nmtindakan namalayanan nmlayanan nmperawatan",
  lab: "labor xetnghiem",
  "line total":
    "តម្លៃសរុប ចំនួនសរុប សរុប ยอดรวม ราคารวม รวมเงิน ລາຄາລວມ totalbiaya totalharga totaltarif valortotal vltotal totallinea totaldelinea totallinha totalligne montantligne importelinea totalitem",
  "marital status":
    "marriage civilstatus mstatus สถานภาพ สถานภาพสมรส ស្ថានភាពគ្រួសារ sttsnikah statusnikah statuspernikahan",
  medicament: "medicamento",
  medicaments: "medicamentos",
  "national id": "เลขบัตรประชาชน เลขประจำตัวประชาชน អត្តសញ្ញាណប័ណ្ណ",
  morning: "matin manana manha pagi เช้า ព្រឹក",
  nationality: "สัญชาติ សញ្ជាតិ ສັນຊາດ",
  night: "nuit coucher noche noite malam ก่อนนอน យប់",
  nurse: "พยาบาล គិលានុបដ្ឋាក គិលានុបដ្ឋាយិកា",
  occupation: "อาชีพ មុខរបរ ອາຊີບ",
  patient: "pt ผู้ป่วย คนไข้ អ្នកជំងឺ ຄົນເຈັບ রোগী बिरामी",
  "patient code":
    "เลขผู้ป่วย លេខអ្នកជំងឺ លេខកូដអ្នកជំងឺ កូដអ្នកជំងឺ norkmmedis norekammedis norm nomorrm mabn mabenhnhan patnr patientennr patientennummer রোগীরআইডি রোগীরনম্বর बिरामीनम्बर बिरामीनं बिरामीआईडी",
  "payment mode":
    "modereglement modedereglement modepaiement modedepaiement formapagamento formadepagamento formapago tipopago mediopago carabayar",
  payments: "pagos pagamentos paiements",
  pharmacy: "farmacia pharmacie",
  phone: "โทรศัพท์ เบอร์โทร เบอร์โทรศัพท์ ទូរស័ព្ទ លេខទូរស័ព្ទ ເບີໂທ tlp notlp nohp notelp মোবাইল ফোন मोबाइल फोन",
  "prescription code":
    "noresep nomorresep noreceta nroreceta numeroreceta numerodereceta numordonnance numeroordonnance noordonnance",
  prescription: "resep receta receita ordonnance",
  prescriptions: "recetas receitas ordonnances",
  price: "harga tarif prc precio prix preco ราคา តម្លៃ ລາຄາ মূল্য দাম मूल्य",
  priority: "prioritas",
  product: "producto produit produto",
  province: "จังหวัด ខេត្ត រាជធានី ແຂວງ propinsi provinsi",
  pulse: "ชีพจร ជីពចរ ກຳມະຈອນ nadi",
  quantity: "cantidad quantite quantidade จำนวน ចំនួន ຈຳນວນ qte qtd qtde cant jml soluong পরিমাণ परिमाण",
  receipts: "recibos recus",
  "reference range":
    "khoangbinhthuong normbereich referenzbereich normwert valorreferencia valordereferencia norme normes valeursusuelles valeursdereference ค่าปกติ trisobinhthuong",
  "respiratory rate": "respirasi pernapasan",
  result: "giatri resultado resultat ผล ผลตรวจ លទ្ធផល ຜົນ ketqua wert messwert befund",
  results: "resultados resultats",
  route:
    "voie voied voieadministration voiedadministration via viaadministracion viadeadministracion viaadministracao duongdung",
  sex: "gendersourcevalue sexc เพศ ភេទ ເພດ jk geschlecht লিঙ্গ लिङ्ग",
  status: "stts สถานะ ស្ថានភាព ສະຖານະ",
  strength: "concentracion concentracao hamluong",
  surname: "namelast สกุล นามสกุล គោត្តនាម នាមត្រកូល ນາມສະກຸນ थर",
  temperature: "อุณหภูมิ សីតុណ្ហភាព កម្តៅ ອຸນຫະພູມ suhutubuh",
  test: "prueba estudio",
  "test name": "tenchiso tenxetnghiem parameter",
  tests: "pruebas estudios",
  time: "เวลา ម៉ោង ເວລາ",
  type: "kind ประเภท ប្រភេទ",
  unit: "satuan donvido donvitinh หน่วย ឯកតា ຫົວໜ່ວຍ donvi einheit",
  "unit price":
    "dongia ราคาต่อหน่วย hargasatuan prixunitaire pu preciounitario precounitario punitario valorunitario vlunitario",
  village: "หมู่บ้าน ភូមិ ບ້ານ kelurahan desa",
  "visit code":
    "malk លេខពិនិត្យ norawat noatencion fallnr fallnummer ভিজিটনম্বর ভিজিটআইডি भिजिटनम्बर mahoso mahosobenhan mahosokcb madieutri maluotkham",
  "visit date":
    "dateopd vstdate วันที่รับบริการ วันที่มารับบริการ วันที่มา วันที่ตรวจ วันรับบริการ ថ្ងៃមកពិនិត្យ ថ្ងៃពិនិត្យ ថ្ងៃមក ថ្ងៃចូល ថ្ងៃចូលពេទ្យ ວັນທີມາ ວັນທີກວດ tglregistrasi tanggalregistrasi",
  "visit time": "timeopd vsttime jamreg jamregistrasi",
  "visit type": "maloaikcb ประเภทผู้ป่วย ប្រភេទអ្នកជំងឺ statuslanjut loaikham fallart behandlungsart",
  weight: "น้ำหนัก ទម្ងន់ ນ້ຳໜັກ"
} as const

/** The English words for a word in a different language, or for a whole name without spaces. */
export const wordsInEnglish: ReadonlyMap<string, string> = new Map(
  Object.entries(words).flatMap(([english, others]) =>
    others.normalize("NFC").split(" ").map((other) => [other, english] as const)
  )
)
