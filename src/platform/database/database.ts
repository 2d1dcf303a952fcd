import { DatabaseUrlInvalid } from './errors.ts';
import type { Database, OpenOptions } from './port.ts';

/**
 * Opens `postgres://…`, `mysql://…` (MySQL 8 or MariaDB), `pglite:<folder>` or `pglite:memory`, and asks it something, so
 * that a wrong address fails here. Throws DatabaseUrlInvalid, DatabaseInUse, or the driver's error.
 */
export const openDatabase = async <Schema>(url: string, options: OpenOptions = {}): Promise<Database<Schema>> => {
  const scheme = url.slice(0, url.indexOf(':'));
  // A driver costs start-up time and memory: only the one in use is loaded.
  switch (scheme) {
    case 'postgres':
    case 'postgresql':
      return (await import('./postgres.ts')).openPostgres(url, options);
    case 'mysql':
    case 'mariadb':
      return (await import('./mysql.ts')).openMysql(url.replace(/^mariadb:/, 'mysql:'), options);
    case 'pglite': {
      const target = url.slice('pglite:'.length);
      if (target !== '') return (await import('./pglite.ts')).openPglite(target, options);
      break;
    }
  }
  throw new DatabaseUrlInvalid('A database URL starts with postgres://, mysql:// or pglite:');
};
