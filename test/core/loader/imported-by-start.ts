import { registerHooks } from 'node:module';

/** A process of its own: creates a gateway, and prints which providers of this repository that has imported. */
const imported = new Set<string>();
registerHooks({
  load: (url, context, next) => {
    const name = /(?<!\/sdk)\/providers\/([^/]+)\/index\.ts$/.exec(url)?.[1];
    if (name !== undefined) imported.add(name);
    return next(url, context);
  },
});

// After the hook, which would not see them otherwise.
const { effectiveConfig } = await import('../../../core/config/effective.ts');
const { readEnvironment } = await import('../../../core/config/env.ts');
const { createGateway } = await import('../../../core/gateway.ts');

const file = {
  providers: { mine: { provider: 'groq', api_key: 'k' } },
  configs: {
    all: {
      strategy: { mode: 'fallback' },
      targets: [{ provider: 'echo' }, { virtual_key: 'mine' }, { override_params: { model: '@cohere/command' } }],
    },
  },
};
const gateway = await createGateway(effectiveConfig(file, readEnvironment({ LOG_LEVEL: 'silent' })));
process.stdout.write([...imported].toSorted().join());
await gateway.close();
