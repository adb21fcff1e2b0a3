import Type from 'typebox';
import { anyObject, closedCases, flag, identifier, nullable, object, oneOf, text, wordOrObject } from './fields.ts';

const functionName = identifier(64);
const definition = { description: text, parameters: anyObject };

/** 1 to 128 functions, the deprecated form of `tools`. */
export const functions = Type.Array(object({ name: functionName }, definition), { minItems: 1, maxItems: 128 });

export const functionCall = wordOrObject(
  ['none', 'auto'],
  object({ name: text }),
  '"none", "auto" or an object with a name',
);

const functionTool = object({ function: object({ name: functionName }, { ...definition, strict: nullable(flag) }) });
const customTool = object({ custom: object({ name: text }, { description: text, format: anyObject }) });

/** At most 128 tools: functions, and the free-text tools that the format added later. */
export const tools = Type.Array(closedCases('type', { function: functionTool, custom: customTool }), { maxItems: 128 });

const namedTool = object({ name: text });

export const toolChoice = wordOrObject(
  ['none', 'auto', 'required'],
  closedCases('type', {
    function: object({ function: namedTool }),
    custom: object({ custom: namedTool }),
    allowed_tools: object({ allowed_tools: object({ mode: oneOf('auto', 'required'), tools: Type.Array(anyObject) }) }),
  }),
  '"none", "auto", "required" or an object such as {"type": "function", "function": {"name": ...}}',
);

/** The calls that an assistant message carries. */
export const toolCalls = Type.Array(
  closedCases('type', {
    function: object({ id: text, function: object({ name: text, arguments: text }) }),
    custom: object({ id: text, custom: object({ name: text, input: text }) }),
  }),
);
