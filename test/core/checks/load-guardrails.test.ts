import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { loadGuardrails } from '../../../core/checks/load-guardrails.ts';
import { loadUnits } from '../../../core/loader/load.ts';
import { folderOf, manifestOf, refusalOf } from '../loader/unit-folders.ts';

describe('a built-in guardrail unit whose code is at fault', () => {
  for (const [whom, serving, code, message] of [
    [
      'the operator, with its file',
      false,
      'invalid_config',
      /broken.index\.ts cannot be imported\. TypeError: on purpose$/,
    ],
    [
      'callers, without',
      true,
      'internal',
      /^The guardrail broken@1 of this gateway cannot be used\. The log says why\.$/,
    ],
  ] as const) {
    it(`is refused to ${whom}`, async (t) => {
      const { path, remove } = await folderOf({
        'guardrails/broken/plugin.json': manifestOf('broken', { kind: 'guardrail' }),
        'guardrails/broken/index.ts': 'throw new TypeError("on purpose");',
        'providers/settings.json': {},
      });
      t.after(remove);
      const { guardrails } = await loadUnits({ pluginFolders: [], signingKeys: [] }, { root: path });
      const unsandboxed = () => assert.fail('a built-in unit is not sandboxed');
      const [unit] = await loadGuardrails(guardrails.units, unsandboxed, () => serving);
      const error = await refusalOf(() => unit?.definition);
      assert.equal(error.code, code);
      assert.match(error.message, message);
      if (serving) assert.match(String(error.cause), /broken.index\.ts cannot be imported\. TypeError: on purpose/);
    });
  }
});
