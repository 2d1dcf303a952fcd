import { servingVersion } from './context.ts';
import type { Account, CloudflareState, CustomDomain, Deployment, DnsRecord, Script, Version, Zone } from './state.ts';

/** Reading the state of the first account in one step, for assertions. A script that does not exist throws. */
export type View = {
  scripts(): readonly Script[];
  script(name: string): Script;
  /** Those with this `workers/tag`, oldest first. */
  versionsTagged(name: string, tag: string): readonly Version[];
  /** What serves the larger part of the traffic. */
  serving(name: string): Version | undefined;
  activeDeployment(name: string): Deployment | undefined;
  /** Values too, of the newest version. */
  secrets(name: string): Readonly<Record<string, string>>;
  variables(name: string): Readonly<Record<string, string>>;
  crons(name: string): readonly string[];
  domains(): readonly CustomDomain[];
  zone(name: string): Zone;
  records(zoneName: string): readonly DnsRecord[];
};

const texts = (version: Version | undefined, type: 'plain_text' | 'secret_text'): Readonly<Record<string, string>> =>
  Object.fromEntries(
    (version?.bindings ?? []).flatMap((binding) =>
      binding.type === type && 'text' in binding ? [[binding.name, binding.text]] : [],
    ),
  );

export const createView = (state: CloudflareState, account: Account): View => {
  const script = (name: string): Script => {
    const found = account.scripts.get(name);
    if (found === undefined) throw new Error(`There is no script ${name}`);
    return found;
  };
  const zone = (name: string): Zone => {
    const found = [...state.zones.values()].find((candidate) => candidate.name === name);
    if (found === undefined) throw new Error(`There is no zone ${name}`);
    return found;
  };
  return {
    scripts: () => [...account.scripts.values()],
    script,
    versionsTagged: (name, tag) =>
      script(name).versions.filter(({ annotations }) => annotations['workers/tag'] === tag),
    serving: (name) => servingVersion(script(name)),
    activeDeployment: (name) => script(name).deployments[0],
    secrets: (name) => texts(script(name).versions.at(-1), 'secret_text'),
    variables: (name) => texts(script(name).versions.at(-1), 'plain_text'),
    crons: (name) => script(name).schedules.map(({ cron }) => cron),
    domains: () => [...account.domains.values()],
    zone,
    records: (zoneName) => [...zone(zoneName).records.values()],
  };
};
