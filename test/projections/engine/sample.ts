import type { Message } from '../../../src/domain/kernel.ts';
import {
  bigint,
  boolean,
  choice,
  integer,
  json,
  nullable,
  type ReadSchema,
  string,
  table,
  text,
  timestamp,
} from '../../../src/projections/table.ts';

/** A small world with everything the engine must handle: parents and children, counters, removals, a chain. */
export type ShelfEvent =
  | Message<'ShelfBuilt', { name: string }>
  | Message<'ShelfRenamed', { name: string }>
  | Message<'ShelfTornDown', { reason: string }>;
export type BookEvent =
  | Message<'BookBought', { shelfId: string; title: string; pages: number; notes?: object }>
  | Message<'BookLent', { to: string; dueAt: number }>
  | Message<'BookReturned', { late: boolean }>
  | Message<'BookRead', { pages: number }>
  | Message<'BookMoved', { shelfId: string }>
  | Message<'BookSold', { price: number }>;
export type LibraryEvent = ShelfEvent | BookEvent;

export const shelves = table<LibraryEvent>()({
  name: 'shelves',
  version: 1,
  columns: {
    id: string(64),
    workspace_id: string(64),
    name: string(40),
    books_bought: integer(),
    built_at: timestamp(),
  },
  primaryKey: ['id'],
  indexes: { ix_shelf_workspace: ['workspace_id', 'name'] },
  on: {
    ShelfBuilt: ({ data, meta }, rows) =>
      rows.insert({ id: meta.subjectId, workspace_id: meta.workspaceId, name: data.name, built_at: meta.recordedAt }),
    ShelfRenamed: ({ data, meta }, rows) => rows.patch(meta.subjectId, { name: data.name }),
    ShelfTornDown: ({ meta }, rows) => rows.remove(meta.subjectId),
    BookBought: ({ data }, rows) => rows.increment(data.shelfId, 'books_bought', 1),
    BookLent: 'ignored',
    BookReturned: 'ignored',
    BookRead: 'ignored',
    BookMoved: 'ignored',
    BookSold: 'ignored',
  },
});

export const books = table<LibraryEvent>()({
  name: 'books',
  version: 1,
  columns: {
    id: string(64),
    shelf_id: string(64),
    title: string(80),
    state: choice(['kept', 'lent'], 'kept'),
    holder: string(64),
    due_at: nullable(timestamp()),
    pages: bigint(),
    pages_read: bigint(),
    late_once: boolean(),
    notes: json(),
    remark: text(),
    bought_at: timestamp(),
  },
  primaryKey: ['id'],
  unique: { uq_book_holder: ['lent_to'] },
  indexes: { ix_book_shelf: ['shelf_id', 'state'], ix_book_due: ['state', 'due_at'] },
  checks: { ck_book_state: 'state' },
  foreignKeys: {
    fk_book_shelf: { columns: ['shelf_id'], references: 'shelves', to: ['id'], onDelete: 'cascade', orphans: 'drop' },
  },
  generated: { lent_to: { column: 'holder', when: { state: ['lent'] } } },
  on: {
    ShelfBuilt: 'ignored',
    ShelfRenamed: ({ data, meta }, rows) => rows.patchWhere({ shelf_id: meta.subjectId }, { remark: data.name }),
    ShelfTornDown: 'ignored',
    BookBought: ({ data, meta }, rows) =>
      rows.insert({
        id: meta.subjectId,
        shelf_id: data.shelfId,
        title: data.title,
        pages: data.pages,
        notes: data.notes ?? null,
        bought_at: meta.recordedAt,
      }),
    BookLent: ({ data, meta }, rows) =>
      rows.patch(meta.subjectId, { state: 'lent', holder: data.to, due_at: data.dueAt }),
    BookReturned: ({ data, meta }, rows) =>
      rows.patch(meta.subjectId, { state: 'kept', holder: '', due_at: null, late_once: data.late }),
    BookRead: ({ data, meta }, rows) => rows.increment(meta.subjectId, 'pages_read', data.pages),
    BookMoved: ({ data, meta }, rows) => rows.patch(meta.subjectId, { title: `moved to ${data.shelfId}` }),
    BookSold: ({ meta }, rows) => rows.remove(meta.subjectId),
  },
});

