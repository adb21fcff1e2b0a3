import { GatewayError } from '../../errors.ts';
import { asObject, compact, type JsonObject } from '../../json.ts';
import type { CodecContext } from '../dialect.ts';
import { inputSchema } from '../messages/tools.ts';
import type { Call, FunctionTool, Tool, ToolChoice } from '../neutral.ts';
import { cachePoint } from './encode-blocks.ts';

export interface EncodedTools {
  readonly toolConfig?: JsonObject;
  /** Tools that the model's own format defines; they stand among the model's own fields. */
  readonly ofModel: readonly JsonObject[];
}

const none: EncodedTools = { ofModel: [] };

/**
 * `toolConfig` of a call. The format has no choice of `none`: no tools are offered then. Nor has it one of allowed tools:
 * only those are offered.
 * @throws GatewayError `translation_unsupported` for a tool with free-text input, which the model could not call
 */
export function encodeTools(call: Call, context: CodecContext): EncodedTools {
  const same = call.dialect === 'converse';
  const choice = call.toolChoice;
  if (choice?.mode === 'none' && !same) return none;
  const names = choice?.mode === 'allowed' ? choice.names : undefined;
  const offered = (call.tools ?? []).filter(
    (tool) => names === undefined || (tool.type !== 'native' && names.includes(tool.name)),
  );
  const ofModel = offered.flatMap((tool) =>
    tool.type === 'native' && tool.dialect === 'messages' ? [tool.value] : [],
  );
  const tools = offered.flatMap((tool) => encodeTool(tool, call.dialect, context));
  if (tools.length === 0) {
    if (choice !== undefined && ofModel.length === 0) context.dropped('tool_choice');
    return { ofModel };
  }
  if (call.parallelToolCalls === false) context.dropped('parallel_tool_calls');
  return { toolConfig: compact({ tools, toolChoice: choiceOf(choice, context) }), ofModel };
}

function encodeTool(tool: Tool, dialect: string, context: CodecContext): readonly JsonObject[] {
  switch (tool.type) {
    case 'function':
      return encodeFunction(tool, dialect, context);
    case 'custom':
      throw new GatewayError(
        'translation_unsupported',
        `The tool "${tool.name}" takes free text; the Converse API takes tools with a JSON schema only.`,
        { param: 'tools' },
      );
    case 'native':
      if (tool.dialect === 'converse') return [tool.value];
      if (tool.dialect !== 'messages') context.dropped('tools');
      return [];
  }
}

function encodeFunction(tool: FunctionTool, dialect: string, context: CodecContext): readonly JsonObject[] {
  const same = dialect === 'converse';
  const extra = same ? tool.extra : undefined;
  if (extra === undefined) for (const key in tool.extra) context.dropped(`tools.${key}`);
  const toolSpec = compact({
    ...extra,
    name: tool.name,
    // The API refuses an empty one.
    description: tool.description || undefined,
    inputSchema: { json: same ? { type: 'object', ...tool.parameters } : inputSchema(tool, dialect, context) },
    strict: tool.strict === false && !same ? undefined : tool.strict,
  });
  return tool.cache === undefined ? [{ toolSpec }] : [{ toolSpec }, cachePoint(tool.cache)];
}

function choiceOf(choice: ToolChoice | undefined, context: CodecContext): JsonObject | undefined {
  switch (choice?.mode) {
    case undefined:
    case 'none':
      return undefined;
    case 'auto':
      return { auto: {} };
    case 'required':
      return { any: {} };
    case 'tool':
      return { tool: { name: choice.name } };
    case 'allowed':
      return choice.require ? { any: {} } : { auto: {} };
    case 'native': {
      const value = choice.dialect === 'converse' ? asObject(choice.value) : undefined;
      if (value === undefined) context.dropped('tool_choice');
      return value;
    }
  }
}
