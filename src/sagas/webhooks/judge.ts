import { clip } from '../../domain/kernel.ts';
import { maskText } from '../../domain/masking.ts';
import { describeAnswer } from '../../domain/webhook/index.ts';
import type { OutboundAnswer, OutboundOutcome } from '../../platform/outbound/port.ts';
import type { JobOutcome } from '../jobs/effect.ts';
import { parseHttpDate } from './httpDate.ts';

/** Nobody makes us wait longer than this between two attempts. */
const maxRetryAfterMs = 24 * 3_600_000;
const shownCharacters = 200;

export const goneCode = 'gone';

const described = ({ status, durationMs }: OutboundAnswer, more: string): string =>
  describeAnswer({ status, latencyMs: durationMs }, more);

/** What an answer means: only 2xx is done, 410 ends the webhook, everything else is tried again. */
export const judge = (answer: OutboundOutcome, now: number): JobOutcome => {
  if (answer.outcome === 'failed') return { outcome: 'retry', detail: `${answer.code}: ${answer.detail}` };
  const { status, durationMs } = answer;
  if (status >= 200 && status < 300) {
    return { outcome: 'done', detail: described(answer, ''), result: { status, latencyMs: durationMs } };
  }
  if (status === 410) return { outcome: 'refused', code: goneCode, detail: described(answer, 'it is gone for good') };
  if (status >= 300 && status < 400) return { outcome: 'retry', detail: described(answer, redirection(answer)) };
  const afterMs = retryAfterMs(answer, now);
  const detail = described(answer, excerpt(answer));
  return { outcome: 'retry', detail, ...(afterMs > 0 && { afterMs }) };
};

/** Only the host: what follows may hold a token. */
const redirection = ({ headers }: OutboundAnswer): string => {
  const location = headers['location'] ?? '';
  const host = URL.canParse(location) ? ` to ${new URL(location).host}` : '';
  return `a redirect${host} is not followed`;
};

const excerpt = ({ body }: OutboundAnswer): string => {
  const text = Buffer.from(body.subarray(0, 2_000))
    .toString('utf8')
    .replaceAll(/[^\p{L}\p{N}\p{P}\p{S} ]+/gu, ' ');
  return clip(maskText(text).trim(), shownCharacters);
};

/** Seconds, or a date, which is held against the date of the answer itself: the clocks of both sides need not agree. */
const retryAfterMs = ({ headers }: OutboundAnswer, now: number): number => {
  const asked = headers['retry-after'] ?? '';
  if (/^\d{1,9}$/.test(asked)) return Math.min(maxRetryAfterMs, Number(asked) * 1_000);
  const until = parseHttpDate(asked, now);
  if (until === undefined) return 0;
  const since = parseHttpDate(headers['date'] ?? '', now) ?? now;
  return Math.min(maxRetryAfterMs, Math.max(0, until - since));
};
