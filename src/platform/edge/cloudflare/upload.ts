import type { WorkerSpec } from '../port.ts';
import { messageOf, pausedTag } from './names.ts';
import { stubCompatibilityDate, stubModule } from './stub.ts';

const moduleName = 'worker.js';

export type Metadata = {
  readonly bindings: readonly {
    readonly type: 'plain_text' | 'secret_text';
    readonly name: string;
    readonly text: string;
  }[];
  readonly compatibility_date: string;
  readonly compatibility_flags: readonly string[];
  readonly annotations: Readonly<Record<string, string>>;
  readonly tags?: readonly string[];
};

/**
 * Every binding by value: nothing is kept or inherited from the version before, so that what a revision does not name is
 * gone. `metadata` is a text field; as a file the API does not read it.
 */
export const formOf = (metadata: Metadata, module: string | Uint8Array): FormData => {
  const form = new FormData();
  form.set('metadata', JSON.stringify({ main_module: moduleName, ...metadata }));
  const bytes = typeof module === 'string' ? module : new Uint8Array(module);
  form.set(moduleName, new Blob([bytes], { type: 'application/javascript+module' }), moduleName);
  return form;
};

export const versionForm = (
  spec: WorkerSpec,
  ticketId: string,
  secrets: Readonly<Record<string, string>>,
  bundle: Uint8Array,
): FormData => {
  const plain = Object.entries(spec.variables).map(([name, text]) => ({ type: 'plain_text', name, text }) as const);
  const sealed = Object.entries(secrets).map(([name, text]) => ({ type: 'secret_text', name, text }) as const);
  return formOf(
    {
      bindings: [...plain, ...sealed],
      compatibility_date: spec.compatibilityDate,
      compatibility_flags: spec.compatibilityFlags,
      annotations: { 'workers/tag': ticketId, 'workers/message': messageOf(spec) },
    },
    bundle,
  );
};

export const stubForm = (tags?: readonly string[]): FormData =>
  formOf(
    {
      bindings: [],
      compatibility_date: stubCompatibilityDate,
      compatibility_flags: [],
      annotations: { 'workers/tag': pausedTag },
      ...(tags && { tags }),
    },
    stubModule,
  );
