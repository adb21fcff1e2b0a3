/** Compare byte by byte, trailing spaces included: of MariaDB, and of MySQL 8. */
export const collationsWanted = ['utf8mb4_nopad_bin', 'utf8mb4_0900_bin'] as const;

// NO_BACKSLASH_ESCAPES must stay out: the driver escapes values with backslashes.
const modes = [
  'STRICT_ALL_TABLES',
  'ONLY_FULL_GROUP_BY',
  'NO_ZERO_IN_DATE',
  'NO_ZERO_DATE',
  'ERROR_FOR_DIVISION_BY_ZERO',
  'NO_ENGINE_SUBSTITUTION',
];

/**
 * What a connection starts with, whatever the server's own settings are. Transactions are serializable, as SQLite's:
 * code that reads and then writes loses no update, and the loser of a conflict runs again.
 */
export function sessionStatements(
  collation: string,
  { queryTimeoutMs, readOnly }: { readonly queryTimeoutMs: number; readonly readOnly: boolean },
): readonly string[] {
  // Locks are given up before the query's own limit, for that costs the connection.
  const lockSeconds = Math.max(1, Math.floor(queryTimeoutMs / 2000));
  const settings = [
    `NAMES utf8mb4 COLLATE ${collation}`,
    `sql_mode = '${modes.join(',')}'`,
    "time_zone = '+00:00'",
    `innodb_lock_wait_timeout = ${lockSeconds}`,
  ];
  return [
    `SET ${settings.join(', ')}`,
    `SET SESSION TRANSACTION ISOLATION LEVEL SERIALIZABLE${readOnly ? ', READ ONLY' : ''}`,
  ];
}
