import { exitCodes } from '../exitCodes.ts';
import { Failure } from '../failure.ts';
import type { Operation } from '../operations/operation.ts';
import type { Control } from './file.ts';
import { type ControlLine, controlLine, operationPath } from './protocol.ts';

/** Runs an operation inside the server that `control` names. Undefined when nobody listens there any more. */
export const performInServer = async <Args, Progress, Result>(
  { port, token }: Control,
  operation: Operation<Args, Progress, Result>,
  args: Args,
  onProgress: (progress: Progress) => Promise<void> | void,
  signal: AbortSignal,
): Promise<{ readonly result: Result } | undefined> => {
  const response = await fetch(`http://127.0.0.1:${port}${operationPath(operation.name)}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify(args),
    signal,
  }).catch((error: unknown) => {
    if (signal.aborted) throw error;
    return undefined;
  });
  // Another program may have been given the port of a server that died.
  if (response === undefined || response.status === 401) return undefined;
  if (!response.ok || !response.body) {
    throw new Failure(`The server answered ${response.status} to ${operation.name}.`, { code: 'control_refused' });
  }
  for await (const line of linesOf(response.body, signal)) {
    if ('progress' in line) await onProgress(operation.progress.parse(line.progress));
    else if ('result' in line) return { result: operation.result.parse(line.result) };
    else throw new Failure(line.error.message, { code: line.error.code });
  }
  throw serverGone();
};

const serverGone = (): Failure =>
  new Failure('The server went away before it was done.', {
    code: 'server_gone',
    exitCode: exitCodes.unreachable,
    hint: 'What it had begun may have been done in part. Once the server is up again, run the command again.',
  });

async function* linesOf(body: ReadableStream<Uint8Array>, signal: AbortSignal): AsyncGenerator<ControlLine> {
  const decoder = new TextDecoder();
  const reader = body.getReader();
  let rest = '';
  try {
    for (;;) {
      // A server that was killed breaks the connection off; one that closes ends it.
      const { done, value } = await reader.read().catch((error: unknown) => {
        throw signal.aborted ? error : serverGone();
      });
      if (done) return;
      rest += decoder.decode(value, { stream: true });
      const lines = rest.split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) if (line !== '') yield controlLine.parse(JSON.parse(line));
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}
