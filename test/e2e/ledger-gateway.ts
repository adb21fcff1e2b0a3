import type { TestContext } from 'node:test';
import type { LedgerSettings } from '../../core/ledger/settings.ts';
import { type Guarded, guarded, watched } from '../plugins/guardrails/guarded.ts';
import type { ConfigFragment } from '../support/gateway.ts';

const only = (plugin: string) => [{ plugin }];

/** A gateway that counts by these settings and writes its records down; nothing but guardrails takes part. */
export function countingGateway(
  t: Pick<TestContext, 'after'>,
  settings: Partial<LedgerSettings> = {},
  fragment: ConfigFragment = {},
): Promise<Guarded> {
  const guardrails = only('guardrails');
  return guarded(t, {
    ledger: { askUsage: true, onDisconnect: 'count', ...settings },
    phases: {
      ...watched.phases,
      resolve: only('request-config'),
      lookup: [],
      beforeRequest: guardrails,
      afterRequest: guardrails,
      settle: guardrails,
      log: only('test-watch'),
    },
    ...fragment,
  });
}
