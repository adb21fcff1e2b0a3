import { type CheckHost, type CheckInput, type CheckPhase, check, type JsonObject, schema } from 'portcullis/sdk';
import type { Credentials } from './credentials.ts';
import { evaluate, mode, remote } from './evaluate.ts';

const both = ['beforeRequest', 'afterRequest'] as const;
const onReplies = ['afterRequest'] as const;

/** The side that the check stands on, and that alone: a reply does not fail for what the prompt says. */
function side({ phase, text }: CheckInput): JsonObject {
  return phase === 'beforeRequest' ? { input: text } : { output: text };
}

/** The answer, and what it answers. */
function exchange({ prompt, content }: CheckInput): JsonObject {
  return prompt === '' ? { output: content } : { input: prompt, output: content };
}

function detector(title: string, phases: readonly [CheckPhase, ...CheckPhase[]], field: string) {
  return check({
    title: `Qualifire: ${title}`,
    config: schema.Object({}, { additionalProperties: false }),
    phases,
    remote,
    run: (input, _config, host: CheckHost<Credentials>) =>
      input.text.trim() === '' ? { pass: true } : evaluate(host, { ...side(input), [field]: true }),
  });
}

function judge(title: string, name: string) {
  return check({
    title: `Qualifire: ${title}`,
    config: schema.Object({ mode: mode() }, { additionalProperties: false }),
    phases: onReplies,
    whole: true,
    remote,
    run: (input, given, host: CheckHost<Credentials>) =>
      input.content.trim() === ''
        ? { pass: true }
        : evaluate(host, { ...exchange(input), [`${name}_check`]: true, [`${name}_mode`]: given.mode }),
  });
}

export const detectors = {
  contentModeration: detector('content moderation', both, 'content_moderation_check'),
  pii: detector('personal data', both, 'pii_check'),
  promptInjections: detector('prompt injections', ['beforeRequest'], 'prompt_injections'),
  hallucinations: judge('hallucinations', 'hallucinations'),
  grounding: judge('grounding in the prompt', 'grounding'),
};
