import assert from 'node:assert/strict';
import { basename } from 'node:path';
import { describe, it } from 'node:test';
import { pathToFileURL } from 'node:url';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { isGuardrail, isPlugin, isProvider, type Manifest, manifestSchema, sdkVersion } from 'portcullis/sdk';
import semver from 'semver';
import { environmentTable } from '../../core/config/env.ts';
import { filesBelow, root, textOf, unitPaths } from './tree.ts';

const kinds = { providers: 'provider', guardrails: 'guardrail', plugins: 'plugin' } as const;
const validate = new Ajv2020({ strict: false, allErrors: true }).compile(manifestSchema);

for (const unit of unitPaths()) {
  describe(unit, () => {
    const files = filesBelow(unit);

    it('holds plugin.json and index.ts', () => {
      assert.deepEqual(
        ['plugin.json', 'index.ts'].filter((name) => !files.includes(`${unit}/${name}`)),
        [],
      );
    });

    it('has a valid manifest that is named as its folder', () => {
      const manifest = JSON.parse(textOf(`${unit}/plugin.json`)) as Manifest;
      assert.ok(validate(manifest), JSON.stringify(validate.errors));
      assert.equal(manifest.name, basename(unit));
      assert.equal(manifest.kind, kinds[unit.split('/')[0] as keyof typeof kinds]);
      assert.ok(semver.valid(manifest.version), 'version');
      assert.ok(semver.satisfies(sdkVersion, manifest.sdk), 'sdk range');
    });

    it('says what the variables mean that it reads', () => {
      const { permissions, environment = {} } = JSON.parse(textOf(`${unit}/plugin.json`)) as Manifest;
      // Those of providers are settings, and described there.
      const read = unit.startsWith('plugins/') ? (permissions?.env ?? []) : [];
      const inCore = new Set(Object.keys(environmentTable));
      assert.deepEqual(
        read.filter((name) => environment[name] === undefined && !inCore.has(name)),
        [],
      );
      assert.deepEqual(
        Object.keys(environment).filter((name) => !read.includes(name)),
        [],
      );
    });

    it('has a declared unit as its default export', async () => {
      const module = (await import(pathToFileURL(`${root}/${unit}/index.ts`).href)) as { default: unknown };
      const isDeclared = { providers: isProvider, guardrails: isGuardrail, plugins: isPlugin }[
        unit.split('/')[0] as keyof typeof kinds
      ];
      assert.ok(isDeclared(module.default));
    });
  });
}
