import { asObject, asObjects, asString, check, GatewayError, type Json, type JsonObject, schema } from 'portcullis/sdk';
import { refuseSharedEntry, strict, strings, unusable } from './parameters.ts';
import { refuseUnread } from './unread-body.ts';

const names = (description: string) => strings(description, { minItems: 0, maxLength: 256 });
const scalars = (description: string) =>
  schema.Unsafe<readonly Json[]>({
    type: 'array',
    maxItems: 500,
    items: { type: ['string', 'number', 'boolean', 'null'], maxLength: 1000 },
    default: [],
    description,
  });

interface Lists {
  readonly allowed: readonly Json[];
  readonly blocked: readonly Json[];
}
type Reason = `${'type' | 'name' | 'key' | 'value'}_${'blocked' | 'not_allowed'}`;
interface Violation {
  readonly [field: string]: string;
  /** Where in the body. */
  readonly param: string;
  readonly reason: Reason;
}

const maxViolations = 50;

export default check({
  title: 'Request parameters',
  description: 'Looks at the tools and the top-level fields of the request. An empty list says nothing.',
  config: schema.Object(
    {
      tools: schema.Optional(
        schema.Object(
          {
            allowedTypes: schema.Optional(names('Types of tools that may be used.')),
            blockedTypes: schema.Optional(names('Types of tools that may not.')),
            allowedFunctionNames: schema.Optional(names('Names of tools that may be used.')),
            blockedFunctionNames: schema.Optional(names('Names of tools that may not.')),
          },
          strict,
        ),
      ),
      params: schema.Optional(
        schema.Object(
          {
            allowedKeys: schema.Optional(names('The only fields that the body may have.')),
            blockedKeys: schema.Optional(names('Fields that it may not have.')),
            values: schema.Optional(
              schema.Record(
                schema.String({ minLength: 1, maxLength: 256 }),
                schema.Object(
                  {
                    allowedValues: scalars('Values that the field may have.'),
                    blockedValues: scalars('Values that it may not have.'),
                  },
                  strict,
                ),
                { maxProperties: 200, description: 'By field.' },
              ),
            ),
          },
          strict,
        ),
      ),
    },
    strict,
  ),
  phases: ['beforeRequest'],
  scans: false,
  prepare({ tools = {}, params = {} }) {
    const values = Object.entries(params.values ?? {}).map(([key, { allowedValues, blockedValues }]) => {
      return { key, lists: lists(allowedValues, blockedValues, `params.values.${key}.blockedValues`) };
    });
    const rules = {
      types: lists(tools.allowedTypes, tools.blockedTypes, 'tools.blockedTypes'),
      names: lists(tools.allowedFunctionNames, tools.blockedFunctionNames, 'tools.blockedFunctionNames'),
      keys: lists(params.allowedKeys, params.blockedKeys, 'params.blockedKeys'),
      values,
    };
    const all = [rules.types, rules.names, rules.keys, ...values.map((value) => value.lists)];
    if (all.every(({ allowed, blocked }) => allowed.length + blocked.length === 0))
      throw unusable('tools', 'Every list is empty: give at least one of tools or params with an entry.');
    return rules;
  },
  run(input, { types, names: toolNames, keys, values }) {
    refuseUnread(input);
    const { endpoint, body } = input;
    if (endpoint === 'realtime')
      throw new GatewayError('check_failed', 'The events of a session, which set its tools and fields, pass unread.');
    const violations = [
      ...toolsOf(body).flatMap(({ type, name, at }) => [
        ...violation(type, types, 'type', `${at}.type`),
        ...violation(name, toolNames, 'name', at),
      ]),
      ...Object.keys(body).flatMap((key) => violation(key, keys, 'key', key)),
      ...values
        .filter(({ key }) => Object.hasOwn(body, key))
        .flatMap(({ key, lists: both }) => violation(body[key] ?? null, both, 'value', key)),
    ];
    const pass = violations.length === 0;
    const [first] = violations;
    const more = violations.length > 1 ? `, and ${violations.length - 1} more` : '';
    const explanation =
      first === undefined
        ? 'The request uses nothing that is not allowed.'
        : `The request uses something that is not allowed: ${first.param} (${first.reason})${more}.`;
    return {
      pass,
      why: explanation,
      data: { explanation, verdict: pass, violations: violations.slice(0, maxViolations) },
    };
  },
});

function lists(allowed: readonly Json[] = [], blocked: readonly Json[] = [], param: string): Lists {
  refuseSharedEntry(allowed, blocked, param);
  return { allowed, blocked };
}

/** Equality is strict: an object or a list is in no list. */
function violation(
  value: Json,
  { allowed, blocked }: Lists,
  what: 'type' | 'name' | 'key' | 'value',
  param: string,
): readonly Violation[] {
  const at = param.slice(0, 256);
  if (blocked.includes(value)) return [{ param: at, reason: `${what}_blocked` }];
  return allowed.length > 0 && !allowed.includes(value) ? [{ param: at, reason: `${what}_not_allowed` }] : [];
}

interface UsedTool {
  readonly type: Json;
  readonly name: Json;
  readonly at: string;
}

/** The tools of a request, wherever a client may name some that the model can call. */
function toolsOf({ contents, tools, functions, input }: JsonObject): readonly UsedTool[] {
  const declared = asObjects([tools ?? []].flat());
  // Whoever adds contents to a request of another format does not hide its tools.
  const members = contents === undefined ? [] : declared.flatMap((tool, index) => membersOf(tool, `tools[${index}]`));
  const named = contents === undefined ? declared : declared.filter(isNamed);
  const found = asObjects(input).flatMap((item, index) =>
    item.type === 'tool_search_output' ? namedTools(item.tools, `input[${index}].tools`) : [],
  );
  return [...members, ...namedTools(named, 'tools'), ...namedTools(functions, 'functions'), ...found];
}

function isNamed({ type, name, function: given, custom }: JsonObject): boolean {
  return (type ?? name ?? given ?? custom) !== undefined;
}

/** A namespace is one itself, and so is each tool in it. */
function namedTools(list: Json | undefined, param: string): readonly UsedTool[] {
  return asObjects(list).flatMap((tool, index) => {
    const at = `${param}[${index}]`;
    return [
      usedTool(tool, at),
      ...asObjects(tool.tools).map((inner, place) => usedTool(inner, `${at}.tools[${place}]`)),
    ];
  });
}

function usedTool(tool: JsonObject, at: string): UsedTool {
  return { type: tool.type ?? 'function', name: nameOf(tool), at };
}

/** In the format of contents one object may declare many, and each of its other members is one. */
function membersOf(tool: JsonObject, at: string): readonly UsedTool[] {
  return Object.entries(tool).flatMap(([member, value]): readonly UsedTool[] => {
    if (!/^function_?declarations$/i.test(member)) return [{ type: member, name: member, at: `${at}.${member}` }];
    return asObjects([value].flat()).map(({ name = '' }, place) => {
      return { type: 'function', name, at: `${at}.${member}[${place}]` };
    });
  });
}

/** Tools that the provider runs itself go by their type. */
function nameOf(tool: JsonObject): Json {
  return asString(asObject(tool.function ?? tool.custom)?.name) ?? asString(tool.name) ?? tool.type ?? '';
}
