import type { ControlHost, Job } from 'portcullis/sdk';
import { anywhere } from './parts.ts';

/** No wait lasts as long: what was not touched since counts for nothing. */
const attemptsKeptMs = 86_400_000;

/** Removes what has run out. */
export function cleanup(host: ControlHost): Job {
  return {
    name: 'sessions-cleanup',
    schedule: '17 * * * *',
    run: async () => {
      const now = host.now();
      await host.transaction(anywhere, async ({ db }) => {
        for (const table of ['sessions', 'one_time_tokens', 'oidc_states']) {
          await db(table).where('expires_at', '<=', now).delete();
        }
        await db('login_attempts')
          .where('touched_at', '<', now - attemptsKeptMs)
          .delete();
      });
    },
  };
}
