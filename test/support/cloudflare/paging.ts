import { type Refused, type ResultInfo, refuse } from './answer.ts';

export type Page<T> = { readonly items: readonly T[]; readonly info: ResultInfo };

const whole = (text: string | null, fallback: number): number | undefined => {
  if (text === null) return fallback;
  return /^\d{1,9}$/.test(text) && Number(text) > 0 ? Number(text) : undefined;
};

/** One page of a list; a page beyond the end is empty, and a page size out of bounds is refused. */
export const paginate = <T>(
  all: readonly T[],
  query: URLSearchParams,
  bounds: { readonly fallback: number; readonly most: number },
): Page<T> | Refused => {
  const page = whole(query.get('page'), 1);
  const perPage = whole(query.get('per_page'), bounds.fallback);
  if (page === undefined || perPage === undefined) return refuse(10004, 'page and per_page are positive whole numbers');
  if (perPage > bounds.most) return refuse(10004, `per_page is at most ${bounds.most}`);
  const items = all.slice((page - 1) * perPage, page * perPage);
  const total = all.length;
  return {
    items,
    info: {
      page,
      per_page: perPage,
      count: items.length,
      total_count: total,
      total_pages: Math.ceil(total / perPage),
    },
  };
};
