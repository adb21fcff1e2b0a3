import { asObject, asString, type JsonObject, omit } from '../../json.ts';
import type { CodecContext } from '../dialect.ts';
import type { NativeTool } from '../neutral.ts';

/** Types of tools that the API defines or runs itself end in the date of their version. */
const dated = /^[a-z_]+_\d{8}$/;
const day = /_\d{8}$/;
const editor = /^text_editor_(\d{8})$/;
/** From this version on the editor goes by another name. */
const renamedEditor = '20250429';

const search = /^web_search(_preview)?(_\d{4}_\d{2}_\d{2})?$/;
const searchFields: ReadonlySet<string> = new Set(['type', 'filters', 'user_location', 'name']);

/**
 * A tool of another format as this one has it: `{ type, name, ... }`; undefined when it has none like it. Clients of the
 * chat format write `{ type: X, X: { name, ... } }`, where the type or the name holds the version, or the object itself.
 * Source: https://docs.anthropic.com/en/docs/agents-and-tools/tool-use/overview.
 */
export function builtInTool({ value }: NativeTool, context: CodecContext): JsonObject | undefined {
  const type = asString(value.type) ?? '';
  const inside = asObject(value[type]);
  const around = omit(value, new Set(['type', type]));
  if (dated.test(type)) return { type, name: nameOf(type), ...around, ...inside };
  const version = asString(inside?.name) ?? '';
  if (inside !== undefined && dated.test(version)) return { ...around, ...inside, type: version, name: type };
  return inside === undefined && search.test(type) ? webSearch(value, context) : undefined;
}

/** The name that the API wants with a type. */
function nameOf(type: string): string {
  const version = editor.exec(type)?.[1];
  if (version === undefined) return type.replace(day, '');
  return version < renamedEditor ? 'str_replace_editor' : 'str_replace_based_edit_tool';
}

/** The search of the responses format: https://platform.openai.com/docs/guides/tools-web-search. */
function webSearch(tool: JsonObject, context: CodecContext): JsonObject {
  const allowed = asObject(tool.filters)?.allowed_domains;
  const place = asObject(tool.user_location);
  for (const field in tool) if (!searchFields.has(field)) context.dropped(`tools.${field}`);
  return {
    type: 'web_search_20250305',
    name: 'web_search',
    ...(allowed === undefined ? {} : { allowed_domains: allowed }),
    ...(place === undefined ? {} : { user_location: { type: 'approximate', ...place } }),
  };
}
