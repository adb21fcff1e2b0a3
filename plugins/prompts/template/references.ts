import { GatewayError } from 'portcullis/sdk';
import { bounds } from './bounds.ts';

/** Which partial, and which version of it: `''` for the Published one, `latest`, or a number. */
export interface PartialReference {
  readonly name: string;
  readonly selector: string;
}

const reference = new RegExp(`^([\\w-]{1,${bounds.partialNameCharacters}})(?:@(latest|[1-9]\\d{0,8}))?$`);

/**
 * Reads `pp-greeting`, `pp-greeting@5` or `pp-greeting@latest`.
 * @throws GatewayError `bad_request`
 */
export function readPartialReference(text: string, param = 'string'): PartialReference {
  const [, name, selector = ''] = reference.exec(text) ?? [];
  if (name !== undefined) return { name, selector };
  throw new GatewayError(
    'bad_request',
    `"${text.slice(0, 80)}" names no partial: use its slug or id, of at most ${bounds.partialNameCharacters} ` +
      'characters, alone or followed by @latest or @ and a version number.',
    { param },
  );
}
