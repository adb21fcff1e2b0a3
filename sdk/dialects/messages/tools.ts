import { GatewayError } from '../../errors.ts';
import { asObject, asString, compact, type Json, type JsonObject, omit } from '../../json.ts';
import type { CodecContext } from '../dialect.ts';
import type { Call, FunctionTool, Tool } from '../neutral.ts';
import { builtInTool } from './built-in-tools.ts';
import { cacheControl, cacheOf } from './cache.ts';
import { closedSchema } from './closed-schema.ts';

const toolFields: ReadonlySet<string> = new Set([
  'name',
  'description',
  'input_schema',
  'strict',
  'cache_control',
  'type',
]);

/** Fields of a tool that this format has and the neutral form has not. */
const extraToolFields: ReadonlySet<string> = new Set([
  'allowed_callers',
  'defer_loading',
  'eager_input_streaming',
  'input_examples',
]);

/** A tool with a schema (no `type`, or `custom`) as a function; every other one is run or defined by the provider. */
export function decodeTool(tool: JsonObject): Tool {
  const custom = tool.type === undefined || tool.type === null || tool.type === 'custom';
  if (!custom || asString(tool.name) === undefined) return { type: 'native', dialect: 'messages', value: tool };
  const description = asString(tool.description);
  const parameters = asObject(tool.input_schema);
  const extra = omit(tool, toolFields);
  return {
    type: 'function',
    name: asString(tool.name) ?? '',
    ...(description === undefined ? {} : { description }),
    ...(parameters === undefined ? {} : { parameters }),
    ...(typeof tool.strict === 'boolean' ? { strict: tool.strict } : {}),
    ...(Object.keys(extra).length === 0 ? {} : { extra }),
    ...cacheOf(tool),
  };
}

const modes: ReadonlyMap<unknown, 'auto' | 'none' | 'required'> = new Map<unknown, 'auto' | 'none' | 'required'>([
  ['auto', 'auto'],
  ['any', 'required'],
  ['none', 'none'],
]);

/** `tool_choice`, and the parallel calls that it may forbid. */
export function decodeToolChoice(choice: JsonObject): Pick<Call, 'toolChoice' | 'parallelToolCalls'> {
  const mode = modes.get(choice.type);
  const name = choice.type === 'tool' ? asString(choice.name) : undefined;
  const parallel = choice.disable_parallel_tool_use === true ? { parallelToolCalls: false } : {};
  if (mode !== undefined) return { toolChoice: { mode }, ...parallel };
  if (name !== undefined) return { toolChoice: { mode: 'tool', name }, ...parallel };
  return { toolChoice: { mode: 'native', dialect: 'messages', value: choice }, ...parallel };
}

/**
 * `tools` and `tool_choice`. A list of allowed tools becomes a shorter list of tools, as the format has no such choice.
 * @throws GatewayError `translation_unsupported` for a tool with free-text input, which the model could not call
 */
export function encodeTools(call: Call, context: CodecContext): JsonObject {
  const allowed = call.toolChoice?.mode === 'allowed' ? call.toolChoice.names : undefined;
  const offered = (call.tools ?? []).filter(
    (tool) => allowed === undefined || (tool.type !== 'native' && allowed.includes(tool.name)),
  );
  const tools = offered.flatMap((tool) => encodeTool(tool, call.dialect, context));
  if (tools.length === 0) {
    if (call.toolChoice !== undefined && call.toolChoice.mode !== 'none') context.dropped('tool_choice');
    return {};
  }
  return compact({ tools, tool_choice: encodeToolChoice(call, context) });
}

function encodeTool(tool: Tool, dialect: string, context: CodecContext): readonly JsonObject[] {
  switch (tool.type) {
    case 'function':
      return [encodeFunction(tool, dialect, context)];
    case 'custom':
      throw new GatewayError(
        'translation_unsupported',
        `The tool "${tool.name}" takes free text; the Messages API takes tools with a JSON schema only.`,
        { param: 'tools' },
      );
    case 'native': {
      const own = tool.dialect === 'messages' ? tool.value : builtInTool(tool, context);
      if (own === undefined) context.dropped('tools');
      return own === undefined ? [] : [own];
    }
  }
}

function encodeFunction(tool: FunctionTool, dialect: string, context: CodecContext): JsonObject {
  const extra = tool.extra ?? {};
  const kept = Object.keys(extra).filter(
    (key) => dialect === 'messages' || (!context.strict && extraToolFields.has(key)),
  );
  for (const key in extra) if (!kept.includes(key)) context.dropped(`tools.${key}`);
  return compact({
    name: tool.name,
    description: tool.description,
    input_schema: inputSchema(tool, dialect, context),
    strict: tool.strict,
    ...Object.fromEntries(kept.map((key) => [key, extra[key]])),
    cache_control: cacheControl(tool.cache),
  });
}

/** The schema of a tool's input, which the API refuses without `type`, and of strict tools in more than it takes of answers. */
export function inputSchema({ parameters, strict }: FunctionTool, dialect: string, context: CodecContext): JsonObject {
  const schema = { type: 'object', ...parameters };
  if (strict !== true || dialect === 'messages') return schema;
  return closedSchema(schema, (keyword) => context.dropped(`tools.parameters.${keyword}`));
}

/** Other formats name a tool of the provider by its type alone. */
function chosenBuiltIn(choice: Json, tools: Call['tools']): JsonObject | undefined {
  const type = asString(asObject(choice)?.type);
  const chosen = tools?.find((tool) => tool.type === 'native' && tool.value.type === type);
  const own = chosen?.type === 'native' ? builtInTool(chosen, { strict: false, dropped: () => {} }) : undefined;
  const name = asString(own?.name);
  return name === undefined ? undefined : { type: 'tool', name };
}

function encodeToolChoice(call: Call, context: CodecContext): JsonObject | undefined {
  const choice = choiceOf(call, context);
  if (call.parallelToolCalls !== false || choice?.type === 'none') return choice;
  return { ...(choice ?? { type: 'auto' }), disable_parallel_tool_use: true };
}

function choiceOf({ toolChoice: choice, tools }: Call, context: CodecContext): JsonObject | undefined {
  switch (choice?.mode) {
    case undefined:
      return undefined;
    case 'auto':
    case 'none':
      return { type: choice.mode };
    case 'required':
      return { type: 'any' };
    case 'tool':
      return { type: 'tool', name: choice.name };
    case 'allowed':
      return { type: choice.require ? 'any' : 'auto' };
    case 'native': {
      const value = choice.dialect === 'messages' ? asObject(choice.value) : chosenBuiltIn(choice.value, tools);
      if (value === undefined) context.dropped('tool_choice');
      return value;
    }
  }
}
