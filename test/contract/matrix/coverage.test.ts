import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { dialects } from 'portcullis/sdk';
import { capabilitiesOf } from '../../../core/loader/capabilities.ts';
import type { ProviderEntry } from '../../../core/loader/providers.ts';
import { entries, isStreamed, isSuccess } from './cases.ts';
import { cells, placeNamed } from './cells.ts';

/** What no recording can show: bytes that pass untouched, and a session over a socket. They have tests of their own. */
const unrecorded: ReadonlySet<string> = new Set(['proxy', 'realtime']);

/** Formats of pictures, sound and files stream as bytes or not at all. */
const documents: ReadonlySet<string> = new Set(
  Object.values(dialects).flatMap(({ kind, name }) => (kind === 'document' ? [name] : [])),
);

function missing(entry: ProviderEntry): readonly string[] {
  const own = cells.filter(({ recorded }) => recorded.entry === entry);
  const shown = own.filter(({ recorded }) => isSuccess(recorded));
  const places = (streamed: boolean) =>
    new Set(shown.filter(({ recorded }) => isStreamed(recorded) === streamed).map(({ place }) => place));
  const [whole, streamed] = [places(false), places(true)];
  const without = (capabilitiesOf([entry])[0]?.capabilities ?? []).flatMap(({ endpoint, family, stream, dialect }) => {
    if (unrecorded.has(endpoint)) return [];
    const place = placeNamed(endpoint, family);
    const generates = stream && dialect !== null && !documents.has(dialect);
    return [
      ...(whole.has(place) || (!generates && streamed.has(place)) ? [] : [place]),
      ...(generates && !streamed.has(place) ? [`${place}, streamed`] : []),
    ];
  });
  const refused = own.some(({ recorded }) => recorded.fixture.answers.some(({ status }) => status >= 400));
  return refused ? without : [...without, 'any error'];
}

describe('the recordings of a provider show everything that it claims', () => {
  for (const entry of entries) it(entry.manifest.name, () => assert.deepEqual(missing(entry), []));
});
