/** Values of the standard data (§4.3) that services are known to have. A service can have others: its own lists decide. */
export const knownValues = {
  admission_types: ["Walk-in", "Appointment", "Refer"],
  discharge_types: ["Authorized", "Unauthorized", "Deceased", "Refer Out", "Absconded"],
  visit_outcomes: ["Unchanged", "Recovered", "Improved", "Deceased", "Hopeless", "Home treatment"],
  marital_statuses: ["Single", "Married", "Widowed", "Divorced"]
} as const
