import { GatewayError } from 'portcullis/sdk';

const seconds: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600, d: 86_400 };

/** `30s`, `5m`, `12h`, `1d` as seconds. @throws GatewayError `invalid_config` for anything else */
export function secondsOf(text: string, param: string): number {
  const [, amount = '', unit = ''] = /^([1-9]\d{0,8})([smhd])$/.exec(text) ?? [];
  const factor = seconds[unit];
  if (factor !== undefined) return Number(amount) * factor;
  const why = `${param} must be a number with a unit: 30s, 5m, 12h or 1d.`;
  throw new GatewayError('invalid_config', why, { param });
}
