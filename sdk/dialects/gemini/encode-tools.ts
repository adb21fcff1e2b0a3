import { GatewayError } from '../../errors.ts';
import { asObject, asString, compact, type Json, type JsonObject, omit } from '../../json.ts';
import type { CodecContext } from '../dialect.ts';
import type { Call, FunctionTool, NativeTool, ToolChoice } from '../neutral.ts';

/** Tools that the provider runs itself, by the names that clients of other formats give them. */
const builtIn: Readonly<Record<string, string>> = {
  googleSearch: 'googleSearch',
  google_search: 'googleSearch',
  googleSearchRetrieval: 'googleSearchRetrieval',
  google_search_retrieval: 'googleSearchRetrieval',
  googleMaps: 'googleMaps',
  google_maps: 'googleMaps',
  codeExecution: 'codeExecution',
  code_execution: 'codeExecution',
  urlContext: 'urlContext',
  url_context: 'urlContext',
  computerUse: 'computerUse',
  computer_use: 'computerUse',
};
const schemaWords = new Set(['type', 'properties', 'required', 'additionalProperties', '$schema']);

/**
 * The `tools` of a call; undefined when it has none.
 * @throws GatewayError `translation_unsupported` for a tool with free-text input
 */
export function encodeTools(call: Call, context: CodecContext): readonly JsonObject[] | undefined {
  const declarations: JsonObject[] = [];
  const natives: JsonObject[] = [];
  for (const [index, tool] of (call.tools ?? []).entries()) {
    const path = `tools[${index}]`;
    switch (tool.type) {
      case 'custom':
        throw new GatewayError(
          'translation_unsupported',
          'This provider has no tools with free-text input. Declare a function with a JSON schema instead.',
          { param: path },
        );
      case 'function': {
        if (tool.cache !== undefined) context.dropped('cache_control');
        const native = call.dialect === 'gemini' ? undefined : builtInOf(tool);
        if (native === undefined) declarations.push(declaration(tool, path, call, context));
        else natives.push(native);
        break;
      }
      case 'native': {
        const native = nativeOf(tool);
        if (native === undefined) context.dropped(path);
        else natives.push(native);
        break;
      }
    }
  }
  const tools = declarations.length === 0 ? natives : [{ functionDeclarations: declarations }, ...natives];
  return tools.length === 0 ? undefined : tools;
}

// `parametersJsonSchema` takes JSON Schema as it is; the older `parameters` field takes only an OpenAPI subset.
function declaration(tool: FunctionTool, path: string, call: Call, context: CodecContext): JsonObject {
  const schema = tool.parameters;
  const own = call.dialect === 'gemini' ? tool.extra : undefined;
  if (own === undefined) for (const key of Object.keys(tool.extra ?? {})) context.dropped(`${path}.${key}`);
  return compact({
    ...own,
    name: tool.name,
    description: tool.description,
    parametersJsonSchema: schema === undefined || Object.keys(schema).length === 0 ? undefined : schema,
  });
}

// A function that declares properties is the client's own, whatever its name.
function builtInOf(tool: FunctionTool): JsonObject | undefined {
  const name = Object.hasOwn(builtIn, tool.name) ? builtIn[tool.name] : undefined;
  if (name === undefined || Object.keys(asObject(tool.parameters?.properties) ?? {}).length > 0) return undefined;
  return { [name]: omit(tool.parameters ?? {}, schemaWords) };
}

function nativeOf(tool: NativeTool): JsonObject | undefined {
  if (tool.dialect === 'gemini') return tool.value;
  const type = asString(tool.value.type);
  const name = type !== undefined && Object.hasOwn(builtIn, type) ? builtIn[type] : undefined;
  if (type === undefined || name === undefined) return undefined;
  return { [name]: asObject(tool.value[type]) ?? omit(tool.value, new Set(['type', 'name'])) };
}

/** The `toolConfig` of a call. Without functions the API refuses one, so a choice among none is dropped. */
export function encodeToolConfig(
  call: Call,
  tools: readonly JsonObject[] | undefined,
  carried: JsonObject,
  context: CodecContext,
): JsonObject | undefined {
  const kept = asObject(carried.toolConfig);
  const choice = call.toolChoice;
  const hasFunctions = tools?.some((tool) => 'functionDeclarations' in tool) ?? false;
  if (choice === undefined || (!hasFunctions && call.dialect !== 'gemini')) {
    if (choice !== undefined) context.dropped('tool_choice');
    return kept;
  }
  const functionCallingConfig = callingConfig(choice);
  if (functionCallingConfig === undefined) context.dropped('tool_choice');
  return functionCallingConfig === undefined ? kept : { ...kept, functionCallingConfig };
}

const modes = { auto: 'AUTO', none: 'NONE', required: 'ANY' } as const;

function callingConfig(choice: ToolChoice): Json | undefined {
  switch (choice.mode) {
    case 'auto':
    case 'none':
    case 'required':
      return { mode: modes[choice.mode] };
    case 'tool':
      return { mode: 'ANY', allowedFunctionNames: [choice.name] };
    case 'allowed':
      return { mode: choice.require ? 'ANY' : 'VALIDATED', allowedFunctionNames: [...choice.names] };
    case 'native':
      return choice.dialect === 'gemini' ? choice.value : undefined;
  }
}
