import {
  asArray,
  asBoolean,
  asObject,
  asString,
  type CheckHost,
  callJson,
  editsBetween,
  GatewayError,
  type JsonObject,
  type ScannedText,
  type Verdict,
} from 'portcullis/sdk';
import type { Credentials } from './credentials.ts';

/** Each text is a call of its own: only so is it known which one was modified. */
const maxTexts = 32;

/**
 * Has every text judged at once, as `prompt` or as `response`.
 * Source: https://github.com/prompt-security/sample_code and https://docs.webrix.ai/docs/guardrails/prompt-security
 */
export async function protect(
  scanned: readonly ScannedText[],
  part: 'prompt' | 'response',
  bodyOf: (text: string) => JsonObject,
  host: CheckHost<Credentials>,
): Promise<Verdict> {
  const texts = scanned.filter(({ text }) => text.trim() !== '');
  if (texts.length === 0) return { pass: true };
  if (texts.length > maxTexts) {
    const many = `Prompt Security is asked about ${maxTexts} texts at most; there are ${texts.length}.`;
    throw new GatewayError('check_failed', many);
  }
  const { apiDomain, apiKey } = host.credentials;
  const judged = await Promise.all(
    texts.map(async ({ index, text }) => {
      const reply = await callJson(host, {
        vendor: 'Prompt Security',
        url: `https://${apiDomain}/api/protect`,
        headers: { 'app-id': apiKey },
        body: bodyOf(text),
      });
      return { index, text, ...judgementOf(asObject(asObject(reply.result)?.[part])) };
    }),
  );
  const pass = judged.every((one) => one.pass);
  return {
    pass,
    ...(pass ? {} : { why: `Prompt Security blocks the ${part}.` }),
    data: judged.map(({ index, action, violations }) => ({ text: index, action, violations })),
    edits: judged.flatMap(({ index, text, modified }) => editsBetween(index, text, modified ?? text)),
  };
}

/** `action` is pass, allow, log, modify or block; `passed` is not in every version of the reply. */
function judgementOf(section: JsonObject | undefined) {
  const passed = asBoolean(section?.passed);
  const action = asString(section?.action) ?? (passed === undefined ? '' : passed ? 'pass' : 'block');
  const modified = action === 'modify' ? asString(section?.modified_text) : undefined;
  const harmless = action === 'pass' || action === 'allow' || action === 'log';
  if ((action === 'modify' && modified === undefined) || (!harmless && action !== 'modify' && action !== 'block'))
    throw new GatewayError('check_failed', 'Prompt Security answered without a verdict.');
  const violations = asArray(section?.violations)
    .flatMap((violation) => asString(violation) ?? asString(asObject(violation)?.type) ?? [])
    .slice(0, 10);
  return { pass: harmless ? passed !== false : action === 'modify', action, modified, violations };
}
