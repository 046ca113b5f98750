/** Common clinical abbreviations for diagnoses and treatments, with the words that lists use. */
const abbreviations: ReadonlyMap<string, string> = new Map(
  `ami=acute myocardial infarction|mi=myocardial infarction|ihd=ischaemic heart disease|chf=congestive heart failure
hf=heart failure|af=atrial fibrillation|htn=hypertension|cva=stroke|tia=transient ischaemic attack|dvt=deep vein thrombosis
pe=pulmonary embolism|copd=chronic obstructive pulmonary disease|urti=acute upper respiratory infection
uri=acute upper respiratory infection|lrti=lower respiratory infection|ards=respiratory distress syndrome|tb=tuberculosis
ptb=tuberculosis lung|dm=diabetes mellitus|t1dm=type 1 diabetes mellitus|t2dm=type 2 diabetes mellitus
dka=diabetes mellitus with ketoacidosis|ckd=chronic kidney disease|esrd=chronic kidney disease stage 5|aki=acute renal failure
uti=urinary tract infection|bph=hyperplasia prostate|gerd=gastro-oesophageal reflux disease|pud=peptic ulcer|age=acute gastroenteritis
dhf=dengue haemorrhagic fever|df=dengue fever|hiv=human immunodeficiency virus|hbv=hepatitis b|hcv=hepatitis c|hcc=liver cell carcinoma
ida=iron deficiency anaemia|pem=protein-energy malnutrition|fuo=fever unknown origin|puo=fever unknown origin|lbp=low back pain
oa=osteoarthritis|ra=rheumatoid arthritis|rta=traffic accident|tbi=intracranial injury|nvd=single spontaneous delivery
svd=single spontaneous delivery|lscs=delivery caesarean section|pih=pregnancy-induced hypertension|ors=oral rehydration salts`
    .split(/[|\n]/u).map((pair): [string, string] => {
      const [short = "", long = ""] = pair.split("=")
      return [short, long]
    })
)

/** Returns a text with its abbreviations expanded; `undefined` if it has none. */
export const writtenOut = (text: string): string | undefined => {
  const out = text.replaceAll(/\p{L}[\p{L}\d]+/gu, (word) => abbreviations.get(word.toLowerCase()) ?? word)
  return out === text ? undefined : out
}
