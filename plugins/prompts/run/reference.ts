import { GatewayError } from 'portcullis/sdk';

/** Which prompt, and which version of it. */
export interface PromptReference {
  /** Id or slug. */
  readonly name: string;
  /** '' for the Published version, `latest`, a number, or the name of a label. */
  readonly selector: string;
}

const form = /^([\w-]{1,255})(?:@([\w-]{1,255}))?$/;

/**
 * Reads `pp-name`, `pp-name@latest`, `pp-name@3` and `pp-name@production`.
 * @throws GatewayError `bad_request`
 */
export function readPromptReference(text: string, param: string): PromptReference {
  const [, name, selector = ''] = form.exec(text) ?? [];
  if (name !== undefined) return { name, selector };
  const found = text.slice(0, 100);
  throw new GatewayError(
    'bad_request',
    `"${found}" names no prompt: use its id or slug, alone or with @latest, @<number> or @<label>.`,
    { param },
  );
}

/** What could not be found, in the words of the caller. */
export function unknownPrompt({ name, selector }: PromptReference, param: string): GatewayError {
  const reference = selector === '' ? name : `${name}@${selector}`;
  return new GatewayError('not_found', `No prompt of this workspace goes by "${reference}".`, { param });
}
