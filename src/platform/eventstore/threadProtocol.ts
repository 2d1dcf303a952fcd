export type WorkerOptions = {
  readonly dataDir: string;
  readonly port?: number;
  readonly host?: string;
  readonly accessKey?: string;
};

export type WorkerMessage =
  | { readonly kind: 'started'; readonly port: number; readonly connectionString: string }
  | { readonly kind: 'failed'; readonly name: string; readonly message: string }
  | { readonly kind: 'copied'; readonly id: number; readonly failure: string }
  | { readonly kind: 'closed' };

/** What the program asks of the thread. */
export type WorkerRequest = 'close' | { readonly kind: 'copy'; readonly id: number; readonly folder: string };

const isOptional = (value: unknown, type: 'number' | 'string'): boolean => value === undefined || typeof value === type;

export const isWorkerOptions = (value: unknown): value is WorkerOptions =>
  typeof value === 'object' &&
  value !== null &&
  'dataDir' in value &&
  typeof value.dataDir === 'string' &&
  isOptional(Reflect.get(value, 'port'), 'number') &&
  isOptional(Reflect.get(value, 'host'), 'string') &&
  isOptional(Reflect.get(value, 'accessKey'), 'string');

const KINDS: ReadonlySet<unknown> = new Set(['started', 'failed', 'copied', 'closed']);

/** Only the thread of this very build answers, so the kind is enough. */
export const isWorkerMessage = (value: unknown): value is WorkerMessage =>
  typeof value === 'object' && value !== null && 'kind' in value && KINDS.has(value.kind);

/** Only the program of this very build asks. */
export const isWorkerRequest = (value: unknown): value is WorkerRequest =>
  value === 'close' || (typeof value === 'object' && value !== null && 'kind' in value && value.kind === 'copy');
