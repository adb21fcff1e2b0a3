import {
  asObject,
  asObjects,
  asString,
  crossChecks,
  field,
  GatewayError,
  type Json,
  type JsonObject,
  nullable,
  requestSchemas,
  schema,
} from 'portcullis/sdk';

/** What a version of a prompt holds, by the names of the API. */
export interface PromptContent {
  readonly string: string;
  readonly parameters: JsonObject;
  readonly model: string | null;
  readonly virtual_key: string;
  readonly version_description: string | null;
  readonly functions: readonly JsonObject[] | null;
  readonly tools: readonly JsonObject[] | null;
  readonly tool_choice: Json;
  readonly template_metadata: JsonObject | null;
  readonly is_raw_template: 0 | 1;
}

const { properties: chat } = requestSchemas.chat as unknown as {
  readonly properties: Readonly<Record<string, object>>;
};

/** A member of a chat request; null is taken too, where a request may only leave it out. */
const ofChat = (name: 'tools' | 'functions' | 'tool_choice', change: object = {}) =>
  schema.Unsafe<Json>({ if: { type: 'null' }, else: { ...chat[name], ...change } });

/** The members of a body that make a version. */
export const versionFields = {
  string: field.text({ min: 1, max: 256_000, description: 'The template: messages as JSON text, or plain text.' }),
  parameters: field.object({ description: 'What is sent beside the template: temperature and the like.' }),
  model: nullable(field.text({ min: 1 })),
  virtual_key: field.text({ min: 1, pattern: '^@?[^@]', accepts: 'the slug of a saved provider' }),
  version_description: nullable(field.text({ max: 10_000 })),
  functions: ofChat('functions', { minItems: 0 }),
  tools: ofChat('tools'),
  tool_choice: ofChat('tool_choice'),
  template_metadata: nullable(field.object({ description: '`template_type` says whether it is chat or text.' })),
  prompt_metadata: nullable(field.object({ description: 'Another name of template_metadata.' })),
  is_raw_template: field.flag(),
};

/** Of what a version is whole. */
const whole = ['string', 'parameters', 'virtual_key'] as const;

/** Characters as JSON, each. */
const longest = 262_144;
const bounded = ['parameters', 'functions', 'tools', 'tool_choice', 'template_metadata'] as const;

export function asksForVersion(body: JsonObject): boolean {
  return Object.keys(versionFields).some((name) => body[name] !== undefined);
}

/**
 * The content of a body.
 * @param latest what members that the body leaves out are taken from
 * @throws GatewayError `bad_request` naming the member that is missing or too long
 */
export function contentOf(body: JsonObject, latest: PromptContent | undefined): PromptContent {
  const { prompt_metadata: metadata } = body;
  const given: { readonly [name: string]: unknown } = {
    ...latest,
    ...(metadata === undefined ? {} : { template_metadata: metadata }),
    ...body,
  };
  for (const name of whole) if (given[name] === undefined) refuseMissing(name);
  const content: PromptContent = {
    string: asString(given.string) ?? '',
    parameters: asObject(given.parameters) ?? {},
    model: asString(given.model) ?? null,
    virtual_key: (asString(given.virtual_key) ?? '').replace(/^@/, ''),
    version_description: asString(given.version_description) ?? null,
    functions: Array.isArray(given.functions) ? asObjects(given.functions) : null,
    tools: Array.isArray(given.tools) ? asObjects(given.tools) : null,
    tool_choice: (given.tool_choice as Json | undefined) ?? null,
    template_metadata: asObject(given.template_metadata) ?? null,
    is_raw_template: given.is_raw_template === 1 ? 1 : 0,
  };
  for (const name of bounded) {
    if (JSON.stringify(content[name]).length <= longest) continue;
    throw new GatewayError('bad_request', `${name} must have at most ${longest} characters as JSON.`, { param: name });
  }
  const refusal = crossChecks('chat', content.tools === null ? {} : { tools: content.tools }, { strict: false });
  if (refusal !== undefined) throw new GatewayError('bad_request', refusal.message, { param: refusal.param });
  return content;
}

function refuseMissing(param: string): never {
  const text = `${param} is required: a version has string, parameters and virtual_key. Send patch: true for what is left out to stay as it is in the latest version.`;
  throw new GatewayError('bad_request', text, { param });
}
