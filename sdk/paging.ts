import type { Operation } from './contracts/control.ts';
import { field } from './fields.ts';
import { schema } from './schema.ts';

/** Paging of a list: pages count from 0, and have `standard` records unless `page_size` says another number up to `most`. */
export function pageFields({ standard = 100, most = 1000 } = {}) {
  return {
    current_page: schema.Optional({ ...field.integer(0, 1_000_000), default: 0 }),
    page_size: schema.Optional({ ...field.integer(1, most), default: standard }),
  };
}

/** The page that a query with `pageFields` asks for. */
export function pageOf({ query }: Pick<Operation, 'query'>): { readonly page: number; readonly pageSize: number } {
  return { page: Number(query.current_page), pageSize: Number(query.page_size) };
}
