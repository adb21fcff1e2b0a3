import { type CheckInput, check, guardrail, type Json, schema } from 'portcullis/sdk';

const both = ['beforeRequest', 'afterRequest'] as const;
const nothing = schema.Object({}, { additionalProperties: false });
const sees = ({
  texts,
  turns,
  prompt,
  headers,
  metadata,
  callsTools,
  changed,
  model,
  stream,
  endpoint,
}: CheckInput): Json => ({
  texts: texts.map(({ role, kind, message, text }) => ({ role, kind, message, text })),
  turns: turns.map(({ role, text }) => ({ role, text })),
  prompt,
  headers: { ...headers },
  metadata: { ...metadata },
  callsTools,
  changed: { ...changed },
  model,
  stream,
  endpoint,
});

/** Checks that do what a test needs, the wrong things too. */
export default guardrail({
  checks: {
    sees: check({
      title: 'Tells what it sees',
      config: nothing,
      phases: both,
      run: (input) => ({ pass: true, data: sees(input) }),
    }),
    later: check({
      title: 'Gives its verdict in a later turn of the loop',
      config: schema.Object({ pass: schema.Boolean({ default: true }) }, { additionalProperties: false }),
      phases: both,
      run: async ({ text }, { pass }) => {
        await new Promise((resolve) => setImmediate(resolve));
        return { pass, data: text };
      },
    }),
    crashes: check({
      title: 'Throws something with the text in it',
      config: schema.Object({ later: schema.Boolean({ default: false }) }, { additionalProperties: false }),
      phases: both,
      run: ({ text }, { later }) => {
        if (!later) throw new TypeError(`cannot read ${text}`);
        return new Promise((_, reject) => setImmediate(() => reject(new TypeError(`cannot read ${text}`))));
      },
    }),
    silent: check({ title: 'Gives no verdict', config: nothing, phases: both, run: () => ({}) as never }),
    meddles: check({
      title: 'Edits and has not said so',
      config: nothing,
      phases: both,
      run: () => ({ pass: true, edits: [{ text: 0, start: 0, end: 1, with: '' }] }),
    }),
    /** Puts a text in the place of every match, wherever it stands. */
    swaps: check({
      title: 'Swaps',
      config: schema.Object(
        { from: schema.String({ minLength: 1 }), to: schema.String() },
        { additionalProperties: false },
      ),
      phases: both,
      edits: 'may',
      run: ({ texts }, { from, to }) => ({
        pass: true,
        edits: texts.flatMap(({ index, text }) => {
          const start = text.indexOf(from);
          return start === -1 ? [] : [{ text: index, start, end: start + from.length, with: to }];
        }),
      }),
    }),
    missesTheText: check({
      title: 'Edits a text that is not there',
      config: nothing,
      phases: both,
      edits: 'may',
      run: () => ({ pass: true, edits: [{ text: 99, start: 0, end: 1, with: '' }] }),
    }),
    requestsOnly: check({
      title: 'Looks at requests',
      config: nothing,
      phases: ['beforeRequest'],
      run: () => ({ pass: true }),
    }),
    needsNoText: check({
      title: 'Looks at the metadata',
      config: nothing,
      phases: both,
      scans: false,
      run: ({ metadata }) => ({ pass: metadata.team === 'ok' }),
    }),
  },
});
