=== SQLite, step 1
CREATE TABLE discreet_entries (
        sequence INTEGER PRIMARY KEY, previous TEXT NOT NULL, time TEXT NOT NULL,
        kind TEXT NOT NULL, dataset TEXT NOT NULL, analyst TEXT, "key" TEXT, charge INTEGER,
        body TEXT NOT NULL, hash TEXT NOT NULL);
CREATE TABLE discreet_answers (sequence INTEGER PRIMARY KEY, content BLOB NOT NULL);
CREATE INDEX discreet_declarations ON discreet_entries (dataset, analyst, sequence) WHERE kind IN ('dataset', 'budget', 'details');
CREATE INDEX discreet_spent ON discreet_entries (dataset, sequence) WHERE kind = 'charge';
CREATE INDEX discreet_asked ON discreet_entries (dataset, analyst, sequence) WHERE kind = 'charge';
CREATE UNIQUE INDEX discreet_keys ON discreet_entries (dataset, analyst, "key") WHERE kind = 'charge' AND "key" IS NOT NULL;
CREATE UNIQUE INDEX discreet_settlements ON discreet_entries (charge) WHERE charge IS NOT NULL;
CREATE TRIGGER discreet_entries_update BEFORE UPDATE ON discreet_entries BEGIN SELECT RAISE(ABORT, 'a ledger is append-only'); END;
CREATE TRIGGER discreet_entries_delete BEFORE DELETE ON discreet_entries BEGIN SELECT RAISE(ABORT, 'a ledger is append-only'); END;
CREATE TRIGGER discreet_answers_update BEFORE UPDATE ON discreet_answers BEGIN SELECT RAISE(ABORT, 'a ledger is append-only'); END;
CREATE TRIGGER discreet_answers_delete BEFORE DELETE ON discreet_answers BEGIN SELECT RAISE(ABORT, 'a ledger is append-only'); END;
PRAGMA application_id = 1685283698;

=== SQLite, step 2
CREATE INDEX discreet_suspensions ON discreet_entries (dataset, sequence) WHERE kind IN ('suspended', 'resumed');

=== PostgreSQL, step 1
CREATE TABLE discreet_entries (
        sequence BIGINT PRIMARY KEY, previous TEXT NOT NULL, time TEXT NOT NULL,
        kind TEXT NOT NULL, dataset TEXT NOT NULL, analyst TEXT, "key" TEXT, charge BIGINT,
        body TEXT NOT NULL, hash TEXT NOT NULL);
CREATE TABLE discreet_answers (sequence BIGINT PRIMARY KEY, content BYTEA NOT NULL);
CREATE TABLE discreet_head (one INTEGER PRIMARY KEY CHECK (one = 1));
INSERT INTO discreet_head (one) VALUES (1);
CREATE INDEX discreet_declarations ON discreet_entries (dataset, analyst, sequence) WHERE kind IN ('dataset', 'budget', 'details');
CREATE INDEX discreet_spent ON discreet_entries (dataset, sequence) WHERE kind = 'charge';
CREATE INDEX discreet_asked ON discreet_entries (dataset, analyst, sequence) WHERE kind = 'charge';
CREATE UNIQUE INDEX discreet_keys ON discreet_entries (dataset, analyst, "key") WHERE kind = 'charge' AND "key" IS NOT NULL;
CREATE UNIQUE INDEX discreet_settlements ON discreet_entries (charge) WHERE charge IS NOT NULL;
CREATE FUNCTION discreet_append_only() RETURNS trigger LANGUAGE plpgsql AS $$BEGIN RAISE EXCEPTION 'a ledger is append-only'; END$$;
CREATE TRIGGER discreet_entries_kept BEFORE UPDATE OR DELETE OR TRUNCATE ON discreet_entries FOR EACH STATEMENT EXECUTE FUNCTION discreet_append_only();
CREATE TRIGGER discreet_answers_kept BEFORE UPDATE OR DELETE OR TRUNCATE ON discreet_answers FOR EACH STATEMENT EXECUTE FUNCTION discreet_append_only();

=== PostgreSQL, step 2
CREATE INDEX discreet_suspensions ON discreet_entries (dataset, sequence) WHERE kind IN ('suspended', 'resumed');
