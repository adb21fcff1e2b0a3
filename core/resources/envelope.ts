import { type ErrorCode, GatewayError, type JsonObject } from 'portcullis/sdk';
import { isConflict, isUnavailable } from '../store/failures.ts';

/** The codes of the control plane by status: what admin clients look at. */
const codesByStatus: Readonly<Record<number, string>> = {
  400: 'AB01',
  401: 'AB05',
  402: 'AB09',
  403: 'AB03',
  404: 'AB08',
  409: 'AB07',
  429: 'AB06',
};

const codesByCode: Partial<Record<ErrorCode, string>> = { throttled: 'AB06', conflict: 'AB07' };

/** An error as every reader of the control plane finds it: four members that say the same. */
export function errorEnvelope(error: GatewayError): JsonObject {
  const code = codesByCode[error.code] ?? codesByStatus[error.status] ?? (error.status < 500 ? 'AB01' : 'AB04');
  const { message } = error;
  return {
    success: false,
    data: { message, errorCode: code },
    error: { message, code, type: error.type, param: error.param ?? null },
    message,
  };
}

/** What the caller may know of something that was thrown. */
export function errorOf(thrown: unknown, requestId: string): GatewayError {
  if (GatewayError.is(thrown)) return thrown;
  const passing = passingFault(thrown);
  if (passing !== undefined)
    return new GatewayError('not_ready', passing, { headers: { 'retry-after': '1' }, cause: thrown });
  return new GatewayError('internal', `The gateway failed. Its log says more under the request id ${requestId}.`, {
    cause: thrown,
  });
}

/** What another try in a moment may well get past. */
function passingFault(thrown: unknown): string | undefined {
  if (isUnavailable(thrown)) return 'The database cannot be asked at the moment. Try again shortly.';
  return isConflict(thrown) ? 'Too many others are changing the same records. Try again shortly.' : undefined;
}
