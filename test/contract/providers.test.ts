import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { it } from 'node:test';
import { testProvider } from 'portcullis/sdk/testing';

const providers = new URL('../../providers/', import.meta.url);
const names = readdirSync(providers, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map((entry) => entry.name);

it('finds the providers', () => assert.ok(names.includes('openai')));

// The echo has no provider behind it whose answers could be recorded; it has tests of its own.
for (const name of names.filter((candidate) => candidate !== 'echo')) testProvider(new URL(`${name}/`, providers));
