import { asObject, GatewayError, type Operation, parseJson } from 'portcullis/sdk';
import type { ReferenceRecord } from './table.ts';

/** Ids of the references that have all the tags of the query, a JSON object as text; undefined: the query names none. */
export async function idsByTags(operation: Operation): Promise<readonly string[] | undefined> {
  const text = operation.query.tags;
  if (text === undefined || text === '') return undefined;
  const wanted = asObject(parseJson(text));
  if (wanted === undefined || Object.values(wanted).some((value) => typeof value !== 'string')) {
    throw new GatewayError('bad_request', 'tags must be a JSON object of texts, such as {"team":"a"}.', {
      param: 'tags',
    });
  }
  const pairs = Object.entries(wanted);
  const { records } = await operation.records<ReferenceRecord>('secret_references').list(operation.scope);
  return records
    .filter(({ tags }) =>
      pairs.every(([name, value]) => tags != null && Object.hasOwn(tags, name) && tags[name] === value),
    )
    .map(({ id }) => id);
}
