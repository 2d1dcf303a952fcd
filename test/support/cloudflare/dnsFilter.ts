import type { DnsRecord } from './state.ts';

type Predicate = (record: DnsRecord) => boolean;

const textTests = {
  exact: (value: string, wanted: string) => value === wanted,
  contains: (value: string, wanted: string) => value.includes(wanted),
  startswith: (value: string, wanted: string) => value.startsWith(wanted),
  endswith: (value: string, wanted: string) => value.endsWith(wanted),
};

/** `name`, `name.exact`, `name.contains` and so on, without regard to case. */
const textPredicates = (query: URLSearchParams, field: 'name' | 'content' | 'comment'): readonly Predicate[] => {
  const textOf = (record: DnsRecord): string => (record[field] ?? '').toLowerCase();
  return Object.entries({ '': textTests.exact, ...textTests }).flatMap(([suffix, holds]): Predicate[] => {
    const wanted = query.get(suffix === '' ? field : `${field}.${suffix}`);
    return wanted === null ? [] : [(record) => holds(textOf(record), wanted.toLowerCase())];
  });
};

const presence = (query: URLSearchParams): readonly Predicate[] => [
  ...(query.has('comment.present') ? [({ comment }: DnsRecord) => comment !== undefined] : []),
  ...(query.has('comment.absent') ? [({ comment }: DnsRecord) => comment === undefined] : []),
];

/** A tag is `name:value`; `present` and `absent` look at its name. */
const tagPredicates = (query: URLSearchParams): readonly Predicate[] => {
  const nameOf = (tag: string): string => tag.split(':')[0] ?? '';
  const tests = Object.entries(textTests).flatMap(([suffix, holds]): Predicate[] => {
    const wanted = query.get(`tag.${suffix}`);
    return wanted === null ? [] : [({ tags }) => tags.some((tag) => holds(tag, wanted))];
  });
  const plain = query.get('tag');
  const present = query.get('tag.present');
  const absent = query.get('tag.absent');
  return [
    ...tests,
    ...(plain === null ? [] : [({ tags }: DnsRecord) => tags.includes(plain)]),
    ...(present === null ? [] : [({ tags }: DnsRecord) => tags.some((tag) => nameOf(tag) === present)]),
    ...(absent === null ? [] : [({ tags }: DnsRecord) => !tags.some((tag) => nameOf(tag) === absent)]),
  ];
};

const plainPredicates = (query: URLSearchParams): readonly Predicate[] => {
  const type = query.get('type');
  const proxied = query.get('proxied');
  const search = query.get('search')?.toLowerCase();
  return [
    ...(type === null ? [] : [(record: DnsRecord) => record.type === type]),
    ...(proxied === null ? [] : [(record: DnsRecord) => record.proxied === (proxied === 'true')]),
    ...(search === undefined
      ? []
      : [({ name, content }: DnsRecord) => `${name} ${content}`.toLowerCase().includes(search)]),
  ];
};

const combine = (predicates: readonly Predicate[], match: string | null): Predicate => {
  if (predicates.length === 0) return () => true;
  return (record) =>
    match === 'any' ? predicates.some((holds) => holds(record)) : predicates.every((holds) => holds(record));
};

const orders = ['type', 'name', 'content', 'ttl', 'proxied'] as const;

/** Filters are joined by `match` (all or any), those on tags among themselves by `tag_match`. */
export const filterRecords = (records: readonly DnsRecord[], query: URLSearchParams): readonly DnsRecord[] => {
  const tags = tagPredicates(query);
  const predicates = [
    ...plainPredicates(query),
    ...textPredicates(query, 'name'),
    ...textPredicates(query, 'content'),
    ...textPredicates(query, 'comment'),
    ...presence(query),
    ...(tags.length === 0 ? [] : [combine(tags, query.get('tag_match'))]),
  ];
  const order = orders.find((key) => key === query.get('order')) ?? 'name';
  const sign = query.get('direction') === 'desc' ? -1 : 1;
  return records
    .filter(combine(predicates, query.get('match')))
    .sort((a, b) => (a[order] === b[order] ? 0 : a[order] < b[order] ? -sign : sign));
};
