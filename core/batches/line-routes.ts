import { inferenceRoutes } from '../http/inference.ts';

type LineRoute = (typeof inferenceRoutes)[number];

/** What a line of a batch may ask for. */
const paths: readonly string[] = [
  '/v1/chat/completions',
  '/v1/completions',
  '/v1/embeddings',
  '/v1/responses',
  '/v1/messages',
  '/v1/images/generations',
  '/v1/moderations',
  '/v1/rerank',
];

const routes = new Map<string, LineRoute>(
  inferenceRoutes
    .filter(({ path, method }) => method === 'post' && paths.includes(path))
    .map((route) => [route.path, route]),
);

/** The route of a line's url, which some write without `/v1`; undefined: batches have none like it. */
export function lineRouteOf(url: string): LineRoute | undefined {
  return routes.get(url.startsWith('/v1/') ? url : `/v1${url}`);
}

/** For messages. */
export const lineUrls = paths.join(', ');
