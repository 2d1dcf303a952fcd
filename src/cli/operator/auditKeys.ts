import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { openHead, type SignedHead } from '../../platform/evidence/auditHead.ts';
import type { Cli } from '../cli.ts';
import { exitCodes } from '../exitCodes.ts';
import { Failure, usage } from '../failure.ts';

export const readFiles = (cli: Cli, paths: readonly string[]): Promise<readonly string[]> =>
  Promise.all(
    paths.map((path) =>
      readFile(resolve(cli.cwd, path), 'utf8').catch((error: NodeJS.ErrnoException) => {
        throw usage(`Cannot read ${path}: ${error.code ?? error.message}.`);
      }),
    ),
  );

/** The head in an envelope that one of these keys signed. Throws Failure when it is none, with what to do about it. */
export const trustedHead = (text: string, publicKeys: readonly string[]): SignedHead => {
  const opened = openHead(text, publicKeys);
  if (opened.ok) return opened.head;
  const { problem, keyId } = opened;
  const isKey = problem === 'KeyUnknown';
  throw new Failure(
    isKey
      ? `The head was signed with the key ${keyId || '(none named)'}, which is none of those given or in use here.`
      : `The head does not verify: ${problem}.`,
    {
      code: isKey ? 'head_key_unknown' : 'head_invalid',
      exitCode: exitCodes.unverified,
      hint: isKey
        ? 'If the key was replaced since, give the public half of the old one with --key; else somebody else signed this.'
        : 'The file was changed since it was signed, or is no head of an audit trail.',
      more: { problem, keyId },
    },
  );
};
