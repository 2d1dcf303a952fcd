/** A request to an address that a tenant chose. */
export type OutboundRequest = {
  readonly url: string;
  readonly method: 'GET' | 'HEAD' | 'POST';
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Uint8Array;
  /** Until the connection (and TLS) is there, and until all is over, both in milliseconds from the beginning. */
  readonly connectTimeoutMs: number;
  readonly timeoutMs: number;
};

/** Why nothing was answered. `broken_off` and `timed_out` may have reached the other side. */
export type OutboundFailure =
  | 'url_refused'
  | 'address_refused'
  | 'name_unresolved'
  | 'connect_failed'
  | 'tls_failed'
  | 'timed_out'
  | 'broken_off'
  | 'aborted';

export type OutboundAnswer = {
  readonly outcome: 'answered';
  readonly status: number;
  /** Names in lower case; of several of one name the first. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
  /** More than was read, or the rest never came. */
  readonly truncated: boolean;
  readonly durationMs: number;
};

export type OutboundOutcome =
  | OutboundAnswer
  | {
      readonly outcome: 'failed';
      readonly code: OutboundFailure;
      /** In words, without the URL. */
      readonly detail: string;
      readonly durationMs: number;
    };

/**
 * HTTP to wherever a tenant wants, but never into the network of the operator. The address that is connected to is checked
 * in the look-up of the socket itself. Redirects are answers like others: nobody follows them. Never throws.
 */
export type Outbound = {
  /** Why this URL can never be asked; undefined when it may be. Says nothing of where its name leads. */
  check(url: string): string | undefined;
  send(request: OutboundRequest, signal: AbortSignal): Promise<OutboundOutcome>;
};
