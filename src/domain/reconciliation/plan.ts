/** What a provider has under a name of ours; `ticketId` and `by` are '' and `revision` is 0 when that cannot be told. */
export type FoundScript = {
  readonly scriptName: string;
  readonly revision: number;
  readonly bundleDigest: string;
  readonly ticketId: string;
  readonly state: string;
  readonly by: string;
};

/** A name that was ever ours, and what should be outside under it. Times are milliseconds since the epoch. */
export type KnownScript = {
  readonly workerId: string;
  readonly scriptName: string;
  readonly companyId: string;
  readonly departmentId: string;
  readonly status: 'draft' | 'active' | 'paused';
  readonly owner: 'present' | 'retired' | 'deleted';
  /** Where its live revision runs; '' for nowhere. */
  readonly provider: string;
  readonly scope: string;
  readonly liveRevision: number;
  readonly liveTicketId: string;
  /** The live deployment ticket, '' for none. */
  readonly ticketId: string;
  readonly ticketStatus: string;
  readonly ticketDueAt: number;
  /** What an earlier look found instead, '' for nothing. */
  readonly drift: string;
  readonly settledAt: number;
};

export type FindingKind = 'orphan' | 'foreign' | 'missing' | 'changed' | 'presence' | 'overdue' | 'settled';
/** What would put it right; `none` leaves it to people. */
export type ProposedAction = 'remove' | 'redeploy' | 'present' | 'settle' | 'none';

export type Finding = {
  readonly kind: FindingKind;
  readonly action: ProposedAction;
  readonly scriptName: string;
  /** '' for a script that was never ours. */
  readonly workerId: string;
  readonly companyId: string;
  readonly departmentId: string;
  readonly expected: string;
  readonly found: string;
  readonly by: string;
};

export type Look = {
  readonly provider: string;
  readonly scope: string;
  /** All that the provider has: half a list would make missing ones of the other half. */
  readonly inventory: readonly FoundScript[];
  readonly known: readonly KnownScript[];
  /** When the provider was asked. */
  readonly now: number;
  /** What was settled less than this ago may not show yet, and is left alone. */
  readonly graceMs: number;
  /** An uncertain ticket whose look is due for longer than this is reported. */
  readonly overdueMs: number;
};

/** Compares what a provider runs with what should run there. Pure: it only proposes. */
export const plan = (look: Look): readonly Finding[] => {
  const { inventory, known } = look;
  const found = new Map(inventory.map((each) => [each.scriptName, each]));
  const names = new Set(known.map((each) => each.scriptName));
  const foreign = inventory.filter((each) => !names.has(each.scriptName)).map(foreignOf);
  return [...known.flatMap((each) => judge(each, found.get(each.scriptName), look)), ...foreign];
};

/** Of how many nothing is said: they are being deployed, or what was settled may not show yet. */
export const countUnjudged = (look: Look): number =>
  look.known.filter((each) => isThisPlace(each, look) && (each.ticketId !== '' || isFresh(each, look))).length;

const isFresh = ({ settledAt }: KnownScript, { now, graceMs }: Look): boolean => now - settledAt < graceMs;

const nobody = { workerId: '', companyId: '', departmentId: '' } as const;

const foreignOf = (found: FoundScript): Finding => ({
  ...{ kind: 'foreign', action: 'none', scriptName: found.scriptName, ...nobody },
  ...{ expected: '', found: describe(found), by: found.by },
});

const judge = (known: KnownScript, found: FoundScript | undefined, look: Look): readonly Finding[] => {
  if (known.ticketId !== '') return overdue(known, look);
  if (isFresh(known, look)) return [];
  if (!belongsHere(known, look)) return found ? leftover(known, found, look) : [];
  if (!found) return [findingOf(known, 'missing', 'redeploy', { found: 'nothing', by: '' })];
  return [...compare(known, found)];
};

const overdue = (known: KnownScript, { now, overdueMs }: Look): readonly Finding[] =>
  known.ticketStatus === 'uncertain' && now - known.ticketDueAt > overdueMs
    ? [findingOf(known, 'overdue', 'none', { found: `deployment ${known.ticketId} is uncertain`, by: '' })]
    : [];

/** On-prem every node runs every worker, whichever deployed it; in the cloud the scope is an account. */
const isThisPlace = (known: KnownScript, { provider, scope }: Look): boolean =>
  known.provider === provider && (provider === 'workerd' || known.scope === '' || known.scope === scope);

const belongsHere = (known: KnownScript, look: Look): boolean =>
  known.owner === 'present' && known.status !== 'draft' && isThisPlace(known, look);

/** Ours by name, with nothing that should be here under it. One that should be in another account is left to people. */
const leftover = (known: KnownScript, found: FoundScript, { provider }: Look): readonly Finding[] => {
  const elsewhere = known.owner === 'present' && known.provider === provider;
  return [
    findingOf(known, elsewhere ? 'foreign' : 'orphan', elsewhere ? 'none' : 'remove', {
      found: describe(found),
      by: found.by,
    }),
  ];
};

const compare = (known: KnownScript, found: FoundScript): readonly Finding[] => {
  const isOff = found.state === 'paused';
  const shouldBeOff = known.status === 'paused';
  if (isOff !== shouldBeOff) {
    return [findingOf(known, 'presence', 'present', { found: isOff ? 'off the air' : 'on the air', by: found.by })];
  }
  // A worker that is off the air may be a stand-in, which says nothing about the revision behind it.
  const differs =
    found.revision !== known.liveRevision || (found.ticketId !== '' && found.ticketId !== known.liveTicketId);
  if (differs && !(isOff && (found.revision === 0 || found.revision === known.liveRevision))) {
    return [findingOf(known, 'changed', 'redeploy', { found: describe(found), by: found.by })];
  }
  return known.drift === '' ? [] : [findingOf(known, 'settled', 'settle', { found: describe(found), by: '' })];
};

const findingOf = (
  known: KnownScript,
  kind: FindingKind,
  action: ProposedAction,
  seen: { readonly found: string; readonly by: string },
): Finding => {
  const { scriptName, workerId, companyId, departmentId } = known;
  return { kind, action, scriptName, workerId, companyId, departmentId, expected: expectationOf(known), ...seen };
};

const expectationOf = (known: KnownScript): string => {
  if (known.owner !== 'present') return `nothing: its ${known.owner === 'retired' ? 'department' : 'company'} is gone`;
  if (known.status === 'draft' || known.provider === '') return 'nothing: it is not deployed';
  return `revision ${known.liveRevision}${known.status === 'paused' ? ', off the air' : ''}`;
};

const describe = ({ revision, ticketId, state }: FoundScript): string =>
  [
    revision === 0 ? 'an unknown revision' : `revision ${revision}`,
    ...(ticketId === '' ? [] : [`of deployment ${ticketId}`]),
    ...(state === '' ? [] : [`(${state})`]),
  ].join(' ');
