import { GatewayError, type PromptReference, promptReference } from 'portcullis/sdk';

/** @throws GatewayError `bad_request` for a text that is no reference */
export function readPromptReference(text: string, param: string): PromptReference {
  const reference = promptReference(text);
  if (reference !== undefined) return reference;
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
