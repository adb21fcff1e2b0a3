import { mostUsed } from './counter-source.ts';

// A count is a hash: u is what was used, r what is reserved, s how often it was set. Beside it stands a sorted set of the
// open reservations, `<id>.<index>|<amount>` by the moment at which each is too old. Amounts go as texts into HINCRBY, for
// Lua would write large numbers with an exponent. All moments are those of the server.

const give = `
local function give(k, amount)
  if amount ~= '0' then redis.call('HINCRBY', k, 'r', '-' .. amount) end
end
`;

// Beyond 2^63 Redis would answer with an error, and be taken for away.
const use = `
local function use(k, amount)
  local u = tonumber(redis.call('HGET', k, 'u')) or 0
  if u + tonumber(amount) >= ${mostUsed} then redis.call('HSET', k, 'u', '${mostUsed}')
  else redis.call('HINCRBY', k, 'u', amount) end
end
`;

const purge = `${give}
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local function purge(k, z)
  local old = redis.call('ZRANGEBYSCORE', z, '-inf', now, 'LIMIT', 0, 100)
  for _, m in ipairs(old) do
    redis.call('ZREM', z, m)
    give(k, string.match(m, '|(%d+)$'))
  end
  return #old
end
`;

// A durable count can be read again from the store, so it goes when nobody asks for it: others after so many milliseconds,
// or never.
const expire = `
local function expire(key, ending)
  if ending == 'durable' then redis.call('PEXPIRE', key, 86400000)
  elseif ending ~= 'never' then redis.call('PEXPIRE', key, ending) end
end
`;

/**
 * KEYS: the counts, then their open reservations. ARGV: id, how long it may be held, then for each count limit, amount,
 * ending and seed: what the store says of a durable count, or '?' for not asked yet; '' for one that is not durable.
 * Gives {1, lapsed, used, reserved, ...}, or {0, lapsed, index, used, reserved}, or {-1, index, ...} of missing seeds.
 */
const reserve = `${purge}${expire}
local n = #KEYS / 2
local missing = {-1}
for i = 1, n do
  local seed = ARGV[i * 4 + 2]
  if seed ~= '' and redis.call('HEXISTS', KEYS[i], 'u') == 0 then
    if seed == '?' then
      missing[#missing + 1] = i - 1
    else
      redis.call('HSET', KEYS[i], 'u', seed)
      expire(KEYS[i], 'durable')
    end
  end
end
if #missing > 1 then return missing end
local lapsed = 0
local out = {1, 0}
for i = 1, n do
  local k, z, a = KEYS[i], KEYS[n + i], i * 4 - 2
  lapsed = lapsed + purge(k, z)
  local v = redis.call('HMGET', k, 'u', 'r')
  local u, r = tonumber(v[1]) or 0, tonumber(v[2]) or 0
  local limit, amount = tonumber(ARGV[a + 1]), tonumber(ARGV[a + 2])
  if u + r + amount > limit and (amount <= limit or u + r > 0) then
    for j = 1, i - 1 do
      redis.call('ZREM', KEYS[n + j], ARGV[1] .. '.' .. j .. '|' .. ARGV[j * 4])
      give(KEYS[j], ARGV[j * 4])
    end
    return {0, lapsed, i - 1, u, r}
  end
  redis.call('ZADD', z, now + ARGV[2], ARGV[1] .. '.' .. i .. '|' .. ARGV[a + 2])
  if amount > 0 then redis.call('HINCRBY', k, 'r', ARGV[a + 2]) end
  expire(k, ARGV[a + 3])
  expire(z, ARGV[a + 3])
  out[#out + 1] = u
  out[#out + 1] = r + amount
end
out[2] = lapsed
return out`;

/**
 * KEYS as above. ARGV: id, then 'first', or 'again' when an earlier call may have come through, then for each count what
 * was set aside, what was used, ending. What is no longer set aside on a second try was settled by the first.
 */
const settle = `${give}${use}${expire}
local n = #KEYS / 2
for i = 1, n do
  local k, z, a = KEYS[i], KEYS[n + i], i * 3 - 1
  local held = redis.call('ZREM', z, ARGV[1] .. '.' .. i .. '|' .. ARGV[a + 1])
  if held == 1 then give(k, ARGV[a + 1]) end
  local durable = ARGV[a + 3] == 'durable'
  if ARGV[a + 2] ~= '0' and (held == 1 or ARGV[2] == 'first')
      and (not durable or redis.call('HEXISTS', k, 'u') == 1) then
    use(k, ARGV[a + 2])
    expire(k, ARGV[a + 3])
  end
end
return 1`;

/** KEYS: a mark of this call, then the counts. ARGV: for each what was used and its ending. Twice is as once. */
const add = `${use}${expire}
if not redis.call('SET', KEYS[1], '1', 'NX', 'PX', 600000) then return 0 end
for i = 2, #KEYS do
  use(KEYS[i], ARGV[i * 2 - 3])
  expire(KEYS[i], ARGV[i * 2 - 2])
end
return 1`;

/** KEYS: the count. ARGV: used, ending. */
const set = `${expire}
redis.call('HSET', KEYS[1], 'u', ARGV[1])
redis.call('HINCRBY', KEYS[1], 's', 1)
expire(KEYS[1], ARGV[2])
return 1`;

/** KEYS: a durable count. ARGV: what the store said, and s from before it was asked. The store never lowers it. */
const raise = `
local v = redis.call('HMGET', KEYS[1], 'u', 's')
if v[1] and (v[2] or '0') == ARGV[2] and tonumber(v[1]) < tonumber(ARGV[1]) then
  redis.call('HSET', KEYS[1], 'u', ARGV[1])
end
return 1`;

/** KEYS: the counts, then their open reservations. Gives u, r and s of each, null for what is not there. */
const read = `${purge}
local n = #KEYS / 2
local out = {}
for i = 1, n do
  purge(KEYS[i], KEYS[n + i])
  local v = redis.call('HMGET', KEYS[i], 'u', 'r', 's')
  for j = 1, 3 do out[#out + 1] = v[j] end
end
return out`;

/** The steps that Redis carries out at once each, by name. */
export const scripts = { reserve, settle, add, set, raise, read } as const;
export type ScriptName = keyof typeof scripts;
