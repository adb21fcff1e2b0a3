import { asObject, GatewayError, type Json, type JsonObject, type Verdict } from 'portcullis/sdk';

const maxData = 64 * 1024;
const maxDepth = 64;
const maxEdits = 10_000;
const maxWhy = 4096;
const members = ['pass', 'why', 'data', 'edits'];

type Rule = (value: Json) => boolean;

const isText: Rule = (value) => typeof value === 'string';
const isFlag: Rule = (value) => typeof value === 'boolean';
const isPosition: Rule = (value) => Number.isSafeInteger(value) && Number(value) >= 0;
const isMediaType: Rule = (value) => typeof value === 'string' && /^[a-z]+\/[a-z0-9.+-]{1,100}$/.test(value);
const isBase64: Rule = (value) => typeof value === 'string' && /^[A-Za-z0-9+/]*={0,2}$/.test(value);
const oneOf =
  (...values: readonly string[]): Rule =>
  (value) =>
    typeof value === 'string' && values.includes(value);

/** The kinds of edits by the member that tells them apart: what each must hold, and what it may. */
const edits: Readonly<
  Record<string, { readonly must: Readonly<Record<string, Rule>>; readonly may: Readonly<Record<string, Rule>> }>
> = {
  text: { must: { text: isPosition, start: isPosition, end: isPosition, with: isText }, may: {} },
  message: {
    must: { message: oneOf('system', 'user', 'assistant'), at: oneOf('start', 'end'), add: isText },
    may: { create: isFlag, apart: isFlag },
  },
  image: { must: { image: isPosition, mediaType: isMediaType, data: isBase64 }, may: {} },
};

/**
 * Finds the first fault and stops: a list of all would take the time that the guest wants it to.
 * @throws GatewayError `check_failed` when what a program gave is no verdict
 */
export function verdictOf(value: Json, id: string): Verdict {
  const fault = verdictFault(value);
  if (fault !== undefined) throw new GatewayError('check_failed', `${id} gave no verdict: ${fault}.`);
  return value as unknown as Verdict;
}

function verdictFault(value: Json): string | undefined {
  const verdict = asObject(value);
  if (verdict === undefined) return 'it must be an object with `pass`';
  const unknown = Object.keys(verdict).find((name) => !members.includes(name));
  if (unknown !== undefined) return `${nameOf(unknown)} is not known; ${members.join(', ')} are`;
  const { pass, why, data, edits: list } = verdict;
  if (typeof pass !== 'boolean') return 'pass must be true or false';
  if (why !== undefined && !(typeof why === 'string' && why.length <= maxWhy))
    return `why must be a text of at most ${maxWhy} characters`;
  return (data === undefined ? undefined : dataFault(data)) ?? (list === undefined ? undefined : editsFault(list));
}

function dataFault(data: Json): string | undefined {
  const fault = treeFault(data, maxDepth);
  if (fault !== undefined) return `data ${fault}`;
  return Buffer.byteLength(JSON.stringify(data)) > maxData ? 'data are larger than 64 KiB of JSON' : undefined;
}

function treeFault(value: Json, depth: number): string | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  if (depth === 0) return `are nested more than ${maxDepth} levels deep`;
  for (const [key, member] of Object.entries(value) as readonly [string, Json][]) {
    // Whoever copies it by assignment would change what its copy is.
    if (key === '__proto__') return 'have a key __proto__';
    const fault = treeFault(member, depth - 1);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

function editsFault(list: Json): string | undefined {
  if (!Array.isArray(list) || list.length > maxEdits) return `edits must be a list of at most ${maxEdits}`;
  for (const [index, each] of (list as readonly Json[]).entries()) {
    const fault = editFault(asObject(each) ?? {});
    if (fault !== undefined) return `edits[${index}] ${fault}`;
  }
  return undefined;
}

function editFault(edit: JsonObject): string | undefined {
  const kind = Object.keys(edits).find((name) => Object.hasOwn(edit, name));
  const shape = kind === undefined ? undefined : edits[kind];
  if (shape === undefined) return `must be an edit of a ${Object.keys(edits).join(', a ')}`;
  const rules = { ...shape.must, ...shape.may };
  const missing = Object.keys(shape.must).find((name) => !Object.hasOwn(edit, name));
  if (missing !== undefined) return `must have ${missing}`;
  for (const [name, value] of Object.entries(edit)) {
    if (!Object.hasOwn(rules, name)) return `has ${nameOf(name)}, which is not known`;
    if (rules[name]?.(value) !== true) return `has a ${name} that is not accepted`;
  }
  return undefined;
}

/** Names come from the guest: they are cut. */
function nameOf(name: string): string {
  return JSON.stringify(name.slice(0, 64));
}
