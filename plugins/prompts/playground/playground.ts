import {
  type Action,
  asArray,
  asObject,
  asObjects,
  asString,
  type ControlHost,
  field,
  GatewayError,
  type Operation,
  RawReply,
  schema,
  sseFrame,
} from 'portcullis/sdk';
import { readOverrides } from '../body/overrides.ts';
import { compilePrompt, gatherFor, promptBody } from '../body/prompt-body.ts';
import { promptTypeOf } from '../body/prompt-type.ts';
import { partialLoader } from '../run/versions.ts';
import { readVariables } from '../template/variables.ts';
import { merged } from './merged.ts';
import { runTrial, type Trial, type TrialEvent, type TrialResult } from './run.ts';

type Host = Pick<ControlHost, 'directory' | 'infer' | 'now'>;

const mostModels = 8;
/** Of all of them together. */
const longestMs = 300_000;

const model = schema.Object(
  {
    model: field.text({
      min: 1,
      description: '`@slug/model` of a saved provider, or the model alone beside virtual_key.',
    }),
    virtual_key: schema.Optional(field.text({ min: 1, description: 'Slug of a saved provider.' })),
    config: schema.Optional(
      field.text({ min: 1, pattern: '^[a-zA-Z0-9_-]+$', description: 'Id or slug of a saved config.' }),
    ),
    parameters: schema.Optional(field.object({ description: 'Beside those of the template, over them.' })),
  },
  { additionalProperties: false },
);

/** `POST /prompts/playground`: a template that need not be saved, run against several models side by side. */
export function playgroundAction(host: Host): Action {
  return {
    method: 'post',
    path: '/prompts/playground',
    summary: 'Run a template against several models side by side',
    needs: ['completions.write'],
    in: 'workspace',
    transaction: false,
    audited: false,
    body: schema.Object({
      string: field.text({ min: 1, max: 256_000, description: 'The template, as prompts have it.' }),
      is_raw_template: schema.Optional(field.flag()),
      template_metadata: schema.Optional(field.object({ description: '`{ template_type: chat | text }`' })),
      variables: schema.Optional(field.object()),
      parameters: schema.Optional(field.object()),
      tools: schema.Optional(field.list(field.object())),
      functions: schema.Optional(field.list(field.object())),
      tool_choice: schema.Optional(schema.Unsafe<string | object>({ type: ['string', 'object'] })),
      models: field.list(model, { minItems: 1, maxItems: mostModels }),
      stream: schema.Optional(schema.Boolean({ description: 'Default false: one reply with all results.' })),
    }),
    reply: schema.Object({
      object: field.oneOf(['list']),
      total: field.integer(1),
      data: schema.Array(field.object(), { description: 'How each model answered, in the order of the models.' }),
    }),
    run: async (operation) => {
      demandOwnWorkspace(operation);
      const trials = await trialsOf(host, operation);
      const abort = new AbortController();
      const signal = AbortSignal.any([abort.signal, AbortSignal.timeout(longestMs)]);
      const events = merged(trials.map((trial) => runTrial(host, trial, operation, signal)));
      return operation.body.stream === true
        ? new RawReply(200, eventHeaders, endingWith(framesOf(events), abort))
        : new RawReply(200, jsonHeaders, endingWith(listOf(events), abort));
    },
  };
}

const eventHeaders = { 'content-type': 'text/event-stream; charset=utf-8', 'x-accel-buffering': 'no' };
const jsonHeaders = { 'content-type': 'application/json; charset=utf-8' };

/** @throws GatewayError `forbidden`: each of the requests would be refused */
function demandOwnWorkspace({ principal }: Operation): void {
  if (principal?.access?.workspaceId !== undefined) return;
  const text =
    'Requests to models are made in a workspace: this needs the API key of one, not one of the organisation.';
  throw new GatewayError('forbidden', text);
}

async function trialsOf({ directory }: Host, { body, scope }: Operation): Promise<readonly Trial[]> {
  const variables = readVariables(body.variables ?? {});
  const text = asString(body.string) ?? '';
  const type = promptTypeOf(text, asObject(body.template_metadata), body.is_raw_template === 1);
  const compiled = compilePrompt({
    string: text,
    isRawTemplate: body.is_raw_template === 1,
    type,
    model: undefined,
    parameters: asObject(body.parameters) ?? {},
    tools: body.tools === undefined ? undefined : asObjects(body.tools),
    functions: body.functions === undefined ? undefined : asObjects(body.functions),
    toolChoice: body.tool_choice,
  });
  const find: typeof directory.get = (...of) => directory.get(...of);
  const { partials, missing } = await gatherFor(compiled, variables, partialLoader(find, scope));
  if (missing.length > 0) {
    const names = missing.map((name) => `"${name}"`).join(', ');
    throw new GatewayError('bad_request', `The template includes partials that are not there: ${names}.`, {
      param: 'string',
    });
  }
  return asArray(body.models).map((given, index) => {
    const { model: name = '', virtual_key: slug, config, parameters } = asObject(given) ?? {};
    const overrides = {
      ...readOverrides(asObject(parameters) ?? {}),
      model: slug === undefined ? name : `@${asString(slug)?.replace(/^@/, '')}/${asString(name)}`,
      stream: body.stream === true,
    };
    return {
      index,
      path: type === 'chat' ? '/v1/chat/completions' : '/v1/completions',
      body: promptBody(compiled, variables, partials, overrides),
      config: asString(config),
    };
  });
}

/** One reply with all results, in the order of the models. */
async function* listOf(events: AsyncIterable<TrialEvent>): AsyncGenerator<Uint8Array> {
  const results: TrialResult[] = [];
  for await (const one of events) if (one.event === 'result') results.push(one.result);
  results.sort((a, b) => a.index - b.index);
  yield Buffer.from(JSON.stringify({ object: 'list', total: results.length, data: results }));
}

async function* framesOf(events: AsyncIterable<TrialEvent>): AsyncGenerator<Uint8Array> {
  for await (const one of events) {
    const data = one.event === 'chunk' ? { index: one.index, data: one.data } : one.result;
    yield Buffer.from(sseFrame(JSON.stringify(data), one.event));
  }
  yield Buffer.from(sseFrame('[DONE]'));
}

/**
 * The calls end with whoever reads, also while nothing has come to be read: a client that leaves stops paying. No
 * generator, which would only hear of it after its next piece.
 */
function endingWith(pieces: AsyncGenerator<Uint8Array>, abort: AbortController): AsyncIterable<Uint8Array> {
  return {
    [Symbol.asyncIterator]: () => ({
      next: () => pieces.next(),
      return: () => {
        abort.abort();
        return pieces.return(undefined);
      },
    }),
  };
}
