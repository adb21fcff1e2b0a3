import { GatewayError } from '../../errors.ts';
import { compact, type Json, type JsonObject } from '../../json.ts';
import type { CodecContext } from '../dialect.ts';
import type { Call, FunctionTool } from '../neutral.ts';
import { dialectName } from './name.ts';

type ToolFields = { readonly [key: string]: Json | undefined };

/**
 * The fields `tools`, `tool_choice` and `strict_tools`. The API cannot be told which tool to call: a choice among some of
 * the tools is said by leaving out the others.
 * @throws GatewayError `translation_unsupported` for a tool with free-text input
 */
export function encodeTools(call: Call, context: CodecContext): ToolFields {
  if (call.parallelToolCalls === false) context.dropped('parallel_tool_calls');
  const functions = functionsOf(call, context);
  const { names, word } = choiceOf(call, context);
  const offered = names === undefined ? functions : functions.filter((tool) => names.includes(tool.name));
  if (offered.length === 0) {
    if (call.toolChoice !== undefined) context.dropped('tool_choice');
    return {};
  }
  return {
    tools: offered.map((tool) => encodeTool(tool, call, context)),
    tool_choice: word,
    ...strictness(offered, call, context),
  };
}

function functionsOf(call: Call, context: CodecContext): readonly FunctionTool[] {
  return (call.tools ?? []).flatMap((tool, index) => {
    if (tool.type === 'function') return [tool];
    const path = `tools[${index}]`;
    if (tool.type === 'custom') {
      throw new GatewayError(
        'translation_unsupported',
        'This provider has no tools with free-text input. Declare a function with a JSON schema instead.',
        { param: path },
      );
    }
    context.dropped(path);
    return [];
  });
}

function choiceOf(call: Call, context: CodecContext): { names?: readonly string[]; word?: string } {
  const choice = call.toolChoice;
  switch (choice?.mode) {
    case undefined:
    case 'auto':
      return {};
    case 'none':
      return { word: 'NONE' };
    case 'required':
      return { word: 'REQUIRED' };
    case 'tool':
      return { names: [choice.name], word: 'REQUIRED' };
    case 'allowed':
      return { names: choice.names, ...(choice.require ? { word: 'REQUIRED' } : {}) };
    case 'native':
      context.dropped('tool_choice');
      return {};
  }
}

function encodeTool(tool: FunctionTool, call: Call, context: CodecContext): JsonObject {
  if (tool.cache !== undefined) context.dropped('cache_control');
  const own = call.dialect === dialectName ? tool.extra : undefined;
  if (own === undefined) for (const key of Object.keys(tool.extra ?? {})) context.dropped(`tools.${key}`);
  return {
    ...own,
    type: 'function',
    function: compact({
      name: tool.name,
      description: tool.description,
      // Required, even of a function that takes nothing.
      parameters: tool.parameters ?? { type: 'object', properties: {} },
    }),
  };
}

/** Strict is said for all tools or for none. */
function strictness(offered: readonly FunctionTool[], call: Call, context: CodecContext): ToolFields {
  if (call.extra.strict_tools !== undefined || !offered.some((tool) => tool.strict === true)) return {};
  if (offered.every((tool) => tool.strict === true)) return { strict_tools: true };
  context.dropped('tools.function.strict');
  return {};
}
