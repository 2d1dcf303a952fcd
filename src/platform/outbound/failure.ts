import type { OutboundFailure } from './port.ts';

/** An address, and so the request, is refused. */
export class OutboundRefused extends Error {
  override readonly name = 'OutboundRefused';
}

/** What ended an exchange before there was an answer; `stage` is how far it had come. */
export class ExchangeFailed extends Error {
  override readonly name = 'ExchangeFailed';
  readonly code: OutboundFailure;
  constructor(code: OutboundFailure, message: string) {
    super(message);
    this.code = code;
  }
}

type Failed = { readonly outcome: 'failed'; readonly code: OutboundFailure; readonly detail: string };
const failed = (code: OutboundFailure, detail: string): Failed => ({ outcome: 'failed', code, detail });

const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';

const tlsShape = /^(?:ERR_TLS|ERR_SSL|EPROTO|CERT_|UNABLE_|SELF_SIGNED|DEPTH_ZERO|ERR_OSSL)/;

/** What an error of a socket says, as a code and in words that hold no address of ours. */
export const failedBy = (error: unknown, isConnected = false): Failed => {
  if (error instanceof OutboundRefused) return failed('address_refused', error.message);
  if (error instanceof ExchangeFailed) return failed(error.code, error.message);
  // Several addresses were tried; the first reason is as good as any.
  if (error instanceof AggregateError && error.errors.length > 0) return failedBy(error.errors[0], isConnected);
  const code = codeOf(error);
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN' || code === 'ENODATA') {
    return failed('name_unresolved', `The name of the host cannot be resolved (${code}).`);
  }
  if (tlsShape.test(code)) return failed('tls_failed', `The certificate or TLS was not accepted (${code}).`);
  if (code.startsWith('HPE_')) return failed('broken_off', `What was answered is no HTTP (${code}).`);
  const reason = code === '' ? 'no reason given' : code;
  return isConnected
    ? failed('broken_off', `The connection ended before there was an answer (${reason}).`)
    : failed('connect_failed', `No connection could be made (${reason}).`);
};
