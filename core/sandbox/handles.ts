import { randomBytes } from 'node:crypto';
import { asObject, compact, GatewayError, type Json, type JsonObject } from 'portcullis/sdk';

/** Shorter ones would be found in texts that have nothing to do with them. */
const leastScrubbed = 4;
const scrubbed = '[secret]';

/** A guest's credentials: it holds a handle in the place of each secret. */
export interface Handles {
  /** What the guest gets. */
  readonly credentials: JsonObject;
  /** Puts the secrets where their handles stand. */
  inHeaders(headers: Readonly<Record<string, string>>): Readonly<Record<string, string>>;
  /** @throws GatewayError `bad_request` when a handle stands in a text that is no header */
  refuseIn(text: string, where: string): void;
  /** Takes the secrets out of a text that came from outside. */
  scrub(text: string): string;
}

const noHandles: Handles = {
  credentials: {},
  inHeaders: (headers) => headers,
  refuseIn: () => {},
  scrub: (text) => text,
};

/** Handles are random and of one run: one that was kept means nothing later. Fields that the schema does not name stay outside. */
export function createHandles(credentials: JsonObject, schema: JsonObject | undefined): Handles {
  if (schema === undefined) return noHandles;
  const secrets: { readonly handle: string; readonly value: string }[] = [];
  const handleOf = (value: string): string => {
    const handle = `secret-handle-${randomBytes(16).toString('hex')}`;
    secrets.push({ handle, value });
    return handle;
  };
  const shownOf = (value: Json | undefined, field: JsonObject): Json | undefined => {
    if (field['x-secret'] === true) return typeof value === 'string' ? handleOf(value) : undefined;
    const members = asObject(value);
    return members === undefined || field.properties === undefined ? value : membersOf(members, field);
  };
  const membersOf = (members: JsonObject, { properties }: JsonObject): JsonObject =>
    compact(
      Object.fromEntries(
        Object.entries(asObject(properties) ?? {}).map(([name, field]) => [
          name,
          shownOf(Object.hasOwn(members, name) ? members[name] : undefined, asObject(field) ?? {}),
        ]),
      ),
    );
  const shown = membersOf(credentials, schema);
  const replaced = secrets
    .flatMap(({ value }) => spellings(value))
    .filter((spelling) => spelling.length >= leastScrubbed)
    .toSorted((a, b) => b.length - a.length);
  const filled = (text: string) =>
    secrets.reduce((now, { handle, value }) => now.replaceAll(handle, () => value), text);
  return {
    credentials: shown,
    inHeaders: (headers) => Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, filled(value)])),
    refuseIn: (text, where) => {
      if (!secrets.some(({ handle }) => text.includes(handle))) return;
      const sentence = `A secret may stand in a header of fetch, and not in ${where}.`;
      throw new GatewayError('bad_request', sentence, { param: where });
    },
    scrub: (text) => replaced.reduce((now, spelling) => now.replaceAll(spelling, scrubbed), text),
  };
}

/** As servers repeat what they were sent: as it is, in URLs, in JSON, in base64; each also read byte by byte. */
function spellings(value: string): readonly string[] {
  const json = JSON.stringify(value).slice(1, -1);
  const escaped = json.replace(/[^ -~]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
  const base64 = Buffer.from(value).toString('base64').replace(/=+$/, '');
  const written = [value, encodeURIComponent(value.toWellFormed()), json, escaped, base64];
  return [...new Set(written.flatMap((text) => [text, Buffer.from(text).toString('latin1')]))];
}
