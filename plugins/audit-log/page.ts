import { GatewayError } from 'portcullis/sdk';

export interface Page {
  readonly size: number;
  readonly offset: number;
}

/** @throws GatewayError `bad_request` naming the parameter */
export function pageOf(query: Readonly<Record<string, string>>): Page {
  const page = integerOf(query.current_page, 'current_page', { least: 0, most: 1_000_000, standard: 0 });
  const size = integerOf(query.page_size, 'page_size', { least: 1, most: 100, standard: 100 });
  return { size, offset: page * size };
}

interface Bounds {
  readonly least: number;
  readonly most: number;
  readonly standard: number;
}

function integerOf(text: string | undefined, param: string, { least, most, standard }: Bounds): number {
  if (text === undefined || text === '') return standard;
  const value = /^\d{1,7}$/.test(text) ? Number(text) : Number.NaN;
  if (value >= least && value <= most) return value;
  throw new GatewayError('bad_request', `${param} must be an integer from ${least} to ${most}.`, { param });
}
