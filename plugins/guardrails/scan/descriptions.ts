import { asArray, asObject, type Json, type JsonObject } from 'portcullis/sdk';
import type { Gathering, JsonPath } from './reading.ts';

const lists = ['tools', 'functions'] as const;

/** What a request says of its tools and of the answer's form. It is of no message: only the scope of all covers it. */
export function readDescriptions(found: Gathering, body: JsonObject): void {
  for (const list of lists) {
    if (body[list] === undefined) continue;
    asArray(body[list]).forEach((tool, at) => {
      describe(found, tool, [list, at]);
      describe(found, asObject(tool)?.function, [list, at, 'function']);
      describe(found, asObject(tool)?.custom, [list, at, 'custom']);
    });
  }
  if (body.response_format !== undefined)
    describe(found, asObject(body.response_format)?.json_schema, ['response_format', 'json_schema']);
  if (body.text !== undefined) describe(found, asObject(body.text)?.format, ['text', 'format']);
}

function describe(found: Gathering, value: Json | undefined, path: JsonPath): void {
  const description = asObject(value)?.description;
  if (typeof description === 'string') found.text([...path, 'description'], description, 'system', 'text', -1);
}
