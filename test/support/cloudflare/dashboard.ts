import { type Context, isoNow, latestVersion, servingVersion } from './context.ts';
import { addDeployment } from './deployments.ts';
import { addDeployedVersion, createScript, removeScript } from './scripts.ts';
import type {
  Account,
  Binding,
  Deployment,
  DnsRecord,
  Module,
  Script,
  Version,
  VersionContent,
  Zone,
} from './state.ts';
import { etagOf } from './upload.ts';
import { type Author, addVersion } from './versions.ts';

/** What a person does by hand in the dashboard, past the API and its lag. Names that do not exist throw. */
export type Dashboard = {
  /** Puts a version on the air; the one before the serving one when none is named. */
  deploy(script: string, versionId?: string): Deployment;
  /** A new version from other code, which serves at once. */
  editCode(script: string, code: string): Version;
  /** Sets a variable in a new version, which serves at once; null removes it. */
  editVariable(script: string, name: string, text: string | null): Version;
  /** A new version that does not serve. */
  saveVersion(script: string, code: string): Version;
  deleteScript(script: string): void;
  /** A script that nobody's program knows of. */
  uploadScript(script: string, code?: string): Script;
  createRecord(record: { type: string; name: string; content: string; proxied?: boolean; comment?: string }): DnsRecord;
  deleteRecord(id: string): void;
};

const stub = "export default { fetch() { return new Response('made by hand'); } };\n";

const contentOf = (code: string): VersionContent => {
  const module: Module = { name: 'worker.js', type: 'application/javascript+module', content: Buffer.from(code) };
  return {
    format: 'modules',
    mainModule: module.name,
    modules: [module],
    handlers: ['fetch'],
    etag: etagOf([module]),
    bindings: [],
    compatibilityDate: '2026-01-01',
    compatibilityFlags: [],
    limits: {},
    annotations: {},
  };
};

export const createDashboard = (context: Context, account: Account, email: string): Dashboard => {
  const author: Author = { email, source: 'dash' };

  const scriptNamed = (name: string): Script => {
    const script = account.scripts.get(name);
    if (script === undefined) throw new Error(`There is no script ${name}`);
    return script;
  };

  const latestOf = (script: Script): Version => {
    const latest = latestVersion(script);
    if (latest === undefined) throw new Error(`Script ${script.name} has no versions`);
    return latest;
  };

  const zoneOf = (hostname: string): Zone => {
    const zone = [...context.state.zones.values()].find(
      ({ name }) => hostname === name || hostname.endsWith(`.${name}`),
    );
    if (zone === undefined) throw new Error(`There is no zone for ${hostname}`);
    return zone;
  };

  return {
    deploy: (name, versionId) => {
      const script = scriptNamed(name);
      const serving = servingVersion(script);
      const chosen =
        versionId === undefined
          ? script.versions.findLast(({ number }) => serving === undefined || number < serving.number)
          : script.versions.find(({ id }) => id === versionId);
      if (chosen === undefined) throw new Error(`Script ${name} has no such version`);
      return addDeployment(context, script, [{ versionId: chosen.id, percentage: 100 }], {}, author);
    },
    editCode: (name, code) => {
      const script = scriptNamed(name);
      const { bindings } = latestOf(script);
      return addDeployedVersion(context, script, { ...contentOf(code), bindings }, author, 'upload').version;
    },
    editVariable: (name, variable, text) => {
      const script = scriptNamed(name);
      const latest = latestOf(script);
      const others = latest.bindings.filter((binding) => binding.name !== variable);
      const added: readonly Binding[] = text === null ? [] : [{ type: 'plain_text', name: variable, text }];
      const content = { ...latest, bindings: [...others, ...added], annotations: {} };
      return addDeployedVersion(context, script, content, author, 'settings').version;
    },
    saveVersion: (name, code) => {
      const script = scriptNamed(name);
      const { bindings } = latestOf(script);
      return addVersion(context, script, { ...contentOf(code), bindings }, author);
    },
    deleteScript: (name) => removeScript(context, account, scriptNamed(name)),
    uploadScript: (name, code = stub) => {
      const script = createScript(context, account, name);
      addDeployedVersion(context, script, contentOf(code), author, 'upload');
      return script;
    },
    createRecord: ({ type, name, content, proxied = false, comment }) => {
      const now = isoNow(context);
      const record: DnsRecord = {
        id: context.ids.hex(),
        type,
        name,
        content,
        ttl: 1,
        proxied,
        priority: undefined,
        comment,
        tags: [],
        createdOn: now,
        modifiedOn: now,
        originWorkerId: undefined,
      };
      zoneOf(name).records.set(record.id, record);
      return record;
    },
    deleteRecord: (id) => {
      const deleted = [...context.state.zones.values()].some(({ records }) => records.delete(id));
      if (!deleted) throw new Error(`There is no record ${id}`);
    },
  };
};
