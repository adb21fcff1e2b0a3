import { asArray, asObject, type Json, type JsonObject, parseJson } from './json.ts';

/** What stands in the place of a credential. */
export const credentialMask = '*****';

/**
 * Names of what opens something, in the formats of providers (`authorization` and `headers` of an MCP server, `authentication`
 * of a data source, `domain_secrets`, `api_auth`) and in settings of the gateway.
 */
const credential =
  /(?:^|_)(?:authori[sz]ation(?:_token)?|authentication|auth(?:_config|_token)?|api_?auth|api_?key(?:_string|_config)?|(?:access|refresh|id|session|api|ad|bearer)_token|access_key(?:_id)?|private_key|(?:client|domain)_secrets?|secret(?:_access)?(?:_key)?|passw(?:or)?d|passphrase|credentials?|connection_string|service_account_json|headers)$/;

/** What is said, and what stands in vectors: lists of any size, in which no member instructs anybody. */
const conversation: ReadonlySet<string> = new Set([
  ...['messages', 'input', 'contents', 'prompt', 'documents', 'system', 'texts', 'inputs'],
  ...['choices', 'output', 'candidates', 'content', 'data'],
]);

/** Under these, members are named by the caller. */
const named: ReadonlySet<string> = new Set(['properties', 'patternProperties', '$defs', 'definitions', 'defs']);

const address = /(?:^|_)(?:url|uri|webhook)$/;
const deepest = 100;
const mostNames = 2000;
const known = new Map<string, 'credential' | 'address' | 'other'>();

/** Whether a member of that name holds a credential, in whatever case it is written. */
export function namesCredential(name: string): boolean {
  return kindOf(name) === 'credential';
}

/** A body as others may see it: the very object where it holds no credentials, and the texts that are hidden. */
export interface ShownBody {
  readonly body: JsonObject;
  readonly hidden: readonly string[];
}

/** Hides the credentials of a body: those of tools, data sources and inline settings, and the queries of their addresses. */
export function hideCredentials(body: JsonObject): ShownBody {
  const hidden: string[] = [];
  return { body: objectOf(body, hidden, false, 0), hidden };
}

const textMember = /"((?:[^"\\]|\\.){1,100})"(\s*:\s*)"(?:[^"\\]|\\.)*("?)/gs;

/** Hides the credentials in a text that should be JSON and cannot be read: those of members that hold a text. */
export function hideInText(text: string): string {
  return text.replace(textMember, (member: string, name: string, colon: string, end: string) =>
    namesCredential(name) ? `"${name}"${colon}"${credentialMask}${end}` : member,
  );
}

/** The credentials that a body has got of somebody else, by the members in which it differs: most of the two is the very same. */
export function addedCredentials(body: JsonObject, before: JsonObject): readonly string[] {
  if (body === before) return [];
  const added = Object.entries(body).filter(([name, member]) => before[name] !== member);
  return hideCredentials(Object.fromEntries(added)).hidden;
}

/** What is shorter is no credential, and may stand anywhere. */
const shortestCredential = 8;
const schemed = /^(?:bearer|basic|token)\s+(\S.*)$/i;

/** How others may repeat what is hidden: as it is, without its scheme, or escaped within JSON. The longest come first. */
export function repeatedForms(hidden: readonly string[]): readonly string[] {
  const forms = hidden
    .flatMap((text) => [text, schemed.exec(text)?.[1] ?? text])
    .filter(({ length }) => length >= shortestCredential)
    .flatMap((text) => [text, JSON.stringify(text).slice(1, -1)]);
  return [...new Set(forms)].toSorted((a, b) => b.length - a.length);
}

function objectOf(object: JsonObject, hidden: string[], isNamed: boolean, depth: number): JsonObject {
  let changed: { [name: string]: Json } | undefined;
  for (const name of Object.keys(object)) {
    const member: Json = object[name] ?? null;
    const shown = memberOf(name, member, hidden, isNamed, depth);
    if (shown === member) continue;
    changed ??= { ...object };
    Object.defineProperty(changed, name, { value: shown, enumerable: true, writable: true, configurable: true });
  }
  return changed ?? object;
}

function memberOf(name: string, member: Json, hidden: string[], isNamed: boolean, depth: number): Json {
  if (member === null || typeof member === 'boolean' || typeof member === 'number') return member;
  if (Array.isArray(member) && conversation.has(name)) return member;
  const kind = isNamed ? 'other' : kindOf(name);
  if (kind === 'credential') return wholly(member, hidden, depth);
  if (typeof member !== 'string') return inside(member, hidden, !isNamed && named.has(name), depth + 1);
  return kind === 'address' ? addressOf(member, hidden) : textOf(member, hidden, depth);
}

function inside(value: Json, hidden: string[], isNamed: boolean, depth: number): Json {
  if (typeof value !== 'object' || value === null) return value;
  if (depth > deepest) return credentialMask;
  if (!Array.isArray(value)) return objectOf(value as JsonObject, hidden, isNamed, depth);
  const items = asArray(value).map((item) => inside(item, hidden, false, depth + 1));
  return items.every((item, at) => item === value[at]) ? value : items;
}

function wholly(value: Json, hidden: string[], depth: number): Json {
  if (typeof value === 'string') {
    if (value === '' || value === credentialMask) return value;
    hidden.push(value);
    return credentialMask;
  }
  if (typeof value !== 'object' || value === null) return value;
  if (depth > deepest) return credentialMask;
  if (Array.isArray(value)) return asArray(value).map((item) => wholly(item, hidden, depth + 1));
  const members = Object.entries(value as JsonObject);
  return Object.fromEntries(members.map(([name, member]) => [name, wholly(member ?? null, hidden, depth + 1)]));
}

/** Settings may come as the text of their JSON. */
function textOf(text: string, hidden: string[], depth: number): string {
  const object = /^\s*\{/.test(text) ? asObject(parseJson(text)) : undefined;
  if (object === undefined) return text;
  if (depth > deepest) return credentialMask;
  const shown = objectOf(object, hidden, false, depth + 1);
  return shown === object ? text : JSON.stringify(shown);
}

function addressOf(url: string, hidden: string[]): string {
  if (!/^[a-z][a-z0-9+.-]*:\/\//i.test(url)) return url;
  const shown = url.replace(/(:\/\/)[^/?#]*@/, `$1${credentialMask}@`).replace(/([?#]).*$/s, `$1${credentialMask}`);
  if (shown !== url) hidden.push(url);
  return shown;
}

/** Names that clients make up must not fill the memory. */
function kindOf(name: string): 'credential' | 'address' | 'other' {
  const before = known.get(name);
  if (before !== undefined) return before;
  const snake = name
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .replaceAll('-', '_')
    .toLowerCase();
  const kind = credential.test(snake) ? 'credential' : address.test(snake) ? 'address' : 'other';
  if (known.size >= mostNames) known.clear();
  if (name.length <= 100) known.set(name, kind);
  return kind;
}
