import {
  asObject,
  type CheckInput,
  callJson,
  check,
  type Edit,
  GatewayError,
  type Json,
  type JsonObject,
  schema,
} from 'portcullis/sdk';
import { editsOfBody } from './body-edits.ts';
import { headersParameter, targetHeaders, targetUrl, urlParameter } from './post-target.ts';
import { postedContext } from './posted-context.ts';

export default check({
  title: 'Webhook',
  description:
    'Asks a URL of yours: it answers `{ verdict, data?, transformedData? }`. Of `transformedData`, changes of texts are taken over.',
  config: schema.Object(
    { webhookURL: urlParameter('What is asked.'), headers: headersParameter },
    { additionalProperties: false },
  ),
  phases: ['beforeRequest', 'afterRequest'],
  edits: 'may',
  remote: { timeoutMs: 3000 },
  prepare: ({ webhookURL, headers }) => ({
    url: targetUrl(webhookURL, 'webhookURL'),
    headers: targetHeaders(headers),
  }),
  async run(input, { url, headers }, host) {
    const answer = await callJson(host, { vendor: 'The webhook', url, headers, body: postedContext(input) });
    const { verdict, data, transformedData } = answer;
    if (typeof verdict !== 'boolean') throw fault('must answer with a verdict that is true or false');
    const edits = editsOf(input, transformedData);
    const explanation = verdict ? 'The webhook agrees.' : 'The webhook does not agree.';
    return {
      pass: verdict,
      why: explanation,
      data: { explanation, verdict, ...(data === undefined ? {} : { responseData: data }) },
      ...(edits.length === 0 ? {} : { edits }),
    };
  },
});

function editsOf(input: CheckInput, given: unknown): readonly Edit[] {
  if (given === undefined || given === null) return [];
  const transformed = asObject(given as Json);
  if (transformed === undefined) throw fault('must answer with a transformedData that is an object');
  const request = bodyOf(transformed, 'request');
  const response = bodyOf(transformed, 'response');
  if (input.phase === 'beforeRequest') {
    if (response !== undefined) throw fault('changes the reply before there is one');
    return request === undefined ? [] : editsOfBody(input.body, request, input.texts);
  }
  // Whoever sends the whole context back names the request too. It has left by now: nothing of it is in scope.
  if (request !== undefined) editsOfBody(input.body, request, []);
  if (response === undefined) return [];
  if (input.reply === undefined) throw fault('changes a reply that has no body, such as that of a stream');
  return editsOfBody(input.reply, response, input.texts);
}

function bodyOf(transformed: JsonObject, side: 'request' | 'response'): JsonObject | undefined {
  const body = asObject(transformed[side])?.json;
  if (body === undefined || body === null) return undefined;
  const object = asObject(body);
  if (object === undefined) throw fault(`must answer with a transformedData.${side}.json that is an object`);
  return object;
}

function fault(what: string): GatewayError {
  return new GatewayError('check_failed', `The webhook ${what}.`);
}
