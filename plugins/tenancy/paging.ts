import { field, type Operation, schema } from 'portcullis/sdk';

export const pageQuery = {
  current_page: schema.Optional(field.integer(0, 1_000_000)),
  page_size: schema.Optional(field.integer(1, 1000)),
};

/** Pages count from 0. */
export function pageOf({ query }: Operation): { readonly limit: number; readonly offset: number } {
  const limit = Number(query.page_size || 100);
  return { limit, offset: limit * Number(query.current_page || 0) };
}
