import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Manifest } from 'portcullis/sdk';
import { createRegistry } from '../../../core/loader/registry.ts';
import { manifestOf, refusalOf } from './unit-folders.ts';

const unit = (name: string, version: string, folder = `/${name}-${version}`) => ({
  manifest: manifestOf(name, { version }) as unknown as Manifest,
  folder,
});

describe('the registry', () => {
  const registry = createRegistry('provider', [
    unit('deepseek', '10.0.0'),
    unit('deepseek', '2.3.1'),
    unit('deepseek', '9.0.0'),
    unit('mistral', '0.4.0'),
  ]);

  const found: readonly [string, string][] = [
    ['deepseek', '10.0.0'],
    ['deepseek@2', '2.3.1'],
    ['deepseek@9', '9.0.0'],
    ['mistral', '0.4.0'],
    ['mistral@0', '0.4.0'],
  ];
  for (const [reference, version] of found) {
    it(`finds ${reference} in version ${version}`, () =>
      assert.equal(registry.find(reference).manifest.version, version));
  }

  const unknown: readonly [string, RegExp][] = [
    ['deepsek', /Did you mean deepseek\?/],
    ['deepseek@3', /There is deepseek@2, deepseek@9, deepseek@10\./],
    ['deepseek@', /There is deepseek@2/],
    ['constructor', /No provider has the name "constructor"\.$/],
    ['', /No provider has the name ""\.$/],
  ];
  for (const [reference, message] of unknown) {
    it(`refuses "${reference}"`, async () => {
      const error = await refusalOf(() => registry.find(reference));
      assert.equal(error.code, 'unknown_provider');
      assert.match(error.message, message);
      assert.equal(registry.get(reference), undefined);
    });
  }

  it('refuses the same name and major twice, naming both folders', async () => {
    const error = await refusalOf(() =>
      createRegistry('provider', [unit('a', '1.0.0', '/one'), unit('a', '1.4.0', '/two')]),
    );
    assert.match(error.message, /a@1: \/one and \/two/);
  });

  it('lists units by name and major', () => {
    assert.deepEqual(
      registry.units.map(({ manifest }) => manifest.version),
      ['2.3.1', '9.0.0', '10.0.0', '0.4.0'],
    );
  });
});
