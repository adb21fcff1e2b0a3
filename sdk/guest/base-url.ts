import { GatewayError } from '../errors.ts';

/** As in the gateway itself, where URLs are parsed; the sandbox has no parser, and so is stricter about what it takes. */
export function baseUrl(given: string | undefined, standard: string, credential: string): string {
  const text = given ?? standard;
  if (/^https?:\/\/[A-Za-z0-9.-]+(:[0-9]{1,5})?(\/[A-Za-z0-9._~!$&'()*+,;=:%/-]*)?$/.test(text))
    return text.replace(/\/+$/, '');
  throw new GatewayError('check_failed', `The credential ${credential} must be an absolute http or https URL.`, {
    param: credential,
  });
}
