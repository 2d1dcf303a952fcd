import type { ReconcileMode } from '../commands/reconciliation.ts';
import type { JobData } from '../domain/job/index.ts';
import type { Finding } from '../domain/reconciliation/plan.ts';
import type { Acted } from './reconcileAct.ts';

export const toMode = (value: unknown): ReconcileMode => (value === 'record' || value === 'apply' ? value : 'look');

/** The result of a job is short: the rest is counted. */
const findingsShown = 30;

/** `findings` is JSON: the first ones, each with what was done about it. */
export const reconcileResult = (
  mode: ReconcileMode,
  acted: readonly Acted[],
): { readonly detail: string; readonly result: JobData } => {
  const lines = acted.slice(0, findingsShown).map(lineOf);
  const detail = acted.length === 0 ? 'Everything is as it should be.' : `${acted.length} findings.`;
  return { detail, result: { mode, found: acted.length, shown: lines.length, findings: JSON.stringify(lines) } };
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
