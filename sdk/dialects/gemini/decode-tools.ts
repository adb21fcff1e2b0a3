import { asArray, asObject, asObjects, asString, type Json, type JsonObject, omit } from '../../json.ts';
import type { Tool, ToolChoice } from '../neutral.ts';
import { camelKeys } from './camel.ts';
import { jsonSchemaOf } from './schema.ts';

const declared = new Set(['name', 'description', 'parameters', 'parametersJsonSchema']);

/** The tools of a request: every function declaration, and a native tool for every other field of a tool object. */
export function decodeTools(value: unknown): readonly Tool[] {
  return asObjects(Array.isArray(value) ? value : [value]).flatMap((object) =>
    Object.entries(camelKeys(object)).flatMap(([key, item]): readonly Tool[] => {
      if (key === 'functionDeclarations') return asObjects(item).map(decodeDeclaration);
      return [{ type: 'native', dialect: 'gemini', value: { [key]: item } }];
    }),
  );
}

function decodeDeclaration(value: JsonObject): Tool {
  const declaration = camelKeys(value);
  const description = asString(declaration.description);
  const openApi = asObject(declaration.parameters);
  const parameters = asObject(declaration.parametersJsonSchema) ?? (openApi && jsonSchemaOf(openApi));
  const extra = omit(declaration, declared);
  return {
    type: 'function',
    name: asString(declaration.name) ?? '',
    ...(description === undefined ? {} : { description }),
    ...(parameters === undefined ? {} : { parameters }),
    ...(Object.keys(extra).length === 0 ? {} : { extra }),
  };
}

/** The tool choice of a `toolConfig`, and what of it has no neutral name. */
export function decodeToolConfig(value: unknown): { readonly choice?: ToolChoice; readonly rest: JsonObject } {
  const config = camelKeys(asObject(value) ?? {});
  const calling = asObject(config.functionCallingConfig);
  const rest = omit(config, new Set(['functionCallingConfig']));
  return calling === undefined ? { rest } : { choice: choiceOf(camelKeys(calling)), rest };
}

function choiceOf(calling: JsonObject): ToolChoice {
  const { mode, allowedFunctionNames, ...others } = calling;
  const names = asArray(allowedFunctionNames).filter((name) => typeof name === 'string');
  const native = { mode: 'native', dialect: 'gemini', value: calling as Json } as const;
  if (Object.keys(others).length > 0) return native;
  const [only] = names;
  switch (mode) {
    case 'AUTO':
      return names.length === 0 ? { mode: 'auto' } : native;
    case 'NONE':
      return names.length === 0 ? { mode: 'none' } : native;
    case 'ANY':
      if (only === undefined) return { mode: 'required' };
      return names.length === 1 ? { mode: 'tool', name: only } : { mode: 'allowed', require: true, names };
    case 'VALIDATED':
      return names.length === 0 ? native : { mode: 'allowed', require: false, names };
    default:
      return native;
  }
}
