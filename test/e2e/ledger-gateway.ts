import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
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
      lookup: [],
      beforeRequest: guardrails,
      afterRequest: guardrails,
      settle: guardrails,
      log: only('test-watch'),
    },
    ...fragment,
  });
}

/** Resolves when the client of the next request to the gateway has gone, and the gateway knows. */
export function clientGone(gatewayUrl: string): Promise<void> {
  const port = Number(new URL(gatewayUrl).port);
  return new Promise((resolve) => {
    const started = (message: unknown) => {
      const { response, socket } = message as { response: ServerResponse; socket: Socket };
      if (socket.localPort !== port) return;
      unsubscribe('http.server.request.start', started);
      response.on('close', resolve);
    };
    subscribe('http.server.request.start', started);
  });
}
