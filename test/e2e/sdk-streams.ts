import type { TestContext } from 'node:test';
import { dialects } from 'portcullis/sdk';
import type { ClientName } from '../plugins/guardrails-stream/readers.ts';
import { answer, wireOf } from '../plugins/guardrails-stream/windows.ts';
import { type ConfigFragment, saved, startGateway, type TestGateway, testProviders } from '../support/gateway.ts';
import { type Peer, type PeerRequest, startPeer } from '../support/peer.ts';

/** The saved provider for each client: of its own format, and of another one. */
export const providers: Readonly<Record<ClientName, Readonly<Record<'same' | 'translated', string>>>> = {
  chat: { same: 'openai', translated: 'anthropic' },
  completions: { same: 'openai', translated: 'anthropic' },
  messages: { same: 'anthropic', translated: 'google' },
  responses: { same: 'openai', translated: 'anthropic' },
};

/** The stream of a provider that says a text in pieces, in the format of the route that is asked. */
export function streamFor(said: string, { url }: Pick<PeerRequest, 'url'>): string {
  const deltas = answer(...(said.match(/.{1,7}/g) ?? []));
  if (url.includes('streamGenerateContent')) return wireOf(deltas, dialects.gemini);
  if (url.endsWith('/responses')) return wireOf(deltas, dialects.responses);
  if (url.endsWith('/messages')) return wireOf(deltas, dialects.messages);
  return wireOf(deltas, url.endsWith('/chat/completions') ? dialects.chat : dialects.completions);
}

/** A gateway with those providers, all of which say the same. */
export async function openStreams(
  scope: Pick<TestContext, 'after'>,
  said: string,
  { pieceBytes, ...fragment }: ConfigFragment & { readonly pieceBytes?: number } = {},
): Promise<{ readonly peer: Peer; readonly gateway: TestGateway }> {
  const peer = await startPeer(scope);
  const pieces = pieceBytes === undefined ? {} : { pieceBytes };
  peer.always((request) => ({ events: [streamFor(said, request)], ...pieces }));
  const gateway = await startGateway(scope, {
    pluginFolders: [{ path: testProviders, trust: 'trusted', requireSignature: false }],
    providers: {
      openai: saved('openai', `${peer.origin}/v1`),
      anthropic: saved('anthropic', `${peer.origin}/v1`),
      google: saved('google', `${peer.origin}/v1beta`),
    },
    ...fragment,
  });
  return { peer, gateway };
}
