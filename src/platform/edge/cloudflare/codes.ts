import type { Product } from './verdict.ts';

/** What a number of Cloudflare means for us; `unknown` is a fault on their side, after which anything may be the case. */
export type Meaning =
  | { readonly is: 'refused' | 'conflict'; readonly code: string; readonly advice?: string }
  | { readonly is: 'absent' | 'exists' | 'lagging' | 'retry' | 'unknown' };

type Table = readonly (readonly [numbers: readonly number[], meaning: Meaning])[];

const refused = (code: string, advice?: string): Meaning => ({
  is: 'refused',
  code,
  ...(advice === undefined ? {} : { advice }),
});
const conflict = (code: string, advice?: string): Meaning => ({
  is: 'conflict',
  code,
  ...(advice === undefined ? {} : { advice }),
});

const unauthorized = refused(
  'provider_unauthorized',
  'An operator must look at CLOUDFLARE_API_TOKEN: it was not accepted for this account or this action.',
);

const everywhere: Table = [
  [[10000, 9106, 9109], unauthorized],
  [[7000, 7003], refused('request_malformed')],
];

/** https://developers.cloudflare.com/workers/platform/error-codes */
const workers: Table = [
  [[10001, 10003, 10004, 10005, 10006, 10026], refused('request_malformed')],
  [[10007, 10090, 10071, 10222, 10336, 100114], { is: 'absent' }],
  [[10002, 10013, 10014], { is: 'unknown' }],
  [[10015, 10023], refused('not_entitled', 'The plan of the account does not include this.')],
  [[10016, 10093], refused('script_name_invalid')],
  [[10018], refused('precondition_failed')],
  [[10021], refused('script_invalid', 'Mend the worker and submit it again.')],
  [[10027], refused('script_too_large', 'Make the bundle smaller and submit it again.')],
  [[10035], { is: 'retry' }],
  [[10037], refused('worker_quota_reached', 'The account has as many Workers as its plan allows.')],
  [[10040], conflict('script_not_ours')],
  [[10052, 10053, 10054, 10055, 10056, 10057, 10100, 100153], refused('binding_invalid')],
  [[10068, 10069], refused('handler_missing', 'Export default an object with a fetch handler.')],
  [[10210, 10338], refused('deployment_invalid')],
  [[10211, 10216], refused('version_unsupported')],
  [[10214, 10215], refused('latest_not_deployed', 'Deploy a revision; it brings its own settings and secrets.')],
  [[10220], refused('secrets_changed', 'Somebody changed secrets outside since. Deploy again.')],
  [[10142, 10086], refused('worker_referenced', 'Remove what refers to the worker first.')],
  [[10019, 10020, 10073, 100149], conflict('route_conflict')],
  [[100111, 100112, 100113, 100115], conflict('domain_invalid')],
  [[100116, 100117, 100118], conflict('domain_conflict')],
  [[100122], conflict('domain_quota_reached')],
  [[100146], { is: 'lagging' }],
  [[100102, 100103], refused('tag_invalid')],
];

/** The numbers of records have changed before: whoever hears `exists` or `conflict` reads back and compares. */
const dns: Table = [
  [[81057, 81058], { is: 'exists' }],
  [[81053, 81054], conflict('record_conflict')],
  [[81044], { is: 'absent' }],
  [[1004, 9005], refused('record_invalid')],
];

const toMap = (...tables: readonly Table[]): ReadonlyMap<number, Meaning> =>
  new Map(tables.flat().flatMap(([numbers, meaning]) => numbers.map((number) => [number, meaning] as const)));

const byProduct: Readonly<Record<Product, ReadonlyMap<number, Meaning>>> = {
  workers: toMap(everywhere, workers),
  zones: toMap(everywhere),
  dns: toMap(everywhere, dns),
};

export const meaningOf = (product: Product, apiCode: number): Meaning | undefined => byProduct[product].get(apiCode);
