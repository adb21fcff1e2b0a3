import { asArray, compact, type Json, type JsonArray, type JsonObject, type MaybePromise, omit } from 'portcullis/sdk';
import { checkLength, checkTags } from '../template/bounds.ts';
import { joinedComponents, type VariableComponents, variableNames } from '../template/components.ts';
import { type Gathered, gatherPartials, type LoadPartial } from '../template/gather.ts';
import { Rendering } from '../template/render.ts';
import { parseTemplate, type Template } from '../template/template.ts';
import type { Variables } from '../template/variables.ts';
import { fillOf } from './leaves.ts';
import { checkMessages, messagesIn } from './messages.ts';
import { withoutVariables } from './parameters.ts';
import { readRawMessages } from './raw.ts';

/** What a request is made of: one version of a prompt. */
export interface PromptSource {
  readonly string: string;
  readonly isRawTemplate: boolean;
  readonly type: 'chat' | 'text';
  readonly model: string | undefined;
  readonly parameters: JsonObject;
  readonly tools: readonly JsonObject[] | undefined;
  readonly functions: readonly JsonObject[] | undefined;
  readonly toolChoice: Json | undefined;
}

/** A version whose templates are parsed. It holds no state: it may be kept and used any number of times. */
export interface CompiledPrompt {
  readonly templates: readonly Template[];
  readonly components: VariableComponents;
  /** The members of the body that come from the template. */
  readonly fill: (rendering: Rendering) => JsonObject;
  readonly model: JsonObject;
  /** Every other member that the version stores; whether a reply streams is for the request to say. */
  readonly stored: JsonObject;
  /** The same for a stream. */
  readonly streamed: JsonObject;
}

/**
 * Parses a version once for all its renderings. Where the template is a JSON array of messages, each text in it is a
 * template; any other text of a chat is one message of the user.
 * @throws GatewayError `bad_request`, `param: 'string'`
 */
export function compilePrompt(source: PromptSource): CompiledPrompt {
  checkLength(source.string, 'string');
  const { templates, fill } = contentOf(source);
  checkTags(
    templates.reduce((sum, { tags }) => sum + tags, 0),
    'string',
  );
  const components = joinedComponents(templates.map((template) => template.components));
  const parameters = withoutVariables(source.parameters, variableNames(components));
  const model = source.model === undefined ? {} : { model: source.model };
  const streamed = omit({ ...parameters, ...model, ...toolsOf(source) }, ofStreams);
  return { templates, components, fill, model, streamed, stored: omit(streamed, optionsOfStreams) };
}

/** The partials that a rendering needs; see {@link gatherPartials}. */
export function gatherFor(compiled: CompiledPrompt, variables: Variables, load: LoadPartial): MaybePromise<Gathered> {
  return gatherPartials(compiled.templates, variables, load);
}

/**
 * The request that a prompt becomes. Parts of it are the version's own, so it is to be read only.
 * @throws GatewayError `bad_request` when the rendering passes a bound, or a raw template does not give messages
 */
export function promptBody(
  compiled: CompiledPrompt,
  variables: Variables,
  partials: ReadonlyMap<string, Template>,
  overrides: JsonObject,
): JsonObject {
  const content = compiled.fill(new Rendering(variables, partials));
  const stored = overrides.stream === true ? compiled.streamed : compiled.stored;
  const body = { ...compiled.model, ...content, ...stored, ...overrides };
  return withoutEmptyTools(body, overrides);
}

const ofStreams = new Set(['stream']);
const optionsOfStreams = new Set(['stream_options']);

type Content = Pick<CompiledPrompt, 'templates' | 'fill'>;

function contentOf({ type, isRawTemplate, string }: PromptSource): Content {
  const messages = type === 'chat' && !isRawTemplate ? messagesIn(string) : undefined;
  if (messages !== undefined) return ofMessages(messages);
  const template = parseTemplate(string);
  const templates = [template];
  if (type === 'text') return { templates, fill: (rendering) => ({ prompt: rendering.render(template) }) };
  if (!isRawTemplate) return ofMessages([{ role: 'user', content: string }]);
  const param = template.tags === 0 ? 'string' : 'variables';
  return { templates, fill: (rendering) => ({ messages: readRawMessages(rendering.render(template), param) }) };
}

function ofMessages(messages: JsonArray): Content {
  let hasOpenRole = false;
  checkMessages(messages, 'string', (role) => {
    const isOpen = parseTemplate(role).tags > 0;
    hasOpenRole ||= isOpen;
    return isOpen;
  });
  const templates: Template[] = [];
  const fills = messages.map((message) => fillOf(message, templates));
  const fill = (rendering: Rendering) => messages.map((message, index) => fills[index]?.(rendering) ?? message);
  return {
    templates,
    fill: (rendering) => {
      const filled = fill(rendering);
      return { messages: hasOpenRole ? checkMessages(filled, 'variables') : filled };
    },
  };
}

function toolsOf({ type, tools, functions, toolChoice }: PromptSource): JsonObject {
  if (type === 'text') return {};
  return compact({ tools, functions, tool_choice: toolChoice ?? undefined });
}

/** Lists without items say nothing, and a choice that is stored for tools that are gone is refused by providers. */
function withoutEmptyTools(body: JsonObject, overrides: JsonObject): JsonObject {
  const dropped = ['tools', 'functions'].filter((name) => body[name] !== undefined && asArray(body[name]).length === 0);
  const hasTools = asArray(body.tools).length > 0;
  if (!hasTools && body.tool_choice !== undefined && overrides.tool_choice === undefined) dropped.push('tool_choice');
  return dropped.length === 0 ? body : omit(body, new Set(dropped));
}
