import type { Endpoint, RequestContext } from 'portcullis/sdk';

/** What costs nothing although it is posted: counting, and calling something off. */
const free: ReadonlySet<Endpoint> = new Set([
  'messagesCountTokens',
  'cancelModelResponse',
  'cancelBatch',
  'cancelFinetune',
]);

type Asked = Pick<RequestContext, 'endpoint' | 'method' | 'path'>;

/** Below these, any path of the provider's; runs are called off there too. */
const spanning: ReadonlySet<Endpoint> = new Set(['assistants', 'threads', 'vectorStores', 'conversations']);

/**
 * Whether a request makes its provider work or keep something, now or later. Budgets and rates of money and tokens are for
 * those: who has used theirs up can still read, delete and call off what is there. Each request is a request, though.
 */
export function spends({ endpoint, method, path }: Asked): boolean {
  if (endpoint === 'realtime') return true;
  if (method === 'GET' || method === 'HEAD' || method === 'DELETE' || free.has(endpoint)) return false;
  return !(spanning.has(endpoint) && path.endsWith('/cancel'));
}

/** Whether it makes a model go on with a thread: it runs later, and nobody reads what it has used. */
export function makesRun({ endpoint, method, path }: Asked): boolean {
  return endpoint === 'threads' && method === 'POST' && /\/(runs|submit_tool_outputs)\/?$/.test(path);
}
