import { request } from 'node:http';
import { z } from 'zod';
import type { Firing, StepOutcome } from '../port.ts';
import type { EdgeNode } from './node.ts';

const answer = z.object({ revision: z.number(), ran: z.enum(['done', 'failed', 'no handler']) });

const parse = (text: string): z.infer<typeof answer> | undefined => {
  try {
    return answer.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
};

const outcomeOf = (text: string): StepOutcome => {
  const told = parse(text);
  switch (told?.ran) {
    case 'done':
      return { outcome: 'done', detail: `revision ${told.revision} ran`, facts: { revision: String(told.revision) } };
    case 'failed':
      return {
        outcome: 'refused',
        code: 'scheduled_handler_failed',
        detail: 'The scheduled handler threw; see the logs.',
      };
    case 'no handler':
      return {
        outcome: 'refused',
        code: 'scheduled_handler_missing',
        detail: 'The worker exports no scheduled handler.',
      };
    case undefined:
      return { outcome: 'uncertain', detail: 'The worker gave an answer that makes no sense.' };
  }
};

const answerLimit = 4_096;

/** Calls the scheduled handler through the control socket: no request from outside can reach it. Never throws. */
export const runScheduled = (
  node: EdgeNode,
  scriptName: string,
  firing: Firing,
  signal: AbortSignal,
): Promise<StepOutcome> => {
  const upstream = node.departments.get(scriptName)?.active?.upstream();
  if (upstream === undefined) return Promise.resolve({ outcome: 'retry', detail: 'Nothing of it is on the air here.' });
  return new Promise((resolve) => {
    let connected = false;
    const lost = (detail: string): void =>
      resolve(connected ? { outcome: 'uncertain', detail } : { outcome: 'retry', detail });
    const outgoing = request({
      socketPath: upstream.controlSocket,
      path: '/scheduled',
      method: 'POST',
      agent: false,
      signal,
    });
    outgoing.on('socket', (socket) =>
      socket.once('connect', () => {
        connected = true;
      }),
    );
    outgoing.on('error', (error) => lost(error.message));
    outgoing.on('response', (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (chunk: string) => {
        if (text.length < answerLimit) text += chunk;
      });
      response.on('error', (error) => lost(error.message));
      response.on('end', () => resolve(outcomeOf(text)));
    });
    outgoing.end(JSON.stringify(firing));
  });
};
