import { plugin } from 'portcullis/sdk';
import analytics from '../../../../../plugins/analytics/index.ts';
import { withLogs } from '../../injected.ts';

const { migrations: _, setup, control, ...rest } = analytics;

export default plugin({
  ...rest,
  setup: (config, host) => setup(config, withLogs(host)),
  control: async (host) => (await control?.(withLogs(host))) ?? {},
});