export const loanLog = table<LibraryEvent>()({
  name: 'loan_log',
  version: 1,
  columns: {
    event_id: string(64),
    workspace_id: string(64),
    seq: bigint(),
    what: string(40),
    detail: json(),
    created_at: timestamp(),
    previous_hash: string(64),
    hash: string(64),
  },
  primaryKey: ['event_id'],
  unique: { uq_loan_log_sequence: ['workspace_id', 'seq'] },
  chain: { by: 'workspace_id', sequence: 'seq', previous: 'previous_hash', hash: 'hash' },
  categories: ['book'],
  onAny: (event, rows) =>
    rows.insert({
      event_id: event.meta.eventId,
      workspace_id: event.meta.workspaceId,
      what: event.type,
      detail: event.data,
      created_at: event.meta.recordedAt,
    }),
});

export const readers = table<LibraryEvent>()({
  name: 'readers',
  version: 1,
  columns: { shelf_id: string(64), day: integer(), pages: bigint() },
  primaryKey: ['shelf_id', 'day'],
  on: {
    ShelfBuilt: ({ meta }, rows) => rows.insert({ shelf_id: meta.subjectId, day: 0, pages: 1 }),
    ShelfRenamed: ({ meta }, rows) => rows.increment({ shelf_id: meta.subjectId, day: 0 }, 'pages', 2),
    ShelfTornDown: ({ meta }, rows) => rows.removeWhere({ shelf_id: meta.subjectId }),
    BookBought: 'ignored',
    // A book that is lent counts as a reader of its own, for as long.
    BookLent: ({ meta }, rows) =>
      rows.put({ shelf_id: meta.subjectId, day: 1, pages: 5 }, { pages: Number(meta.position) }),
    BookReturned: ({ data, meta }, rows) => {
      if (data.late) rows.remove({ shelf_id: meta.subjectId, day: 1 });
    },
    BookRead: ({ data, meta }, rows) => rows.increment({ shelf_id: meta.subjectId, day: 1 }, 'pages', data.pages),
    BookMoved: 'ignored',
    BookSold: 'ignored',
  },
});

export const bookVersions = table<LibraryEvent>()({
  name: 'book_versions',
  version: 1,
  columns: {
    id: string(64),
    shelf_id: string(64),
    title: string(80),
    holder: string(64),
    notes: json(),
    valid_from: bigint(),
    valid_to: bigint(),
    valid_since: timestamp(),
    valid_until: timestamp(),
  },
  primaryKey: ['id', 'valid_from'],
  unique: { uq_book_version_open: ['id', 'valid_to'] },
  indexes: { ix_book_version_shelf: ['shelf_id', 'valid_to'] },
  foreignKeys: {
    fk_book_version_shelf: { columns: ['shelf_id'], references: 'shelves', to: ['id'], onDelete: 'cascade' },
  },
  history: { subject: 'id', from: 'valid_from', to: 'valid_to', since: 'valid_since', until: 'valid_until' },
  on: {
    ShelfBuilt: 'ignored',
    ShelfRenamed: ({ meta }, rows) => rows.closeWhere(meta, { shelf_id: meta.subjectId }),
    ShelfTornDown: 'ignored',
    BookBought: ({ data, meta }, rows) =>
      rows.open(meta, { id: meta.subjectId, shelf_id: data.shelfId, title: data.title, notes: data.notes ?? null }),
    BookLent: ({ data, meta }, rows) => rows.revise(meta, meta.subjectId, { holder: data.to }),
    BookReturned: ({ meta }, rows) => rows.revise(meta, meta.subjectId, { holder: '' }),
    BookRead: 'ignored',
    BookMoved: ({ data, meta }, rows) => {
      const title = `moved to ${data.shelfId}`;
      rows.revise(meta, meta.subjectId, { title }, { id: meta.subjectId, shelf_id: data.shelfId, title });
    },
    BookSold: ({ meta }, rows) => rows.close(meta, meta.subjectId),
  },
});

export const libraryTables = [shelves, books, loanLog, readers, bookVersions] as const;
export type LibrarySchema = ReadSchema<typeof libraryTables>;
