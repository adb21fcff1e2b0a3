import { check, schema } from 'portcullis/sdk';
import { choice, strict } from './parameters.ts';

export default check({
  title: 'Add prefix',
  description:
    'Puts a text before the first message of a role; a message that is missing is made, that of the system first, others last.',
  config: schema.Object(
    {
      prefix: schema.String({ minLength: 1, maxLength: 100_000, description: 'The text.' }),
      applyToRole: choice(['user', 'system', 'assistant'], 'The role.'),
      addToExisting: schema.Boolean({
        default: true,
        description: 'Into the message itself. Otherwise as a message of its own before it.',
      }),
      onlyIfEmpty: schema.Boolean({ default: false, description: 'Only where the message is missing or empty.' }),
    },
    strict,
  ),
  phases: ['beforeRequest'],
  endpoints: ['chatComplete', 'complete', 'messages', 'createModelResponse'],
  scans: false,
  edits: 'only',
  run({ turns }, { prefix, applyToRole, addToExisting, onlyIfEmpty }) {
    const text = turns.find(({ role }) => role === applyToRole)?.text ?? '';
    if (onlyIfEmpty && /\S/.test(text))
      return { pass: true, why: `The first ${applyToRole} message is not empty, so nothing was added.` };
    const why = `The prefix was put before the first ${applyToRole} message.`;
    return { pass: true, why, edits: [{ message: applyToRole, at: 'start', add: prefix, apart: !addToExisting }] };
  },
});
