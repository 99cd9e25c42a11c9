import { createHash } from "node:crypto";
import { REMEMBERED_MEMBERS } from "../../ledger/rules.ts";

/** A script that runs on the server, as a whole or not at all. */
export interface Script {
  text: string;
  /** What the server calls it, once it knows it. */
  sha: string;
}

export function script(text: string): Script {
  return { text, sha: createHash("sha1").update(text).digest("hex") };
}

/** The version of the records. Those of another version are not touched. */
export const VERSION = "2";

/** How scripts report what is no error of the server. */
export const OTHER_VERSION = "TLVERSION";

/**
 * What all scripts share. `KEYS` are the record, the leases of its members, and for a pool with periods what holds in all
 * of them. Without periods that is in the record.
 *
 * The record is a hash: `version`, `sums`, `state` (what was changed, as JSON), `extra` (what of that decides a request),
 * one `m:<id>` for each member and one `k:<key>` for each extension. What holds in every period is `head`, as JSON, and
 * of that `limits` and `frozen`, which decide requests. Sums and members are packed lists, whose places have the names
 * below.
 * The leases are a sorted set. Members that take part have a time before which their lease does not end: a lease that is
 * renewed is not moved at once, but when that time has come. Those that departed have a number below 0, which grows.
 */
export const RECORD = `
local SETTLED, HELD, AGENTS, SWEEP, EXPIRES, BORN, FORGOTTEN, GONE, JOINED, DEPARTED = 1, 2, 3, 4, 5, 6, 7, 8, 9, 10
local TURN, UNTIL, SCORE, KIND, REFUSED, NAME, USED, HOLDS, PAID, PLACE, TOLD, INCARNATION =
  1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12
local call, pack, unpacked = redis.call, cmsgpack.pack, cmsgpack.unpack

local now = given
if not now then
  local time = call('TIME')
  now = math.floor((time[1] * 1000000 + time[2]) / 1000)
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

local function entryOf(id)
  local packed = call('HGET', KEYS[1], 'm:' .. id)
  return packed and unpacked(packed)
end

local function sumsOf(version, packed)
  if version and version ~= '${VERSION}' then
    return nil, redis.error_reply('${OTHER_VERSION} ' .. version)
  end
  local sums = packed and unpacked(packed)
  if sums and sums[EXPIRES] ~= 0 and sums[EXPIRES] <= now then
    call('DEL', KEYS[1], KEYS[2])
    sums = nil
  end
  return sums
end

local function newSums()
  return { {}, {}, 0, 0, 0, now, 0, 0, 0, 0 }
end

local function lapse(sums, member)
  for measure, amount in pairs(member[HOLDS]) do
    plus(sums[HELD], measure, -amount)
    plus(sums[SETTLED], measure, amount)
    plus(member[USED], measure, amount)
    plus(member[PAID], measure, amount)
  end
  member[HOLDS] = {}
end
`;

// Those of a command that a user may not run.
const COMMANDS = [
  "'DEL', KEYS[2]",
  "'HDEL', KEYS[1], 'f'",
  "'HEXISTS', KEYS[1], 'f'",
  "'HGET', KEYS[1], 'f'",
  "'HGETALL', KEYS[1]",
  "'HSET', KEYS[1], 'f', 'v'",
  "'PERSIST', KEYS[1]",
  "'PEXPIRE', KEYS[1], 1",
  "'ZADD', KEYS[2], 0, 'm'",
  "'ZCARD', KEYS[2]",
  "'ZCOUNT', KEYS[2], 0, 0",
  "'ZRANGE', KEYS[2], 0, 0",
  "'ZRANGEBYSCORE', KEYS[2], 0, 0",
  "'ZREM', KEYS[2], 'm'",
];

/** Scripts that write find out first whether they may do all that they do: a half of it would be wrong. Since Redis 7.0. */
const ALLOWED = `
local function notAllowed()
  if not redis.acl_check_cmd then return nil end
  for _, command in ipairs({ ${COMMANDS.map((command) => `{ ${command} }`).join(", ")} }) do
    if not redis.acl_check_cmd(unpack(command)) then
      return redis.error_reply('NOPERM this user has no permission to run ' .. command[1] .. ' on the keys of the store')
    end
  end
end
`;

