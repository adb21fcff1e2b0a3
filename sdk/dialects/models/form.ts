import type { JsonObject } from '../../json.ts';
import type { DialectName } from '../dialect.ts';
import { geminiModels } from './gemini.ts';
import type { ReadModel } from './index.ts';
import { messagesModels } from './messages.ts';

/** How a format other than the chat format writes models. What came in that format already is written as it came. */
export interface ModelForm {
  one(model: ReadModel): JsonObject;
  /**
   * A page of models.
   * @param query says which page, by the names of the format
   * @throws GatewayError `bad_request` naming the parameter
   */
  list(models: readonly ReadModel[], query: Readonly<Record<string, string>>): JsonObject;
}

/** Clients of any other format read the list that {@link encodeModels} writes. */
export const modelForms: { readonly [Name in DialectName]?: ModelForm } = {
  gemini: geminiModels,
  messages: messagesModels,
};
