export type WorkerOptions = {
  readonly dataDir: string;
  readonly port?: number;
  readonly host?: string;
  readonly accessKey?: string;
};

export type WorkerMessage =
  | { readonly kind: 'started'; readonly port: number; readonly connectionString: string }
  | { readonly kind: 'failed'; readonly name: string; readonly message: string }
  | { readonly kind: 'closed' };

const isOptional = (value: unknown, type: 'number' | 'string'): boolean => value === undefined || typeof value === type;

export const isWorkerOptions = (value: unknown): value is WorkerOptions =>
  typeof value === 'object' &&
  value !== null &&
  'dataDir' in value &&
  typeof value.dataDir === 'string' &&
  isOptional(Reflect.get(value, 'port'), 'number') &&
  isOptional(Reflect.get(value, 'host'), 'string') &&
  isOptional(Reflect.get(value, 'accessKey'), 'string');

const KINDS: ReadonlySet<unknown> = new Set(['started', 'failed', 'closed']);

/** Only the thread of this very build answers, so the kind is enough. */
export const isWorkerMessage = (value: unknown): value is WorkerMessage =>
  typeof value === 'object' && value !== null && 'kind' in value && KINDS.has(value.kind);
