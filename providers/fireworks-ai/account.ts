import { asString, type CallFacts, GatewayError, pathSegment } from 'portcullis/sdk';

/** Where an account's own resources are: not below the base of inference. @throws GatewayError `bad_request` without the setting */
export function accountUrl({ settings }: CallFacts): string {
  return `https://api.fireworks.ai/v1/${accountName(settings.fireworksAccountId)}`;
}

/** `accounts/ACCOUNT`, which begins the names of its resources. */
export function accountName(setting: unknown): string {
  const account = asString(setting);
  if (account === undefined)
    throw new GatewayError('bad_request', 'This needs the setting fireworks_account_id.', {
      param: 'fireworks_account_id',
    });
  return `accounts/${account}`;
}

/** The name of a dataset for its id; a whole name stays. */
export function datasetName(id: string, { settings }: CallFacts): string {
  return id.includes('/') ? id : `${accountName(settings.fireworksAccountId)}/datasets/${id}`;
}

/** `x` of `accounts/a/datasets/x`. */
export function idOf(name: unknown): string {
  return asString(name)?.split('/').at(-1) ?? '';
}

/** The id of the client's path, as a segment. */
export const pathId = ({ params }: CallFacts): string => pathSegment(params.id ?? '', 'id');

/** The client's `limit` and `after` as this API names them. */
export function pageQuery({ query }: CallFacts): string {
  const page = new URLSearchParams();
  if (query.limit !== undefined) page.set('pageSize', query.limit);
  if (query.after !== undefined) page.set('pageToken', query.after);
  return page.size === 0 ? '' : `?${page.toString()}`;
}
