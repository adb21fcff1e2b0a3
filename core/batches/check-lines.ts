import { asObject, asString, GatewayError, type JsonObject, parseJson, type StreamedBody } from 'portcullis/sdk';
import type { BatchFault } from './batch.ts';
import { linesOf } from './json-lines.ts';
import { lineRouteOf } from './line-routes.ts';

export const mostLines = 50_000;
const mostFaults = 100;
const longestId = 512;

/** A line of an input file: `{custom_id, method, url, body}`. */
export interface BatchLine {
  readonly customId: string;
  readonly body: JsonObject;
}

/**
 * Whether a file can be run, whole: each line a request of its own to the endpoint of the batch.
 * @param lineBytes of one line, at most
 * @returns how many lines it has, and what is wrong with them; the first hundred faults
 */
export async function checkLines(
  file: StreamedBody,
  endpoint: string,
  lineBytes: number,
): Promise<{ readonly total: number; readonly faults: readonly BatchFault[] }> {
  const faults: BatchFault[] = [];
  const ids = new Set<string>();
  let total = 0;
  const note = (code: string, message: string, line: number | null = null, param: string | null = null): void => {
    if (faults.length < mostFaults) faults.push({ code, message, line, param });
  };
  try {
    for await (const { number, text } of linesOf(file.open(), lineBytes)) {
      total += 1;
      if (total > mostLines) {
        note('too_many_lines', `The file has more than the ${mostLines} lines that are accepted.`);
        break;
      }
      const fault = faultOf(text, endpoint, ids);
      if (fault !== undefined) note(fault.code, fault.message, number, fault.param);
    }
  } catch (error) {
    if (!GatewayError.is(error)) throw error;
    note('invalid_file', error.message);
  }
  if (total === 0 && faults.length === 0) note('empty_file', 'The file has no lines.');
  return { total, faults };
}

/** Of a file that was checked. */
export function batchLineOf(text: string): BatchLine {
  const line = asObject(parseJson(text)) ?? {};
  return { customId: asString(line.custom_id) ?? '', body: asObject(line.body) ?? {} };
}

function faultOf(
  text: string,
  endpoint: string,
  ids: Set<string>,
): Pick<BatchFault, 'code' | 'message' | 'param'> | undefined {
  const line = asObject(parseJson(text));
  if (line === undefined) return { code: 'invalid_json_line', message: 'The line is no JSON object.', param: null };
  const { custom_id: id, method, url, body } = line;
  if (typeof id !== 'string' || id === '' || id.length > longestId) {
    const message = `custom_id is required: a string of 1 to ${longestId} characters.`;
    return { code: 'invalid_custom_id', message, param: 'custom_id' };
  }
  if (ids.has(id))
    return { code: 'duplicate_custom_id', message: 'The custom_id stands in a line before.', param: 'custom_id' };
  ids.add(id);
  if ((asString(method) ?? '').toUpperCase() !== 'POST')
    return { code: 'invalid_method', message: 'method must be POST.', param: 'method' };
  if (lineRouteOf(asString(url) ?? '')?.path !== lineRouteOf(endpoint)?.path)
    return { code: 'invalid_url', message: `url must be the endpoint of the batch, ${endpoint}.`, param: 'url' };
  if (asObject(body) === undefined) return { code: 'invalid_body', message: 'body must be an object.', param: 'body' };
  if (asObject(body)?.stream === true)
    return {
      code: 'invalid_body',
      message: 'Replies of a batch are not streamed: leave stream out.',
      param: 'body.stream',
    };
  return undefined;
}
