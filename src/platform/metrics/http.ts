import { Histogram, type Registry } from 'prom-client';

export type ObservedRequest = {
  readonly method: string;
  /** The route's template, never the path: a metric must not grow with the ids that callers send. */
  readonly route: string;
  readonly status: number;
  readonly seconds: number;
};

/** One histogram for all routes; its count is the number of requests. */
export const createRequestObserver = (registry: Registry): ((request: ObservedRequest) => void) => {
  const durations = new Histogram({
    name: 'opslog_http_request_duration_seconds',
    help: 'Time from the first byte of a request to the last byte of its answer.',
    labelNames: ['method', 'route', 'status'],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10],
    registers: [registry],
  });
  return ({ method, route, status, seconds }) => durations.labels(method, route, String(status)).observe(seconds);
};
