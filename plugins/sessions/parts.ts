import type { Action, ControlHost } from 'portcullis/sdk';
import type { Passwords } from './password/scrypt.ts';
import type { SessionSettings } from './settings.ts';

/** What the actions work with. */
export interface Parts {
  readonly host: ControlHost;
  readonly passwords: Passwords;
  readonly settings: SessionSettings;
}

/** Where rows are looked up before it is known whose they are. */
export const anywhere = { organisationId: '' } as const;

/**
 * Runs in no transaction of its own but in several short ones: what was counted stays counted when the answer is a
 * refusal, and nothing waits for the store while a password is hashed or a provider answers.
 */
export function apart(action: Action): Action {
  return Object.assign({ transaction: false as const, audited: false }, action);
}
