import { asNumber, GatewayError, type Json, type JsonObject } from 'portcullis/sdk';
import { isPersonal, type Place } from './place.ts';

/**
 * When the key ends. The settings give people's keys an end where the body gives none, and bound what it may give,
 * counted from the key's making: a life cannot be drawn out bit by bit.
 * @throws GatewayError `bad_request`
 */
export function expiryFrom(
  given: Json | undefined,
  { type, settings }: Place,
  moments: { readonly now: number; readonly createdAt?: number },
): JsonObject {
  const creating = moments.createdAt === undefined;
  if (given === undefined && !creating) return {};
  const ttl = isPersonal(type) ? settings.userApiKeyTtl : undefined;
  const most = isPersonal(type) ? settings.userApiKeyMaxTtl : undefined;
  const latest = most === undefined ? undefined : (moments.createdAt ?? moments.now) + most * 1000;
  const asked = asNumber(given);
  if (asked !== undefined) return { expires_at: checked(asked, moments.now, latest), expiry_enforced: flag(most) };
  if (!creating) {
    if (latest !== undefined) refuse(`must be given: users' keys live ${most} seconds at most`);
    return { expires_at: null, expiry_enforced: 0 };
  }
  const lives = ttl !== undefined && most !== undefined ? Math.min(ttl, most) : (ttl ?? most);
  return { expires_at: lives === undefined ? null : moments.now + lives * 1000, expiry_enforced: flag(lives) };
}

function checked(asked: number, now: number, latest: number | undefined): number {
  if (asked <= now) refuse('is in the past');
  if (latest !== undefined && asked > latest) {
    refuse(`is too late: the settings end users' keys at ${new Date(latest).toISOString()} at the latest`);
  }
  return asked;
}

function flag(limit: number | undefined): 0 | 1 {
  return limit === undefined ? 0 : 1;
}

function refuse(why: string): never {
  throw new GatewayError('bad_request', `expires_at ${why}.`, { param: 'expires_at' });
}
