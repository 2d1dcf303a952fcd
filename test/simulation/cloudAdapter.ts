import type { Attempt, EdgeProvider, StepOutcome, WorkerSpec } from '../../src/platform/edge/port.ts';
import type { Answer, Call, Cloud, Row, Version } from './cloud.ts';
import type { Faults } from './faults.ts';
import type { Process } from './process.ts';

export const cloudSteps = ['upload', 'deploy', 'verify'] as const;

const done = (detail: string, facts = {}): StepOutcome => ({ outcome: 'done', detail, facts });

/** What an answer that is not "ok" means for the step: the four outcomes. */
const failed = (answer: Exclude<Answer<unknown>, { kind: 'ok' }>): StepOutcome => {
  switch (answer.kind) {
    case 'unreachable':
    case 'conflict':
      return { outcome: 'retry', detail: answer.kind };
    case 'tooMany':
      return { outcome: 'retry', detail: 'too many requests', afterMs: answer.afterMs };
    case 'refused':
      return { outcome: 'refused', code: answer.code, detail: 'the cloud says no' };
    case 'unclear':
      return { outcome: 'uncertain', detail: answer.how };
  }
};

/** Reads change nothing, so an unclear one is only tried again. */
const unread = (answer: Exclude<Answer<unknown>, { kind: 'ok' }>, mode: 'perform' | 'probe'): StepOutcome =>
  mode === 'probe'
    ? { outcome: 'uncertain', detail: `could not look: ${answer.kind}` }
    : answer.kind === 'unclear'
      ? { outcome: 'retry', detail: answer.how }
      : failed(answer);

/** A provider of the kind that the real cloud needs: it looks before it acts, and after an attempt it looks patiently. */
export const createCloudAdapter = (process: Process, cloud: Cloud, faults: Faults, windowMs: number): EdgeProvider => {
  const ask = <Value>(call: Call<Value>, signal: AbortSignal) => cloud.request(process, call, signal);
  const never = new AbortController().signal;
  type Found<Value> =
    | { readonly ok: true; readonly value: Value | undefined }
    | { readonly ok: false; outcome: StepOutcome };

  /** Looks for something; when an earlier attempt may have made it, once more after all that is under way has landed. */
  const look = async <Value>(
    name: string,
    find: () => Value | undefined,
    {
      ticketId,
      attempt,
      patient,
      mode,
    }: { ticketId: string; attempt: number; patient: boolean; mode: 'perform' | 'probe' },
    signal: AbortSignal,
  ): Promise<Found<Value>> => {
    for (let looks = 1; ; looks += 1) {
      const answer = await ask({ name, changes: false, ticketId, attempt, take: find }, signal);
      if (answer.kind !== 'ok') return { ok: false, outcome: unread(answer, mode) };
      if (answer.value !== undefined || !patient || looks === 2) return { ok: true, value: answer.value };
      await process.clock.sleep(windowMs, signal);
    }
  };
  const versionOf = (script: string, ticketId: string) => (): Version | undefined =>
    cloud.versions(script).findLast((version) => version.ticketId === ticketId);
  const liveOf = (script: string, ticketId: string) => (): Row | undefined => {
    const live = cloud.rows(script).at(-1);
    return live?.ticketId === ticketId ? live : undefined;
  };
  /** Nothing is changed outside once somebody said stop. */
  const change = async (
    name: string,
    attempt: Attempt,
    signal: AbortSignal,
    take: () => void,
  ): Promise<StepOutcome> => {
    if (signal.aborted) return { outcome: 'retry', detail: 'stopped before anything was changed' };
    const { ticketId, attempt: number } = attempt;
    const answer = await ask({ name, changes: true, ticketId, attempt: number, take }, signal);
    return answer.kind === 'ok' ? done(name) : failed(answer);
  };

  const perform: EdgeProvider['perform'] = async (step, spec, attempt, signal) => {
    if (faults.throws()) throw new Error('the provider is broken');
    const { ticketId } = attempt;
    const asked = { ticketId, attempt: attempt.attempt, patient: attempt.attempt > 1, mode: 'perform' } as const;
    const { scriptName } = spec;
    switch (step) {
      case 'upload': {
        const found = await look('versions', versionOf(scriptName, ticketId), asked, signal);
        if (!found.ok) return found.outcome;
        if (found.value) return done('it is there', { versionId: found.value.id });
        return change('upload', attempt, signal, () => void cloud.upload(scriptName, ticketId, spec.revision));
      }
      case 'deploy': {
        const live = await look('deployments', liveOf(scriptName, ticketId), asked, signal);
        if (!live.ok) return live.outcome;
        if (live.value) return done('it is on the air');
        const version = await look('versions', versionOf(scriptName, ticketId), { ...asked, patient: true }, signal);
        if (!version.ok) return version.outcome;
        const { value } = version;
        if (!value) return { outcome: 'retry', detail: 'its version is not to be seen' };
        return change('deploy', attempt, signal, () => cloud.deploy(scriptName, value, ticketId, 'opslog'));
      }
      default: {
        const live = await look('deployments', liveOf(scriptName, ticketId), { ...asked, patient: true }, signal);
        if (!live.ok) return live.outcome;
        return live.value ? done('it is on the air') : { outcome: 'retry', detail: 'something else is on the air' };
      }
    }
  };
  const probe: EdgeProvider['probe'] = async (step, spec, { ticketId, attempt }, signal) => {
    const asked = { ticketId, attempt, patient: true, mode: 'probe' } as const;
    const find = step === 'upload' ? versionOf(spec.scriptName, ticketId) : liveOf(spec.scriptName, ticketId);
    const found = await look<Version | Row>(`look at ${step}`, find, asked, signal);
    if (!found.ok) return found.outcome;
    return found.value ? done('it has happened') : { outcome: 'retry', detail: 'it has not happened' };
  };
  const present = async (spec: WorkerSpec, paused: boolean, attempt: Attempt, signal: AbortSignal) => {
    const { scriptName } = spec;
    // Whatever an earlier attempt may have left under way lands before this one looks.
    if (attempt.attempt > 1) await process.clock.sleep(windowMs, signal);
    return change(paused ? 'pause' : 'resume', attempt, signal, () => cloud.setPaused(scriptName, paused));
  };
  return {
    kind: 'cloudflare',
    scope: 'cloud:000000000001',
    steps: cloudSteps,
    url: (scriptName) => `https://${scriptName}.example.net`,
    perform,
    probe,
    isPublic: (step, performed) => step !== 'upload' || performed.includes('deploy'),
    abandon: async () => {},
    present,
    attachDomain: async () => done('not simulated'),
    verifyDomain: async () => done('not simulated'),
    detachDomain: async () => done('not simulated'),
    remove: (scriptName, signal) =>
      change('remove', { ticketId: scriptName, attempt: 1 }, signal, () => cloud.remove(scriptName)),
    inventory: async (signal) => {
      const take = () =>
        [...cloud.scripts.values()].map(({ name, rows, presence }) => {
          const live = rows.at(-1);
          return {
            ...{ scriptName: name, revision: live?.version.revision ?? 0, bundleDigest: '' },
            ...{
              ticketId: live?.ticketId ?? '',
              state: presence.at(-1)?.paused ? 'paused' : 'live',
              by: live?.by ?? '',
            },
          };
        });
      const answer = await ask({ name: 'inventory', changes: false, ticketId: '', attempt: 0, take }, signal ?? never);
      return answer.kind === 'ok' ? { ok: true, workers: answer.value } : { ok: false, detail: answer.kind };
    },
    close: async () => {},
  };
};
