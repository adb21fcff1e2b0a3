import { asObject, asString, type JsonObject, parseJson } from 'portcullis/sdk';

/** The data of all events, parsed where they are JSON. */
export function eventsIn(text: string): readonly (JsonObject | string)[] {
  return text.split(/\r?\n\r?\n/).flatMap((event) => {
    const lines = event.split(/\r?\n/).filter((line) => line.startsWith('data:'));
    if (lines.length === 0) return [];
    const data = lines.map((line) => line.slice(5).trim()).join('\n');
    return [asObject(parseJson(data)) ?? data];
  });
}

/** The message of an error that a stream tells of. */
export function errorIn(text: string): string | undefined {
  for (const event of eventsIn(text)) {
    if (typeof event === 'string') continue;
    const error =
      asObject(event.error) ??
      asObject(asObject(event.response)?.error) ??
      (event.type === 'error' ? event : undefined);
    if (error !== undefined) return asString(error.message) ?? 'an error';
  }
  return undefined;
}

/** Those of the events that are objects. */
export function objectsIn(text: string): readonly JsonObject[] {
  return eventsIn(text).filter((event) => typeof event !== 'string');
}
