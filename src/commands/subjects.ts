import type { Category } from '../domain/catalog.ts';
import { type Visibility, visibilityOf } from '../domain/resource/index.ts';
import type { Aggregates } from './aggregates.ts';

/** A resource of any feature, as the log has it: what its tags and relations are bound to. */
export type Subject = Visibility & {
  readonly id: string;
  readonly type: string;
  /** '' for one of the whole workspace. */
  readonly departmentId: string;
  /** Tells a resource that came back under its id from the one before. */
  readonly incarnation: string;
};

type Found = Pick<Subject, 'type' | 'departmentId' | 'incarnation'> & { readonly workspaceId: string };
type Find = (aggregates: Aggregates, id: string) => Promise<Found | undefined>;

/** How each feature says that a resource of it is there. A new feature does not compile before it has its line. */
const finders: { readonly [Name in Category]: Find | 'noResource' } = {
  department: async ({ department }, id) => {
    const { state } = await department.load(id);
    if (state.status !== 'active') return undefined;
    return { type: 'department', workspaceId: state.workspaceId, departmentId: id, incarnation: '' };
  },
  edgeWorker: async ({ edgeWorker }, id) => {
    const { state } = await edgeWorker.load(id);
    if (state.status === 'absent' || state.retired) return undefined;
    const { companyId: workspaceId, departmentId } = state;
    return { type: 'edgeWorker', workspaceId, departmentId, incarnation: '' };
  },
  edgeSecret: async ({ edgeSecret }, id) => {
    const { state } = await edgeSecret.load(id);
    const [oldest] = state.status === 'stored' ? state.versions : [];
    if (state.status !== 'stored' || !oldest) return undefined;
    const { companyId: workspaceId, departmentId } = state;
    // Removing a secret ends all its versions: the first one since then tells which life it is.
    return { type: 'edgeSecret', workspaceId, departmentId, incarnation: String(oldest.version) };
  },
  edgeDomain: async ({ edgeDomain }, id) => {
    const { state } = await edgeDomain.load(id);
    if (state.status === 'absent' || state.status === 'detached') return undefined;
    const { companyId: workspaceId, departmentId, claim } = state;
    return { type: 'edgeDomain', workspaceId, departmentId, incarnation: String(claim) };
  },
  credential: async ({ credential }, id) => {
    const { state } = await credential.load(id);
    if (state.status !== 'active') return undefined;
    const { workspaceId, departmentId } = state;
    return {
      type: 'credential',
      workspaceId,
      departmentId,
      incarnation: '',
    };
  },
  webhook: async ({ webhook }, id) => {
    const { state } = await webhook.load(id);
    if (state.status === 'absent' || state.status === 'removed') return undefined;
    const { workspaceId } = state;
    return {
      type: 'webhook',
      workspaceId,
      departmentId: '',
      incarnation: '',
    };
  },
  resource: async ({ resource }, id) => {
    const { state } = await resource.load(id);
    if (state.status !== 'active') return undefined;
    const { workspaceId, departmentId } = state;
    return { type: 'custom', workspaceId, departmentId, incarnation: '' };
  },
  resourceRelation: 'noResource',
  user: 'noResource',
  session: 'noResource',
  workspace: 'noResource',
  apiToken: 'noResource',
  invitation: 'noResource',
  reservation: 'noResource',
  edgeMaintenance: 'noResource',
  artifactCleanup: 'noResource',
  controlAudit: 'noResource',
  credentialUse: 'noResource',
  job: 'noResource',
};

const found: readonly Find[] = Object.values(finders).filter((each): each is Find => each !== 'noResource');

/**
 * The resource of this id in this workspace, from the log and not from a table; undefined for one of another workspace, of
 * a removed department, or that is gone, as for one that never was. An id does not say which feature it is of: all are asked.
 */
export const findSubject = async (
  aggregates: Aggregates,
  workspaceId: string,
  id: string,
): Promise<Subject | undefined> => {
  const answers = await Promise.all(found.map((find) => find(aggregates, id)));
  const subject = answers.find((each) => each?.workspaceId === workspaceId);
  if (subject === undefined) return undefined;
  const { type, departmentId, incarnation } = subject;
  if (departmentId !== '' && (await aggregates.department.load(departmentId)).state.status !== 'active') {
    return undefined;
  }
  return { id, type, departmentId, incarnation, ...visibilityOf(type) };
};
