import { schema as Type } from 'portcullis/sdk';
import type { Kind } from './content.ts';

const closed = { additionalProperties: false };
const text = Type.String();
const word = Type.String({ minLength: 1 });
const mapping = (accepts: string) => Type.Unsafe<object>({ type: 'object', accepts });
const mappings = Type.Array(mapping('a mapping'));

const common = {
  name: word,
  collection: Type.Optional(Type.Array(word, { accepts: 'a list of names of collections, the outermost first' })),
  version_description: Type.Optional(text),
};

const messages = Type.Array(Type.Object({ role: word }, { accepts: 'a message: a mapping with a role' }), {
  minItems: 1,
  accepts: 'a list of messages',
});

/** What a file of each kind may hold. */
export const fileSchemas: Readonly<Record<Kind, object>> = {
  prompts: Type.Object(
    {
      ...common,
      provider: word,
      model: Type.Optional(text),
      parameters: Type.Optional(mapping('a mapping')),
      is_raw_template: Type.Optional(Type.Boolean()),
      template_metadata: Type.Optional(mapping('a mapping')),
      template: Type.Union([Type.String({ minLength: 1, accepts: 'a text' }), messages], {
        accepts: 'a text or a list of messages, each with a role',
      }),
      tools: Type.Optional(mappings),
      functions: Type.Optional(mappings),
      tool_choice: Type.Optional(
        Type.Union([Type.String(), mapping('a mapping')], { accepts: 'a string or a mapping' }),
      ),
    },
    closed,
  ),
  partials: Type.Object({ ...common, template: Type.String({ minLength: 1, accepts: 'a text' }) }, closed),
};
