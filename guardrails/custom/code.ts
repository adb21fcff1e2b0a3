import { check, type SandboxedCode, type Static, schema } from 'portcullis/sdk';

const config = schema.Object(
  {
    code: schema.String({
      minLength: 1,
      maxLength: 65_536,
      description: 'JavaScript or TypeScript whose default export is `(input, host) => verdict`.',
    }),
    timeout: schema.Integer({
      minimum: 10,
      maximum: 5000,
      default: 500,
      description: 'Milliseconds of wall clock for one run.',
    }),
    memoryMb: schema.Integer({ minimum: 8, maximum: 128, default: 32, description: 'Memory that it may take.' }),
    net: schema.Array(
      schema.String({
        maxLength: 260,
        pattern: '^(\\*\\.)?[a-zA-Z0-9-]+(\\.[a-zA-Z0-9-]+)*:[0-9]{1,5}$',
        accepts: 'a host and a port, such as api.example.com:443',
      }),
      { maxItems: 20, default: [], description: 'The places that it may call; `*.` covers subdomains.' },
    ),
  },
  { additionalProperties: false },
);

/** Runs code that somebody wrote for their own traffic. */
export const code = check({
  title: 'Custom code',
  description: 'A function of your own, run in the sandbox: it gets what a check gets, and gives a verdict.',
  config,
  phases: ['beforeRequest', 'afterRequest'],
  edits: 'may',
  accept: (parameters, host) => host.code.accept(sandboxed(parameters), 'code'),
  run: (input, parameters, host) => host.code.run(sandboxed(parameters), input),
});

function sandboxed({ code: source, timeout, memoryMb, net }: Static<typeof config>): SandboxedCode {
  return { source, net, timeoutMs: timeout, memoryMb };
}
