import type { ServerResponse } from 'node:http';
import type { Answer } from './answer.ts';

type Headers = Readonly<Record<string, string>>;

/** The envelope around every JSON answer. */
export const envelope = (answer: Extract<Answer, { kind: 'result' | 'refused' }>): string => {
  switch (answer.kind) {
    case 'result':
      return JSON.stringify({
        success: true,
        errors: [],
        messages: [],
        result: answer.result,
        ...(answer.info === undefined ? {} : { result_info: answer.info }),
      });
    case 'refused':
      return JSON.stringify({ success: false, errors: answer.errors, messages: [], result: null });
    default:
      return answer satisfies never;
  }
};

const bodyOf = (answer: Answer): { readonly type: string | undefined; readonly body: Uint8Array } => {
  switch (answer.kind) {
    case 'result':
    case 'refused':
      return { type: 'application/json', body: Buffer.from(envelope(answer)) };
    case 'empty':
      return { type: undefined, body: new Uint8Array() };
    case 'raw':
      return { type: answer.contentType, body: Buffer.from(answer.body) };
    default:
      return answer satisfies never;
  }
};

export const send = (response: ServerResponse, answer: Answer, headers: Headers, cut: 'whole' | 'half'): void => {
  const { type, body } = bodyOf(answer);
  const bytes = cut === 'half' ? body.subarray(0, Math.floor(body.length / 2)) : body;
  response.writeHead(answer.status, {
    ...headers,
    ...(answer.kind === 'refused' ? answer.headers : {}),
    ...(type === undefined ? {} : { 'content-type': type }),
    'content-length': String(bytes.length),
  });
  response.end(bytes);
};

/** What stands in front of the API answers in HTML. */
export const sendPage = (response: ServerResponse, status: number): void => {
  const page = `<!DOCTYPE html>\n<html><head><title>${status}</title></head><body><h1>Error ${status}</h1></body></html>\n`;
  response.writeHead(status, { 'content-type': 'text/html; charset=UTF-8', 'content-length': String(page.length) });
  response.end(page);
};
