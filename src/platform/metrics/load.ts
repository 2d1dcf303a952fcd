import { Gauge, type Registry } from 'prom-client';

export type ApiLoad = {
  readonly turns: readonly { readonly kind: string; readonly running: number; readonly waiting: number }[];
  readonly bodyBytes: number;
  readonly answerBytes: number;
  readonly streams: number;
  readonly heldAnswers: number;
};

/** What the API is doing when somebody looks. */
export const createLoadGauges = (registry: Registry, read: () => ApiLoad): void => {
  const registers = [registry];
  new Gauge({
    name: 'opslog_http_turns',
    help: 'Requests that are being worked on or wait for their turn, by kind of work.',
    labelNames: ['kind', 'state'],
    registers,
    collect() {
      for (const { kind, running, waiting } of read().turns) {
        this.set({ kind, state: 'running' }, running);
        this.set({ kind, state: 'waiting' }, waiting);
      }
    },
  });
  const figures = [
    ['opslog_http_body_bytes', 'Bytes of request bodies in memory.', (load: ApiLoad) => load.bodyBytes],
    ['opslog_http_answer_bytes', 'Bytes of answers that nobody takes.', (load: ApiLoad) => load.answerBytes],
    ['opslog_http_streams', 'Streams and exports that are open.', (load: ApiLoad) => load.streams],
    ['opslog_http_held_answers', 'Answers 429 that are held back.', (load: ApiLoad) => load.heldAnswers],
  ] as const;
  for (const [name, help, figure] of figures) {
    new Gauge({
      name,
      help,
      registers,
      collect() {
        this.set(figure(read()));
      },
    });
  }
};
