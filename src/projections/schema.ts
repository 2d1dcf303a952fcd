import type { Kysely } from 'kysely';
import type { ReadSchema } from './table.ts';
import type { tables } from './tables.ts';

/** The read tables as Kysely sees them: only the projector writes them. */
export type ReadTables = ReadSchema<typeof tables>;
export type ReadDatabase = Kysely<ReadTables>;
