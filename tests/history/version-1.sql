-- A history of version 1, as the first topdown with one made it: two runs of a program.
PRAGMA application_id = 1953460324;
PRAGMA user_version = 1;
CREATE TABLE series(id INTEGER PRIMARY KEY, program TEXT NOT NULL, machine TEXT NOT NULL, cpu TEXT NOT NULL,
  UNIQUE(program, machine, cpu)) STRICT;
CREATE TABLE surroundings(id INTEGER PRIMARY KEY, model TEXT NOT NULL, microcode TEXT NOT NULL,
  kernel TEXT NOT NULL, UNIQUE(model, microcode, kernel)) STRICT;
CREATE TABLE command(id INTEGER PRIMARY KEY, words TEXT NOT NULL UNIQUE) STRICT;
CREATE TABLE metric(id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, unit TEXT NOT NULL) STRICT;
CREATE TABLE run(id INTEGER PRIMARY KEY AUTOINCREMENT, series INTEGER NOT NULL REFERENCES series(id),
  surroundings INTEGER NOT NULL REFERENCES surroundings(id), command INTEGER NOT NULL REFERENCES command(id),
  time INTEGER NOT NULL, host TEXT, revision TEXT, branch TEXT, status INTEGER NOT NULL, is_cut INTEGER NOT NULL,
  accepted INTEGER NOT NULL DEFAULT 0, note TEXT) STRICT;
CREATE INDEX run_of_series ON run(series, time);
CREATE INDEX run_of_revision ON run(revision) WHERE revision IS NOT NULL;
CREATE TABLE tag(run INTEGER NOT NULL REFERENCES run(id), key TEXT NOT NULL, value TEXT NOT NULL,
  PRIMARY KEY(run, key)) STRICT, WITHOUT ROWID;
CREATE TABLE row(run INTEGER PRIMARY KEY REFERENCES run(id), series INTEGER NOT NULL, packed BLOB NOT NULL) STRICT;
CREATE INDEX row_of_series ON row(series);
CREATE TABLE block(id INTEGER PRIMARY KEY, series INTEGER NOT NULL REFERENCES series(id), runs BLOB NOT NULL) STRICT;
CREATE INDEX block_of_series ON block(series);
CREATE TABLE columns(id INTEGER PRIMARY KEY, packed BLOB NOT NULL) STRICT;
CREATE TABLE session(run INTEGER PRIMARY KEY REFERENCES run(id), packed BLOB NOT NULL) STRICT;
INSERT INTO series VALUES(1, 'old 6', 'box', 'clx');
INSERT INTO surroundings VALUES(1, '', '', '');
INSERT INTO command VALUES(1, './old 6');
INSERT INTO metric VALUES(1, 'wall', 's');
INSERT INTO run VALUES(1, 1, 1, 1, 1700000000000, 'box', 'aaaa1111', 'main', 0, 0, 0, NULL);
INSERT INTO run VALUES(2, 1, 1, 1, 1700000060000, 'box', 'bbbb2222', 'main', 0, 0, 1700000070000, 'a note');
-- metric 1, the values 2.5 and 3.0, distances that are NaN, n 1
INSERT INTO row VALUES(1, 1, x'0100000000000000000004400000c07f0000c07f0100');
INSERT INTO row VALUES(2, 1, x'0100000000000000000008400000c07f0000c07f0100');
