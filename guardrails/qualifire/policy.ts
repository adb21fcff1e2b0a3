import { type CheckHost, check, schema } from 'portcullis/sdk';
import type { Credentials } from './credentials.ts';
import { evaluate, mode, remote } from './evaluate.ts';

export default check({
  title: 'Qualifire: policies',
  description:
    'Fails what breaks one of the policies, each a sentence. `policy_target` says which side they are about.',
  config: schema.Object(
    {
      policies: schema.Array(schema.String({ minLength: 1, maxLength: 4096 }), { minItems: 1, maxItems: 100 }),
      mode: mode(),
      policy_target: schema.Enum(['input', 'output', 'both'], { default: 'both' }),
    },
    { additionalProperties: false },
  ),
  phases: ['beforeRequest', 'afterRequest'],
  // A policy may say what a reply must hold.
  whole: true,
  remote,
  run({ phase, text, content, prompt }, given, host: CheckHost<Credentials>) {
    const before = phase === 'beforeRequest';
    if (before && given.policy_target === 'output') return { pass: true, why: 'These policies are about replies.' };
    const target = before ? 'input' : given.policy_target;
    const asked = before ? text : prompt;
    const judged = [target === 'output' ? '' : asked, target === 'input' ? '' : content];
    if (judged.every((said) => said.trim() === '')) return { pass: true };
    return evaluate(host, {
      ...(target === 'output' || asked === '' ? {} : { input: asked }),
      ...(target === 'input' ? {} : { output: content }),
      assertions: given.policies,
      assertions_mode: given.mode,
      policy_target: target,
    });
  },
});
