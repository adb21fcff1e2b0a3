import type { EndpointSpec, Flow } from 'portcullis/sdk';

/**
 * Rankers have a base of their own, on the same host: https://docs.qwencloud.com/api-reference/rerank/openai-rerank. With a
 * custom host they are looked for at its origin.
 */
const ranking: Flow = ({ body }, tools) =>
  tools.send({ method: 'POST', url: 'https://dashscope.aliyuncs.com/compatible-api/v1/reranks', body });

export const rerank: EndpointSpec = { path: '/reranks', dialect: 'rerank', flow: ranking };
