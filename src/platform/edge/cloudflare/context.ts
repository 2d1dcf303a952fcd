import type { ArtifactStore } from '../../artifacts/port.ts';
import type { Clock } from '../../clock/port.ts';
import type { Attempt, StepOutcome, WorkerSpec } from '../port.ts';
import type { SecretReader } from '../secretReader.ts';
import type { Api } from './api.ts';

/** What every step and every other action uses. */
export type CloudflareContext = {
  readonly api: Api;
  readonly clock: Clock;
  readonly artifacts: Pick<ArtifactStore, 'get'>;
  readonly secretValues: SecretReader;
  /** How long something new may stay invisible: what is not there after that was not made. */
  readonly readLagMs: number;
  /** The account's part of `<script>.<this>.workers.dev`; '' leaves workers.dev as it is. */
  readonly workersSubdomain: string;
  /** Attempts whose probe has just made certain that nothing is there: performing need not wait for that again. */
  readonly foundAbsent: WeakSet<Attempt>;
};

export type StepInput = {
  readonly context: CloudflareContext;
  readonly spec: WorkerSpec;
  readonly attempt: Attempt;
  readonly signal: AbortSignal;
};

/** One step: `perform` recognises what is done already; `probe` answers `retry` for what has not happened. */
export type Step = {
  perform(input: StepInput): Promise<StepOutcome>;
  probe(input: StepInput): Promise<StepOutcome>;
};
