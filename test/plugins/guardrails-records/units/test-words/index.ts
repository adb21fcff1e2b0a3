import { check, GatewayError, guardrail, schema } from 'portcullis/sdk';

export default guardrail({
  checks: {
    contains: check({
      title: 'Contains a word',
      config: schema.Object({ words: schema.Array(schema.String(), { minItems: 1 }) }, { additionalProperties: false }),
      phases: ['beforeRequest', 'afterRequest'],
      run: ({ text }, { words }) => ({ pass: words.some((word: string) => text.includes(word)) }),
    }),
    /** Looks deeper before it is saved. */
    compiled: check({
      title: 'Code that is looked at',
      config: schema.Object({ code: schema.String() }, { additionalProperties: false }),
      phases: ['beforeRequest'],
      accept: async ({ code }) => {
        await (globalThis as { lookAtCode?: (code: string) => Promise<void> }).lookAtCode?.(code);
        if (code.startsWith('broken'))
          throw new GatewayError('invalid_config', 'The code has a fault.', { param: 'code' });
      },
      run: () => ({ pass: true }),
    }),
  },
});
