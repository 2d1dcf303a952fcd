import { atLeast } from '../../src/domain/roles.ts';
import { type Caller, personalIds } from './callers.ts';
import type { DescribedOperation, Identifier } from './document.ts';
import type { IdentifierFixture, OperationFixture, Variant } from './fixtures.ts';

/** One request: who asks what, and which of the ids in it is not what it should be. `undefined`: all of them. */
export type Cell = {
  readonly operation: DescribedOperation;
  readonly fixture: OperationFixture;
  readonly caller: Caller;
  readonly identifier: Identifier | undefined;
  readonly variant: Variant;
  /** In place of the identifier. */
  readonly value: string;
};

/**
 * `success`: nothing that hides or forbids. `empty`: a list with nothing in it. A list of statuses: a refusal with one of
 * them.
 */
export type Expected = 'success' | 'empty' | readonly number[];

export const isBad = ({ variant }: Cell): boolean => variant !== 'own';

/** Not one's own, and as good: a name that is made up here, or something that may be removed twice. */
const isLikeOwn = ({ fixture: { chosen = [], again = [] }, identifier, variant }: Cell): boolean =>
  identifier?.place === 'path' &&
  (chosen.includes(identifier.name) || (variant === 'deleted' && again.includes(identifier.name)));

/** What must come of a request, by the order in which the gates stand: caller, workspace, department, role, thing. */
export const expectedOf = (cell: Cell): Expected => {
  const { operation, fixture, caller, identifier } = cell;
  if (operation.access === 'public') return 'success';
  if (caller.standing === 'unknown') return [401];
  const forPeople = caller.by === 'apiToken' && fixture.apiToken !== undefined ? [fixture.apiToken] : undefined;
  if (fixture.personal && isBad(cell)) return [404];
  if (fixture.personal || !operation.identifiers.some(({ place }) => place === 'path')) return forPeople ?? 'success';
  if (caller.standing === 'stranger' || (identifier === undefined && isBad(cell))) return [404];
  const { role, reach } = caller;
  const badPath = isBad(cell) && identifier?.place === 'path' ? identifier.name : '';
  if (badPath === 'workspaceId') return [404];
  if (operation.access === 'department' && (badPath === 'departmentId' || reach === 'elsewhere')) return [404];
  if (operation.access === 'signedIn' && (badPath !== '' || reach === 'elsewhere')) return [404];
  const needed = operation.role ?? fixture.role;
  if (needed !== undefined && !atLeast(role, needed)) return [403];
  if (forPeople) return forPeople;
  if (fixture.everywhere && reach !== 'everywhere') return [403];
  if (badPath !== '' && !isLikeOwn(cell)) return [404];
  if (reach === 'elsewhere' && fixture.elsewhere !== undefined) return [fixture.elsewhere];
  if (!isBad(cell) || isLikeOwn(cell) || identifier === undefined) return 'success';
  if (identifier.place === 'query') return operation.isStream ? 'success' : 'empty';
  const unknown = fixture.unknownInBody ?? 404;
  // Whoever is limited is refused for what is not his, before it is looked whether it is there.
  return reach === 'everywhere' ? [unknown] : [403, unknown];
};

/** Cells of one group must be answered alike, byte for byte. Undefined: this one is like no other. */
export const groupOf = (cell: Cell): string | undefined => {
  const { operation, caller, identifier } = cell;
  const paths = operation.identifiers.filter(({ place }) => place === 'path');
  if (caller.standing === 'unknown') return operation.access === 'public' ? undefined : operation.id;
  if (paths.length === 0) return undefined;
  if (caller.standing === 'stranger' && !cell.fixture.personal) return `${operation.id} ${caller.name}`;
  const group = (what: Identifier | undefined) =>
    `${operation.id} ${caller.name} ${what?.place} ${what?.way.join('.')}`;
  if (isBad(cell)) return isLikeOwn(cell) ? undefined : group(identifier ?? paths[0]);
  const expected = expectedOf(cell);
  if (caller.standing !== 'member') return undefined;
  const isHidden = typeof expected !== 'string' && expected.includes(404) && caller.reach === 'elsewhere';
  if (!isHidden) return undefined;
  const named = ({ name }: Identifier) => name === 'departmentId';
  const things = paths.filter(({ name }) => name !== 'workspaceId');
  return group(paths.find(named) ?? things.at(-1) ?? operation.identifiers.find(({ place }) => place === 'body'));
};

type Kinds = Readonly<Record<string, IdentifierFixture>>;

/** Every cell of one operation: own ids, all ids foreign, all guessed, and each identifier by itself in every variant. */
export const cellsOf = (
  operation: DescribedOperation,
  fixture: OperationFixture,
  callers: readonly Caller[],
  valuesOf: (identifier: Identifier) => ReadonlyMap<Variant, string>,
): readonly Cell[] => {
  const whole: readonly Variant[] = operation.identifiers.length === 0 ? ['own'] : ['own', 'foreign', 'guessed'];
  return callers.flatMap((caller) => [
    ...whole
      .filter((variant) => variant === 'own' || operation.identifiers.some(({ place }) => place === 'path'))
      .map((variant) => ({ operation, fixture, caller, identifier: undefined, variant, value: '' })),
    ...operation.identifiers.flatMap((identifier) =>
      [...valuesOf(identifier)]
        // What is in a path is right in the first cell already.
        .filter(([variant]) => variant !== 'own' || identifier.place !== 'path')
        .map(([variant, value]) => ({ operation, fixture, caller, identifier, variant, value })),
    ),
  ]);
};

export type Built = {
  readonly method: string;
  readonly path: string;
  readonly body: object | undefined;
  readonly sent: readonly string[];
};

/** The request itself, and every id that it carries. */
export const requestOf = (
  { operation, fixture, caller, identifier, variant, value }: Cell,
  kinds: Kinds,
  own: Parameters<NonNullable<OperationFixture['body']>>[0],
): Built => {
  const sent: string[] = [];
  const idOf = (name: string): string => {
    const kind = kinds[name];
    const base =
      variant === 'own' || identifier !== undefined
        ? (personalIds(caller)[name] ?? kind?.own)
        : variant === 'foreign'
          ? kind?.foreign
          : kind?.guessed();
    // What a public address names is nobody's: the code of a problem.
    const id = identifier?.place === 'path' && identifier.name === name ? value : (base ?? 'RequestInvalid');
    sent.push(id);
    return id;
  };
  const path = operation.path.replaceAll(/\{(\w+)\}/g, (_whole, name: string) => encodeURIComponent(idOf(name)));
  const asked = identifier?.place === 'query' ? { [identifier.way[0] ?? '']: value } : {};
  const query = new URLSearchParams({ ...fixture.query?.(), ...asked }).toString();
  if (value !== '') sent.push(value);
  const plain = fixture.body?.(own);
  const body =
    identifier?.place === 'body'
      ? put(plain ?? {}, identifier.way, identifier.name === 'revision' ? Number(value) : value)
      : plain;
  return {
    method: operation.method,
    path: query === '' ? path : `${path}?${query}`,
    body: typeof body === 'object' && body !== null ? body : undefined,
    sent,
  };
};

/** A copy with the value at this place; of a list only the one item. */
export const put = (target: unknown, [head, ...rest]: readonly string[], value: unknown): unknown => {
  if (head === undefined) return value;
  if (head === '*') return [put(Array.isArray(target) ? target[0] : undefined, rest, value)];
  const fields: Readonly<Record<string, unknown>> = Object(target);
  return { ...fields, [head]: put(fields[head], rest, value) };
};
