import { requestTables } from "../../service/countRequests.ts"

/**
 * The journal's tables, one entry for each format. `user_version` counts how many were applied; an entry is never edited once
 * it was released, a new one is added.
 */
export const migrations: ReadonlyArray<string> = [
  `
  CREATE TABLE journal (
    facility_code TEXT NOT NULL,
    service TEXT NOT NULL,
    environment TEXT NOT NULL,
    created_at TEXT NOT NULL
  ) STRICT;

  -- one row for each run; the one without an end is in progress
  CREATE TABLE run (
    id INTEGER PRIMARY KEY,
    pid INTEGER NOT NULL,
    host TEXT NOT NULL,
    started_at TEXT NOT NULL,
    ended_at TEXT,
    -- done, stopped, interrupted; killed if the next run found no ending
    ending TEXT,
    counts TEXT
  ) STRICT;

  -- the current state of each visit
  CREATE TABLE visit (
    facility_code TEXT NOT NULL,
    visit_code TEXT NOT NULL,
    state TEXT NOT NULL CHECK (state IN
      ('READY', 'SENDING', 'STORED', 'PARTIAL', 'REFUSED', 'CONFLICT', 'UNKNOWN', 'VERIFY', 'DUPLICATE', 'DOUBT')),
    -- an attempt had no clear response; the service holds a partial record; the list was looked up after the last attempt
    open INTEGER NOT NULL DEFAULT 0,
    held INTEGER NOT NULL DEFAULT 0,
    looked INTEGER NOT NULL DEFAULT 0,
    -- the frozen bytes, erased when they cannot be sent again; their SHA-256 is kept
    payload TEXT,
    fingerprint TEXT NOT NULL,
    patient_code TEXT NOT NULL,
    admitted_at TEXT NOT NULL,
    source TEXT,
    mapping TEXT,
    attempts INTEGER NOT NULL DEFAULT 0,
    -- SHA-256 of the bytes sent last, and of the bytes of the partial record at the service
    sent_fingerprint TEXT,
    held_fingerprint TEXT,
    held_admitted_at TEXT,
    -- the source has changed since, and the new bytes are not sent
    changed_since INTEGER NOT NULL DEFAULT 0,
    uuid TEXT,
    problem TEXT,
    field TEXT,
    http_status INTEGER,
    listed_status TEXT,
    received_at TEXT NOT NULL,
    attempted_at TEXT,
    listed_at TEXT,
    updated_at TEXT NOT NULL,
    CHECK (payload IS NOT NULL OR state NOT IN ('READY', 'SENDING', 'UNKNOWN')),
    PRIMARY KEY (facility_code, visit_code)
  ) STRICT;
  CREATE INDEX visit_state ON visit (state);

  -- the events of each visit, in order; rows are only added
  CREATE TABLE attempt (
    id INTEGER PRIMARY KEY,
    facility_code TEXT NOT NULL,
    visit_code TEXT NOT NULL,
    run INTEGER NOT NULL,
    at TEXT NOT NULL,
    event TEXT NOT NULL,
    number INTEGER NOT NULL,
    state_before TEXT NOT NULL,
    state_after TEXT NOT NULL,
    fingerprint TEXT NOT NULL,
    patient_code TEXT NOT NULL,
    admitted_at TEXT NOT NULL,
    detail TEXT,
    http_status INTEGER,
    uuid TEXT
  ) STRICT;
  CREATE INDEX attempt_visit ON attempt (facility_code, visit_code, id);
  CREATE TRIGGER attempt_is_not_edited BEFORE UPDATE ON attempt BEGIN SELECT RAISE(ABORT, 'attempts are only added'); END;
  CREATE TRIGGER attempt_is_not_removed BEFORE DELETE ON attempt BEGIN SELECT RAISE(ABORT, 'attempts are only added'); END;

  ${requestTables}

  -- for people
  CREATE VIEW visits_now AS
    SELECT visit_code, state, attempts, problem, field, http_status, uuid, changed_since, source, received_at, attempted_at,
      listed_at, updated_at
    FROM visit ORDER BY visit_code;
  CREATE VIEW unsettled AS
    SELECT visit_code, state, attempts, CASE WHEN state = 'DOUBT' THEN
        CASE WHEN listed_status IS NOT NULL THEN 'ours, with status ' || listed_status
          WHEN open OR held THEN 'probably ours' ELSE 'probably another''s' END END AS doubt,
      attempted_at, listed_at, updated_at
    FROM visit WHERE state IN ('READY', 'SENDING', 'UNKNOWN', 'VERIFY', 'DOUBT') ORDER BY visit_code;
  CREATE VIEW refused AS
    SELECT visit_code, state, problem, field, http_status, source, attempted_at
    FROM visit WHERE state IN ('REFUSED', 'CONFLICT', 'DUPLICATE') ORDER BY visit_code;
  `,
  `
  -- a time of the counts above, and the uptime of the machine at that time
  CREATE TABLE request_clock (
    boot TEXT PRIMARY KEY,
    since_boot INTEGER NOT NULL,
    at INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  `,
  `
  -- the service held it before an attempt of this journal can have stored it: its content there is unknown
  ALTER TABLE visit ADD COLUMN unseen INTEGER NOT NULL DEFAULT 0;
  UPDATE visit SET unseen = 1 WHERE state = 'STORED' AND attempts = 0;
  -- the service acknowledged it as stored, and a later lookup in its list did not show it as ours
  ALTER TABLE visit ADD COLUMN unlisted INTEGER NOT NULL DEFAULT 0;
  -- number of errors that the service found beyond the one it named
  ALTER TABLE visit ADD COLUMN more_fields INTEGER NOT NULL DEFAULT 0;
  `,
  `
  -- a patient has one visit at an admission time, whatever its code is
  CREATE INDEX visit_patient ON visit (facility_code, patient_code);
  `,
  `
  -- the service's message for a refusal; it may name the patient, and is erased once the service holds the visit
  ALTER TABLE visit ADD COLUMN said TEXT;
  `,
  `
  -- the encounters of each visit, as they were frozen; a code is unique in the record system
  CREATE TABLE encounter (
    facility_code TEXT NOT NULL,
    encounter_code TEXT NOT NULL,
    visit_code TEXT NOT NULL,
    PRIMARY KEY (facility_code, encounter_code, visit_code)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX encounter_visit ON encounter (facility_code, visit_code);
  -- finds the few visits of a state without reading all visits of the facility
  DROP INDEX visit_state;
  CREATE INDEX visit_state ON visit (facility_code, state);
  `,
  `
  -- the form in which the bytes were sent, until they cannot be sent again: facility.yaml may change meanwhile
  ALTER TABLE visit ADD COLUMN form TEXT;
  `,
  `
  -- the status of the response if the last lookup could not read the list; 0 without a response
  ALTER TABLE visit ADD COLUMN list_error INTEGER;
  `,
  `
  -- the source no longer has it as a visit, for example because it was cancelled
  ALTER TABLE visit ADD COLUMN withdrawn INTEGER NOT NULL DEFAULT 0;
  CREATE INDEX visit_withdrawn ON visit (facility_code) WHERE withdrawn = 1;
  `
]
