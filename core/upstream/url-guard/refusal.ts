import { GatewayError } from 'portcullis/sdk';

/**
 * The error for a URL that the gateway does not call. The reason is a phrase of our own: it never quotes the URL
 * (which may hold credentials) nor a resolved address (which would map the operator's network for the caller).
 */
export function refusal(field: string, reason: string): GatewayError {
  return new GatewayError('url_blocked', `${field} is refused: ${reason}.`, { param: field });
}
