/** A query, a connection or a free place in the pool did not come in time. What a query would have changed may have happened. */
export class StoreTimeout extends Error {
  override readonly name = 'StoreTimeout';
}

/** What the two drivers put into their errors. */
interface DriverError {
  /** MySQL: `ER_DUP_ENTRY`, or of Node: `ECONNREFUSED`. */
  readonly code?: unknown;
  /** MySQL's number. */
  readonly errno?: unknown;
  /** SQLite's extended result code. */
  readonly errcode?: unknown;
  readonly message?: unknown;
}

const sqliteUnique = new Set<unknown>([2067, 1555]);
const mysqlUnique = new Set<unknown>([1062, 1586]);

// Primary result codes: busy, locked, I/O error, disk full, cannot open.
const sqliteUnavailable = new Set([5, 6, 10, 13, 14]);
const sqliteBusy = 5;

const networkCodes = new Set<unknown>([
  'ECONNREFUSED',
  'ECONNRESET',
  'ECONNABORTED',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EPIPE',
  'PROTOCOL_CONNECTION_LOST',
]);
// Too many connections, shutting down, killed, or demoted to a replica that takes no writes.
const mysqlUnavailable = new Set<unknown>([1040, 1053, 1203, 1290, 1792, 1836, 1927, 2006, 2013]);
// Deadlock, lock wait, and a row that changed since the snapshot was taken.
const mysqlRetryable = new Set<unknown>([1213, 1205, 1020]);

function facts(error: unknown): DriverError {
  return typeof error === 'object' && error !== null ? error : {};
}

/** Whether a row could not be written because a unique column has that value already. */
export function isUniqueViolation(error: unknown): boolean {
  const { errno, errcode } = facts(error);
  return sqliteUnique.has(errcode) || mysqlUnique.has(errno);
}

/** Whether the database could not be asked: refused, gone, timed out, overloaded, out of space. Another try may succeed. */
export function isUnavailable(error: unknown): boolean {
  if (error instanceof StoreTimeout || isClosed(error)) return true;
  const { code, errno, errcode, message } = facts(error);
  if (typeof errcode === 'number') return sqliteUnavailable.has(errcode & 0xff);
  if (networkCodes.has(code) || mysqlUnavailable.has(errno)) return true;
  return typeof message === 'string' && message.includes("Can't add new command when connection is in closed state");
}

/** Whether the store was closed before it was asked. */
export function isClosed(error: unknown): boolean {
  return facts(error).message === 'Unable to acquire a connection';
}

/** Whether another connection holds SQLite's write lock. */
export function isBusy(error: unknown): boolean {
  const { errcode } = facts(error);
  return typeof errcode === 'number' && (errcode & 0xff) === sqliteBusy;
}

/** Whether the whole transaction is undone and may well succeed when it is run again. */
export function isConflict(error: unknown): boolean {
  return mysqlRetryable.has(facts(error).errno) || isBusy(error);
}
