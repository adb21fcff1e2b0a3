import { GatewayError } from '../errors.ts';

/** A value as one segment of a path, encoded. @throws GatewayError `bad_request` for what would leave its segment */
export function pathSegment(value: string, param: string): string {
  if (value === '') throw new GatewayError('bad_request', `The request needs ${param}.`, { param });
  // Encoding leaves dots alone, and servers take a segment of them for a step up.
  if (/^\.+$/.test(value)) throw new GatewayError('bad_request', `${param} may not be "${value}".`, { param });
  return encodeURIComponent(value.toWellFormed());
}
