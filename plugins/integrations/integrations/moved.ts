import type { JsonObject } from 'portcullis/sdk';
import { refuse } from '../refuse.ts';
import { placeNames } from './places.ts';

export interface Move {
  readonly before: JsonObject;
  readonly after: JsonObject;
  /** Names of the credentials that are stored: `key`, `configurations.aws_secret_access_key`. */
  readonly stored: readonly string[];
  /** Names of those that the body gives anew. */
  readonly given: readonly string[];
}

/**
 * Who may change where requests go need not know the credentials, and must not learn them that way.
 * @throws GatewayError `bad_request` naming a credential that has to be given again
 */
export function demandCredentialsOfNewPlace({ before, after, stored, given }: Move): void {
  const moved = placeNames.find((name) => after[name] != null && after[name] !== before[name]);
  const kept = stored.find((name) => !given.includes(name));
  if (moved === undefined || kept === undefined) return;
  refuse(kept, `must be given again, because configurations.${moved} changes where it is sent`);
}
