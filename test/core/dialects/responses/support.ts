import { responses } from '../../../../sdk/dialects/responses/index.ts';
import { supportFor } from '../stream-support.ts';

export { callOf, contextOf, eventsOf, frozen } from '../stream-support.ts';
export const { deltasOf, fixture, jsonFixture, wireOf } = supportFor(responses, import.meta.url);
