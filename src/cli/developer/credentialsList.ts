import { z } from 'zod';
import { credentialKinds } from '../../domain/credential/index.ts';
import { plain } from '../paint.ts';
import { allCredentials, type Credential, findVaulted, workspaceArgs } from './credentials.ts';
import { remoteCommand } from './remote.ts';

const args = workspaceArgs.extend({ kind: z.enum(credentialKinds).optional(), department: z.string().optional() });

export const run = remoteCommand(args, async ({ kind, department, ...where }, cli) => {
  const vaulted = await findVaulted(cli, where);
  const credentials = await allCredentials(cli, vaulted, {
    ...(kind !== undefined && { kind }),
    ...(department !== undefined && { departmentId: department }),
  });
  const lines = credentials.map(lineOf).join('\n');
  cli.answer({ ok: true, credentials }, credentials.length === 0 ? 'No credentials.' : lines);
});

const lineOf = (credential: Credential): string => {
  const { name, kind, departmentId, version, lastUse } = credential;
  const bound = departmentId === null ? '' : `  only for ${departmentId}`;
  if (version === null) return `${plain(name)}  ${kind}${bound}`;
  const used = lastUse === null ? 'never used' : `used ${lastUse.at} for ${plain(lastUse.purpose)}`;
  return `${plain(name)}  ${kind}${shown(credential)}  version ${version}, ${used}${bound}`;
};

const shown = ({ details }: Credential): string => {
  switch (details?.kind) {
    case 'sshKey':
      return ` ${plain(details.userName)} ${details.fingerprint}`;
    case 'sshPassword':
      return ` ${plain(details.userName)}`;
    case 'apiToken':
      return ` ${plain(details.provider)}`;
    case 'registryLogin':
      return ` ${plain(details.userName)} at ${plain(details.registry)}`;
    case 'generic':
      return ` ${details.fieldNames.map(plain).join(', ')}`;
    default:
      return '';
  }
};
