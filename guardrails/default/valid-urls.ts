import { Resolver } from 'node:dns/promises';
import { type CheckHost, check, GatewayError, schema } from 'portcullis/sdk';
import { resolves } from './name-lookup.ts';
import { urlsIn } from './urls-in-text.ts';
import { judged } from './verdict.ts';

const mostUrls = 20;
const oneUrlMs = 3000;

interface Finding {
  readonly url: string;
  readonly valid: boolean;
  readonly reason?: string;
}

/** @param makeResolver makes the resolver of one run, which is cancelled at its end */
export function validUrls(makeResolver: () => Resolver) {
  return check({
    title: 'Valid URLs',
    description:
      'Every URL in the text must answer a HEAD request, or, with onlyDNS, its host must have an address. At most 20 different ones.',
    config: schema.Object(
      {
        onlyDNS: schema.Boolean({ default: false, description: 'Looks the hosts up and calls nobody.' }),
        not: schema.Boolean({ default: false, description: 'Passes when at least one of the URLs is not valid.' }),
      },
      { additionalProperties: false },
    ),
    phases: ['afterRequest'],
    whole: true,
    remote: { timeoutMs: 5000 },
    async run(input, { onlyDNS, not }, host) {
      const { urls, malformed } = urlsIn(input.text);
      const count = urls.length + malformed;
      if (count === 0) return { pass: false, why: 'No URLs found.' };
      if (count > mostUrls) {
        const why = `${count} different URLs found; at most ${mostUrls} are looked at.`;
        return { pass: false, why, data: { explanation: why, not, verdict: false, count } };
      }
      const found = onlyDNS ? await lookUp(urls, makeResolver(), host) : await callAll(urls, host);
      const valid = found.filter((finding) => finding.valid).length;
      const explanation = `${valid} of ${count} URLs are valid.`;
      const data = { urls: found.map((finding) => ({ ...finding })), malformed };
      return judged({ holds: valid === count, not, explanation, data });
    },
  });
}

export default validUrls(() => new Resolver({ timeout: oneUrlMs, tries: 1 }));

function callAll(urls: readonly URL[], host: CheckHost<unknown>): Promise<readonly Finding[]> {
  return Promise.all(urls.map((url) => callOne(url.href, host)));
}

async function callOne(url: string, host: CheckHost<unknown>): Promise<Finding> {
  try {
    const { status } = await host.fetch(url, { method: 'HEAD', timeoutMs: oneUrlMs });
    // 405: the place is there, and takes other methods (RFC 9110 §15.5.6).
    const valid = status < 400 || status === 405;
    return valid ? { url, valid } : { url, valid, reason: `status ${status}` };
  } catch (error) {
    if (host.signal.aborted || !GatewayError.is(error) || error.code === 'forbidden') throw error;
    return { url, valid: false, reason: reasons[error.code] ?? 'unreachable' };
  }
}

const reasons: Readonly<Record<string, string>> = {
  bad_request: 'not callable',
  request_timeout: 'no answer in time',
  url_blocked: 'blocked',
};

async function lookUp(urls: readonly URL[], resolver: Resolver, host: CheckHost<unknown>): Promise<readonly Finding[]> {
  const stop = () => resolver.cancel();
  host.signal.addEventListener('abort', stop, { once: true });
  try {
    const names = [...new Set(urls.map(({ hostname }) => hostname))];
    const answers = await Promise.all(names.map((name) => resolves(resolver, name)));
    const known = new Map(names.map((name, index) => [name, answers[index] === true]));
    return urls.map(({ href: url, hostname }) =>
      known.get(hostname) === true ? { url, valid: true } : { url, valid: false, reason: 'no address' },
    );
  } finally {
    host.signal.removeEventListener('abort', stop);
    stop();
  }
}
