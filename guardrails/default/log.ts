import { check, GatewayError, schema } from 'portcullis/sdk';
import { headersParameter, targetHeaders, targetUrl, urlParameter } from './post-target.ts';
import { postedContext } from './posted-context.ts';

/** The body of the answer is not read. */
const maxBytes = 65_536;

export default check({
  title: 'Log',
  description: 'Posts the request, and after it the reply, to a URL of yours; passes when that succeeds.',
  config: schema.Object(
    { logURL: urlParameter('Where to post.'), headers: headersParameter },
    { additionalProperties: false },
  ),
  phases: ['beforeRequest', 'afterRequest'],
  remote: { timeoutMs: 3000 },
  prepare: ({ logURL, headers }) => ({ url: targetUrl(logURL, 'logURL'), headers: targetHeaders(headers) }),
  async run(input, { url, headers }, host) {
    const reply = await host
      .fetch(url, {
        method: 'POST',
        headers: { ...headers, 'content-type': 'application/json' },
        body: JSON.stringify(postedContext(input)),
        maxBytes,
      })
      .catch((cause: unknown) => {
        const why = GatewayError.is(cause) ? cause.message : 'the call failed.';
        throw new GatewayError('check_failed', `Nothing was logged: ${why}`, { cause });
      });
    if (reply.status >= 200 && reply.status <= 299) return { pass: true };
    throw new GatewayError('check_failed', `Nothing was logged: the URL answered with status ${reply.status}.`);
  },
});
