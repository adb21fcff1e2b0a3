import {
  asArray,
  asObject,
  asString,
  type Edit,
  editsBetween,
  GatewayError,
  type JsonObject,
  type ScannedText,
} from 'portcullis/sdk';

export type Action = 'none' | 'monitor' | 'block' | 'anonymize';

const actions: Readonly<Record<string, Action>> = {
  monitor_action: 'monitor',
  block_action: 'block',
  anonymize_action: 'anonymize',
};

/**
 * What Cato wants to happen. No action is one only beside the analysis that found nothing.
 * @throws GatewayError `check_failed` for anything that is no verdict
 */
export function actionOf({ required_action: required, analysis_result: analysis }: JsonObject): Action {
  if (required === null && asObject(analysis) !== undefined) return 'none';
  const type = asString(asObject(required)?.action_type) ?? '';
  const action = Object.hasOwn(actions, type) ? actions[type] : undefined;
  if (action === undefined) throw new GatewayError('check_failed', 'Cato answered without an action that is known.');
  return action;
}

/**
 * The changes that anonymize the texts.
 * @param offset how many messages went before the texts
 * @throws GatewayError `check_failed` where a text has no counterpart
 */
export function redactions(reply: JsonObject, texts: readonly ScannedText[], offset: number): readonly Edit[] {
  const { all_redacted_messages: all } = asObject(reply.redacted_chat) ?? {};
  const redacted = asArray(all).slice(offset);
  return texts.flatMap(({ index, text }, at) => {
    const content = asString(asObject(redacted[at])?.content);
    if (content === undefined || redacted.length !== texts.length)
      throw new GatewayError('check_failed', 'Cato answered without the anonymized texts.');
    return editsBetween(index, text, content);
  });
}
