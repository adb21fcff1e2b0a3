import { asObject, asObjects, type Json } from '../json.ts';
import Type from '../type-builders.ts';
import {
  anyObject,
  closedCases,
  flag,
  identifier,
  nullable,
  object,
  oneOf,
  openCases,
  text,
  wordOrObject,
} from './fields.ts';
import type { Rule } from './rule.ts';

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

/** At most 128 tools: functions, the free-text tools that the format added later, and tools that a provider runs itself. */
export const tools = Type.Array(openCases('type', { function: functionTool, custom: customTool }), { maxItems: 128 });

const ownTypes: ReadonlySet<Json | undefined> = new Set(['function', 'custom']);

/** A tool of a provider has a version in its type, or its settings below a field of that name; any other type is a mistake. */
export const toolTypes: Rule = (body) => {
  const list = asObjects(body.tools);
  const index = list.findIndex(({ type, ...rest }) => {
    if (ownTypes.has(type) || typeof type !== 'string') return false;
    return !/^[a-z_]+_\d{8}$/.test(type) && asObject(rest[type]) === undefined;
  });
  if (index === -1) return undefined;
  const type = String(list[index]?.type);
  const param = `tools[${index}].type`;
  const got = /^[\w.:-]{1,40}$/.test(type) ? JSON.stringify(type) : `a string of ${type.length} characters`;
  return { param, message: `${param} must be "function" or "custom"; got ${got}.` };
};

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
