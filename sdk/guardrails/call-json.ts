import type { CheckHost } from '../contracts/guardrail.ts';
import { GatewayError } from '../errors.ts';
import { asObject, type Json, type JsonObject, parseJson } from '../json.ts';

/** One JSON call to a vendor. */
export interface JsonCall {
  /** As errors name it. */
  readonly vendor: string;
  readonly url: string;
  /** Default: POST. */
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Json;
  /** Statuses beside 2xx whose body is an answer too. */
  readonly also?: readonly number[];
}

/**
 * Sends JSON and gives the object that comes back.
 * @throws GatewayError `check_failed`: no answer in time, a status that is no success, or a body that is no JSON object
 */
export async function callJson(host: Pick<CheckHost, 'fetch'>, call: JsonCall): Promise<JsonObject> {
  const { vendor, url, method = 'POST', headers = {}, body, also = [] } = call;
  const reply = await host
    .fetch(url, {
      method,
      headers: {
        accept: 'application/json',
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    .catch((cause: unknown) => {
      const why = GatewayError.is(cause) ? cause.message : 'the call failed.';
      throw new GatewayError('check_failed', `${vendor} could not be asked: ${why}`, { cause });
    });
  if ((reply.status < 200 || reply.status > 299) && !also.includes(reply.status)) {
    throw new GatewayError('check_failed', `${vendor} answered with status ${reply.status}.`);
  }
  const json = asObject(parseJson(new TextDecoder().decode(reply.body)));
  if (json === undefined)
    throw new GatewayError('check_failed', `${vendor} answered with something that is no JSON object.`);
  return json;
}

/**
 * The base of a vendor's API as a credential names it, without a slash at the end.
 * @throws GatewayError `check_failed` for anything but an absolute http(s) URL without user, query and fragment
 */
export function baseUrl(given: string | undefined, standard: string, credential: string): string {
  const text = given ?? standard;
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const clean = url !== undefined && url.username === '' && url.password === '' && url.search === '' && url.hash === '';
  // The parts, not the whole: `?` and `#` with nothing behind them would swallow the path that is put behind the base.
  if (url !== undefined && clean && /^https?:$/.test(url.protocol))
    return (url.origin + url.pathname).replace(/\/+$/, '');
  throw new GatewayError('check_failed', `The credential ${credential} must be an absolute http or https URL.`, {
    param: credential,
  });
}
