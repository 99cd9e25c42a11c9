import { createHash } from "node:crypto";

/** A script that runs on the server, as a whole or not at all. */
export interface Script {
  text: string;
  /** What the server calls it, once it knows it. */
  sha: string;
}

export function script(text: string): Script {
  return { text, sha: createHash("sha1").update(text).digest("hex") };
}

/** What a later version of this package writes, this one must not touch. */
export const VERSION = "1";

/** How scripts report what is no error of the server. */
export const LATER_VERSION = "TLVERSION";
export const LOST = "TLLOST";

/**
 * What all scripts share. `KEYS` are the record and the leases of a pool.
 *
 * The record is a hash: `version`, `sums`, `head` (the pool's state, as JSON), `rules` (what of it decides a request)
 * and one `m:<id>` for each member. Sums and members are packed lists, whose places have the names below.
 * The leases are a sorted set of the members that take part, each with a time before which its lease does not end: a
 * lease that is renewed is not moved at once, but when that time has come.
 */
export const RECORD = `
local SETTLED, HELD, AGENTS, SWEEP, EXPIRES, BORN, SEQ, JOINED = 1, 2, 3, 4, 5, 6, 7, 8
local TURN, UNTIL, SCORE, KIND, REFUSED, NAME, USED, HOLDS, PAID, PLACE = 1, 2, 3, 4, 5, 6, 7, 8, 9, 10
local call, pack, unpacked = redis.call, cmsgpack.pack, cmsgpack.unpack

local now, micros = given, given
if not now then
  local time = call('TIME')
  micros = time[1] * 1000000 + time[2]
  now = math.floor(micros / 1000)
end

local function plus(to, measure, amount)
  local sum = (to[measure] or 0) + amount
  if sum == 0 then to[measure] = nil else to[measure] = sum end
end

-- The client does not read numbers of 16 digits exactly.
local function listed(amounts)
  local list = {}
  for measure, amount in pairs(amounts) do
    list[#list + 1] = measure
    list[#list + 1] = math.abs(amount) < 1e15 and amount or string.format('%.0f', amount)
  end
  return list
end

local function sumsOf(version, packed)
  if version and version ~= '${VERSION}' then
    return nil, redis.error_reply('${LATER_VERSION} ' .. version)
  end
  local sums = packed and unpacked(packed)
  if sums and sums[EXPIRES] ~= 0 and sums[EXPIRES] <= now then
    call('DEL', KEYS[1], KEYS[2])
    sums = nil
  end
  return sums
end

local function newSums()
  return { {}, {}, 0, 0, 0, string.format('%.0f', micros), 0, 0 }
end

-- Members whose lease is over: what they held counts as used. Of one of them the caller has the entry.
local function sweep(sums, ownId, own)
  if sums[SWEEP] == 0 or sums[SWEEP] > now then return false end
  local ids = call('ZRANGEBYSCORE', KEYS[2], '-inf', now)
  for i = 1, #ids do
    local id = ids[i]
    local member = id == ownId and own or unpacked(call('HGET', KEYS[1], 'm:' .. id))
    local isOver = member[UNTIL] <= now
    if isOver then
      for measure, amount in pairs(member[HOLDS]) do
        plus(sums[HELD], measure, -amount)
        plus(sums[SETTLED], measure, amount)
        plus(member[USED], measure, amount)
        plus(member[PAID], measure, amount)
      end
      member[HOLDS], member[UNTIL] = {}, 0
      sums[AGENTS] = sums[AGENTS] - 1
    end
    member[SCORE] = member[UNTIL]
    call('HSET', KEYS[1], 'm:' .. id, pack(member))
    if isOver then call('ZREM', KEYS[2], id) else call('ZADD', KEYS[2], member[UNTIL], id) end
  end
  sums[SWEEP] = tonumber(call('ZRANGE', KEYS[2], 0, 0, 'WITHSCORES')[2] or 0)
  return true
end
`;
