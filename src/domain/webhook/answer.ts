/** What came back for a message: the status and after how many milliseconds. */
export type ReceiverAnswer = { readonly status: number; readonly latencyMs: number };

/** `HTTP 503 in 120 ms: …`: the words that a delivery's attempt keeps of an answer. */
export const describeAnswer = ({ status, latencyMs }: ReceiverAnswer, more = ''): string =>
  `HTTP ${status} in ${latencyMs} ms${more === '' ? '' : `: ${more}`}`;

/** The same read back from an attempt's words; undefined when nothing was answered. */
export const answerIn = (detail: string): ReceiverAnswer | undefined => {
  const [, status, latencyMs] = /\bHTTP (\d{3}) in (\d{1,9}) ms/.exec(detail) ?? [];
  return status === undefined || latencyMs === undefined
    ? undefined
    : { status: Number(status), latencyMs: Number(latencyMs) };
};
