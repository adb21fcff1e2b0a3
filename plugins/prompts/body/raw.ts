import { faultPosition, GatewayError, type JsonArray, parseJson } from 'portcullis/sdk';
import { checkMessages } from './messages.ts';

/**
 * The messages of a raw template: what it renders to is read as JSON.
 * @param param what is at fault when it is none: the variables, or the template where it has none
 * @throws GatewayError `bad_request` that says where the JSON breaks
 */
export function readRawMessages(text: string, param: 'variables' | 'string'): JsonArray {
  const parsed = parseJson(text);
  if (parsed !== undefined) return checkMessages(parsed, param);
  const { line, column } = faultPosition(text);
  throw new GatewayError(
    'bad_request',
    `The rendered template is not JSON: line ${line}, column ${column}. A raw template takes values as they are, so ` +
      'a value inside a JSON string must come escaped.',
    { param },
  );
}
