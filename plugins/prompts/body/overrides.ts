import { GatewayError, type JsonObject, omit } from 'portcullis/sdk';

const fromTemplate = ['messages', 'prompt'];
const own = new Set(['variables']);

/**
 * The members of a render or completions call that take the place of what the prompt stores.
 * @throws GatewayError `bad_request` for what the template gives
 */
export function readOverrides(body: JsonObject): JsonObject {
  const param = fromTemplate.find((name) => Object.hasOwn(body, name));
  if (param === undefined) return omit(body, own);
  throw new GatewayError('bad_request', `${param} comes from the saved prompt: fill it in through variables.`, {
    param,
  });
}
