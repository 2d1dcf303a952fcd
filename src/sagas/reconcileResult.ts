import type { ReconcileMode } from '../commands/reconciliation.ts';
import type { JobData } from '../domain/job/index.ts';
import type { Finding } from '../domain/reconciliation/plan.ts';
import type { Acted } from './reconcileAct.ts';

export const toMode = (value: unknown): ReconcileMode => (value === 'record' || value === 'apply' ? value : 'look');

/** The result of a job is short: the rest is counted. */
const findingsShown = 30;

/** `findings` is JSON: the first ones, each with what was done about it. `unjudged` workers change right now. */
export const reconcileResult = (
  mode: ReconcileMode,
  acted: readonly Acted[],
  unjudged: number,
): { readonly detail: string; readonly result: JobData } => {
  const lines = acted.slice(0, findingsShown).map(lineOf);
  const detail = `${wordsOf(acted.length)}${unjudgedWords(unjudged)}`;
  return {
    detail,
    result: { mode, found: acted.length, unjudged, shown: lines.length, findings: JSON.stringify(lines) },
  };
};

const wordsOf = (findings: number): string => {
  if (findings === 0) return 'Everything is as it should be.';
  return findings === 1 ? '1 finding.' : `${findings} findings.`;
};

const unjudgedWords = (workers: number): string => {
  if (workers === 0) return '';
  const [subject, verb] = workers === 1 ? ['1 worker', 'is'] : [`${workers} workers`, 'are'];
  return ` ${subject} ${verb} not judged yet: a deployment is under way, or ended a moment ago.`;
};

export type ReconcileLine = Pick<Finding, 'kind' | 'action' | 'scriptName' | 'departmentId' | 'companyId'> & {
  readonly expected: string;
  readonly found: string;
  readonly by: string;
  readonly did: string;
};

const lineOf = ({ finding, did }: Acted): ReconcileLine => {
  const { kind, action, scriptName, companyId, departmentId, expected, found, by } = finding;
  return { kind, action, scriptName, companyId, departmentId, expected, found, by, did };
};
