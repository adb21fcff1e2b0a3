import { type AwsKeys, type AwsScope, awsHeaders } from 'portcullis/sdk';

export type { AwsKeys } from 'portcullis/sdk';

export interface Unsigned extends AwsScope {
  readonly method: string;
  readonly url: string;
  /** Lower-case names. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Default: none. */
  readonly body?: string;
}

/** The headers that a call must carry beside those given. */
export function signed(request: Unsigned, keys: AwsKeys): Readonly<Record<string, string>> {
  const { method, url, headers = {}, body, ...scope } = request;
  return awsHeaders({ method, url, headers, body }, keys, scope);
}
