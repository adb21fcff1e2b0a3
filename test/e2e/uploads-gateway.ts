import { createGateway } from '../../core/gateway.ts';
import { saved, testConfig } from '../support/gateway.ts';

/** A process with a gateway to a server, whose URL it is given; tells its own. */
const [, , upstream = ''] = process.argv;
const gateway = await createGateway(
  testConfig({
    providers: { same: saved('openai', `${upstream}/v1`) },
    configs: {
      untouched: { provider: '@same' },
      rewritten: { provider: '@same', override_params: { language: 'de' } },
    },
    defaultConfig: 'untouched',
  }),
  { env: () => undefined },
);
const { url } = await gateway.listen();
process.send?.(url);
