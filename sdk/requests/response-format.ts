import { anyObject, closedCases, flag, identifier, nullable, object, text } from './fields.ts';

const schemaOptions = { description: text, schema: anyObject, strict: nullable(flag) };

/** The format of a chat answer: the schema sits in an object of its own. */
export const responseFormat = closedCases('type', {
  text: undefined,
  json_object: undefined,
  json_schema: object({ json_schema: object({ name: identifier(64) }, schemaOptions) }),
});

/** The format of a response's text: the schema's fields sit beside the type. */
export const textFormat = closedCases('type', {
  text: undefined,
  json_object: undefined,
  json_schema: object({ name: identifier(64), schema: anyObject }, { description: text, strict: nullable(flag) }),
});
