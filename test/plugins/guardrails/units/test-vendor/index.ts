import { callJson, check, guardrail, schema, secret } from 'portcullis/sdk';

/** Asks a place on this machine, with its credential in a header. */
export default guardrail({
  credentials: schema.Object({ apiKey: secret() }, { additionalProperties: false }),
  checks: {
    scan: check({
      title: 'Asks the vendor',
      config: schema.Object({ url: schema.String() }, { additionalProperties: false }),
      phases: ['beforeRequest', 'afterRequest'],
      edits: 'may',
      remote: { timeoutMs: 20_000 },
      async run({ text }, { url }, host) {
        const headers = { 'X-Vendor-Key': (host.credentials as { readonly apiKey: string }).apiKey };
        const answer = await callJson(host, { vendor: 'The vendor', url, headers, body: { text } });
        return { pass: answer.pass === true };
      },
    }),
  },
});
