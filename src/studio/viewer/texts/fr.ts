import { formats } from "./formats.ts"
import type { ViewerTexts } from "./texts.ts"

const { number: n, ...french } = formats("fr-FR")

/** `1 visite`, `2 visites`; zero is singular in French. */
const plural = (count: number, one: string, many = `${one}s`): string => `${n(count)} ${count < 2 ? one : many}`
const visits = (count: number): string => plural(count, "visite")
const of = (part: number, all: number): string => `${visits(part)} sur ${n(all)}`
const sent = (part: number): string => (part < 2 ? "transmise" : "transmises")
const earlier = (changed: number): string =>
  changed === 0 ? "" : ` ; le service national en a ${n(changed)} dans une version antérieure`
const unsent = (done: number, all: number): string => {
  const left = all - done
  return `${of(left, all)} ${left < 2 ? "n’est pas encore transmise" : "ne sont pas encore transmises"}.`
}
const sameCommand = "Rien n’est perdu et rien n’est transmis deux fois."
const list = (names: ReadonlyArray<string>): string =>
  names.length < 2 ? names.join("") : `${names.slice(0, -1).join(", ")} et ${names.at(-1)}`

/** French. Messages of problems stay in English, and are marked so. No speaker outside the project has reviewed it. */
export const fr: ViewerTexts = {
  language: "fr",
  name: "Français",
  ...french,
  number: n,
  verdict: {
    nothing: "Aucune visite à transmettre.",
    nothingNext: "L’ingénieur d’intégration vérifie l’extraction : elle ne contient aucune visite.",
    delivered: (done, all, changed) =>
      `${
        done === all
          ? all === 1 ? "La visite a été transmise" : `Les ${visits(all)} ont toutes été transmises`
          : `${of(done, all)} ${done < 2 ? "a été" : "ont été"} ${sent(done)}`
      }${earlier(changed)}.`,
    rehearsed: (done, all) =>
      `Essai à blanc, rien n’a été envoyé au service national : ${of(done, all)} ${
        done < 2 ? "pourrait être" : "pourraient être"
      } ${sent(done)}.`,
    planned: (left, all, skipped, changed) =>
      `Rien n’a été envoyé : ${of(left, all)} ${left < 2 ? "pourrait être" : "pourraient être"} ${sent(left)}${
        skipped === 0 ? "" : `, ${n(skipped)} ${skipped < 2 ? "ignorée" : "ignorées"}${earlier(changed)}`
      }.`,
    ready: (done, all) =>
      done === all
        ? all === 1 ? "La visite peut être transmise." : `Les ${visits(all)} peuvent toutes être transmises.`
        : `${of(done, all)} ${done < 2 ? "peut être" : "peuvent être"} ${sent(done)}.`,
    part: (index, count) => `Partie ${index} sur ${count}, et non l’exécution entière.`,
    endings: {
      interrupted: (done, all) => `L’exécution a été interrompue : ${unsent(done, all)}`,
      "rate-limited": (done, all) => `Le service national a demandé d’attendre : ${unsent(done, all)}`,
      "service-down": (done, all) => `Le service national n’a pas donné de réponse claire : ${unsent(done, all)}`,
      "access-denied": (done, all) => `Le service national a refusé l’accès : ${unsent(done, all)}`,
      "same-refusal": (done, all) =>
        `L’exécution s’est arrêtée, car le service national refusait les visites l’une après l’autre : ${
          unsent(done, all)
        }`,
      failed: (done, all) => `L’exécution a échoué : ${unsent(done, all)}`
    },
    next: {
      interrupted: () => `L’administrateur relance la même commande. ${sameCommand}`,
      "rate-limited": (until) =>
        `L’administrateur relance la même commande ${
          until === undefined ? "plus tard" : `après ${until}`
        }. ${sameCommand}`,
      "service-down": () =>
        `L’administrateur relance la même commande plus tard et, si cela dure, s’adresse à l’opérateur. ${sameCommand}`,
      "access-denied": () =>
        "L’administrateur corrige ce que le message indique, ou s’adresse à l’opérateur, puis relance la même commande.",
      "same-refusal": () =>
        "L’ingénieur d’intégration corrige ce qu’elles ont toutes de faux, puis relance la même commande.",
      failed: () => `L’administrateur corrige ce que le message indique, puis relance la même commande. ${sameCommand}`
    },
    rest: {
      correction: (count) => `${n(count)} ${count < 2 ? "doit être corrigée" : "doivent être corrigées"}`,
      open: (count) => `${n(count)} ${count < 2 ? "est encore ouverte" : "sont encore ouvertes"}`,
      waiting: (count) => `${n(count)} en attente`,
      doubt: (count) => `${n(count)} ${count < 2 ? "incertaine" : "incertaines"} : à vérifier auprès de l’opérateur`
    },
    nothingWaits: " ; aucune n’est en attente."
  },
  navigation: "Rubriques",
  skip: "Aller aux visites",
  noFacility: "Aucun établissement",
  finished: (time, zone) => `Terminé le ${time} (${zone})`,
  states: {
    delivered: "Transmises",
    open: "Encore ouvertes",
    waiting: "En attente",
    correction: "À corriger"
  },
  canBeSent: "Prêtes à l’envoi",
  canBeSentOrSkipped: "Prêtes à l’envoi, ou ignorées",
  stateBar: "Image : visites par état",
  stateDetails: {
    delivered: (now, before) =>
      before === 0
        ? "par cette exécution"
        : now === 0
        ? "par des exécutions précédentes"
        : `${n(now)} par cette exécution, ${n(before)} auparavant`,
    sendable: "complètes et valides",
    planned: (left, skipped) => `${n(left)} à envoyer, ${n(skipped)} ${skipped < 2 ? "ignorée" : "ignorées"}`,
    open: (next) =>
      next === undefined
        ? "non terminées, transmises par une exécution ultérieure"
        : `la prochaine peut être transmise à partir du ${next}`,
    waiting: (unknown, doubt, left) =>
      [
        ...(left === 0 ? [] : [`${n(left)} pas encore ${sent(left)}`]),
        ...(unknown === 0 ? [] : [`${n(unknown)} sans réponse`]),
        ...(doubt === 0 ? [] : [`${n(doubt)} ${doubt < 2 ? "incertaine" : "incertaines"}`])
      ].join(", "),
    correction: (rejected, refused) =>
      [
        ...(rejected === 0 ? [] : [`${n(rejected)} non ${sent(rejected)}`]),
        ...(refused === 0 ? [] : [`${n(refused)} non acceptée${refused < 2 ? "" : "s"} par le service national`])
      ].join(", "),
    none: "aucune"
  },
  owners: {
    "source system": "Système source",
    mapping: "Ingénieur d’intégration",
    "code table": "Tables de codes",
    "facility settings": "Réglages de l’établissement",
    service: "Opérateur du service national",
    administrator: "Administrateur"
  },
  todo: {
    short: "À faire",
    title: "Ce qu’il faut faire, et par qui",
    sub: "Les visites corrigées sont transmises par la prochaine exécution.",
    nothing: "Il n’y a rien à faire",
    nothingSub: "Aucun problème ne bloque une visite ou un enregistrement.",
    visits,
    records: (count) => plural(count, "enregistrement"),
    show: (count) => `Voir ${visits(count)}`,
    explain: "Expliquer",
    before: (count) => `${n(count)} la dernière fois`,
    isNew: "nouveau",
    more: (count) => plural(count, "autre type de problème", "autres types de problèmes"),
    calm: (count) => `Rien à faire pour ${visits(count)} :`,
    calmOpen: (count, next) =>
      `${plural(count, "encore ouverte", "encore ouvertes")}${
        next === undefined ? "" : `, la prochaine peut être transmise à partir du ${next}`
      }`,
    calmLeft: (count) => `${n(count)} pas encore ${sent(count)}, à envoyer par la prochaine exécution`,
    decide: (count) => `${plural(count, "hypothèse")} de la correspondance à décider`
  },
  trend: {
    short: "Évolution",
    titles: {
      first: "La première exécution",
      better: (before, now) => `Mieux : ${before} à corriger auparavant, ${now} maintenant`,
      worse: (before, now) => `Moins bien : ${before} à corriger auparavant, ${now} maintenant`,
      level: (now) => `Stable : ${now} à corriger`
    },
    none: "Il n’y a pas encore d’exécution précédente à laquelle comparer. Le prochain rapport montrera l’évolution.",
    since: (day, last) =>
      `Comparé au ${day}${
        last === undefined ? "" : ` ; la dernière exécution en avait ${last}`
      }. Les parts portent sur toutes les visites d’une exécution.`,
    delivered: "Transmises, part des visites d’une exécution",
    ready: "Prêtes à l’envoi, part des visites d’une exécution",
    correction: "Visites à corriger, et problèmes qui bloquent le plus",
    all: "toutes les visites à corriger",
    notDone: "interrompue avant la fin",
    figures: "Chiffres des graphiques",
    caption: "Exécutions, les plus anciennes d’abord",
    heads: ["Exécution", "Visites", "Transmises", "À corriger", "Fin"],
    problemCaption: "Visites rejetées par problème, dans les dernières exécutions",
    problem: "Problème",
    now: "celle-ci",
    ended: {
      done: "terminée",
      stopped: "arrêtée",
      interrupted: "interrompue",
      "no-room": "disque plein",
      failed: "échec",
      killed: "arrêtée de force"
    },
    unknown: "inconnue"
  },
  visits: {
    short: "Visites",
    title: "Visites",
    sub: "Des codes seulement : aucun nom, aucune valeur de la source.",
    subValues: "Cette page contient des valeurs de la source.",
    find: "Rechercher",
    findHint: "code, fichier, service ou problème",
    state: "État",
    notDelivered: "non transmises",
    all: "toutes",
    ward: "Service",
    problem: "Problème",
    anyProblem: "tous, ou aucun",
    day: "Jour",
    reset: "Réinitialiser",
    download: (count) => `Télécharger ${n(count)} en CSV`,
    shown: (count, all) => `${n(count)} sur ${visits(all)}`,
    heads: {
      visit: "Visite",
      day: "Admission",
      ward: "Service",
      state: "État",
      outcome: "Résultat",
      needs: "À faire",
      origin: "Emplacement dans la source"
    },
    caption: "Visites qui correspondent au filtre",
    more: (count) => `Montrer ${n(count)} de plus`,
    rest: (count) =>
      `${
        visits(count)
      } de plus ne figurent pas dans la liste : report.json en donne les nombres, et --rejected FILE celles qui sont rejetées.`,
    unknown: "inconnu",
    andMore: (count) => `et ${n(count)} de plus`,
    sort: (head) => `Trier par ${head}`
  },
  placeNames: {
    stored: "Transmise par cette exécution",
    skipped: "Transmise auparavant",
    ready: "Prête à l’envoi",
    open: "Encore ouverte",
    unknown: "Sans réponse",
    doubt: "Incertaine",
    left: "Pas encore transmise",
    partial: "Enregistrée en partie",
    refused: "Refusée",
    duplicate: "Code déjà pris",
    conflict: "En conflit",
    rejected: "Rejetée"
  },
  placeMeanings: {
    stored: "",
    skipped: "",
    ready: "",
    open: "Non terminée, ou terminée depuis trop peu de temps : une exécution ultérieure la transmet.",
    unknown: "Envoyée sans réponse claire : le service national est interrogé avant tout nouvel envoi.",
    doubt: "Le service national la détient peut-être déjà, ou ne la liste plus : l’opérateur décide.",
    left: "La prochaine exécution l’envoie.",
    partial: "Le service national n’en détient qu’une partie : elle est renvoyée quand sa source a changé.",
    refused: "Refusée par le service national.",
    duplicate: "Au service national, son code désigne un autre enregistrement.",
    conflict: "Elle est en conflit avec une autre visite, ou avec une autre date d’admission.",
    rejected: ""
  },
  openFrom: (time) => `Peut être transmise à partir du ${time}.`,
  notOver: "Non terminée : une exécution ultérieure la transmet.",
  groups: {
    short: "Services",
    wards: (names) => `${list(names)} ${names.length < 2 ? "est" : "sont"} à examiner`,
    wardsFine: "Aucun service ne dépasse 5 %",
    days: (count) => (count === 0 ? "aucun jour au-dessus de 5 %" : `${plural(count, "jour")} au-dessus de 5 %`),
    limits: "Rouge : plus de 5 % à corriger. Ambre : jusqu’à 5 %. Vert : aucune.",
    ward: "Service ou département",
    dayHead: "Jour d’admission",
    visits: "Visites",
    correction: "À corriger",
    share: "Part",
    unknown: "inconnu",
    few: "services de moins de trois patients",
    wardCaption: "Visites par service, les pires d’abord",
    dayCaption: "Visites par jour d’admission, les pires d’abord",
    rest: (count) => `${n(count)} de plus`,
    levels: { bad: "plus de 5 %", some: "jusqu’à 5 %", none: "aucune" }
  },
  assumptions: {
    short: "Hypothèses",
    title: (open, accepted) =>
      open === 0
        ? `${plural(accepted, "hypothèse")}, ${accepted < 2 ? "acceptée" : "toutes acceptées"}`
        : `${plural(open, "hypothèse")} à décider`,
    sub: "Ce que la correspondance décide là où la source ne dit rien.",
    heads: ["Hypothèse", "Visites", "Décision", "Ligne de la correspondance"],
    caption: "Hypothèses, celles à décider d’abord",
    accepted: "acceptée",
    ask: { hospital: "l’hôpital décide", operator: "l’opérateur décide" },
    next:
      "Pour en accepter une, écrivez son nom dans assumptions.yaml, à côté de facility.yaml ; pour en décider autrement, modifiez sa ligne."
  },
  records: {
    short: "Enregistrements",
    title: (used, all) => `${used} des ${plural(all, "enregistrement")} sont dans des visites`,
    bar: "Image : enregistrements par usage",
    parts: {
      used: "dans des visites",
      unused: "non utilisés",
      copies: "dont versions anciennes ou copies identiques",
      rejected: "rejetés",
      unreadable: "dont illisibles"
    },
    heads: ["Type", "Dans des visites", "Non utilisés", "Références sans cible", "Rattachés d’après l’heure"],
    caption: "Enregistrements par type",
    unnamed: "sans type",
    list: "Les enregistrements et éléments non utilisés, et pourquoi : ajoutez --coverage FILE.",
    rejected: (count) => `${plural(count, "enregistrement")} sans visite`,
    rejectedHeads: ["Enregistrement", "Emplacement dans la source", "Pourquoi"],
    rejectedCaption:
      "Enregistrements qui n’appartiennent à aucune visite, et lignes qui ne sont pas des enregistrements",
    line: "une ligne qui n’est pas un enregistrement",
    unmapped: (count) => `${plural(count, "code")} sans ligne de table`,
    unmappedHeads: ["Table", "Code", "Système", "Sens", "Fois", "Visites", "Rejetées pour cela"],
    unmappedCaption: "Codes sans ligne dans une table de codes",
    unmappedNext: "Pour en faire une liste de travail : fhir2visit codes unmapped INPUT -o TABLES",
    rest: (count) => `${n(count)} de plus : --rejected FILE les écrit tous.`
  },
  problems: {
    short: "Problèmes",
    title: (
      count
    ) => (count < 2 ? `${n(count)} type de problème, expliqué` : `${n(count)} types de problèmes, expliqués`),
    none: "Aucun problème n’a été trouvé",
    severities: { error: "erreur", warning: "avertissement" },
    times: (count, inVisits) => inVisits === 0 ? `${n(count)} fois` : `${n(count)} fois dans ${visits(inVisits)}`,
    owner: "Qui corrige",
    mapping: "Ligne de la correspondance",
    path: "Chemin",
    field: "Champ",
    first: "Premier enregistrement",
    value: "Sa valeur",
    said: "Message du service national",
    help: "Que faire",
    meaning: "Signification",
    more: "Plus",
    warnings: (count) => `${plural(count, "type")} d’avertissements : les visites sont transmises`,
    rest: (count) => `${plural(count, "autre type", "autres types")} : report.json les donne tous.`
  },
  run: {
    short: "Exécution",
    title: "L’exécution",
    command: "Commande",
    started: "Début",
    took: "Durée",
    seconds: (count) => `${n(count)} secondes`,
    ending: "Fin",
    message: "Message",
    mapping: "Correspondance",
    program: "Programme",
    facility: "Établissement",
    endings: {
      done: "terminée",
      interrupted: "interrompue",
      "rate-limited": "le service national a demandé d’attendre",
      "service-down": "pas de réponse claire du service national",
      "access-denied": "le service national a refusé l’accès",
      "same-refusal": "les visites étaient refusées l’une après l’autre",
      failed: "échec"
    },
    withoutValues: "Cette page ne contient aucune valeur des enregistrements.",
    withValues:
      "Cette page contient des valeurs d’enregistrements, car --show-values a été demandé. Conservez-la avec le même soin qu’un dossier de patient.",
    json: "Télécharger ce rapport en JSON"
  }
}
