import { type ClientRoute, clientRoutes } from './client-dialects.ts';
import { type ConfigFragment, saved } from './gateway.ts';
import type { Peer } from './peer.ts';
import type { WireDialect } from './recordings.ts';

/** A client's route together with the wire format that serves it. */
export interface Pairing extends ClientRoute {
  readonly wire: WireDialect;
  readonly provider: string;
  readonly title: string;
}

const servedBy: Readonly<Record<ClientRoute['dialect'], readonly (readonly [provider: string, wire: WireDialect])[]>> =
  {
    chat: [
      ['openai', 'chat'],
      ['anthropic', 'messages'],
      ['google', 'gemini'],
    ],
    messages: [
      ['anthropic', 'messages'],
      ['openai', 'chat'],
      ['google', 'gemini'],
    ],
    responses: [
      ['openai', 'responses'],
      ['anthropic', 'messages'],
      ['google', 'gemini'],
    ],
  };

/** Each client's route with its own format, which is forwarded, and with others, which are translated. */
export const pairings: readonly Pairing[] = clientRoutes.flatMap((route) =>
  servedBy[route.dialect].map(([provider, wire]) => ({
    ...route,
    provider,
    wire,
    title: `${route.dialect} client, ${wire} provider`,
  })),
);

/** A config whose only target is the peer, as a saved provider of the pairing's kind. */
export function servedOnly(
  { provider, wire }: Pick<Pairing, 'provider' | 'wire'>,
  { origin }: Pick<Peer, 'origin'>,
): ConfigFragment {
  const base = `${origin}/${wire === 'gemini' ? 'v1beta' : 'v1'}`;
  return { configs: { main: { virtual_key: 'p' } }, defaultConfig: 'main', providers: { p: saved(provider, base) } };
}
