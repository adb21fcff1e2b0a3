import { plugin, schema } from 'portcullis/sdk';
import { bootstrap, bootstrapToken } from './actions/bootstrap.ts';
import { ownSessions } from './actions/list.ts';
import { login } from './actions/login.ts';
import { logout } from './actions/logout.ts';
import { changePassword } from './actions/password.ts';
import { forgotPassword, resetPassword } from './actions/reset.ts';
import { self } from './actions/self.ts';
import { cleanup } from './cleanup.ts';
import { identifier } from './identify.ts';
import { loadSession } from './live.ts';
import { signOn } from './oidc/sign-on.ts';
import type { Parts } from './parts.ts';
import { passwords } from './password/scrypt.ts';
import { reactions } from './reactions.ts';
import { settingsFrom } from './settings.ts';
import { migrations } from './tables.ts';

export default plugin({
  config: schema.Object({}, { additionalProperties: false }),
  migrations,
  setup: (_, host) => ({ identify: identifier(host) }),
  control: (host) => {
    const parts: Parts = { host, passwords: passwords(), settings: settingsFrom((name) => host.env(name)) };
    return {
      actions: [
        bootstrap(parts),
        login(parts),
        ...logout(parts),
        changePassword(parts),
        forgotPassword(parts),
        resetPassword(parts),
        self,
        ...ownSessions,
        ...signOn(parts),
      ],
      reactions: reactions(parts.passwords),
      jobs: [cleanup(host)],
      loaders: { session: loadSession },
      bootstrap: (operation) => bootstrapToken(parts, operation),
    };
  },
});
