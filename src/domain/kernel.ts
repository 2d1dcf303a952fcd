/** A fact or a command: a name and plain data. Facts hold primitives only, so that they always load. */
export type Message<Type extends string, Data extends object> = { readonly type: Type; readonly data: Readonly<Data> };

/** Who did it. `system` acts under the name of the part that acts, for example `runner`. */
export type Actor = { readonly kind: 'user' | 'apiToken' | 'system'; readonly id: string };
export type AuthMethod = 'session' | 'api_token' | 'system' | 'none';

/** What every recorded fact carries beside its data. Missing strings are `''`, times are milliseconds since the epoch. */
export type EventMeta = {
  readonly eventId: string;
  readonly category: string;
  readonly subjectId: string;
  readonly revision: number;
  readonly position: bigint;
  readonly recordedAt: number;
  readonly correlationId: string;
  readonly causationId: string;
  readonly actor: Actor;
  readonly authMethod: AuthMethod;
  readonly workspaceId: string;
  readonly departmentId: string;
  readonly requestId: string;
  readonly commandId: string;
  /** Address of the caller: for the audit trail, and nowhere else. '' in older facts and in those of the platform. */
  readonly ip?: string | undefined;
  /** SHA-256 of the command, to tell a retry from another command under the same key. */
  readonly commandDigest: string;
};

/** A fact as it came back from the log. */
export type Recorded<Event> = Event & { readonly meta: EventMeta };

/** An expected "no". The code is a problem title with a page in docs/problems. */
export type Rejection<Code extends string> = {
  readonly rejected: Code;
  readonly reason: string;
  readonly field?: string;
  readonly details?: Readonly<Record<string, string | number>>;
};

/** Facts to append (none when there is nothing to do), or a rejection. */
export type Decision<Event, Code extends string> = readonly Event[] | Rejection<Code>;

export const isRejection = <Event, Code extends string>(decision: Decision<Event, Code>): decision is Rejection<Code> =>
  'rejected' in decision;

export const reject = <Code extends string>(
  rejected: Code,
  reason: string,
  more: { field?: string; details?: Readonly<Record<string, string | number>> } = {},
): Rejection<Code> => ({ rejected, reason, ...more });

/** One aggregate: pure, total, and the same shape for every feature. `events` lists every fact by name, checked to be complete. */
export type Decider<Command, Event extends Message<string, object>, State, Code extends string> = {
  readonly category: string;
  readonly events: Readonly<Record<Event['type'], true>>;
  readonly initial: State;
  readonly decide: (command: Command, state: State) => Decision<Event, Code>;
  readonly evolve: (state: State, event: Event) => State;
  /** For aggregates whose streams grow long and whose state is plain JSON. */
  readonly snapshot?: {
    /** Rises with every change of the state's shape or of what `evolve` makes of a fact: older snapshots are thrown away. */
    readonly version: number;
    /** Events between two snapshots. */
    readonly every: number;
    readonly isState: (value: unknown) => value is State;
  };
};

/** The beginning of a text, at most `length` units of UTF-16 and never half a character. */
export const clip = (text: string, length: number): string =>
  text.length <= length ? text : text.slice(0, length).replace(/[\ud800-\udbff]$/, '');
