import { asObject, GatewayError, type Json } from 'portcullis/sdk';
import { messagesIn } from './messages.ts';

export type PromptType = 'chat' | 'text';

/**
 * What kind of request a prompt becomes: what `template_type` of its metadata says; without it a raw template and a
 * JSON array of messages are a chat, and any other text is a text.
 * @throws GatewayError `bad_request` when `template_type` is another word
 */
export function promptTypeOf(string: string, templateMetadata: Json | undefined, isRawTemplate = false): PromptType {
  const type = asObject(templateMetadata)?.template_type ?? undefined;
  if (type === 'chat' || type === 'text') return type;
  if (type !== undefined) {
    const param = 'template_metadata.template_type';
    throw new GatewayError('bad_request', `${param} must be "chat" or "text".`, { param });
  }
  return isRawTemplate || messagesIn(string) !== undefined ? 'chat' : 'text';
}
