import { plugin } from 'portcullis/sdk';
import logs from '../../../../../plugins/logs/index.ts';
import { withLogs } from '../../injected.ts';

const { migrations: _, setup, control, ...rest } = logs;

export default plugin({
  ...rest,
  setup: (config, host) => setup(config, withLogs(host)),
  control: async (host) => (await control?.(withLogs(host))) ?? {},
});
