import type { JsonObject } from 'portcullis/sdk';

/** The word that guardrails of these tests look for. */
export const word = 'xylophone';

/** One well-formed call of a route. */
export interface RouteCall {
  readonly method: 'GET' | 'POST' | 'DELETE' | 'UPGRADE';
  readonly path: string;
  /** What tells it from other calls of its route. */
  readonly about: string;
  /** Slug of the saved provider. */
  readonly provider: 'prod' | 'claude' | 'ranks' | 'reads';
  readonly json?: JsonObject;
  /** Fields and files of a form. */
  readonly form?: Readonly<Record<string, string | Blob>>;
  readonly bytes?: string;
  /** What a guardrail of texts finds: the word, bytes that nobody can look into, or nothing that could hold text. */
  readonly finds: 'word' | 'bytes' | 'nothing';
  /** Whether the provider is made to work for it, or to keep something: what budgets of money and tokens are for. */
  readonly spends: boolean;
}

type More = Partial<Pick<RouteCall, 'provider' | 'spends' | 'finds'>>;

const standing = { about: '', provider: 'prod', finds: 'nothing', spends: false } as const;
export const get = (path: string, more: More = {}): RouteCall => ({ method: 'GET', path, ...standing, ...more });
export const remove = (path: string): RouteCall => ({ method: 'DELETE', path, ...standing });
/** One call for each place of a body where the word may stand. */
export const says = (
  path: string,
  bodies: Readonly<Record<string, JsonObject>>,
  more: More = {},
): readonly RouteCall[] =>
  Object.entries(bodies).map(([about, json]) => ({
    ...{ method: 'POST', path, ...standing, about, json, finds: 'word', spends: true },
    ...more,
  }));
export const post = (path: string, json: JsonObject, more: More = {}): RouteCall => ({
  ...{ method: 'POST', path, ...standing, json, spends: true },
  ...more,
});
export const cancel = (path: string): RouteCall => ({ method: 'POST', path, ...standing });
export const form = (
  path: string,
  about: string,
  fields: NonNullable<RouteCall['form']>,
  more: More = {},
): RouteCall => ({
  ...{ method: 'POST', path, ...standing, about, form: fields, spends: true },
  ...more,
});

export function nameOf({ method, path, about, provider }: RouteCall): string {
  return `${method} ${path}${about === '' ? '' : `, ${about}`}${provider === 'prod' ? '' : ` by ${provider}`}`;
}
