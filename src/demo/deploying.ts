import { setTimeout as sleep } from 'node:timers/promises';
import type { z } from 'zod';
import * as models from '../api/models.ts';
import type { Caller } from './caller.ts';
import { projectFiles } from './project.ts';
import type { Narrator } from './story.ts';

export type Ticket = z.output<typeof models.deploymentWithSteps>;

export const submit = async (
  call: Caller,
  say: Narrator,
  worker: string,
  revision: number,
): Promise<{ ms: number }> => {
  const begun = performance.now();
  const files = projectFiles(revision);
  const settings = { language: 'typescript', variables: { GREETING: 'Hello' }, secretNames: ['API_KEY'] };
  const body = { files, entryPoint: 'src/index.ts', ...settings };
  const submitted = await call(models.submittedRevision, 'POST', `${worker}/revisions`, body);
  const ms = performance.now() - begun;
  const { bundleDigest, bundleBytes, sbomDigest, secrets } = submitted.body;
  say(
    `submitted   revision ${submitted.body.revision}: ${files.length} files, bundle ${bundleBytes} bytes   (${ms.toFixed(0)} ms)`,
  );
  say(
    `evidence    bundle sha256 ${bundleDigest.slice(0, 16)}…  sbom sha256 ${sbomDigest.slice(0, 16)}…  receipt signed`,
  );
  for (const { name, version, digest } of secrets) say(`pinned      ${name} version ${version} (digest ${digest})`);
  return { ms };
};

/** Admits a deployment and tells its steps until it has settled. */
export const deploy = async (
  call: Caller,
  say: Narrator,
  path: string,
  done: string,
): Promise<{ ticket: Ticket; ms: number }> => {
  const begun = performance.now();
  const admitted = await call(models.admittedDeployment, 'POST', path, {});
  const { ticketId, statusUrl } = admitted.body;
  say(`ticket      ${ticketId}`);
  let shown = 0;
  for (;;) {
    const { body: ticket } = await call(models.deploymentWithSteps, 'GET', statusUrl, undefined, {
      'opslog-wait-for': admitted.position,
    });
    for (const step of ticket.steps.slice(shown)) tellStep(say, step);
    shown = ticket.steps.length;
    if (ticket.status === 'completed') {
      const ms = performance.now() - begun;
      say(`${done}   (${ms.toFixed(0)} ms)`);
      return { ticket, ms };
    }
    if (ticket.status === 'failed' || ticket.status === 'cancelled') {
      throw new Error(`Deployment ${ticketId} ${ticket.status}: ${ticket.reason ?? 'no reason given'}`);
    }
    await sleep(20);
  }
};

const tellStep = (say: Narrator, { step, outcome, mode, durationMs, detail }: Ticket['steps'][number]): void => {
  const looked = mode === 'probe' ? '  by looking' : '';
  say(`  step      ${step.padEnd(10)} ${outcome}  ${durationMs} ms${looked}`);
  if (outcome !== 'done' || mode === 'probe') say(`            ${detail ?? ''}`);
};
