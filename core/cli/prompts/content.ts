import { isDeepStrictEqual } from 'node:util';
import { asArray, asObject, asObjects, asString, compact, type Json, type JsonObject, parseJson } from 'portcullis/sdk';

export type Kind = 'prompts' | 'partials';
export const kinds: readonly Kind[] = ['partials', 'prompts'];

interface Member {
  /** As the gateway shows it. */
  readonly shown: string;
  /** As the gateway takes it in a change. */
  readonly taken: string;
  /** As it takes it in what is new, where that is another name. */
  readonly made?: string;
}

/** The members of a version, as a file names them, in the order of a file. */
const membersOf: Readonly<Record<Kind, Readonly<Record<string, Member>>>> = {
  prompts: {
    version_description: { shown: 'prompt_version_description', taken: 'version_description' },
    provider: { shown: 'virtual_key', taken: 'virtual_key' },
    model: { shown: 'model', taken: 'model' },
    parameters: { shown: 'parameters', taken: 'parameters' },
    is_raw_template: { shown: 'is_raw_template', taken: 'is_raw_template' },
    template_metadata: { shown: 'template_metadata', taken: 'template_metadata' },
    template: { shown: 'string', taken: 'string' },
    tools: { shown: 'tools', taken: 'tools' },
    functions: { shown: 'functions', taken: 'functions' },
    tool_choice: { shown: 'tool_choice', taken: 'tool_choice' },
  },
  partials: {
    version_description: { shown: 'version_description', taken: 'description', made: 'version_description' },
    template: { shown: 'string', taken: 'string' },
  },
};

/** The member of a file that the gateway takes under this name. */
export function memberNamed(kind: Kind, taken: string): string {
  const [name = taken] = Object.entries(membersOf[kind]).find(([, member]) => member.taken === taken) ?? [];
  return name;
}

/**
 * What a file says of a prompt or partial, in one form for each meaning: `name`, `collection` and the members of its
 * version, in this order, those that say nothing left out.
 */
export type Content = JsonObject;

/** @param given what a file says, checked */
export function contentOf(kind: Kind, given: JsonObject): Content {
  return kind === 'prompts' ? promptContent(given) : settled(kind, given, given.template ?? '');
}

/** @param collection names from the top; undefined: the workspace's default one */
export function contentOfRecord(kind: Kind, record: JsonObject, collection: readonly string[] | undefined): Content {
  const members = Object.entries(membersOf[kind]).map(([name, { shown }]) => [name, record[shown] ?? null] as const);
  return contentOf(kind, { name: record.name ?? '', collection: collection ?? null, ...Object.fromEntries(members) });
}

function promptContent(given: JsonObject): Content {
  const isRaw = given.is_raw_template === true || given.is_raw_template === 1;
  const isText = isRaw || asObject(given.template_metadata)?.template_type === 'text';
  const { template = '' } = given;
  const text = typeof template === 'string' ? template : JSON.stringify(template);
  const parameters = Object.entries(asObject(given.parameters) ?? {}).filter(([, value]) => value !== '');
  return settled(
    'prompts',
    {
      ...given,
      is_raw_template: isRaw ? true : null,
      provider: asString(given.provider)?.replace(/^@/, '') ?? null,
      // The gateway lists the variables of a template among its parameters, empty: they are none.
      parameters: Object.fromEntries(parameters),
    },
    isText ? text : (messagesIn(text) ?? text),
  );
}

function settled(kind: Kind, given: JsonObject, template: Json): Content {
  const { name = '' } = given;
  const members = Object.keys(membersOf[kind]).map((member) => [
    member,
    member === 'template' ? template : told(given[member]),
  ]);
  const content = compact({ name, collection: told(given.collection), ...Object.fromEntries(members) });
  // Numbers as JSON has them: 1.0 is 1, -0 is 0.
  return JSON.parse(JSON.stringify(content)) as Content;
}

/** The value, or undefined for one that says nothing. */
function told(value: Json | undefined): Json | undefined {
  if (value == null || value === '') return undefined;
  return typeof value === 'object' && Object.keys(value).length === 0 ? undefined : value;
}

/** The messages that a template is the JSON text of. */
function messagesIn(text: string): readonly JsonObject[] | undefined {
  const parsed = asArray(parseJson(text));
  const messages = asObjects(parsed).filter(({ role }) => typeof role === 'string' && role !== '');
  return messages.length > 0 && messages.length === parsed.length ? messages : undefined;
}

/** The template as the gateway keeps it. */
export function templateText({ template = '' }: Content): string {
  return typeof template === 'string' ? template : JSON.stringify(template);
}

/** The names of the members in which two contents differ and whose change makes a new version. */
export function versionChanges(kind: Kind, before: Content, after: Content): readonly string[] {
  return Object.keys(membersOf[kind]).filter((member) => !isDeepStrictEqual(before[member], after[member]));
}

/** A new version as the gateway takes it; null for what the content does not say. It is whole: nothing stays of the version before. */
export function versionOf(kind: Kind, content: Content): JsonObject {
  const members = Object.entries(membersOf[kind]);
  return Object.fromEntries(members.map(([name, { taken }]) => [taken, takenValue(content, name)]));
}

/** A new prompt or partial as the gateway takes it. */
export function creationOf(kind: Kind, content: Content): JsonObject {
  const members = Object.entries(membersOf[kind]).map(
    ([name, { taken, made = taken }]) => [made, takenValue(content, name)] as const,
  );
  return { name: content.name ?? '', ...Object.fromEntries(members.filter(([, value]) => value !== null)) };
}

function takenValue(content: Content, name: string): Json {
  if (name === 'template') return templateText(content);
  if (name === 'is_raw_template') return content.is_raw_template === true ? 1 : 0;
  return content[name] ?? (name === 'parameters' ? {} : null);
}
