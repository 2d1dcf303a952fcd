import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import { z } from 'zod';
import { generateSshKey, parseSshKey, stretchingRounds } from './parseKey.ts';
import type { ReadSshKey, SshKeys } from './port.ts';

/** OpenSSH's own choice is 16 or 24; this many take about two seconds. */
const maxRounds = 128;
const timeoutMs = 20_000;

/** Beside this file in the bundle; in dist/ when this file is run from its source. */
const threadFile = (): string => {
  const beside = fileURLToPath(new URL('./sshKeyThread.js', import.meta.url));
  return existsSync(beside) ? beside : fileURLToPath(new URL('../../../dist/sshKeyThread.js', import.meta.url));
};

const answerOf = z.union([
  z.object({
    ok: z.literal(true),
    facts: z.object({ keyType: z.string(), publicKey: z.string(), fingerprint: z.string() }),
  }),
  z.object({ ok: z.literal(false), field: z.enum(['privateKey', 'passphrase']), reason: z.string() }),
]);

const readInThread = (privateKey: string, passphrase: string): Promise<ReadSshKey> =>
  new Promise((resolve, reject) => {
    const thread = new Worker(threadFile(), { workerData: { privateKey, passphrase }, execArgv: [], env: {} });
    const late = setTimeout(() => {
      void thread.terminate();
      resolve({ ok: false, field: 'passphrase', reason: 'Opening this key takes too long. Use fewer rounds.' });
    }, timeoutMs);
    thread.once('message', (message: unknown) => resolve(answerOf.parse(message)));
    thread.once('error', reject);
    thread.once('exit', () => {
      clearTimeout(late);
      reject(new Error('The thread that reads keys ended without an answer.'));
    });
  });

/** Reads and makes SSH keys. Keys with a passphrase are opened one at a time, in a thread: that costs whole cores. */
export const createSshKeys = (): SshKeys => {
  let last: Promise<unknown> = Promise.resolve();
  return {
    read: async ({ privateKey, passphrase }) => {
      const rounds = stretchingRounds(privateKey);
      if (rounds > maxRounds) {
        const reason = `Its passphrase is stretched ${rounds} times; ${maxRounds} is the most. Write it anew with "ssh-keygen -p -a 24".`;
        return { ok: false, field: 'privateKey', reason };
      }
      if (passphrase === undefined || rounds === 0) return parseSshKey(privateKey, passphrase);
      const turn = last.then(() => readInThread(privateKey, passphrase));
      last = turn.catch(() => undefined);
      return turn;
    },
    generate: generateSshKey,
  };
};
