import type { StoredEvent } from '../../src/platform/eventLog/port.ts';
import type { Vault } from '../../src/platform/vault/port.ts';
import { operationFixtures } from '../matrix/fixtures.ts';
import type { FullWorkspace } from '../matrix/fullWorkspace.ts';
import type { ApiWorld } from '../support/api.ts';
import type { Bindings } from './renew.ts';
import type { Wire } from './send.ts';
import type { TextRule } from './textRules.ts';

/** Where everything is sent to: a workspace with one of everything, and its owner. */
export type TextPlace = {
  readonly world: ApiWorld;
  readonly own: FullWorkspace;
  readonly vault: Vault;
  readonly wire: Wire;
};

/** A column of a row; of one that holds JSON, and the way in it. */
export type Cell = {
  readonly table: string;
  /** Holds the id of what the event is about. */
  readonly key: string;
  readonly column: string;
  readonly way?: readonly string[];
};

export type Opener = (place: TextPlace, event: StoredEvent) => Promise<string | undefined>;

export type FieldFixture = {
  /** What the documents say becomes of a text. */
  readonly kept: TextRule;
  /** The event that has it, and the way in its data. Not given: it is kept nowhere. */
  readonly fact?: readonly [type: string, ...way: string[]];
  /** How it is written down, where that is documented to be masked. */
  readonly written?: (kept: string) => string;
  /** In place of a way: what is sealed in the event is opened. */
  readonly opened?: Opener;
  readonly cells?: readonly Cell[];
  /** The way in the answer to the request itself. */
  readonly answered?: readonly string[];
  /** Address of a list, with `{workspaceId}`, and the ways to the id of an item and to the text. */
  readonly list?: readonly [path: string, id: string, ...way: string[]];
  /** Address of the thing itself, with `{workspaceId}` and `{id}`, and the way to the text. */
  readonly one?: readonly [path: string, ...way: string[]];
};

export type TextFixture = {
  readonly operation: string;
  readonly texts: readonly string[];
  /** Right in all but the texts; the number is that of the text. */
  readonly body: (n: number) => object | Promise<object>;
  /** What is in the path, beyond what there is one of. */
  readonly ids?: (n: number) => Bindings | Promise<Bindings>;
  /** By the way in the body, such as `metadata.{}`; each text is put into all of them at once. */
  readonly fields: Readonly<Record<string, FieldFixture>>;
  /** Titles of problems that are met when no text is refused: there is no success to be had. */
  readonly answers?: readonly string[];
};

export const cell = (table: string, column: string, ...way: readonly string[]): Cell => ({
  table,
  key: 'id',
  column,
  way,
});

/** Asks what must be granted, without all that the world of other tests looks at in an answer. */
export const granted = async (
  wire: Wire,
  {
    method,
    path,
    token,
    body,
  }: { readonly method: string; readonly path: string; readonly token: string; readonly body?: object },
): Promise<unknown> => {
  const { status, text } = await wire.send(
    {
      ...{ method, path, body: body && Buffer.from(JSON.stringify(body)) },
      headers: [['authorization', `Bearer ${token}`], ...(body ? [['content-type', 'application/json'] as const] : [])],
    },
    false,
  );
  if (status >= 300) throw new Error(`${method} ${path}: ${status} ${text.slice(0, 300)}`);
  return JSON.parse(text);
};

/** As the matrix sends it. */
export const matrixBody = (operation: string, { ids }: FullWorkspace): object =>
  operationFixtures[operation]?.body?.(ids) ?? {};

/** Kept by nobody: it is looked at, and forgotten. */
export const seen = (kept: TextRule): FieldFixture => ({ kept });

/** Undefined where the way ends before. */
export const textAt = (value: unknown, [head, ...rest]: readonly string[]): unknown =>
  head === undefined ? value : textAt(Object(value)[head], rest);
