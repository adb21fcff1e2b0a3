import {
  asArray,
  asBoolean,
  asObject,
  asObjects,
  asString,
  compact,
  type Json,
  type JsonObject,
  omit,
} from '../../json.ts';
import type { CodecContext } from '../dialect.ts';
import type { Call, CustomTool, FunctionTool, Tool, ToolChoice } from '../neutral.ts';
import { present } from '../present.ts';

const functionFields: ReadonlySet<string> = new Set(['type', 'name', 'description', 'parameters', 'strict']);
const customFields: ReadonlySet<string> = new Set(['type', 'name', 'description', 'format']);

export function readTools(value: Json | undefined): readonly Tool[] | undefined {
  return Array.isArray(value) ? asObjects(value).map(readTool) : undefined;
}

function readTool(tool: JsonObject): Tool {
  const name = asString(tool.name);
  if (tool.type === 'function' && name !== undefined) return readFunction(tool, name);
  const custom = tool.type === 'custom' && Object.keys(tool).every((key) => customFields.has(key));
  if (!custom || name === undefined) return { type: 'native', dialect: 'responses', value: tool };
  const { description, format } = tool;
  return present<CustomTool>({ type: 'custom', name, description: asString(description), format: asObject(format) });
}

function readFunction(tool: JsonObject, name: string): FunctionTool {
  const extra = omit(tool, functionFields);
  return present<FunctionTool>({
    type: 'function',
    name,
    description: asString(tool.description),
    parameters: asObject(tool.parameters),
    strict: asBoolean(tool.strict),
    extra: Object.keys(extra).length === 0 ? undefined : extra,
  });
}

/** The `tools` of the request; undefined when none is left. */
export function writeTools(call: Call, context: CodecContext): JsonObject[] | undefined {
  if (call.tools === undefined) return undefined;
  const tools = call.tools.flatMap((tool) => writeTool(tool, call.dialect, context));
  return tools.length === 0 && call.tools.length > 0 ? undefined : tools;
}

function writeTool(tool: Tool, dialect: string, context: CodecContext): JsonObject[] {
  switch (tool.type) {
    case 'function': {
      if (tool.cache !== undefined) context.dropped('tools.cache_control');
      const own = dialect === 'responses' ? tool.extra : undefined;
      if (own === undefined && tool.extra !== undefined) {
        for (const key in tool.extra) context.dropped(`tools.${key}`);
      }
      return [
        compact({
          ...own,
          type: 'function',
          name: tool.name,
          description: tool.description,
          parameters: tool.parameters ?? (dialect === 'responses' ? null : { type: 'object', properties: {} }),
          // Here absent means true, which refuses schemas that are fine elsewhere.
          strict: tool.strict ?? (dialect === 'responses' ? undefined : false),
        }),
      ];
    }
    case 'custom':
      return [compact({ type: 'custom', name: tool.name, description: tool.description, format: tool.format })];
    case 'native':
      if (tool.dialect === 'responses') return [tool.value];
      context.dropped('tools');
      return [];
  }
}

export function readToolChoice(value: Json | undefined): ToolChoice | undefined {
  if (value === 'auto' || value === 'none' || value === 'required') return { mode: value };
  const choice = asObject(value);
  if (choice === undefined) return undefined;
  const name = asString(choice.name);
  if (choice.type === 'function' && name !== undefined) return { mode: 'tool', name };
  if (choice.type === 'custom' && name !== undefined) return { mode: 'tool', name, custom: true };
  const names = choice.type === 'allowed_tools' ? allowedNames(choice.tools) : undefined;
  if (names !== undefined) return { mode: 'allowed', require: choice.mode === 'required', names };
  return { mode: 'native', dialect: 'responses', value: choice };
}

/** The names of the allowed tools; undefined when one of them is a tool that the provider runs itself. */
function allowedNames(tools: Json | undefined): readonly string[] | undefined {
  const names = asArray(tools).map((tool) => {
    const { type, name } = asObject(tool) ?? {};
    return type === 'function' || type === 'custom' ? asString(name) : undefined;
  });
  return names.every((name) => name !== undefined) ? names : undefined;
}

export function writeToolChoice(call: Call, context: CodecContext): Json | undefined {
  const choice = call.toolChoice;
  if (choice === undefined) return undefined;
  const custom = new Set(call.tools?.flatMap((tool) => (tool.type === 'custom' ? [tool.name] : [])));
  const typed = (name: string): JsonObject => ({ type: custom.has(name) ? 'custom' : 'function', name });
  switch (choice.mode) {
    case 'auto':
    case 'none':
    case 'required':
      return choice.mode;
    case 'tool':
      return choice.custom ? { type: 'custom', name: choice.name } : typed(choice.name);
    case 'allowed':
      return {
        type: 'allowed_tools',
        mode: choice.require ? 'required' : 'auto',
        tools: choice.names.map(typed),
      };
    case 'native':
      if (choice.dialect === 'responses') return choice.value;
      context.dropped('tool_choice');
      return undefined;
  }
}
