import { GatewayError } from 'portcullis/sdk';

/** Days that logs are kept; 0: for ever. @throws GatewayError `invalid_config` */
export function retentionDays(text: string | undefined, name: string, standard: number): number {
  if (text === undefined || text.trim() === '') return standard;
  const days = /^\d{1,5}$/.test(text.trim()) ? Number(text.trim()) : Number.NaN;
  if (!Number.isNaN(days)) return days;
  throw new GatewayError('invalid_config', `${name} must be an integer from 0 to 99999; 0 keeps them for ever.`, {
    param: name,
  });
}
