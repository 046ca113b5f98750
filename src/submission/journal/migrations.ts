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

  -- one row for each run; the open one says who runs now
  CREATE TABLE run (
    id INTEGER PRIMARY KEY,
    pid INTEGER NOT NULL,
    host TEXT NOT NULL,
    started_at TEXT NOT NULL,
    ended_at TEXT,
    -- done, stopped, interrupted; killed when the next run found it open
    ending TEXT,
    counts TEXT
  ) STRICT;

  -- what is known of each visit now
  CREATE TABLE visit (
    facility_code TEXT NOT NULL,
    visit_code TEXT NOT NULL,
    state TEXT NOT NULL CHECK (state IN
      ('READY', 'SENDING', 'STORED', 'PARTIAL', 'REFUSED', 'CONFLICT', 'UNKNOWN', 'VERIFY', 'DUPLICATE', 'DOUBT')),
    -- the rest of where it stands: an attempt without an answer, a partial record at the service, the list asked since
    open INTEGER NOT NULL DEFAULT 0,
    held INTEGER NOT NULL DEFAULT 0,
    looked INTEGER NOT NULL DEFAULT 0,
    -- the frozen bytes, erased when they cannot be sent any more; their SHA-256 stays
    payload TEXT,
    fingerprint TEXT NOT NULL,
    patient_code TEXT NOT NULL,
    admitted_at TEXT NOT NULL,
    source TEXT,
    mapping TEXT,
    attempts INTEGER NOT NULL DEFAULT 0,
    -- of the bytes that were sent last, and of the bytes of the partial record at the service
    sent_fingerprint TEXT,
    held_fingerprint TEXT,
    held_admitted_at TEXT,
    -- the source has other bytes by now, and they are not sent
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

  -- what happened to each visit, in order; rows are only added
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
  -- the time of the counts above, and how long the machine was up then
  CREATE TABLE request_clock (
    boot TEXT PRIMARY KEY,
    since_boot INTEGER NOT NULL,
    at INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  `,
  `
  -- the service held it before an attempt of this journal can have stored it: with which content is not known
  ALTER TABLE visit ADD COLUMN unseen INTEGER NOT NULL DEFAULT 0;
  UPDATE visit SET unseen = 1 WHERE state = 'STORED' AND attempts = 0;
  -- the service acknowledged it as stored, and its list, asked later, did not show it as ours
  ALTER TABLE visit ADD COLUMN unlisted INTEGER NOT NULL DEFAULT 0;
  -- how many more fields the service found fault with than the one that is named
  ALTER TABLE visit ADD COLUMN more_fields INTEGER NOT NULL DEFAULT 0;
  `,
  `
  -- a patient has one visit at an admission time, whatever its code is
  CREATE INDEX visit_patient ON visit (facility_code, patient_code);
  `,
  `
  -- the service's own words for a refusal; they may name the patient, and are erased when the service takes the visit
  ALTER TABLE visit ADD COLUMN said TEXT;
  `,
  `
  -- the encounters of each visit, as they were frozen; a code has one place in the record system
  CREATE TABLE encounter (
    facility_code TEXT NOT NULL,
    encounter_code TEXT NOT NULL,
    visit_code TEXT NOT NULL,
    PRIMARY KEY (facility_code, encounter_code, visit_code)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX encounter_visit ON encounter (facility_code, visit_code);
  -- the few visits of a state are found without reading all of the facility's
  DROP INDEX visit_state;
  CREATE INDEX visit_state ON visit (facility_code, state);
  `,
  `
  -- the form in which the bytes were sent, as long as they may have to be sent again: facility.yaml may have another one by then
  ALTER TABLE visit ADD COLUMN form TEXT;
  `,
  `
  -- the status of the answer when the list was asked last and could not be read; 0 without an answer
  ALTER TABLE visit ADD COLUMN list_error INTEGER;
  `
]
