import type { DatabaseErrorKind } from './port.ts';

/** The data folder of an embedded database is open in another process. */
export class DatabaseInUse extends Error {
  override readonly name = 'DatabaseInUse';
}

/** An embedded database does not open, and has no room to. Its files are as they were. */
export class DatabaseDiskFull extends Error {
  override readonly name = 'DatabaseDiskFull';
}

/** The URL names no database this program can open. The message never repeats a password. */
export class DatabaseUrlInvalid extends Error {
  override readonly name = 'DatabaseUrlInvalid';
}

const codeOf = (error: unknown): string =>
  typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : '';

/** MariaDB's number for a CHECK that failed; the driver knows MySQL's names only and has another one for it. */
const mariadbCheckFailed = 4025;
const numberOf = (error: unknown): unknown =>
  typeof error === 'object' && error !== null && 'errno' in error ? error.errno : undefined;

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

const mysqlRefusals = new Set([
  'ER_DUP_ENTRY',
  'ER_NO_REFERENCED_ROW',
  'ER_NO_REFERENCED_ROW_2',
  'ER_ROW_IS_REFERENCED',
  'ER_ROW_IS_REFERENCED_2',
  'ER_BAD_NULL_ERROR',
  'ER_DATA_TOO_LONG',
  'ER_WARN_DATA_OUT_OF_RANGE',
  'ER_DATA_OUT_OF_RANGE',
  'ER_TRUNCATED_WRONG_VALUE',
  'ER_TRUNCATED_WRONG_VALUE_FOR_FIELD',
  'ER_CHECK_CONSTRAINT_VIOLATED',
  'ER_CONSTRAINT_FAILED',
  'WARN_DATA_TRUNCATED',
]);
const mysqlConflicts = new Set(['ER_LOCK_DEADLOCK', 'ER_LOCK_WAIT_TIMEOUT', 'ER_CHECKREAD']);
const mysqlUnavailable = new Set([
  'PROTOCOL_CONNECTION_LOST',
  'PROTOCOL_SEQUENCE_TIMEOUT',
  'ER_SERVER_SHUTDOWN',
  'ER_CON_COUNT_ERROR',
  'ER_TOO_MANY_USER_CONNECTIONS',
  'ER_QUERY_INTERRUPTED',
  'ER_CONNECTION_KILLED',
  'ER_NEW_ABORTING_CONNECTION',
  'ER_DISK_FULL',
  'ER_RECORD_FILE_FULL',
  'PROTOCOL_ENQUEUE_AFTER_FATAL_ERROR',
  'PROTOCOL_ENQUEUE_AFTER_QUIT',
  'ER_OPTION_PREVENTS_STATEMENT',
  'ER_READ_ONLY_MODE',
  'ER_CANT_EXECUTE_IN_READ_ONLY_TRANSACTION',
  'ER_ACCESS_DENIED_ERROR',
  'ER_DBACCESS_DENIED_ERROR',
  'ER_BAD_DB_ERROR',
]);
const networkCodes = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ECONNABORTED',
]);
/** A server's socket that is not there; a file that is not there is no matter of a database. */
const noSocket = (error: unknown, code: string): boolean =>
  code === 'ENOENT' && error instanceof Error && 'syscall' in error && error.syscall === 'connect';

const lostConnection =
  /connection (terminated|ended)|timeout exceeded when trying to connect|closed state|not queryable/i;

/**
 * A server that lets nobody in, or writes nothing, for now: the other half of a pair after a failover (read only), a changed
 * password, a database that is being put back.
 */
const shut = new Set(['25006', '28000', '28P01', '3D000', '55000']);

/** Classes of SQLSTATE: 22 data, 23 integrity, 40 rollback, 08 connection, 53 resources, 57 intervention, 58 system. */
const ofSqlState = (code: string): DatabaseErrorKind | undefined => {
  if (/^(22|23)[0-9A-Z]{3}$/.test(code)) return 'constraint';
  if (/^40[0-9A-Z]{3}$/.test(code) || code === '55P03' || code === '57014') return 'conflict';
  if (/^(08|53|58)[0-9A-Z]{3}$/.test(code) || /^57P0[1-5]$/.test(code) || shut.has(code)) return 'unavailable';
  return undefined;
};

export const classifyError = (error: unknown): DatabaseErrorKind => {
  if (error instanceof AggregateError) return error.errors.length > 0 ? classifyError(error.errors[0]) : 'unavailable';
  const code = codeOf(error);
  if (mysqlRefusals.has(code) || numberOf(error) === mariadbCheckFailed) return 'constraint';
  if (mysqlConflicts.has(code)) return 'conflict';
  if (mysqlUnavailable.has(code) || networkCodes.has(code) || noSocket(error, code)) return 'unavailable';
  return ofSqlState(code) ?? (lostConnection.test(messageOf(error)) ? 'unavailable' : 'other');
};
