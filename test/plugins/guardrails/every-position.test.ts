import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Json } from 'portcullis/sdk';
import { Draft } from '../../../plugins/guardrails/scan/draft.ts';
import { readRequest } from '../../../plugins/guardrails/scan/read.ts';
import type { JsonPath } from '../../../plugins/guardrails/scan/reading.ts';
import { scanRequest } from '../../../plugins/guardrails/scan/scan.ts';
import { exchangeOf } from '../../support/exchange.ts';
import { type Asked, asked } from './asked.ts';
import { askedNatively } from './asked-natively.ts';

const marker = 'A text that must be read.';

function* stringsIn(value: Json, path: JsonPath = []): Generator<JsonPath> {
  if (typeof value === 'string') yield path;
  else if (Array.isArray(value)) for (const [at, item] of value.entries()) yield* stringsIn(item, [...path, at]);
  else if (typeof value === 'object' && value !== null)
    for (const [name, member] of Object.entries(value)) yield* stringsIn(member, [...path, name]);
}

/** Whether a check of the whole request sees the marker at the place, or is told that something cannot be read. */
function isSeen({ endpoint, dialect, body }: Asked, path: JsonPath): boolean {
  const draft = new Draft(body);
  draft.put(path, marker);
  const exchange = exchangeOf({ endpoint, ...(dialect === undefined ? {} : { dialect }) });
  const reading = readRequest(exchange, draft.body);
  const { texts } = scanRequest(reading, 'all_messages', false);
  return reading.unreadable.length > 0 || texts.some(({ text }) => text.includes(marker));
}

describe('a text anywhere in a request', () => {
  for (const [format, request] of Object.entries({ ...asked, ...askedNatively }))
    it(`is read, but for ids, enumerations and the like: ${format}`, () => {
      const unseen = [...stringsIn(request.body)].filter((path) => !isSeen(request, path));
      const places = new Set(unseen.map((path) => path.filter((step) => typeof step === 'string').join('.')));
      assert.deepEqual([...places].toSorted(), request.unread.toSorted());
    });
});