/** What scripts share that end leases, and forget those of whom only the sum is kept. */
export const DEPARTURES = `${ALLOWED}
local function depart(sums, id)
  sums[DEPARTED] = sums[DEPARTED] + 1
  call('ZADD', KEYS[2], sums[DEPARTED] - 9e15, id)
end

local function forgetDeparted(sums)
  local tooMany = call('ZCOUNT', KEYS[2], '-inf', '(0') - ${REMEMBERED_MEMBERS}
  if tooMany <= 0 then return {} end
  local gone = {}
  for _, id in ipairs(call('ZRANGE', KEYS[2], 0, tooMany - 1)) do
    gone[id] = true
    call('HDEL', KEYS[1], 'm:' .. id)
    call('ZREM', KEYS[2], id)
  end
  sums[GONE], sums[FORGOTTEN] = sums[GONE] + tooMany, now
  return gone
end

-- The leases, or members, may have been removed from the server by others. The leases are made anew from the members that
-- there are. What the others held counts as used.
local function repair(sums)
  call('DEL', KEYS[2])
  local held = {}
  sums[AGENTS], sums[SWEEP] = 0, 0
  local fields = call('HGETALL', KEYS[1])
  for i = 1, #fields, 2 do
    if string.sub(fields[i], 1, 2) == 'm:' then
      local id, member = string.sub(fields[i], 3), unpacked(fields[i + 1])
      if member[UNTIL] == 0 then
        depart(sums, id)
      else
        for measure, amount in pairs(member[HOLDS]) do plus(held, measure, amount) end
        member[SCORE] = member[UNTIL]
        call('HSET', KEYS[1], fields[i], pack(member))
        call('ZADD', KEYS[2], member[UNTIL], id)
        sums[AGENTS] = sums[AGENTS] + 1
        if sums[SWEEP] == 0 or member[UNTIL] < sums[SWEEP] then sums[SWEEP] = member[UNTIL] end
      end
    end
  end
  local missing = {}
  for measure, amount in pairs(sums[HELD]) do missing[measure] = amount - (held[measure] or 0) end
  for measure, amount in pairs(missing) do
    plus(sums[HELD], measure, -amount)
    plus(sums[SETTLED], measure, amount)
  end
  if sums[EXPIRES] ~= 0 then call('PEXPIRE', KEYS[2], sums[EXPIRES] - now) end
end

local function isBroken(sums)
  local leases = call('ZCOUNT', KEYS[2], 0, '+inf')
  return leases ~= sums[AGENTS] or (sums[AGENTS] + sums[DEPARTED] == 0 and call('ZCARD', KEYS[2]) > 0)
end

-- Members whose lease is over: what they held counts as used. Of one of them the caller has the entry.
local function sweep(sums, ownId, own)
  if isBroken(sums) then
    repair(sums)
    local _, found = sweep(sums, ownId, ownId and entryOf(ownId))
    return true, found
  end
  if sums[SWEEP] == 0 or sums[SWEEP] > now then return false, own end
  for _, id in ipairs(call('ZRANGEBYSCORE', KEYS[2], 0, now)) do
    local member = id == ownId and own or entryOf(id)
    if not member then
      repair(sums)
      local _, found = sweep(sums, ownId, ownId and entryOf(ownId))
      return true, found
    end
    local isOver = member[UNTIL] <= now
    if isOver then
      lapse(sums, member)
      member[UNTIL] = 0
      sums[AGENTS] = sums[AGENTS] - 1
    end
    member[SCORE] = member[UNTIL]
    call('HSET', KEYS[1], 'm:' .. id, pack(member))
    if isOver then depart(sums, id) else call('ZADD', KEYS[2], member[UNTIL], id) end
  end
  if forgetDeparted(sums)[ownId] then own = nil end
  sums[SWEEP] = tonumber(call('ZRANGEBYSCORE', KEYS[2], 0, '+inf', 'WITHSCORES', 'LIMIT', 0, 1)[2] or 0)
  return true, own
end
`;
