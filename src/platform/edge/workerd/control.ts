import { request } from 'node:http';
import { z } from 'zod';
import type { WorkerSpec } from '../port.ts';
import { identityOf } from './config.ts';

const answer = z.object({
  scriptName: z.string(),
  versionId: z.string(),
  revision: z.number(),
  bundleDigest: z.string(),
  handlesFetch: z.boolean(),
});

export type ControlAnswer = z.infer<typeof answer>;

export const parseControlAnswer = (text: string): ControlAnswer | undefined => {
  try {
    return answer.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
};

/** Undefined when the answer is that of this very revision, otherwise what is different. */
export const differsFrom = (spec: WorkerSpec, actual: ControlAnswer): string | undefined => {
  const expected = identityOf(spec);
  if (expected.scriptName !== actual.scriptName) return `script ${actual.scriptName} answered`;
  if (expected.versionId !== actual.versionId) return `version ${actual.versionId} answered`;
  if (expected.bundleDigest !== actual.bundleDigest) return `bundle ${actual.bundleDigest} answered`;
  return expected.revision === actual.revision ? undefined : `revision ${actual.revision} answered`;
};

const turns = 4;
const answerLimit = 4_096;

/** No answer in time, or nobody there to give one. */
export type ControlSilence = 'silent' | 'gone';

/**
 * Asks a process who it is. The deadline is counted in several
 * turns of our own event loop, so that a pause of this program is not taken for one of the worker.
 */
export const askControl = (controlSocket: string, deadlineMs: number): Promise<ControlAnswer | ControlSilence> =>
  new Promise((resolve) => {
    let left = turns;
    const settle = (value: ControlAnswer | ControlSilence): void => {
      clearInterval(timer);
      outgoing.destroy();
      resolve(value);
    };
    const outgoing = request({ socketPath: controlSocket, path: '/', agent: false });
    const timer = setInterval(() => {
      left -= 1;
      if (left === 0) settle('silent');
    }, deadlineMs / turns);
    outgoing.on('error', () => settle('gone'));
    outgoing.on('response', (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (chunk: string) => {
        text += chunk;
        if (text.length > answerLimit) settle('silent');
      });
      response.on('end', () => settle(parseControlAnswer(text) ?? 'silent'));
      response.on('error', () => settle('gone'));
    });
    outgoing.end();
  });
