import { type AwsKeys, type AwsScope, awsHeaders } from 'portcullis/sdk';

export type AwsCredentials = AwsKeys;

export interface Signable {
  readonly method: string;
  readonly url: URL;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface SigningScope extends AwsScope {
  readonly credentials: AwsCredentials;
}

/** The headers to send: those given, with date and authorization. */
export function signed(request: Signable, { credentials, ...scope }: SigningScope): Readonly<Record<string, string>> {
  const { method, url, headers, body } = request;
  return { ...headers, ...awsHeaders({ method, url: url.href, headers, body }, credentials, scope) };
}
