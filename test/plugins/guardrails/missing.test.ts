import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { GatewayError, type HookEntry, type Host } from 'portcullis/sdk';
import { ActiveHooks } from '../../../plugins/guardrails/definition/active.ts';
import { guardrailHooks } from '../../../plugins/guardrails/guardrail-hooks.ts';
import { exchangeOf, targetOf } from '../../support/exchange.ts';
import { noUnhandledRejections } from '../../support/rejections.ts';

noUnhandledRejections();

/** Knows no guardrail; those whose name begins with `late` it looks for in vain, and says so later. */
const host = {
  file: () => ({}),
  directory: (_kind: string, ...path: readonly string[]) =>
    path.at(-1)?.startsWith('late') === true
      ? Promise.reject(new GatewayError('not_ready', 'The store is away.'))
      : undefined,
  env: () => undefined,
  slot: () => ({ get: () => undefined, set: () => {} }),
} as unknown as Host;

function entriesOf(source: HookEntry['source'], ...names: readonly string[]): readonly HookEntry[] {
  return names.map((value, index) => ({ source, value, path: `config.${source}[${index}]` }));
}

function asking(before: readonly HookEntry[], after: readonly HookEntry[] = []) {
  const request = exchangeOf();
  const access = { organisationId: 'org-1', workspaceId: 'w-1' };
  request.principal = { id: 'k', kind: 'key', access } as never;
  return { ...targetOf(), request, hooks: { before, after } };
}

const settled = () => new Promise(setImmediate);

describe('a guardrail that is not there', () => {
  it('ends the request alone, while another one is still looked for in vain', async () => {
    const entries = entriesOf('input_guardrails', 'late-1', 'late-2', 'gone');
    assert.throws(() => new ActiveHooks(host).of(asking(entries), 'beforeRequest'), { code: 'invalid_config' });
    await settled();
  });

  it('does the same where it is one of the reply', async () => {
    const target = asking(entriesOf('input_guardrails', 'late'), entriesOf('output_guardrails', 'gone'));
    await assert.rejects(async () => guardrailHooks(host).beforeRequest?.(target), { code: 'invalid_config' });
    await settled();
  });
});
