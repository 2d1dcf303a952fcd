import { request } from 'node:http';
import { type ControlAnswer, parseControlAnswer } from './control.ts';
import { verifyHeader } from './headers.ts';

/** The front router as a caller reaches it, and the token that makes it answer who is behind a host. */
export type Front = {
  readonly address: string;
  readonly port: number;
  readonly verifyToken: string;
  readonly hostOf: (scriptName: string) => string;
};

/** Asks the front router, as the world would, who answers at a host. A text says why nobody did. Never throws. */
export const askFront = (
  { address, port, verifyToken }: Front,
  host: string,
  signal: AbortSignal,
): Promise<ControlAnswer | string> =>
  new Promise((resolve) => {
    const headers = { Host: host, [verifyHeader]: verifyToken };
    const outgoing = request({ host: address, port, path: '/', agent: false, headers, signal });
    outgoing.on('error', (error) => resolve(error.message));
    outgoing.on('response', (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (chunk: string) => {
        text += chunk;
      });
      response.on('error', (error) => resolve(error.message));
      response.on('end', () => {
        const answer = response.statusCode === 200 ? parseControlAnswer(text) : undefined;
        resolve(answer ?? `the router answered ${response.statusCode ?? 0}`);
      });
    });
    outgoing.end();
  });
