PRAGMA application_id = 1685283698;
PRAGMA user_version = 0;
CREATE INDEX discreet_asked ON discreet_entries (dataset, analyst, sequence) WHERE kind = 'charge';
CREATE INDEX discreet_declarations ON discreet_entries (dataset, analyst, sequence) WHERE kind IN ('dataset', 'budget', 'details');
CREATE INDEX discreet_spent ON discreet_entries (dataset, sequence) WHERE kind = 'charge';
CREATE INDEX discreet_suspensions ON discreet_entries (dataset, sequence) WHERE kind IN ('suspended', 'resumed');
CREATE TABLE discreet_answers (sequence INTEGER PRIMARY KEY, content BLOB NOT NULL);
CREATE TABLE discreet_entries (
        sequence INTEGER PRIMARY KEY, previous TEXT NOT NULL, time TEXT NOT NULL,
        kind TEXT NOT NULL, dataset TEXT NOT NULL, analyst TEXT, "key" TEXT, charge INTEGER,
        body TEXT NOT NULL, hash TEXT NOT NULL);
CREATE TABLE discreet_migrations (number INTEGER PRIMARY KEY);
CREATE TRIGGER discreet_answers_delete BEFORE DELETE ON discreet_answers BEGIN SELECT RAISE(ABORT, 'a ledger is append-only'); END;
CREATE TRIGGER discreet_answers_update BEFORE UPDATE ON discreet_answers BEGIN SELECT RAISE(ABORT, 'a ledger is append-only'); END;
CREATE TRIGGER discreet_entries_delete BEFORE DELETE ON discreet_entries BEGIN SELECT RAISE(ABORT, 'a ledger is append-only'); END;
CREATE TRIGGER discreet_entries_update BEFORE UPDATE ON discreet_entries BEGIN SELECT RAISE(ABORT, 'a ledger is append-only'); END;
CREATE UNIQUE INDEX discreet_keys ON discreet_entries (dataset, analyst, "key") WHERE kind = 'charge' AND "key" IS NOT NULL;
CREATE UNIQUE INDEX discreet_settlements ON discreet_entries (charge) WHERE charge IS NOT NULL;
