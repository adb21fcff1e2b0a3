import { GatewayError, type ProviderFault } from 'portcullis/sdk';

/** What broke a stream, as the client is told of it. */
export function streamFault(error: unknown): ProviderFault {
  if (GatewayError.is(error))
    return { status: error.status, message: error.message, type: error.type, code: error.code };
  return { status: 502, message: 'The stream cannot be read.', type: 'api_error', code: 'upstream_invalid' };
}
