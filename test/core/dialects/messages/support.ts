import { messages } from '../../../../sdk/dialects/messages/index.ts';
import { supportFor } from '../stream-support.ts';

export { callOf, contextOf, eventsOf, frozen } from '../stream-support.ts';
export const { deltasOf, fixture, jsonFixture, wireOf } = supportFor(messages, import.meta.url);
