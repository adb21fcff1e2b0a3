import { asObject, compact, type Json, type JsonObject, omit } from '../../json.ts';
import type { CodecContext } from '../dialect.ts';
import type { Call, FunctionTool, Tool } from '../neutral.ts';
import { cacheFields } from './cache-mark.ts';

/** The fields `tools`, `tool_choice` and `parallel_tool_calls`, which the format takes only together with tools. */
export function writeTools(call: Call, context: CodecContext): { readonly [key: string]: Json | undefined } {
  const tools = call.tools?.flatMap((tool) => writeTool(tool, call.dialect, context) ?? []);
  const lostAll = tools?.length === 0 && (call.tools?.length ?? 0) > 0;
  if (lostAll) {
    if (call.toolChoice !== undefined && call.toolChoice.mode !== 'none') context.dropped('tool_choice');
    if (call.parallelToolCalls !== undefined) context.dropped('parallel_tool_calls');
    return {};
  }
  return {
    tools,
    tool_choice: writeToolChoice(call, context),
    parallel_tool_calls: call.parallelToolCalls,
  };
}

function writeTool(tool: Tool, dialect: string, context: CodecContext): JsonObject | undefined {
  switch (tool.type) {
    case 'function':
      return writeFunction(tool, dialect, context);
    case 'custom':
      return {
        type: 'custom',
        custom: compact({ name: tool.name, description: tool.description, format: tool.format }),
      };
    case 'native':
      if (tool.dialect === 'chat') return tool.value;
      context.dropped('tools');
      return undefined;
  }
}

const nestedFields: ReadonlySet<string> = new Set(['function']);

function writeFunction(tool: FunctionTool, dialect: string, context: CodecContext): JsonObject {
  const extra = dialect === 'chat' ? (tool.extra ?? {}) : {};
  if (dialect !== 'chat') for (const field in tool.extra) context.dropped(`tools.${field}`);
  return {
    type: 'function',
    function: compact({
      name: tool.name,
      description: tool.description,
      parameters: tool.parameters,
      strict: tool.strict,
      ...asObject(extra.function),
    }),
    ...omit(extra, nestedFields),
    ...cacheFields(tool.cache, context),
  };
}

function writeToolChoice(call: Call, context: CodecContext): Json | undefined {
  const choice = call.toolChoice;
  if (choice === undefined) return undefined;
  const named = (name: string, custom: boolean): JsonObject =>
    custom ? { type: 'custom', custom: { name } } : { type: 'function', function: { name } };
  switch (choice.mode) {
    case 'auto':
    case 'none':
    case 'required':
      return choice.mode;
    case 'tool':
      return named(choice.name, choice.custom === true);
    case 'allowed': {
      const customs = new Set(call.tools?.flatMap((tool) => (tool.type === 'custom' ? tool.name : [])));
      const tools = choice.names.map((name) => named(name, customs.has(name)));
      return { type: 'allowed_tools', allowed_tools: { mode: choice.require ? 'required' : 'auto', tools } };
    }
    case 'native':
      if (choice.dialect === 'chat') return choice.value;
      context.dropped('tool_choice');
      return undefined;
  }
}
